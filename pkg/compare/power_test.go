package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/hubbench/hubbench/internal/test/evidence"
	"github.com/hubbench/hubbench/pkg/stats"
)

// What runs are simulated with: the standard deviations of the logarithms of rates.
const (
	between = 0.02  // from run to run
	within  = 0.009 // within a run, as the analysis estimates it
)

// drawn are runs whose rates vary each by itself, or all together, and are all lower by a share.
func drawn(rnd *rand.Rand, runs, rates int, common bool, fall float64) (list []Measurements) {
	for range runs {
		sample, together := Measurements{}, between*rnd.NormFloat64()
		for i := range rates {
			off := together
			if !common {
				off = between * rnd.NormFloat64()
			}
			chi := distuv.ChiSquared{K: freeOfInterval, Src: rnd}.Rand()
			sample[MeasurementKey{Phase: fmt.Sprint(i)}] = stats.Estimate{
				Mean: off + math.Log1p(-fall) + within*rnd.NormFloat64(),
				SE:   within * math.Sqrt(chi/freeOfInterval), DegreesOfFreedom: freeOfInterval,
			}
		}
		list = append(list, sample)
	}
	return list
}

// runCounts are how many runs a comparison has of each side and of a history.
type runCounts struct{ base, new, history int }

// gate counts the pairs in which a gate with a limit of 0 finds that a rate fell.
func gate(seed uint64, pairs, rates int, common bool, n runCounts, fall float64) (crossed int) {
	rnd := rand.New(rand.NewPCG(seed, 7))
	for range pairs {
		base := drawn(rnd, n.base, rates, common, 0)
		other := drawn(rnd, n.new, rates, common, fall)
		if crosses(0, base, other, drawn(rnd, n.history, rates, common, 0)) {
			crossed++
		}
	}
	return crossed
}

// crosses reports whether any rate fell by more than a limit.
func crosses(limit float64, base, other, history []Measurements) bool {
	v := NewVariation(FromRuns, false, base, other, history)
	var above []*stats.Estimate
	for _, key := range Keys(base) {
		e := v.Difference(key, Values(base, key), Values(other, key))
		e.Mean -= math.Log1p(-limit)
		above = append(above, &e)
	}
	outcomes, _ := Judge(above)
	return slices.Contains(outcomes, Fell)
}

// power is the chance that arithmetic allows a t test of one rate that fell: the noncentral t, as
// an integral over the distribution of the standard deviation (Johnson, Kotz and Balakrishnan,
// "Continuous Univariate Distributions" 2, chapter 31).
func power(shift, free, level float64) float64 {
	critical := stats.StudentQuantile(1-level, free)
	chi := distuv.ChiSquared{K: free}
	sum := 0.0
	const steps = 4000
	for i := range steps {
		s := math.Sqrt(chi.Quantile((float64(i)+0.5)/steps) / free)
		sum += distuv.UnitNormal.Survival(critical*s-shift) / steps
	}
	return sum
}

// TestPower: what a gate of 0 finds and what it keeps out by mistake, 26 rates, as a study has, or
// 3. The method was chosen by the seeds 1 to 9; these are others. The figure beside each is what
// arithmetic allows: of rates that vary by themselves the chance that one of them at least is found
// if their variance is known, of those that vary together that of one rate, by Student's t with the
// degrees of freedom that the runs give.
func TestPower(t *testing.T) {
	pairs := max(100, *pairsEach)
	total := math.Hypot(between, within)
	for i, tt := range []struct {
		rates         int
		common        bool
		base, new     int
		history       int
		fall          float64
		least, atMost int // of 100
	}{
		{26, false, 3, 3, 0, 0, 0, 4}, {26, true, 3, 3, 0, 0, 0, 4}, {26, false, 1, 1, 10, 0, 0, 4},
		{26, true, 1, 1, 10, 0, 0, 4}, {26, false, 10, 3, 0, 0, 0, 4},
		{26, true, 10, 3, 0, 0, 0, 4},
		{3, false, 10, 3, 0, 0, 0, 4}, {3, true, 10, 3, 0, 0, 0, 4},
		{26, false, 3, 3, 0, 0.1, 88, 100}, {26, false, 1, 1, 10, 0.1, 80, 100},
		{26, false, 10, 1, 0, 0.1, 80, 100},
		{26, false, 10, 3, 0, 0.05, 50, 100}, {26, false, 3, 3, 10, 0.05, 50, 100},
		{3, false, 10, 3, 0, 0.05, 65, 100}, {3, false, 3, 3, 10, 0.05, 65, 100},
		{26, true, 3, 3, 0, 0.1, 30, 100}, {26, true, 10, 3, 0, 0.1, 85, 100},
		{26, true, 3, 3, 10, 0.1, 85, 100},
	} {
		got := gate(5000+uint64(i), pairs, tt.rates, tt.common,
			runCounts{tt.base, tt.new, tt.history}, tt.fall)
		n := 1/float64(tt.base) + 1/float64(tt.new)
		free := float64(tt.base + tt.new - 2 + max(0, tt.history-1))
		level := falseClaimRate / 2 / float64(tt.rates)
		one := power(-math.Log1p(-tt.fall)/total/math.Sqrt(n), free, level)
		if !tt.common {
			known := power(-math.Log1p(-tt.fall)/total/math.Sqrt(n), free*float64(tt.rates), level)
			one = 1 - math.Pow(1-known, float64(tt.rates))
		}
		name := fmt.Sprintf("%d rates that vary %s, %d against %d runs, history of %d, −%g %%: exit 4; arithmetic allows %.0f %%",
			tt.rates, map[bool]string{true: "together", false: "each by itself"}[tt.common],
			tt.base, tt.new, tt.history,
			100*tt.fall, 100*one)
		if tt.fall == 0 {
			evidence.Report(t, evidence.AtMost("compare", name, got, pairs, pairs*tt.atMost/100))
		} else {
			evidence.Report(t, evidence.AtLeast("compare", name, got, pairs, pairs*tt.least/100))
		}
		t.Logf("%s: %d of %d", name, got, pairs)
	}
}

// TestCollapsedRate: a single rate of 26 that is down to a third is found in 270 of 270 pairs,
// however rates vary.
func TestCollapsedRate(t *testing.T) {
	found, pairs := 0, 0
	for i, runs := range [][3]int{{3, 3, 0}, {1, 1, 10}, {10, 3, 0}} {
		for _, common := range []bool{false, true} {
			rnd := rand.New(rand.NewPCG(6000+uint64(i), 7))
			for range 45 {
				base, other := drawn(rnd, runs[0], 26, common, 0),
					drawn(rnd, runs[1], 26, common, 0)
				for _, sample := range other {
					e := sample[MeasurementKey{Phase: "7"}]
					e.Mean -= math.Log(3)
					sample[MeasurementKey{Phase: "7"}] = e
				}
				if pairs++; crosses(0.05, base, other, drawn(rnd, runs[2], 26, common, 0)) {
					found++
				}
			}
		}
	}
	evidence.Report(t, evidence.AtLeast("compare", "a rate of 26 down to a third: exit 4", found,
		pairs, 270))
}

// TestOneUnsteadyRate: of 26 rates that did not change, one of which varies by 10% from run to run
// and the others by 2, a gate keeps out few. With one variance of all rates it kept out 17 to 20 of
// 100.
func TestOneUnsteadyRate(t *testing.T) {
	const pairs = 200
	for i, n := range []runCounts{{3, 3, 0}, {1, 1, 10}, {10, 3, 0}} {
		rnd := rand.New(rand.NewPCG(9000+uint64(i), 7))
		draw := func(runs int) []Measurements {
			list := drawn(rnd, runs, 26, false, 0)
			for _, sample := range list {
				e := sample[MeasurementKey{Phase: "7"}]
				e.Mean += 0.1 * rnd.NormFloat64()
				sample[MeasurementKey{Phase: "7"}] = e
			}
			return list
		}
		crossed := 0
		for range pairs {
			if crosses(0, draw(n.base), draw(n.new), draw(n.history)) {
				crossed++
			}
		}
		evidence.Report(t, evidence.AtMost("compare", fmt.Sprintf("one of 26 equal rates varies "+
			"more, %d against %d runs, history of %d: exit 4", n.base, n.new, n.history), crossed,
			pairs, pairs*7/100))
	}
}

// TestCommonVariation: whether the rates of a run vary together is told from repeats, where half of
// the variance is the border.
func TestCommonVariation(t *testing.T) {
	for _, common := range []bool{false, true} {
		rnd := rand.New(rand.NewPCG(8000, 7))
		together := 0
		for range 100 {
			v := NewVariation(FromRuns, false, drawn(rnd, 3, 26, common, 0),
				drawn(rnd, 3, 26, common, 0))
			if v.Share() >= 0.5 {
				together++
			}
			if all := math.Hypot(v.Common, v.Own); all < 0.005 || all > 0.06 {
				t.Errorf("rates vary by %.3f, want about %.3f", all, math.Hypot(between, within))
			}
		}
		if common {
			evidence.Report(t, evidence.AtLeast("compare", "variation common to a run: said so",
				together, 100, 80))
		} else {
			evidence.Report(t, evidence.AtMost("compare",
				"variation of each rate by itself: said to be common", together, 100, 5))
		}
	}
}
