package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hubbench/hubbench/internal/test/evidence"
	"github.com/hubbench/hubbench/internal/test/tracetest"
	"github.com/hubbench/hubbench/pkg/stats"
)

// generated are hubs with known rates, and how often each is measured.
type generated struct {
	factors []float64 // each hub's rates, of those of the first
	repeats int
	loads   int
	common  bool    // the loads of a repeat vary together
	uneven  float64 // the last hub's rates vary so many times as much
}

// ranked generates a set of such runs, and ranks them.
func (g generated) ranked(rnd *rand.Rand) *Ranking {
	var loads []RankedLoad
	for i := range g.loads {
		loads = append(loads, RankedLoad{Decides: true, key: MeasurementKey{Phase: fmt.Sprint(i)}})
	}
	var labels []string
	var samples [][]Measurements
	for hub, factor := range g.factors {
		noise := 1.0
		if hub == len(g.factors)-1 {
			noise = max(1, g.uneven)
		}
		var repeats []Measurements
		for range g.repeats {
			repeat, together := Measurements{}, rnd.NormFloat64()
			for _, l := range loads {
				off := together
				if !g.common {
					off = rnd.NormFloat64()
				}
				if g.repeats == 1 { // only what varies within the run is known
					off = 0
				}
				chi := 0.0
				for range freeOfInterval {
					normal := rnd.NormFloat64()
					chi += normal * normal
				}
				repeat[l.key] = stats.Estimate{
					Mean:             math.Log(factor) + noise*(between*off+within*rnd.NormFloat64()),
					SE:               noise * within * math.Sqrt(chi/freeOfInterval),
					DegreesOfFreedom: freeOfInterval,
				}
			}
			repeats = append(repeats, repeat)
		}
		labels = append(labels, fmt.Sprint(hub))
		samples = append(samples, repeats)
	}
	return rankBy(labels, loads, samples, nil)
}

// equal hubs have the same rates.
func equal(hubs int) []float64 {
	factors := make([]float64, hubs)
	for i := range factors {
		factors[i] = 1
	}
	return factors
}

// TestRankingOfEqualHubs: of three to eight equal hubs, one is called the best, or any two are told
// apart, in 5% of sets at most.
func TestRankingOfEqualHubs(t *testing.T) {
	sets := evidence.Trials(400, 100)
	for i, g := range []generated{
		{equal(3), 1, 3, false, 0}, {equal(8), 1, 3, false, 0}, {equal(3), 2, 3, false, 0},
		{equal(3), 5, 1, false, 0}, {equal(5), 5, 3, true, 0}, {equal(4), 5, 3, false, 5},
		{equal(8), 3, 3, true, 5},
	} {
		rnd := rand.New(rand.NewPCG(3000+uint64(i), 7))
		best, apart, inLoads := 0, 0, 0
		for range sets {
			r := g.ranked(rnd)
			if r.Best() != nil {
				best++
			}
			if r.Places[len(r.Places)-1].Rank > 1 {
				apart++
			}
			for _, l := range r.Loads {
				differs := false
				for _, run := range l.Runs[1:] {
					differs = differs || run.Behind.Verdict != NotShown
				}
				if differs {
					inLoads++
					break
				}
			}
		}
		name := fmt.Sprintf("%+v", g)
		evidence.Report(t, evidence.Seldom("compare", name+": one called best", best, sets, 0.05))
		evidence.Report(t, evidence.Seldom("compare", name+": told apart", apart, sets, 0.05))
		evidence.Report(t, evidence.Seldom("compare", name+": told apart in a load", inLoads, sets,
			0.05))
		t.Logf("%s: best %d, apart %d, in a load %d of %d", name, best, apart, inLoads, sets)
	}
}

// TestRankingFindsTheBest: a hub that is 10% better than the others is found, and by how much; and
// what is equal is not told apart.
func TestRankingFindsTheBest(t *testing.T) {
	sets := evidence.Trials(200, 50)
	for i, tt := range []struct {
		generated
		least int // of 100
	}{
		{generated{[]float64{1, 1.1, 1}, 1, 3, false, 0}, 95},
		{generated{[]float64{1, 1, 1, 1, 1, 1.1, 1, 1}, 1, 3, false, 0}, 95},
		{generated{[]float64{1, 1.1, 1}, 5, 3, true, 0}, 95},
		{generated{[]float64{1, 1.1, 1, 1}, 3, 3, false, 0}, 95},
		{generated{[]float64{1, 1, 1, 1, 1, 1.1, 1, 1}, 5, 3, false, 0}, 95},
		// All loads vary together by 2% from repeat to repeat.
		{generated{[]float64{1, 1, 1, 1, 1, 1.1, 1, 1}, 5, 3, true, 0}, 75},
	} {
		rnd := rand.New(rand.NewPCG(4000+uint64(i), 7))
		found, wrong, held := 0, 0, 0
		for range sets {
			r := tt.ranked(rnd)
			best := r.Best()
			if best == nil {
				continue
			}
			if tt.factors[int(best.Run[0]-'0')] == 1 {
				wrong++
				continue
			}
			found++
			all := true
			for _, p := range r.Places[1:] {
				v := p.Behind.Interval
				all = all && v[0] <= 1/1.1-1 && 1/1.1-1 <= v[1]
			}
			if all {
				held++
			}
		}
		name := fmt.Sprintf("%+v", tt.generated)
		evidence.Report(t, evidence.AtLeast("compare", name+": the best is found", found, sets,
			sets*tt.least/100))
		evidence.Report(t, evidence.AtMost("compare", name+": another is called best", wrong, sets,
			0))
		evidence.Report(t, evidence.AtLeast("compare", name+": all intervals hold the truth", held,
			found, found*92/100))
		t.Logf("%s: found %d, wrong %d, held %d of %d", name, found, wrong, held, sets)
	}
}

// TestRankingOfTraces: of four hubs that are equal in noise, none is called best; one that moves
// 10% more is, with the loads in which the others do not have the same work left out.
func TestRankingOfTraces(t *testing.T) {
	rnd := rand.New(rand.NewPCG(61, 62))
	c := tracetest.Class{Noise: tracetest.Noise{Sigma: 0.05}}
	run := func(name string, factor float64) Input {
		r := quick(playClass(c, rnd, "all-1", steady(factor)),
			playClass(c, rnd, "all-2", steady(factor)), playClass(c, rnd, "all-3", steady(factor)),
			playClass(c, rnd, "A", steady(factor)[:1]))
		r.Label = name
		return r
	}
	sets, best, found := evidence.Trials(20, 5), 0, 0
	for range sets {
		if Runs(run("a", 1), run("b", 1), run("c", 1), run("d", 1)).Ranking.Best() != nil {
			best++
		}
		r := Runs(run("a", 1), run("b", 1), run("c", 1.1), run("d", 1)).Ranking
		if b := r.Best(); b != nil && b.Run == "c" {
			found++
		}
		if len(r.Loads) != 2 || !r.Loads[0].Decides || r.Loads[0].Phase != "all" ||
			r.Loads[1].Decides || r.Tests != 6 || r.LoadTests != 12 {
			t.Fatalf("loads %+v, %d and %d tests", r.Loads, r.Tests, r.LoadTests)
		}
	}
	evidence.Report(t, evidence.Seldom("compare", "traces of equal hubs: one called best", best,
		sets, 0.05))
	evidence.Report(t, evidence.AtLeast("compare", "traces: 10% more is found", found, sets, sets))
	if Runs(run("a", 1), run("b", 1)).Ranking != nil {
		t.Error("two runs are ranked")
	}
	other := quick(playClass(c, rnd, "B", steady(1)[:1]))
	if Runs(run("a", 1), run("b", 1), other).Ranking != nil {
		t.Error("runs without a load in common are ranked")
	}
}
