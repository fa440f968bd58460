package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
)

// The priors are from the formulas of Smyth 2004, solved by mpmath with 30 digits.
func TestModerate(t *testing.T) {
	for _, tt := range []struct {
		variances, free []float64
		want            Prior
	}{
		{[]float64{1.2, 0.4, 3.1, 0.9, 2.2, 0.1, 1.7, 0.6}, []float64{4, 4, 4, 4, 4, 4, 4, 4},
			Prior{0.886847524946109, 4.468700464363604, 0}},
		{[]float64{1.2, 0.4, 3.1, 0.9, 2.2, 0.1, 1.7, 0.6}, []float64{4, 4, 9, 9, 2, 4, 13, 4},
			Prior{0.851300623825002, 4.198418754734515, 0}},
		{[]float64{1, 1.1, 0.9, 1.05}, []float64{4, 4, 4, 4}, Prior{1.0125, math.Inf(1), 16}},
		{[]float64{1, 100, 0.01, 10}, []float64{4, 4, 4, 4},
			Prior{0.174726496146467, 0.541362056371575, 0}},
		// One alone shows nothing of how variances differ.
		{[]float64{2}, []float64{4}, Prior{2, math.Inf(1), 4}},
	} {
		got := Moderate(tt.variances, tt.free)
		check.Near(t, fmt.Sprintf("variance of %v", tt.variances), tt.want.Variance, got.Variance,
			1e-6)
		if !math.IsInf(tt.want.DegreesOfFreedom, 1) || !math.IsInf(got.DegreesOfFreedom, 1) {
			check.Near(t, fmt.Sprintf("degrees of freedom of %v", tt.variances),
				tt.want.DegreesOfFreedom, got.DegreesOfFreedom, 1e-6)
		}
	}
	for pooled, want := range map[float64]float64{100: 8, 7: 7} {
		variance, free := Prior{2, 6, pooled}.Posterior(4, 2)
		check.Near(t, "posterior", 2.5, variance, 1e-12)
		check.Near(t, "its degrees of freedom", want, free, 1e-12)
	}
	variance, free := Prior{2, math.Inf(1), 30}.Posterior(4, 2)
	check.Near(t, "posterior of one that varies by chance", 2, variance, 1e-12)
	check.Near(t, "its degrees of freedom", 30, free, 1e-12)
}

// Variances drawn from a known prior give it back.
func TestModerateFindsThePrior(t *testing.T) {
	rnd := rand.New(rand.NewPCG(61, 62))
	chi := func(free int) (sum float64) {
		for range free {
			sum += math.Pow(rnd.NormFloat64(), 2)
		}
		return sum
	}
	variances, free := make([]float64, 4000), make([]float64, 4000)
	for i := range variances {
		free[i] = float64(3 + i%5)
		variances[i] = 0.5 * 8 / chi(8) * chi(3+i%5) / free[i]
	}
	got := Moderate(variances, free)
	check.Near(t, "variance", 0.5, got.Variance, 0.02)
	check.Near(t, "degrees of freedom", 8, got.DegreesOfFreedom, 1)
}
