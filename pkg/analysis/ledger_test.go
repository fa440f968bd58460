package analysis

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hubbench/hubbench/pkg/level"
	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/trace/tracetest"
)

// A rise that brings the same disks back to what they had is the end of their last fall, and what is small is not reported.
func TestInOrder(t *testing.T) {
	one := func(kind string, atS, from, to float64, disks ...string) Change {
		c := Change{StartS: atS, EndS: atS, Kind: kind, FromRate: from, ToRate: to, Disks: disks, AtCI: &Interval{atS, atS}}
		for _, name := range disks {
			if len(disks) > 1 {
				c.Each = append(c.Each, Shift{name, from / float64(len(disks)), to / float64(len(disks))})
			}
		}
		return c
	}
	type reported struct {
		Kind         string
		StartS, EndS float64
	}
	for _, tt := range []struct {
		name string
		all  []Change
		want []reported
	}{
		{"undone", []Change{one(KindUnknown, 20, 50, 100, "A"), one(KindOwnFall, 10, 100, 50, "A")}, []reported{{KindOwnFall, 10, 20}}},
		{"undone except for a tenth", []Change{one(KindOwnFall, 10, 100, 50, "A"), one(KindUnknown, 20, 50, 90, "A")}, []reported{{KindOwnFall, 10, 20}}},
		{"undone except for a fifth", []Change{one(KindOwnFall, 10, 100, 50, "A"), one(KindUnknown, 20, 50, 80, "A")}, []reported{{KindOwnFall, 10, 10}, {KindUnknown, 20, 20}}},
		{"another disk's rise", []Change{one(KindOwnFall, 10, 100, 50, "A"), one(KindUnknown, 20, 50, 100, "B")}, []reported{{KindOwnFall, 10, 10}, {KindUnknown, 20, 20}}},
		{"one of two disks", []Change{one(KindSharedFall, 10, 200, 100, "A", "B"), one(KindUnknown, 20, 50, 100, "A")}, []reported{{KindSharedFall, 10, 10}, {KindUnknown, 20, 20}}},
		{"both of two disks", []Change{one(KindSharedFall, 10, 200, 100, "A", "B"), one(KindSharedFall, 20, 100, 200, "A", "B")}, []reported{{KindSharedFall, 10, 20}}},
		{"a shared rise of its own", []Change{one(KindSharedFall, 20, 100, 200, "A", "B")}, []reported{{KindUnknown, 20, 20}}},
		{"a stall between", []Change{one(KindOwnFall, 10, 100, 50, "A"), one(KindStall, 15, 50, 0, "A"), one(KindUnknown, 20, 50, 100, "A")}, []reported{{KindOwnFall, 10, 20}, {KindStall, 15, 15}}},
		{"another change between", []Change{one(KindOwnFall, 10, 100, 50, "A"), one(KindStart, 15, 50, 40, "A"), one(KindUnknown, 20, 40, 100, "A")}, []reported{{KindOwnFall, 10, 10}, {KindStart, 15, 15}, {KindUnknown, 20, 20}}},
		{"a recovery undoes nothing", []Change{one(KindOwnFall, 10, 100, 50, "A"), one(KindRecovery, 20, 50, 100, "A")}, []reported{{KindOwnFall, 10, 10}, {KindRecovery, 20, 20}}},
		{"small", []Change{one(KindOwnFall, 10, 100, 86, "A")}, []reported{}},
		{"large enough", []Change{one(KindOwnFall, 10, 100, 84, "A")}, []reported{{KindOwnFall, 10, 10}}},
	} {
		got := []reported{}
		for _, c := range (&phase{}).inOrder(tt.all) {
			got = append(got, reported{c.Kind, c.StartS, c.EndS})
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// A works from 0 to 40 s. Since when, before 30 s, has nobody begun beside it?
func TestWorksSince(t *testing.T) {
	a := []overlap.Interval{span(0, 40)}
	for _, tt := range []struct {
		name   string
		others [][]overlap.Interval
		want   float64
	}{
		{"B ends then", [][]overlap.Interval{{span(0, 30)}}, 0},
		{"B begins later", [][]overlap.Interval{{span(10, 30)}}, 10},
		{"C ends before B", [][]overlap.Interval{{span(10, 30)}, {span(0, 20)}}, 10},
		{"C begins after B", [][]overlap.Interval{{span(10, 30)}, {span(20, 40)}}, 20},
		{"B pauses", [][]overlap.Interval{{span(0, 10), span(15, 30)}}, 15},
	} {
		p := &phase{stages: overlap.Stages(append([][]overlap.Interval{a}, tt.others...))}
		if got := seconds(p.worksSince(0, ns(30))); got != tt.want {
			t.Errorf("%s: since %v s, want %v", tt.name, got, tt.want)
		}
	}
	p := &phase{stages: overlap.Stages([][]overlap.Interval{{span(0, 20), span(30, 40)}, {span(0, 30)}})}
	if got := seconds(p.worksSince(0, ns(30))); got != 30 {
		t.Errorf("a disk that paused until then works since %v s", got)
	}
}

// A rises by a fifth at 30 s. That is sure by itself if noise hardly makes it.
func TestSurely(t *testing.T) {
	p := besides(40, tracetest.Steps(100, [2]float64{30, 120}), tracetest.Steps(100))
	rise := func(gain, off float64) *climb {
		return &climb{
			was: level.Measured{Rate: 100e6, Error: off, Free: 30}, is: level.Measured{Rate: 100e6 * gain, Error: off, Free: 30},
			had: span(20, 30), reached: span(30, 40),
		}
	}
	for _, tt := range []struct {
		name string
		step *climb
		sure bool
	}{
		{"clearly", rise(1.2, 0.01), true},
		{"maybe", rise(1.2, 0.06), false},
		{"by less than a tenth", rise(1.09, 0.001), false},
	} {
		if got := p.surely(&p.parts[0], tt.step); (got != nil) != tt.sure {
			t.Errorf("%s: %+v", tt.name, got)
		}
	}
	// A disk that was as fast before only dipped.
	p = besides(40, tracetest.Steps(120, [2]float64{24, 100}, [2]float64{30, 120}), tracetest.Steps(100))
	if got := p.surely(&p.parts[0], rise(1.2, 0.01)); got != nil {
		t.Errorf("back after a dip: %+v", got)
	}
}

// Three disks share what a hub carries; C ends at 30 s, and 0.5 s later A and B get its part for 2 s. Each rise alone may be
// luck, of files of 10 % noise; both at one instant hardly are. If nobody gets it, no rise is reported.
func TestRiseTogether(t *testing.T) {
	const n = 60
	reported, spurious := 0, 0
	for seed := range uint64(n) {
		for _, gain := range []float64{3.06e9, 2.27e9} {
			rnd := rand.New(rand.NewPCG(seed, 77))
			h := tracetest.Hub{Capacity: 3.4e9, LagS: 0.5, Outside: true, Turns: []tracetest.Turn{{AtS: 30, Hub: tracetest.Hub{Capacity: gain}}}}
			var disks []tracetest.Disk
			for i, untilS := range []float64{32.5, 52, 30} {
				disks = append(disks, tracetest.Disk{
					Name: string(rune('A' + i)), Levels: []tracetest.Level{{UntilS: untilS, Rate: 2.5e9}},
					Sizes: tracetest.Between(2e6, 2e9), Noise: tracetest.Noise{Sigma: 0.1},
				})
			}
			a := Analyze(tracetest.Run(tracetest.Phase("WWW", h.Play(rnd, disks...)...)), Options{})
			for _, r := range a.Phases[0].Recoveries {
				switch {
				case r.After != "C" || r.LagS == nil:
				case gain < 3e9:
					spurious++
				case math.Abs(*r.LagS-0.5) <= 0.5:
					reported++
				}
			}
		}
	}
	if reported < 2*n*3/4 {
		t.Errorf("%d of %d rises reported, want three quarters", reported, 2*n)
	}
	if spurious > 1 {
		t.Errorf("%d rises reported that are chance", spurious)
	}
}

// A falls by two fifths 1 s after C has ended. What A had in that second is little to go by; the level that it had all along tells.
func TestFallNextToAnEnd(t *testing.T) {
	const n = 60
	reported := 0
	for seed := range uint64(n) {
		rnd := rand.New(rand.NewPCG(seed, 79))
		disk := func(name string, levels ...tracetest.Level) *trace.DiskTrace {
			return tracetest.Disk{Name: name, Levels: levels, Noise: tracetest.Noise{Sigma: 0.1}}.Play(rnd)
		}
		a := Analyze(tracetest.Run(tracetest.Phase("WW",
			disk("A", tracetest.Level{UntilS: 26, Rate: 0.8e9}, tracetest.Level{UntilS: 55, Rate: 0.48e9}), disk("C", tracetest.Level{UntilS: 25, Rate: 2.4e9}))), Options{})
		if slices.ContainsFunc(a.Phases[0].Changes, func(c Change) bool { return c.concerns("A") && c.ToRate < c.FromRate && math.Abs(c.StartS-26) < 1 }) {
			reported++
		}
	}
	if reported < n*3/4 {
		t.Errorf("%d of %d falls reported, want three quarters", reported, n)
	}
}

// C has more than A beside A and B. A phase of A and B alone, at the same work, may show that A has no more without C.
func TestExcused(t *testing.T) {
	for _, tt := range []struct {
		name        string
		connections map[string]string
		run         []*phase
		want        bool
	}{
		{"no other phase", nil, nil, false},
		{"A has as much without C", nil, []*phase{besides(30, tracetest.Steps(70), tracetest.Steps(70))}, true},
		{"A has more without C", nil, []*phase{besides(30, tracetest.Steps(100), tracetest.Steps(100))}, false},
		{"A is alone there", nil, []*phase{besides(30, tracetest.Steps(70))}, false},
		{"C works there as well", nil, []*phase{besides(30, tracetest.Steps(70), tracetest.Steps(70), tracetest.Steps(70))}, false},
		{"A has a port of its own", map[string]string{"A": trace.Direct, "C": trace.OnHub}, nil, true},
		{"on two hubs", map[string]string{"A": "left", "C": "right"}, nil, true},
		{"on one hub", map[string]string{"A": "left", "C": "left"}, nil, false},
	} {
		p := besides(30, tracetest.Steps(70), tracetest.Steps(70), tracetest.Steps(160))
		p.run = append(tt.run, p)
		if tt.connections != nil {
			p.connections = tt.connections
		}
		if got := p.excused(2, 0); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
	q := besides(30, tracetest.Steps(70), tracetest.Steps(70))
	q.parts[0].Trace.Op = trace.Read
	p := besides(30, tracetest.Steps(70), tracetest.Steps(70), tracetest.Steps(160))
	if p.run = []*phase{p, q}; p.excused(2, 0) {
		t.Error("other work says nothing")
	}
}

// What A has without B: at the end of the same phase, if that can be relied on, before a solo of another phase.
func TestReferenceOrder(t *testing.T) {
	for _, tt := range []struct {
		name    string
		seconds int
		a, b    func(int) float64
		solo    float64
		kind    string // empty: none
		rate    float64
	}{
		{"long alone", 60, tracetest.Steps(50, [2]float64{30, 100}), tracetest.Steps(100, [2]float64{30, 0}), 200, ReferenceLater, 100},
		{"long alone, at the rate of the solo", 60, tracetest.Steps(50, [2]float64{30, 100}), tracetest.Steps(100, [2]float64{30, 0}), 105, ReferenceSolo, 105},
		{"long alone, no solo", 60, tracetest.Steps(50, [2]float64{30, 100}), tracetest.Steps(100, [2]float64{30, 0}), 0, ReferenceLater, 100},
		{"short alone", 35, tracetest.Steps(50, [2]float64{30, 100}), tracetest.Steps(100, [2]float64{30, 0}), 200, ReferenceSolo, 200},
		{"short alone, no solo", 35, tracetest.Steps(50, [2]float64{30, 100}), tracetest.Steps(100, [2]float64{30, 0}), 0, ReferenceLater, 100},
		{"never alone", 35, tracetest.Steps(50), tracetest.Steps(100), 200, ReferenceSolo, 200},
		{"never alone, no solo", 35, tracetest.Steps(50), tracetest.Steps(100), 0, "", 0},
		{"it fell by itself beside B", 60, tracetest.Steps(100, [2]float64{15, 50}), tracetest.Steps(100, [2]float64{30, 0}), 200, "", 0},
		{"it fell by itself when alone", 60, tracetest.Steps(50, [2]float64{30, 100}, [2]float64{45, 40}), tracetest.Steps(100, [2]float64{30, 0}), 200, ReferenceLater, 100},
	} {
		p := besides(tt.seconds, tt.a, tt.b)
		p.fillChanges()
		got, ok := p.reference(0, alone(p, tt.solo), p.window)
		if ok != (tt.kind != "") || got.kind != tt.kind {
			t.Errorf("%s: %+v", tt.name, got)
		}
		within(t, tt.name, got.Rate, tt.rate*1e6, 2e6)
	}
	p := besides(60, tracetest.Steps(50, [2]float64{30, 100}), tracetest.Steps(100, [2]float64{30, 0}))
	p.parts[0].Swing = &level.Swing{}
	if got, ok := p.reference(0, alone(p, 200), p.window); ok {
		t.Errorf("of a disk that swings: %+v", got)
	}
}

func TestAdvice(t *testing.T) {
	gain := func(disk string, by, off float64, gaining ...string) Removal {
		c := RemovalCase{Disks: map[string]RemovalFor{}}
		for _, name := range gaining {
			c.Disks[name] = RemovalFor{}
		}
		return Removal{Disk: disk, Gain: by, Error: off, Cases: []RemovalCase{c}}
	}
	keeps := func(kept float64) Contest {
		return Contest{Phases: []string{"WW"}, Disks: map[string]ContestDisk{"A": {Rate: kept, Reference: number(1)}}}
	}
	for _, tt := range []struct {
		name string
		s    Summary
		want []Advice
	}{
		{"nothing together", Summary{}, []Advice{}},
		{"all keep their rates", Summary{Contests: []Contest{keeps(0.95)}}, []Advice{{Kind: AdviceShare, Disks: []string{}}}},
		{"no phase without a disk", Summary{Contests: []Contest{keeps(0.5)}}, []Advice{{Kind: AdviceUnmeasured, Disks: []string{}}}},
		{"too little to gain", Summary{Contests: []Contest{keeps(0.5)}, Removals: []Removal{gain("C", 0.09, 0, "A")}}, []Advice{{Kind: AdviceNone, Disks: []string{}}}},
		{"no disk shown to gain", Summary{Contests: []Contest{keeps(0.5)}, Removals: []Removal{gain("C", 0.5, 0)}}, []Advice{{Kind: AdviceNone, Disks: []string{}}}},
		{"one", Summary{Contests: []Contest{keeps(0.5)}, Removals: []Removal{gain("C", 0.5, 0.1, "A"), gain("B", 0.3, 0.1, "A")}}, []Advice{{Kind: AdviceOwnPort, Disks: []string{"C"}, Gain: 0.5, Error: 0.1}}},
		{"any of three", Summary{Contests: []Contest{keeps(0.5)}, Removals: []Removal{gain("C", 0.5, 0, "A"), gain("B", 0.48, 0, "A"), gain("A", 0.46, 0, "B")}}, []Advice{{Kind: AdviceAnyOwnPort, Disks: []string{"C", "A", "B"}, Gain: 0.5}}},
		{"within the errors", Summary{Contests: []Contest{keeps(0.5)}, Removals: []Removal{gain("C", 0.5, 0.2, "A"), gain("B", 0.3, 0.1, "A")}}, []Advice{{Kind: AdviceAnyOwnPort, Disks: []string{"C", "B"}, Gain: 0.5, Error: 0.2}}},
	} {
		a := &Analysis{Order: []string{"A", "B", "C"}, Summary: tt.s}
		a.Decide()
		if diff := cmp.Diff(tt.want, a.Answer.Advice); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// Who wins and loses, and how surely.
func TestDecide(t *testing.T) {
	a := &Analysis{Order: []string{"A", "B", "C", "D"}, Summary: Summary{Contests: []Contest{
		{Phases: []string{"WW", "WW-2"}, Disks: map[string]ContestDisk{
			"C": {Rate: 100, Reference: number(100), Won: true, CI95: &Interval{99, 101}},
			"A": {Rate: 50, Reference: number(100), Lost: true, CI95: &Interval{48, 52}},
			"B": {Rate: 70, Changed: KindSwing, CI95: &Interval{1, 139}},
		}},
		{Phases: []string{"RR"}, Disks: map[string]ContestDisk{"D": {Rate: 10, Won: true}}},
	}}}
	a.Decide()
	want := Answer{
		Wins:  []Outcome{{Disk: "C", Phases: []string{"WW", "WW-2"}, Rate: 100, Kept: number(1)}, {Disk: "D", Phases: []string{"RR"}, Rate: 10}},
		Loses: []Outcome{{Disk: "A", Phases: []string{"WW", "WW-2"}, Rate: 50, Kept: number(0.5)}},
		Sure:  Sure{Widest: 0.04, Disk: "A", Phase: "WW", Unknown: true},
	}
	if diff := cmp.Diff(want, a.Answer, cmpopts.IgnoreFields(Answer{}, "Advice")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Of ten files, five slow ones before five fast ones are hardly chance; of eight, four before four may be.
func TestRanksApart(t *testing.T) {
	for _, tt := range []struct {
		name       string
		slow, fast int
		rates      [2]float64
		want       bool
	}{
		{"five and five", 5, 5, [2]float64{50, 100}, true},
		{"four and four", 4, 4, [2]float64{50, 100}, false},
		{"four and six", 4, 6, [2]float64{50, 100}, true},
		{"downwards", 5, 5, [2]float64{100, 50}, true},
		{"too close", 10, 10, [2]float64{80, 100}, false},
		{"none before", 0, 10, [2]float64{50, 100}, false},
	} {
		var files [][2]float64
		for i := range tt.slow + tt.fast {
			rate := tt.rates[0]
			if i >= tt.slow {
				rate = tt.rates[1]
			}
			files = append(files, [2]float64{1, rate * 1e6})
		}
		p, edge := partOf(tracetest.FilesOf(files...)), float64(tt.slow)
		if got := p.RanksApart(span(0, edge), span(edge, float64(tt.slow+tt.fast))); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

// A start is slow at first, after which nothing else rises. It takes a second start to call it a warm-up.
func TestWarmUps(t *testing.T) {
	warm := func(untilS float64) *phase { return besides(40, tracetest.Steps(50, [2]float64{untilS, 100})) }
	flat := func(seconds int) *phase { return besides(seconds, tracetest.Steps(100)) }
	for _, tt := range []struct {
		name   string
		phases []*phase
		want   []string // kinds, phase by phase
	}{
		{"two starts", []*phase{warm(5), warm(6)}, []string{KindWarmUp, KindWarmUp}},
		{"one start", []*phase{warm(5)}, []string{KindUnknown}},
		{"after unlike times", []*phase{warm(5), warm(9)}, []string{KindUnknown, KindUnknown}},
		{"another start shows none", []*phase{warm(5), warm(5), flat(40)}, []string{KindUnknown, KindUnknown, ""}},
		{"another start is too short to show it", []*phase{warm(5), warm(5), flat(9)}, []string{KindWarmUp, KindWarmUp, ""}},
		{"another start beside a disk shows none", []*phase{warm(5), warm(5), besides(40, tracetest.Steps(100), tracetest.Steps(100))}, []string{KindWarmUp, KindWarmUp, ""}},
		{"beside a disk as well", []*phase{warm(5), besides(40, tracetest.Steps(50, [2]float64{5, 100}), tracetest.Steps(100))}, []string{KindWarmUp, KindWarmUp}},
		{"too late", []*phase{warm(31), warm(31)}, []string{KindUnknown, KindUnknown}},
	} {
		for i, p := range tt.phases {
			p.out.Phase = string(rune('P' + i))
			p.fillChanges()
		}
		warmUps(tt.phases)
		for i, p := range tt.phases {
			got := ""
			for _, c := range p.out.Changes {
				if got = c.Kind; c.Kind == KindWarmUp && (c.StartS != 0 || c.EndS < 4.8 || c.EndS > 6.2 || len(c.Phases) != 2) {
					t.Errorf("%s: %+v", tt.name, c)
				}
			}
			if got != tt.want[i] || len(p.out.Changes) > 1 {
				t.Errorf("%s: reported in %s as %q, want %q", tt.name, p.out.Phase, got, tt.want[i])
			}
		}
	}
}

// A fall undoes no fall, even if it ends at the rate before that.
func TestFallUndoesNothing(t *testing.T) {
	at := func(kind string, s, from, to float64) Change {
		return Change{StartS: s, EndS: s, Kind: kind, FromRate: from, ToRate: to, Disks: []string{"A"}, AtCI: &Interval{s, s}}
	}
	got := (&phase{}).inOrder([]Change{at(KindOwnFall, 10, 100, 50), at(KindStall, 15, 50, 0), at(KindUnknown, 20, 125, 100)})
	if len(got) != 3 {
		t.Errorf("%+v", got)
	}
}
