package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
)

// Intervals of the means of short series with a memory hold the truth as often as they say, or
// nearly.
func TestHalfOfShort(t *testing.T) {
	for _, c := range []struct {
		n      int
		memory float64 // values
		lowest float64 // of 1000 intervals, how many hold the mean
	}{{20, 0, 950}, {30, 1, 945}, {30, 3, 920}, {60, 5, 930}, {240, 5, 940}} {
		rho := 0.0
		if c.memory > 0 {
			rho = math.Exp(-1 / c.memory)
		}
		held := 0.0
		for seed := range uint64(1000) {
			rnd := rand.New(rand.NewPCG(seed, uint64(c.n)))
			v := rnd.NormFloat64()
			x := make([]float64, c.n)
			for i := range x {
				x[i] = 10 + v
				v = rho*v + math.Sqrt(1-rho*rho)*rnd.NormFloat64()
			}
			if math.Abs(Mean(x)-10) <= HalfOfShort(x, 0.025) {
				held++
			}
		}
		if held < c.lowest {
			t.Errorf("%d values with a memory of %g: %g of 1000 intervals hold the mean, want %g",
				c.n, c.memory, held, c.lowest)
		}
	}
	if got := HalfOfShort([]float64{1, 2}, 0.025); !math.IsInf(got, 1) {
		t.Errorf("of two values: %g, want infinity", got)
	}
	// Three values whose neighbours go apart count as three: 4.303 deviations over the root of
	// three.
	check.Near(t, "of three values", 4.30265273*math.Sqrt(4./3/3),
		HalfOfShort([]float64{1, 3, 1}, 0.025), 1e-6)
	check.Same(t, "of values that do not vary", 0.0, HalfOfShort([]float64{2, 2, 2, 2}, 0.025))
}
