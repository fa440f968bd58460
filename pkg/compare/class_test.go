package compare

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/hubbench/hubbench/internal/test/evidence"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/trace/tracetest"
)

var pairsEach = flag.Int("pairs", 0, "compare so many pairs of each class, and show the figures; 0 for a few")

var seed = flag.Uint64("seed", 200, "of the pairs of classes")

var latencySeed = flag.Uint64("latency-seed", 400, "of the pairs of latencies")

// steady are the rates of three disks at work for half a minute.
func steady(factor float64) [][]tracetest.Level {
	return [][]tracetest.Level{
		{{UntilS: 30, Rate: 2e9 * factor}}, {{UntilS: 30, Rate: 1e9 * factor}}, {{UntilS: 30, Rate: 0.7e9 * factor}},
	}
}

// playClass plays disks together under the noise of a class.
func playClass(c tracetest.Class, rnd *rand.Rand, phase string, disks [][]tracetest.Level) *trace.Phase {
	played := make([]*trace.DiskTrace, len(disks))
	for i, levels := range disks {
		played[i] = tracetest.Disk{Name: string(rune('A' + i)), Levels: levels, Sizes: c.Sizes, Noise: c.Noise}.Play(rnd)
	}
	return tracetest.Phase(phase, played...)
}

// tally is what comparisons of many pairs come to.
type tally struct {
	pairs, wrong, rates, unjudged, crossed int
	excluded                               float64
}

func (y *tally) add(c *Comparison) {
	y.pairs++
	if tellings(c, "") > 0 {
		y.wrong++
	}
	if len(c.Against(0.05).Crossed) > 0 {
		y.crossed++
	}
	for _, phase := range c.phases() {
		for _, r := range phase.Rates {
			y.rates++
			if r.P == nil {
				y.unjudged++
			} else {
				y.excluded += *r.ExcludedFall
			}
		}
	}
}

func (y *tally) String() string {
	share := func(a, b int) float64 { return 100 * float64(a) / float64(max(1, b)) }
	return fmt.Sprintf("told apart %5.2f %%, too little data for %5.1f %% of rates, falls of %5.1f %% excluded on average, gate of 5 %% crossed %5.1f %%",
		share(y.wrong, y.pairs), share(y.unjudged, y.rates), 100*y.excluded/float64(max(1, y.rates-y.unjudged)), share(y.crossed, y.pairs))
}

func pairsOf(quick int) int {
	switch {
	case *pairsEach > 0:
		return *pairsEach
	case raceEnabled:
		return max(1, quick/4)
	}
	return quick
}

// toldApart counts equal pairs that are told apart: 5 % of many may be, and a standard error more.
func toldApart(name string, wrong, pairs int) evidence.Finding {
	if pairs >= 400 {
		return evidence.AtMost("compare", name, wrong, pairs, pairs*6/100)
	}
	return evidence.Seldom("compare", name, wrong, pairs, 0.05)
}

// TestClasses: equal pairs are told apart in 5 % of comparisons at most, whatever the noise. The method was tuned on seed
// 1 and a few of the classes, and checked on seed 200 and all of them.
func TestClasses(t *testing.T) {
	type kind struct {
		tracetest.Class
		phases int
		disks  [][]tracetest.Level
	}
	var kinds []kind
	for _, c := range tracetest.Classes() {
		kinds = append(kinds, kind{c, 1, steady(1)})
	}
	eight := append(append(steady(1), steady(0.5)...), steady(0.8)[:2]...)
	throttled := [][]tracetest.Level{
		{{UntilS: 12, Rate: 2e9}, {UntilS: 30, Rate: 0.8e9}}, {{UntilS: 30, Rate: 1e9}}, {{UntilS: 20, Rate: 0.7e9}, {UntilS: 30, Rate: 0.3e9}},
	}
	for _, c := range []tracetest.Class{
		{Name: "5 %, 5 s", Noise: tracetest.Noise{Wave: 0.05, MemoryS: 5}},
		{Name: "20 %, 5 s", Noise: tracetest.Noise{Wave: 0.2, MemoryS: 5}},
		{Name: "noise 5 %", Noise: tracetest.Noise{Sigma: 0.05}},
	} {
		kinds = append(kinds, kind{tracetest.Class{Name: c.Name + ", 5 phases, 8 disks", Noise: c.Noise}, 5, eight})
	}
	for _, c := range []tracetest.Class{
		{Name: "5 %, disks that fall", Noise: tracetest.Noise{Sigma: 0.05}},
		{Name: "wave 10 %, 2 s, disks that fall", Noise: tracetest.Noise{Wave: 0.1, MemoryS: 2}},
		{Name: "Pareto 2.5, disks that fall", Noise: tracetest.Noise{Tail: 2.5}},
	} {
		kinds = append(kinds, kind{c, 1, throttled})
	}
	wrong, all := 0, 0
	for i, k := range kinds {
		t.Run(k.Name, func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(*seed+uint64(i), 47))
			var y tally
			for range pairsOf(max(1, 8/k.phases)) {
				var runs [2]Run
				for side := range runs {
					var phases []*trace.Phase
					for p := range k.phases {
						phases = append(phases, playClass(k.Class, rnd, fmt.Sprint("p", p), k.disks))
					}
					runs[side] = quick(phases...)
				}
				y.add(Compare(runs[0], runs[1]))
			}
			if *pairsEach > 0 {
				t.Log(&y)
			}
			wrong, all = wrong+y.wrong, all+y.pairs
			evidence.Report(t, toldApart("equal runs told apart, noise "+k.Name, y.wrong, y.pairs))
		})
	}
	evidence.Report(t, evidence.Seldom("compare", "equal runs told apart, all these noises", wrong, all, 0.05))
}

// TestCollapses: what falls part of the way crosses the gate in 99 % of pairs.
func TestCollapses(t *testing.T) {
	fall := func(at, to float64) [][]tracetest.Level {
		disks := steady(1)
		for i := range disks {
			rate := disks[i][0].Rate
			disks[i] = []tracetest.Level{{UntilS: at, Rate: rate}, {UntilS: 30, Rate: rate * to}}
		}
		return disks
	}
	slower := fall(10, 0.4)
	for i := range slower {
		for j := range slower[i] {
			slower[i][j].Rate *= 0.8
		}
	}
	late := steady(1)
	late[2] = []tracetest.Level{{UntilS: 20, Rate: 0.7e9}, {UntilS: 30, Rate: 0.07e9}}
	for _, tt := range []struct {
		name      string
		base, new [][]tracetest.Level
		noise     tracetest.Noise
	}{
		{"to half at 15 s", steady(1), fall(15, 0.5), tracetest.Noise{Sigma: 0.05}},
		{"to half at 15 s, slow noise", steady(1), fall(15, 0.5), tracetest.Noise{Wave: 0.1, MemoryS: 2}},
		{"to a tenth at 3 s", steady(1), fall(3, 0.1), tracetest.Noise{Sigma: 0.05}},
		{"both throttle, and slower", fall(10, 0.4), slower, tracetest.Noise{Sigma: 0.05}},
		{"both throttle, and slower, slow noise", fall(10, 0.4), slower, tracetest.Noise{Wave: 0.1, MemoryS: 1}},
		{"one disk to a tenth at 20 s", steady(1), late, tracetest.Noise{Sigma: 0.1}},
	} {
		rnd := rand.New(rand.NewPCG(300, 48))
		crossed, fell := 0, 0
		pairs := pairsOf(8)
		for range pairs {
			c := tracetest.Class{Noise: tt.noise}
			g := Compare(quick(playClass(c, rnd, "p", tt.base)), quick(playClass(c, rnd, "p", tt.new))).Against(0.05)
			if len(g.Crossed) > 0 {
				crossed++
			}
			if g.Fell > 0 {
				fell++
			}
		}
		if *pairsEach > 0 {
			t.Logf("%s: the gate is crossed in %d of %d pairs, in %d for sure", tt.name, crossed, pairs, fell)
		}
		evidence.Report(t, evidence.AtLeast("compare", "falls that --fail-above 5 reports: "+tt.name, crossed, pairs, pairs*99/100))
	}
}
