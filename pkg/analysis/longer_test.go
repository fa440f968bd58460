package analysis

import (
	"math"
	"slices"
	"testing"

	"github.com/hubbench/hubbench/pkg/latency"
	"github.com/hubbench/hubbench/pkg/stats"
)

// quantileOf is the time that a share of requests exceeds, and how that share strays in each stretch.
func quantileOf(share float64, times, above []float64) *quantile {
	var all []int64
	for _, ns := range times {
		all = append(all, int64(ns))
	}
	r := gatherRequests([]LatencyLine{{span(0, 1), took(all...)}})
	return &quantile{Tail: latency.Tail{NS: r.Quantile(1 - share), Share: share, Above: above, Worth: 10}, all: r}
}

// strays are twenty stretches that stray now to one side and then to the other, by turns or for ten of them.
func strays(by float64, alike int) (above []float64) {
	for i := range 20 {
		above = append(above, by*float64(1-2*(i/alike%2)))
	}
	return above
}

func thousandTimes() (times []float64) {
	for i := range 1000 {
		times = append(times, float64(1000*(i+1)))
	}
	return times
}

// The interval's ends are the times that shares of other odds exceed: the odds of a tenth are one to nine.
func TestQuantileWithin(t *testing.T) {
	slowly := strays(0.01, 10) // and by turns, so that neighbours do not show it
	for i, turn := range strays(0.01, 1) {
		slowly[i] += turn
	}
	for _, tt := range []struct {
		name  string
		above []float64
		waves bool // by its slow waves the share is less sure
	}{
		{"by turns", strays(0.05, 1), false},
		{"slow", slowly, true},
	} {
		for _, tail := range []float64{0.025, 0.005} {
			q := quantileOf(0.1, thousandTimes(), tt.above)
			slow, _ := stats.NewSpectrum(tt.above, len(tt.above)).Error()
			byWaves, byNeighbours := -slow.Least(tail), stats.HalfOfShort(tt.above, tail)
			if math.Abs(slow.Mean) > 1e-12 || (byWaves > byNeighbours) != tt.waves {
				t.Fatalf("%s: %v by waves, %v by neighbours", tt.name, byWaves, byNeighbours)
			}
			half := max(byWaves, byNeighbours) / 0.09
			fewer, more := 1/(1+9*math.Exp(half)), 1/(1+9*math.Exp(-half))
			low, high, ok := q.within(tail)
			if wantLow, wantHigh := q.all.Quantile(1-more), q.all.Quantile(1-fewer); !ok || low != wantLow || high != wantHigh || low >= q.NS || high <= q.NS {
				t.Errorf("%s: %v to %v, %v; want %v to %v", tt.name, low, high, ok, wantLow, wantHigh)
			}
			if tail == 0.025 && *q.interval() != [2]int64{low, high} {
				t.Errorf("%s: interval %v", tt.name, q.interval())
			}
		}
	}
	// What shifts the middle shifts the slow ones as well, by as large a factor.
	q, median := quantileOf(0.1, thousandTimes(), strays(0.001, 1)), quantileOf(0.5, thousandTimes(), strays(0.2, 1))
	below, beyond, _ := median.within(0.025)
	ownLow, ownHigh, _ := q.within(0.025)
	q.median = median
	low, high, ok := q.within(0.025)
	scale := float64(q.NS) / float64(median.NS)
	if !ok || low != int64(scale*float64(below)) || high != int64(scale*float64(beyond)) || low >= ownLow || high <= ownHigh {
		t.Errorf("beside the median's %v to %v: %v to %v, by itself %v to %v", below, beyond, low, high, ownLow, ownHigh)
	}
	q = quantileOf(0.1, thousandTimes(), strays(0.05, 1))
	ownLow, ownHigh, _ = q.within(0.025)
	q.median = quantileOf(0.5, thousandTimes(), strays(0.001, 1))
	if low, high, _ := q.within(0.025); low != ownLow || high != ownHigh {
		t.Errorf("beside a median that is surer: %v to %v", low, high)
	}
	if q.median.Worth = 7.9; q.interval() != nil {
		t.Error("an interval without one of the median")
	}
	sure := make([]float64, 20)
	for _, tt := range []struct {
		name string
		q    *quantile
		want bool
	}{
		{"20 s", quantileOf(0.5, []float64{9, 9}, sure), true},
		{"19 s", quantileOf(0.5, []float64{9, 9}, sure[1:]), false},
		{"one request", quantileOf(0.5, []float64{9}, sure), false}, // half of it is slower
		{"no time", quantileOf(0.5, []float64{0, 0}, sure), false},
	} {
		if got := tt.q.interval(); (got != nil) != tt.want || got != nil && *got != [2]int64{9, 9} {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
	for worth, want := range map[float64]bool{7.99: false, 8: true, math.NaN(): false} {
		q := quantileOf(0.5, []float64{9, 9}, sure)
		if q.Worth = worth; (q.interval() != nil) != want {
			t.Errorf("worth %v s: %v", worth, q.interval())
		}
	}
}

// The logarithm of a ratio strays by those of both.
func TestQuantileLonger(t *testing.T) {
	twice := thousandTimes()
	for i := range twice {
		twice[i] *= 2
	}
	q, alone := quantileOf(0.1, twice, strays(0.05, 1)), quantileOf(0.1, thousandTimes(), strays(0.1, 1))
	got := q.longer(alone, 0.01)
	if got == nil {
		t.Fatal("twice as long is not told")
	}
	qAt, aloneAt := q.interval(), alone.interval()
	log := func(a, b int64) float64 { return math.Log(float64(a)) - math.Log(float64(b)) }
	times := float64(q.NS) / float64(alone.NS)
	within(t, "times", got.Times, times, 1e-12)
	within(t, "quantile", got.Quantile, 0.9, 1e-12)
	within(t, "at least", got.CI95[0], times/math.Exp(math.Hypot(log(q.NS, qAt[0]), log(aloneAt[1], alone.NS))), 1e-9)
	within(t, "at most", got.CI95[1], times*math.Exp(math.Hypot(log(qAt[1], q.NS), log(alone.NS, aloneAt[0]))), 1e-9)
	if got.FromNS != alone.NS || got.ToNS != q.NS || alone.longer(q, 0.01) != nil {
		t.Errorf("%+v", got)
	}
	if far := quantileOf(0.1, thousandTimes(), strays(2, 10)); q.longer(far, 0.01) != nil {
		t.Error("than what is hardly known")
	}
	sure := make([]float64, 20)
	constant := func(ns float64) *quantile { return quantileOf(0.5, slices.Repeat([]float64{ns}, 40), sure) }
	for ns, want := range map[float64]bool{124: false, 125: true} {
		got := constant(ns).longer(constant(100), 0.01)
		if (got != nil) != want || want && (*got.CI95 != [2]float64{1.25, 1.25} || got.Times != 1.25) {
			t.Errorf("%v ns instead of 100: %+v", ns, got)
		}
	}
	unknown := constant(100)
	unknown.Worth = 1
	if constant(200).longer(unknown, 0.01) != nil {
		t.Error("than what has no interval")
	}
	unknown = constant(200)
	if unknown.Worth = 1; unknown.longer(constant(100), 0.01) != nil {
		t.Error("what has no interval")
	}
}
