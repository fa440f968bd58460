package compare

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/internal/test/tracetest"
	"github.com/hubbench/hubbench/pkg/trace"
)

// TestGroups: where runs differ from one another by 5 %, repeats of equal ones are told apart in 5
// % of comparisons at most, which comparisons of single runs are nearly always; and a fall to half
// is found with three against three.
func TestGroups(t *testing.T) {
	rnd := rand.New(rand.NewPCG(51, 52))
	c := tracetest.Class{Noise: tracetest.Noise{Sigma: 0.02}}
	runs := func(n int, factor float64) []Input {
		list := make([]Input, n)
		for i := range list {
			list[i] = quick(playClass(c, rnd, "p", steady(factor*(1+0.05*rnd.NormFloat64()))))
			list[i].Label = string(rune('a' + i))
		}
		return list
	}
	single, repeated, found := 0, 0, 0
	pairs := pairsOf(12)
	for range pairs {
		base, equal := runs(3, 1), runs(3, 1)
		if tellings(Runs(base[0], equal[0]), "") > 0 {
			single++
		}
		if tellings(groups(base, equal), "") > 0 {
			repeated++
		}
		if tellings(groups(base, runs(3, 0.5)), "") > 0 {
			found++
		}
	}
	if single < pairs/2 || repeated > max(2, pairs*5/100) || found < pairs*8/10 {
		t.Errorf("of %d pairs: %d single runs told apart, %d repeats; half the speed found in %d",
			pairs, single, repeated, found)
	}
	g := groups(runs(2, 1), runs(2, 1))
	if g.Base.Label != "a, b" || *g.Repeats != (Repeats{2, 2}) || len(g.Pairs) != 1 ||
		g.Pairs[0].Phases[0].Rates[0].Unit != "run" {
		t.Errorf("got %+v, want two runs against two", g)
	}
}

// TestLevels: a run that steps down at 15 s is compared at its beginning and at its end.
func TestLevels(t *testing.T) {
	rnd := rand.New(rand.NewPCG(53, 54))
	c := tracetest.Class{Noise: tracetest.Noise{Sigma: 0.03}}
	stepped := steady(1)
	stepped[0] = []tracetest.Level{{UntilS: 15, Rate: 2e9}, {UntilS: 30, Rate: 1e9}}
	var levels []Rate
	for _, r := range Runs(runOf("base", playClass(c, rnd, "p", steady(1))),
		runOf("new", playClass(c, rnd, "p", stepped))).Pairs[0].Phases[0].Rates {
		if r.Measure == Level && r.Disk == "A" {
			levels = append(levels, r)
		}
	}
	if len(levels) != 2 || levels[0].Verdict != NotShown || levels[1].Verdict != Slower {
		t.Fatalf("levels %+v, want one that did not change and one that is slower", levels)
	}
	if at := levels[1].Span[0]; at < 14.5 || at > 15.5 || *levels[1].Change > -0.45 {
		t.Errorf("from %.1f s on the change is %.2f, want a half from 15 s on", at,
			*levels[1].Change)
	}
}

// The interval of a change and its verdict say the same: it includes no change where no difference
// is shown, and only there.
func TestIntervalsAgreeWithVerdicts(t *testing.T) {
	rnd := rand.New(rand.NewPCG(55, 56))
	told, byItself := 0, 0
	for _, class := range []tracetest.Class{{Noise: tracetest.Noise{Sigma: 0.1}},
		{Noise: tracetest.Noise{Wave: 0.1, MemoryS: 1}}, {Noise: tracetest.Noise{Tail: 2.5}}} {
		for range 8 {
			c := Runs(quick(playClass(class, rnd, "p", steady(1))),
				quick(playClass(class, rnd, "p", steady(1+0.1*rnd.NormFloat64()))))
			for _, r := range c.Pairs[0].Phases[0].Rates {
				if r.P == nil {
					continue
				}
				shown := r.Verdict != NotShown
				if v := *r.Interval; shown != (v[0] >= 0 || v[1] <= 0) || v[0] > *r.Change ||
					v[1] < *r.Change {
					t.Errorf("%s: a change of %g in %v", r.Verdict, *r.Change, v)
				}
				if shown {
					told++
				} else if r.CI95[0] > 0 || r.CI95[1] < 0 {
					byItself++
				}
			}
		}
	}
	if told == 0 || byItself == 0 {
		t.Errorf("%d told, %d only by their own interval: the test has nothing to go by", told,
			byItself)
	}
}

// TestRepeatsWithin: where the repeats of a phase differ from one another by 5 %, equal runs are
// told apart in 5 % of comparisons at most, and a fall to half is found; one phase stands for all
// repeats, whatever the other run has.
func TestRepeatsWithin(t *testing.T) {
	rnd := rand.New(rand.NewPCG(57, 58))
	c := tracetest.Class{Noise: tracetest.Noise{Sigma: 0.02}}
	repeats := func(n int, factor float64) (list []*trace.Phase) {
		for i := range n {
			list = append(list, playClass(c, rnd, fmt.Sprintf("WWW-%d", i+1),
				steady(factor*(1+0.05*rnd.NormFloat64()))))
		}
		return list
	}
	run := func(n int, factor float64) Input { return quick(repeats(n, factor)...) }
	wrong, found := 0, 0
	pairs := pairsOf(12)
	for range pairs {
		base := run(4, 1)
		if tellings(Runs(base, run(4, 1)), "") > 0 {
			wrong++
		}
		if tellings(Runs(base, run(4, 0.5)), "") > 0 {
			found++
		}
	}
	if wrong > max(2, pairs*5/100) || found < pairs*8/10 {
		t.Errorf("of %d pairs: %d equal ones told apart; half the speed found in %d", pairs, wrong,
			found)
	}
	once := quick(playClass(c, rnd, "WWW", steady(1)))
	for _, tt := range []struct {
		name    string
		c       *Comparison
		repeats *Repeats
		unit    string
		n       int
	}{
		{"both", Runs(run(10, 1), run(4, 1)), &Repeats{10, 4}, "repeat", 4},
		{"the base only", Runs(run(10, 1), once), &Repeats{10, 1}, "repeat", 1},
		{"the new run only", Runs(once, run(3, 1)), &Repeats{1, 3}, "repeat", 1},
		{"by number alone", Runs(run(3, 1), run(1, 1)), &Repeats{3, 1}, "repeat", 1},
		{"neither", Runs(once, run(1, 1)), nil, "run", 1},
		{"groups", groups([]Input{run(3, 1), run(3, 1)}, []Input{run(2, 1), once}), &Repeats{6, 3},
			"run", 2},
	} {
		p := tt.c.Pairs[0]
		lost := tt.c.Against(0.5, false).Lost
		if len(p.Phases) != 1 || len(p.OnlyInBase)+len(p.OnlyInNew)+len(lost) > 0 ||
			p.Phases[0].Name != "WWW" {
			t.Errorf("%s: %d phases, only in one %v %v, lost %v", tt.name, len(p.Phases),
				p.OnlyInBase, p.OnlyInNew, lost)
		}
		r := p.Phases[0].Rates[0]
		if diff := cmp.Diff(tt.repeats, p.Phases[0].Repeats); diff != "" || r.Unit != tt.unit ||
			tt.n > 0 && r.N != tt.n {
			t.Errorf("%s: %d %ss, repeats (-want +got):\n%s", tt.name, r.N, r.Unit, diff)
		}
	}
	for name, of := range map[string]func(phases []*trace.Phase){
		"cut short": func(phases []*trace.Phase) { phases[2].Status = trace.Partial },
		"without one disk": func(phases []*trace.Phase) {
			phases[1].Disks = phases[1].Disks[:2]
		},
		"the first without one": func(phases []*trace.Phase) {
			phases[0].Disks = phases[0].Disks[1:]
		},
	} {
		phases := repeats(3, 1)
		of(phases)
		c := Runs(run(3, 1), quick(phases...))
		if g := c.Against(0.5, false); len(g.Lost) != 1 || g.Outcome != CrossedIt ||
			c.Pairs[0].Phases[0].Repeats.New != 2 {
			t.Errorf("a repeat %s: lost %q, %s", name, g.Lost, g.Outcome)
		}
	}
	killed := run(2, 1)
	killed.Trace.Status = trace.Partial
	if g := Runs(run(3, 1), killed).Against(0.5, false); len(g.Lost) != 1 ||
		g.Outcome != CrossedIt {
		t.Errorf("killed between repeats: lost %q, %s", g.Lost, g.Outcome)
	}
}
