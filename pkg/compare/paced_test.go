package compare

import (
	"math/rand/v2"
	"testing"

	"github.com/hubbench/hubbench/internal/test/tracetest"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/work"
)

// Of disks that do not go as fast as they can, rates are compared where the same was asked of them,
// and files never are.
func TestPaced(t *testing.T) {
	run := func(pace float64, paced map[string]work.Work, seed uint64) Input {
		p := play("p", 1, rand.New(rand.NewPCG(seed, 2)), tracetest.Noise{Wave: 0.02, MemoryS: 0.2},
			load{"A", trace.Read, pace, 12}, load{"B", trace.Write, 1e9, 40})
		p.Work = paced
		traced := tracetest.Run(p)
		return Input{Analysis: analysis.Analyze(traced, analysis.Options{}), Trace: traced}
	}
	rate := func(v float64) map[string]work.Work { return map[string]work.Work{"A": {Pace: v}} }
	for _, c := range []struct {
		name        string
		base, other Input
		want        map[Measure]bool // measures of A
		total       bool
	}{
		{"as fast as it can", run(0.4e9, nil, 1), run(0.3e9, nil, 2),
			map[Measure]bool{Window: true}, true},
		{"the same pace", run(0.4e9, rate(0.4e9), 1), run(0.3e9, rate(0.4e9), 2),
			map[Measure]bool{Window: true}, true},
		{"another pace", run(0.4e9, rate(0.4e9), 1), run(0.3e9, rate(0.3e9), 2), map[Measure]bool{},
			false},
		{"a pace, and none", run(0.4e9, rate(0.4e9), 1), run(0.3e9, nil, 2), map[Measure]bool{},
			false},
	} {
		got := Runs(c.base, c.other).Pairs[0].Phases[0]
		measures, total, b := map[Measure]bool{}, false, 0
		for _, r := range got.Rates {
			switch r.Disk {
			case "A":
				measures[r.Measure] = true
			case "":
				total = true
			default:
				b++
			}
		}
		for m := range c.want {
			if !measures[m] {
				t.Errorf("%s: A's %s is not compared", c.name, m)
			}
		}
		if len(measures) != len(c.want) || total != c.total || b < 1 {
			t.Errorf("%s: compared %v of A, a total %v and %d rates of B", c.name, measures, total,
				b)
		}
	}
}
