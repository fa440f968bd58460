package compare

import (
	"cmp"
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/hubbench/hubbench/internal/test/evidence"
	"github.com/hubbench/hubbench/internal/test/tracetest"
	"github.com/hubbench/hubbench/pkg/trace"
)

var pairsEach = flag.Int("pairs", 0, "compare so many pairs of each class; 0 for a few")

var seed = flag.Uint64("seed", 200, "of the pairs of classes")

var latencySeed = flag.Uint64("latency-seed", 400, "of the pairs of latencies")

// steady are the rates of three disks at work for half a minute.
func steady(factor float64) [][]tracetest.Level {
	return [][]tracetest.Level{
		{{UntilS: 30, Rate: 2e9 * factor}}, {{UntilS: 30, Rate: 1e9 * factor}},
		{{UntilS: 30, Rate: 0.7e9 * factor}},
	}
}

// playClass plays disks together under the noise of a class.
func playClass(c tracetest.Class, rnd *rand.Rand, phase string,
	disks [][]tracetest.Level) *trace.Phase {
	played := make([]*trace.DiskRecord, len(disks))
	for i, levels := range disks {
		played[i] = tracetest.Disk{Name: string(rune('A' + i)), Levels: levels, Sizes: c.Sizes,
			Noise: c.Noise}.Play(rnd)
	}
	return tracetest.Phase(phase, played...)
}

func pairsOf(quick int) int { return cmp.Or(*pairsEach, evidence.Trials(quick, max(1, quick/4))) }

// toldApart reports how many equal pairs are told apart: 5 % of many may be, and a standard error
// more.
func toldApart(t *testing.T, name string, pairs int, told func() bool) (wrong int) {
	t.Helper()
	for range pairs {
		if told() {
			wrong++
		}
	}
	f := evidence.Seldom("compare", name, wrong, pairs, 0.05)
	if pairs >= 400 {
		f = evidence.AtMost("compare", name, wrong, pairs, pairs*6/100)
	}
	evidence.Report(t, f)
	return wrong
}

// TestClasses: equal pairs are told apart in 5 % of comparisons at most, whatever the noise. The
// method was tuned on seed 1 and a few of the classes, and checked on seed 200 and all of them.
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
		{{UntilS: 12, Rate: 2e9}, {UntilS: 30, Rate: 0.8e9}}, {{UntilS: 30, Rate: 1e9}},
		{{UntilS: 20, Rate: 0.7e9}, {UntilS: 30, Rate: 0.3e9}},
	}
	for _, c := range []tracetest.Class{
		{Name: "5 %, 5 s", Noise: tracetest.Noise{Wave: 0.05, MemoryS: 5}},
		{Name: "20 %, 5 s", Noise: tracetest.Noise{Wave: 0.2, MemoryS: 5}},
		{Name: "noise 5 %", Noise: tracetest.Noise{Sigma: 0.05}},
	} {
		kinds = append(kinds,
			kind{tracetest.Class{Name: c.Name + ", 5 phases, 8 disks", Noise: c.Noise}, 5, eight})
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
			pairs := pairsOf(max(1, 8/k.phases))
			wrong += toldApart(t, "equal runs told apart, noise "+k.Name, pairs, func() bool {
				var runs [2]Input
				for side := range runs {
					var phases []*trace.Phase
					for p := range k.phases {
						phases = append(phases,
							playClass(k.Class, rnd, fmt.Sprint("p", p), k.disks))
					}
					runs[side] = quick(phases...)
				}
				return tellings(Runs(runs[0], runs[1]), "") > 0
			})
			all += pairs
		})
	}
	evidence.Report(t, evidence.Seldom("compare", "equal runs told apart, all these noises", wrong,
		all, 0.05))
}

// TestCollapses: what falls part of the way passes no gate, and crosses it in 17 of 20 pairs or
// more; a fall by a fifth in noise of a tenth that lasts may be too little to tell.
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
	dip := steady(1)
	dip[1] = []tracetest.Level{{UntilS: 10, Rate: 1e9}, {UntilS: 20, Rate: 0.3e9},
		{UntilS: 30, Rate: 1e9}}
	for _, tt := range []struct {
		name      string
		base, new [][]tracetest.Level
		noise     tracetest.Noise
	}{
		{"one disk to a third from 10 to 20 s", steady(1), dip, tracetest.Noise{Sigma: 0.05}},
		{"to half at 15 s", steady(1), fall(15, 0.5), tracetest.Noise{Sigma: 0.05}},
		{"to half at 15 s, slow noise", steady(1), fall(15, 0.5),
			tracetest.Noise{Wave: 0.1, MemoryS: 2}},
		{"to a tenth at 3 s", steady(1), fall(3, 0.1), tracetest.Noise{Sigma: 0.05}},
		{"both throttle, and slower", fall(10, 0.4), slower, tracetest.Noise{Sigma: 0.05}},
		{"both throttle, and slower, slow noise", fall(10, 0.4), slower,
			tracetest.Noise{Wave: 0.1, MemoryS: 1}},
		{"one disk to a tenth at 20 s", steady(1), late, tracetest.Noise{Sigma: 0.1}},
	} {
		rnd := rand.New(rand.NewPCG(300, 48))
		crossed, passed := 0, 0
		pairs := pairsOf(8)
		for range pairs {
			c := tracetest.Class{Noise: tt.noise}
			base, slower := runOf("base", playClass(c, rnd, "p", tt.base)),
				runOf("new", playClass(c, rnd, "p", tt.new))
			switch Runs(base, slower).Against(0.05, false).Outcome {
			case CrossedIt:
				crossed++
			case Passed:
				passed++
			case CannotJudge:
			}
		}
		evidence.Report(t, evidence.AtLeast("compare", "falls that --fail-above 5 reports: "+
			tt.name, crossed, pairs, pairs*17/20))
		evidence.Report(t, evidence.AtMost("compare", "falls that pass --fail-above 5: "+tt.name,
			passed, pairs, 0))
	}
}

// TestEqualRunsPass: of equal runs, whose changes the ledger finds, a gate keeps out no more than
// chance allows: 2.5 %.
func TestEqualRunsPass(t *testing.T) {
	throttled := steady(1)
	for i := range throttled {
		rate := throttled[i][0].Rate
		throttled[i] = []tracetest.Level{{UntilS: 12, Rate: rate}, {UntilS: 30, Rate: 0.4 * rate}}
	}
	crossed, all := 0, 0
	for i, tt := range []struct {
		disks [][]tracetest.Level
		noise tracetest.Noise
	}{
		{steady(1), tracetest.Noise{Sigma: 0.05}},
		{steady(1), tracetest.Noise{Wave: 0.1, MemoryS: 2}},
		{throttled, tracetest.Noise{Sigma: 0.05}},
		{throttled, tracetest.Noise{Wave: 0.1, MemoryS: 1}},
	} {
		rnd := rand.New(rand.NewPCG(700+uint64(i), 49))
		for range pairsOf(6) {
			c := tracetest.Class{Noise: tt.noise}
			base, equal := runOf("base", playClass(c, rnd, "p", tt.disks)),
				runOf("new", playClass(c, rnd, "p", tt.disks))
			if all++; Runs(base, equal).Against(0, false).Outcome == CrossedIt {
				crossed++
			}
		}
	}
	evidence.Report(t, evidence.Seldom("compare",
		"equal runs with the ledger's changes that a gate keeps out", crossed, all, 0.025))
}
