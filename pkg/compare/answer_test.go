package compare

import (
	"slices"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
)

// What the base measured and the other run did not, or not to its end, crosses the gate, however
// the rates of the rest are.
func TestLost(t *testing.T) {
	phase := func(name string, change func(*trace.Phase)) *trace.Phase {
		p := still(name, 1, load{"A", trace.Write, 1e9, 12}, load{"B", trace.Write, 1e9, 12})
		if change != nil {
			change(p)
		}
		return p
	}
	whole := func(label string) Input {
		return runOf(label, phase("WW", nil), phase("W-last", nil))
	}
	last := func(change func(*trace.Phase)) Input {
		return runOf("new", phase("WW", nil), phase("W-last", change))
	}
	reads := func(p *trace.Phase) {
		p.Roles["B"], p.Disks[1].Op = trace.Read, trace.Read
	}
	apart := func(p *trace.Phase) {
		for i := range p.Disks[1].Files {
			f := &p.Disks[1].Files[i]
			f.StartNS, f.EndNS, f.Progress = f.StartNS+1e12, f.EndNS+1e12, nil
		}
	}
	for _, tt := range []struct {
		name string
		new  Input
		want []string
	}{
		{"whole", whole("new"), nil},
		{"missing", runOf("new", phase("WW", nil)), []string{`"W-last" of new`}},
		{"nothing at all", runOf("new"), []string{`"A and B write" of new`, `"W-last" of new`}},
		{"cut short", last(func(p *trace.Phase) { p.Status = trace.Partial }), []string{`"W-last" of new, which was cut short`}},
		{"a disk failed", last(func(p *trace.Phase) {
			p.Status, p.Disks[1].Errors = trace.Partial, []trace.Failure{{Error: "gone"}}
		}), []string{"B (W-last) of new"}},
		{"a disk left a file unfinished", last(func(p *trace.Phase) {
			p.Disks[1].Open = []trace.Sample{{TNS: 31e9, Bytes: 1e6}}
		}), []string{"B (W-last) of new"}},
		{"a disk did nothing", last(func(p *trace.Phase) {
			p.Disks[1].Files = nil
		}), []string{"B (W-last) of new"}},
		{"a disk did another thing", last(reads), []string{"B (W-last) of new"}},
		{"never together", last(apart), []string{`"W-last" of new: the disks never worked all at once`}},
	} {
		for name, c := range map[string]*Comparison{
			"": Runs(whole("base"), tt.new),
			", repeats": groups([]Input{whole("base"), whole("base 2")},
				[]Input{whole("other"), tt.new}),
		} {
			g := c.Against(0.05, false)
			want := map[bool]GateOutcome{true: CrossedIt, false: Passed}[len(tt.want) > 0]
			if !slices.Equal(g.Lost, tt.want) || g.Outcome != want {
				t.Errorf("%s%s: %s, lost %q; want %s, %q", tt.name, name, g.Outcome, g.Lost, want,
					tt.want)
			}
		}
	}
	for want, second := range map[string]Input{
		`"W-last" of base 2`: runOf("base 2", phase("WW", nil)),
		"W-last: run 2 of a side is not a repeat of the first: ": runOf("base 2", phase("WW", nil),
			phase("W-last", reads)),
	} {
		g := groups([]Input{whole("base"), second}, []Input{whole("new")}).Against(0.05, false)
		if len(g.Lost) != 1 || !strings.HasPrefix(g.Lost[0], want) {
			t.Errorf("in a run of the base: lost %q, want %q", g.Lost, want)
		}
	}
}

// So does a search that has no answer, or that was cut short with one.
func TestLostSearch(t *testing.T) {
	base := searching("hq", 3, 1, 2, 4, 3, 3, 4, 4)
	cut := searching("hq", 3, 1, 2, 4, 3, 3, 4, 4)
	cut.Trace.Phases[5].Status = trace.Partial
	for _, tt := range []struct {
		name string
		new  Input
		lost int
	}{{"whole", base, 0}, {"without an answer", searching("hq", 3, 1, 2), 1},
		{"cut short", cut, 1}} {
		if lost := Runs(base, tt.new).Against(0.05, false).Lost; len(lost) != tt.lost {
			t.Errorf("%s: lost %q", tt.name, lost)
		}
	}
}

// The answer has one rate for each phase and disk, the largest proven change first. A phase of many
// disks leads unless its change is small beside the largest, and a disk whose rate in the overlap
// did not change is shown by another that did.
func TestAnswer(t *testing.T) {
	rate := func(disk string, m Measure, low, high float64) Rate {
		change, v := (low+high)/2, NotShown
		switch {
		case low > 0:
			v = Faster
		case high < 0:
			v = Slower
		}
		return Rate{Disk: disk, Measure: m,
			Test: Test{Change: &change, Interval: &stats.Interval{low, high}, Verdict: v}}
	}
	pair := Pair{Phases: []PhasePair{
		{Name: "A", Rates: []Rate{rate("A", Window, 0.5, 0.6), rate("A", Level, 0.9, 1)}},
		{Name: "AB", Rates: []Rate{
			rate("A", Window, -0.02, 0.01), rate("A", Level, -0.3, -0.2),
			rate("A", Level, -0.5, -0.4),
			rate("B", Window, -0.01, 0.03), rate("B", Level, -0.4, 0.4), rate("", Window, 0.2, 0.7),
		}},
		{Name: "C", Rates: []Rate{{Disk: "C", Measure: Window, Test: Test{Verdict: TooLittle}}}},
		{Name: "CD", Rates: []Rate{rate("C", Window, 0.1, 0.4), rate("D", Window, 0.3, 0.35),
			rate("", Window, 0.01, 0.02)}},
	}}
	names := func(rows []Row) (list []string) {
		for _, r := range rows {
			list = append(list, r.Phase.Name+"/"+r.Disk+"/"+string(r.Measure))
		}
		return list
	}
	a := pair.Conclusion()
	for _, tt := range []struct {
		name      string
		got, want []string
	}{
		{"changed", names(a.Changed),
			[]string{"AB/A/level", "A/A/window", "CD/D/window", "AB//window", "CD/C/window",
				"CD//window"}},
		{"the same", names(a.Same), []string{"AB/B/window"}},
		{"unjudged", names(a.Unjudged), []string{"C/C/window"}},
		{"lead", names(a.Lead), []string{"AB/A/level", "AB//window"}},
	} {
		check.Same(t, tt.name, tt.want, tt.got)
	}
	if a.Bound == nil || *a.Bound != (stats.Interval{-0.01, 0.03}) {
		t.Errorf("the rest is within %v", a.Bound)
	}
}

// What keeps from trusting the rates is said: a busy computer, a base that was cut short, a disk
// that worked in one run only.
func TestDoubts(t *testing.T) {
	w := trace.Write
	base := runOf("base", still("WW", 1, load{"A", w, 1e9, 12}))
	base.Trace.Status = trace.Partial
	other := runOf("new", still("WW", 1, load{"A", w, 1e9, 12}, load{"B", w, 1e9, 12}),
		still("R", 1, load{"A", trace.Read, 1e9, 12}))
	other.Analysis.Findings = []analysis.Finding{{Code: "host_bound", Phase: "WW",
		Text: "WW: the computer was busy"}}
	want := []string{"new: WW: the computer was busy", "base was cut short",
		"in WW, B worked in new only, so the others' rates may differ for that reason"}
	check.Same(t, "doubts", want, Runs(base, other).Pairs[0].Doubts)
}
