package analysis

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/pkg/level"
	"github.com/hubbench/hubbench/pkg/meter"
	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/trace/tracetest"
	"github.com/hubbench/hubbench/pkg/work"
)

// set is what disks of one letter each moved together.
func set(disks string, total, half, alone float64) *reach {
	return &reach{
		disks: strings.Split(disks, ""), total: total, half: half, alone: alone,
		phases: []*phase{{out: &Phase{Phase: disks, Contention: &Contention{}}}},
	}
}

func names(sets []*reach) string {
	var all []string
	for _, s := range sets {
		all = append(all, strings.Join(s.disks, ""))
	}
	return strings.Join(all, " ")
}

func TestReach(t *testing.T) {
	for alone, want := range map[float64]bool{119.9: false, 120: true, 130: true} {
		if got := set("AB", 100, 1, alone).held(); got != want {
			t.Errorf("%v one by one, 100 together: held %v", alone, got)
		}
	}
	// Errors of 3 and 4 are 5 together, and 1.7 of that is 8.5.
	for total, want := range map[float64]bool{108.4: true, 108.6: false, 91.6: true, 91.4: false} {
		if got := set("AB", 100, 3, 0).alike(set("C", total, 4, 0)); got != want {
			t.Errorf("100 and %v alike: %v", total, got)
		}
	}
}

// A set that is measured again counts with its mean.
func TestGather(t *testing.T) {
	var sets []*reach
	for _, r := range []*reach{set("AB", 100, 3, 0), set("AC", 50, 2, 0), set("AB", 130, 6, 0), set("ABC", 1, 1, 0), set("AB", 160, 9, 0)} {
		sets = gather(sets, r)
	}
	if got := names(sets); got != "AB AC ABC" {
		t.Fatalf("sets %s", got)
	}
	if s := sets[0]; s.total != 130 || s.half != 6 || len(s.phases) != 3 || len(sets[1].phases) != 1 {
		t.Errorf("AB in %d phases: %v, %v", len(s.phases), s.total, s.half)
	}
}

func TestLargestWithin(t *testing.T) {
	sets := []*reach{set("A", 0, 0, 0), set("BC", 0, 0, 0), set("ABCD", 0, 0, 0), set("AC", 0, 0, 0), set("AE", 0, 0, 0)}
	for of, want := range map[string]string{"ABC": "BC", "AB": "A", "A": "", "ACD": "AC", "ABCDE": "ABCD", "BD": ""} {
		got := ""
		if found := largestWithin(sets, set(of, 0, 0, 0)); found != nil {
			got = strings.Join(found.disks, "")
		}
		if got != want {
			t.Errorf("within %s: %q, want %q", of, got, want)
		}
	}
}

// Totals are known to 1: two count as one up to 1.7 √2 = 2.4 apart. A set that reaches 200 one by one ends there by chance in
// 2 · 2.4 / 100 of cases.
func TestReachedTop(t *testing.T) {
	const each = 2 * 1.7 * math.Sqrt2 / 100
	top := set("ABC", 100, 1, 300)
	for _, tt := range []struct {
		name string
		sets []*reach
		p    float64
		want string
	}{
		{"none", nil, 1, ""},
		{"the top alone", []*reach{top}, 1, ""},
		{"another that had more to give", []*reach{set("AB", 98, 1, 200), top}, each + 1e-9, "ABC AB"},
		{"which may be chance", []*reach{set("AB", 98, 1, 200), top}, each - 1e-9, ""},
		{"another that had no more to give", []*reach{set("AB", 98, 1, 110), top}, 1, ""},
		{"which counts beside one that had", []*reach{set("A", 99, 1, 110), set("AB", 98, 1, 200), top}, each + 1e-9, "ABC A AB"},
		{"lower ones do not, but for chance", []*reach{set("AC", 60, 1, 200), set("AB", 98, 1, 200), top}, 1 - (1-each)*(1-each) + 1e-9, "ABC AB"},
		{"which they raise", []*reach{set("AC", 60, 1, 200), set("AB", 98, 1, 200), top}, 1 - (1-each)*(1-each) - 1e-9, ""},
		{"two of two", []*reach{set("AC", 99, 1, 200), set("AB", 98, 1, 200), top}, each*each + 1e-9, "ABC AC AB"},
		{"chances that differ count by their mean", []*reach{set("AC", 99, 1, 200), set("AB", 98, 1, 400), top}, 0.75 * 0.75 * each * each * 1.0001, "ABC AC AB"},
	} {
		if got := names(reachedTop(tt.sets, tt.p)); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// The limit is the mean of the totals by what they are worth: 98 known to 1, 100 to 2.
func TestCeilingIsReported(t *testing.T) {
	ab, abc, ac := set("AB", 98, 1, 200), set("ABC", 100, 2, 300), set("AC", 50, 1, 60)
	again := &phase{out: &Phase{Phase: "ABC again", Contention: &Contention{}}}
	abc.phases = append(abc.phases, again, &phase{out: &Phase{Phase: "without any"}})
	ceiling([]*reach{ab, abc, ac}, 0.5)
	all := []string{"ABC", "ABC again", "without any", "AB"}
	rate := (98 + 100./4) / (1 + 1./4)
	for _, tt := range []struct {
		p    *phase
		want *Ceiling
	}{
		{ab.phases[0], &Ceiling{Rate: rate, Phases: all}},
		{abc.phases[0], &Ceiling{Rate: rate, Phases: all, Added: []string{"C"}, Without: "AB", WithoutRate: 98, AloneRate: 300}},
		{again, &Ceiling{Rate: rate, Phases: all, Added: []string{"C"}, Without: "AB", WithoutRate: 98, AloneRate: 300}},
		{ac.phases[0], nil},
	} {
		if diff := cmp.Diff(tt.want, tt.p.out.Contention.Ceiling); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.p.out.Phase, diff)
		}
	}
	// No set lies within another that had more to give.
	apart := set("CD", 99, 1, 200)
	ceiling([]*reach{set("AB", 98, 1, 200), apart}, 0.5)
	if c := apart.phases[0].out.Contention.Ceiling; c != nil {
		t.Errorf("a limit of disks that were never added to others: %+v", c)
	}
}

func TestHostsCores(t *testing.T) {
	for _, tt := range []struct {
		window []overlap.Interval
		want   *float64
	}{
		{[]overlap.Interval{span(1, 2), span(4, 5)}, number(27.5)},
		{[]overlap.Interval{span(1.5, 4)}, number(20)},
		{[]overlap.Interval{span(1, 2)}, nil},
		{nil, nil},
	} {
		// 10 at 1 s, 10 at 2, 10 at 3, 40 at 4 and 50 at 5.
		p := &phase{window: tt.window, meters: meter.New(&trace.Phase{Gauges: tracetest.Readings("", trace.CPU, 10, 10, 10, 40, 50)}), out: &Phase{}}
		p.host()
		if diff := cmp.Diff(tt.want, p.out.CPUPercent); diff != "" {
			t.Errorf("in %v (-want +got):\n%s", tt.window, diff)
		}
	}
}

// What disks moved together, one to the half of its interval known.
func moving(name string, op trace.Role, total, half float64, disks ...string) *phase {
	o := &Overlap{Disks: map[string]OverlapDisk{}}
	p := &phase{trace: &trace.Phase{}, connections: map[string]string{}, out: &Phase{Phase: name, Overlap: o, Contention: &Contention{}}}
	if o.WriteRate = total; op == trace.Read {
		o.ReadRate, o.WriteRate = total, 0
	}
	for _, d := range disks {
		p.parts = append(p.parts, part{Disk: level.Disk{Trace: &trace.DiskTrace{Name: d, Op: op}}})
		o.Disks[d] = OverlapDisk{Op: op, CI95: &Interval{5 - half, 5 + half}}
		half = 0
	}
	return p
}

// A hundred is what each of the disks has alone, either way.
func hundredEach(disks ...string) solos {
	var s solos
	for _, d := range disks {
		for _, op := range []trace.Role{trace.Read, trace.Write} {
			s = append(s, solo{job: job{disk: d, work: work.Work{Op: op}}, Measured: level.Measured{Rate: 100}})
		}
	}
	return s
}

func TestReachOfAPhase(t *testing.T) {
	key, r, ok := moving("p", trace.Write, 150, 3, "B", "A").reach(trace.Write, hundredEach("A", "B"))
	if !ok || names([]*reach{r}) != "AB" || r.total != 150 || r.half != 3 || r.alone != 200 || key != (conditions{op: trace.Write}) || len(r.phases) != 1 {
		t.Errorf("%+v, %+v, %v", key, r, ok)
	}
	if _, r, _ := moving("p", trace.Write, 150, 0.1, "A", "B").reach(trace.Write, hundredEach("A", "B")); r.half != 0.75 {
		t.Errorf("known to %v, want half a percent", r.half)
	}
	for name, change := range map[string]func(p *phase){
		"a disk that has a pace":   func(p *phase) { p.parts[1].Work.Pace = 5 },
		"one that goes both ways":  func(p *phase) { p.parts[0].Work.Reads = 0.5 },
		"no window":                func(p *phase) { p.out.Overlap = nil },
		"no interval":              func(p *phase) { p.out.Overlap.Disks["B"] = OverlapDisk{Op: trace.Write} },
		"on another port":          func(p *phase) { p.connections["B"] = trace.Direct },
		"never alone":              func(p *phase) { p.parts[0].Trace.Name = "C" },
		"never alone in this test": func(p *phase) { p.trace.Test = "x" },
	} {
		p := moving("p", trace.Write, 150, 3, "A", "B")
		change(p)
		known := hundredEach("A", "B")
		known = append(known, solo{job: job{"B", trace.Direct, work.Work{Op: trace.Write}}, Measured: level.Measured{Rate: 100}})
		if _, r, ok := p.reach(trace.Write, known); ok {
			t.Errorf("%s: %+v", name, r)
		}
	}
	// Those that go the other way are reported apart.
	p := moving("p", trace.Write, 90, 3, "C", "A", "B")
	for i := range 2 {
		d := p.parts[i].Trace
		d.Op = trace.Read
		p.out.Overlap.Disks[d.Name] = OverlapDisk{Op: trace.Read, CI95: &Interval{1, 2}}
	}
	key, r, ok = p.reach(trace.Write, hundredEach("A", "B", "C"))
	if !ok || names([]*reach{r}) != "B" || key.rest != "A\x00C" || r.alone != 100 {
		t.Errorf("%+v, %+v, %v", key, r, ok)
	}
}

// That two totals are as alike is chance in 7 of 100 cases: enough for one group of sets, and not for each of two. A group
// of which no set was held is not looked at.
func TestCeilingsByLooks(t *testing.T) {
	known := hundredEach("A", "B", "C")
	group := func(op trace.Role, ab, abc float64) []*phase {
		return []*phase{moving("AB", op, ab, 1.5, "A", "B"), moving("ABC", op, abc, 1.5, "A", "B", "C")}
	}
	for _, tt := range []struct {
		name   string
		phases []*phase
		want   bool
	}{
		{"one", group(trace.Write, 98, 100), true},
		{"two", append(group(trace.Write, 98, 100), group(trace.Read, 98, 100)...), false},
		{"two, one of which was held in no set", append(group(trace.Write, 98, 100), group(trace.Read, 190, 290)...), true},
	} {
		ceilings(tt.phases, known)
		if c := tt.phases[1].out.Contention.Ceiling; (c != nil) != tt.want {
			t.Errorf("%s: %+v", tt.name, c)
		}
	}
}
