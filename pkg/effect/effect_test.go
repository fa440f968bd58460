package effect

import (
	"math"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/work"
)

// part is a disk that writes at a rate, in GB/s, known to 2 %.
func part(disk string, rate float64) *Part {
	r := &Rate{Mean: rate, Log: stats.Estimate{
		Mean: math.Log(rate), SE: 0.02, DegreesOfFreedom: 5,
	}}
	return &Part{
		Actor: Actor{Disk: disk, Op: trace.Write, Work: &work.Work{Op: trace.Write}},
		Fresh: r, Moved: rate,
	}
}

// state is disks that work in a phase for some seconds.
func state(phase string, whole bool, fromS, toS int64, parts ...*Part) *State {
	in := []overlap.Span{overlap.Between(fromS*1e9, toS*1e9)}
	for _, p := range parts {
		p.Fresh.In = in
	}
	return &State{Phase: phase, Whole: whole, In: in, Parts: parts}
}

// TestCompare: what is measured with a neighbour and without it, in other phases or before its
// start or after its end, is an effect; what is not measured is none.
func TestCompare(t *testing.T) {
	type row struct {
		Victim, Neighbour, From string
		Loss                    float64
		Sure                    bool
	}
	cut := part("A", 1)
	cut.Cuts = []int64{10e9}
	for _, tt := range []struct {
		name   string
		states []*State
		want   []row
	}{
		{"nothing alone", []*State{state("p", true, 0, 10, part("A", 1), part("B", 2))}, nil},
		{"alone in another phase", []*State{
			state("p", true, 0, 10, part("A", 1), part("B", 2)),
			state("q", true, 0, 10, part("A", 2)),
		}, []row{{"A", "B", FromPhases, 0.5, true}}},
		{"after its end", []*State{
			state("p", true, 0, 10, part("A", 1), part("B", 2)),
			state("p", false, 10, 20, part("A", 2)),
		}, []row{{"A", "B", FromEnd, 0.5, true}}},
		{"it changed by itself between both", []*State{
			state("p", true, 0, 10, cut, part("B", 2)),
			state("p", false, 10, 20, part("A", 2)),
		}, nil},
		{"it lost more than the other takes", []*State{
			state("p", false, 0, 10, part("A", 2)),
			state("p", true, 10, 20, part("A", 1), part("B", 0.5)),
		}, nil},
		{"too little to report", []*State{
			state("p", true, 0, 10, part("A", 1.9), part("B", 2)),
			state("q", true, 0, 10, part("A", 2)),
		}, []row{{"A", "B", FromPhases, 0.05, false}}},
		{"never at once", []*State{
			state("p", false, 0, 10, part("A", 1)), state("p", false, 10, 20, part("B", 2)),
			state("q", true, 0, 10, part("A", 2)),
		}, nil},
	} {
		for i, s := range tt.states { // The later one ended later.
			for _, p := range s.Parts {
				p.EndNS = int64(i)
			}
		}
		var got []row
		for _, e := range Compare(tt.states).Effects {
			got = append(got, row{
				e.Victim, e.Neighbour, e.From, math.Round(1e6*e.Loss) / 1e6, e.Sure,
			})
		}
		check.Same(t, tt.name, tt.want, got)
	}
}

// TestAgainst: a disk is judged by its rate alone, or else by that without the neighbour which
// costs it most.
func TestAgainst(t *testing.T) {
	all := state("p", true, 0, 10, part("A", 1), part("B", 2), part("C", 2))
	withB := state("q", true, 0, 10, part("A", 1.5), part("B", 2))
	withC := state("r", true, 0, 10, part("A", 1.2), part("C", 2))
	alone := state("s", true, 0, 10, part("A", 2))
	for _, tt := range []struct {
		states  []*State
		missing []string
		kept    float64
	}{
		{[]*State{all, withB, withC}, []string{"C"}, 1 / 1.5},
		{[]*State{all, withB, withC, alone}, []string{"B", "C"}, 0.5},
	} {
		e := Compare(tt.states).Against(all, "A")
		check.Same(t, "missing", tt.missing, e.Missing())
		check.Near(t, "kept", tt.kept, e.Pair().Kept(), 1e-9)
	}
	if e := Compare([]*State{all}).Against(all, "A"); e != nil {
		t.Errorf("judged by %+v", e)
	}
}

// Two measurements of one pair with one baseline are known better than one, and count the baseline
// once.
func TestRepeatsShareABaseline(t *testing.T) {
	alone := state("s", true, 0, 10, part("A", 2))
	one := Compare([]*State{state("p", true, 0, 10, part("A", 1), part("B", 2)), alone})
	two := Compare([]*State{state("p", true, 0, 10, part("A", 1), part("B", 2)),
		state("q", true, 0, 10, part("A", 1), part("B", 2)), alone})
	errorOf := func(t *Table) float64 {
		pair := t.Effects[0].Pair()
		return stats.Difference(pair.Without.Log, pair.With.Log).SE
	}
	check.Near(t, "error from one", 0.02*math.Sqrt2, errorOf(one), 1e-9)
	check.Near(t, "error from two", 0.02*math.Sqrt(1.5), errorOf(two), 1e-9)
	check.Same(t, "phases", []string{"p", "q"}, two.Effects[0].Phases)
}
