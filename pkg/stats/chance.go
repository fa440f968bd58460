package stats

import (
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"
)

// Holm corrects the probabilities of several tests for their number: if only those with a corrected p of up to
// 0.05 are believed, the chance that any of them is wrong is at most 0.05, however the tests go together (Holm, "A
// Simple Sequentially Rejective Multiple Test Procedure", Scandinavian Journal of Statistics 6, 1979). That chance is
// shared out by the weights, equally if they are nil (as in Holm's section 4).
func Holm(p, weights []float64) []float64 {
	if weights == nil {
		weights = slices.Repeat([]float64{1}, len(p))
	}
	weighed := floats.DivTo(make([]float64, len(p)), p, weights)
	left := floats.Sum(weights)
	corrected := make([]float64, len(p))
	floor := 0.0
	for _, i := range Order(weighed) {
		floor = max(floor, min(1, weighed[i]*left))
		corrected[i] = floor
		left -= weights[i]
	}
	return corrected
}

// HolmLevels are the levels at which Holm's method decides on each test, so that all together are wrong with a
// chance of alpha: p is no more than its level for just those that Holm corrects to alpha or less. An interval at
// that level says what the test says.
func HolmLevels(p, weights []float64, alpha float64) []float64 {
	weighed := floats.DivTo(make([]float64, len(p)), p, weights)
	left, stopped := floats.Sum(weights), false
	levels := make([]float64, len(p))
	for _, i := range Order(weighed) {
		levels[i] = alpha * weights[i] / left
		if stopped = stopped || p[i] > levels[i]; !stopped {
			left -= weights[i]
		}
	}
	return levels
}

// BinomialTail is the chance of at least k successes in n trials of chance p each.
func BinomialTail(n, k int, p float64) float64 {
	if k <= 0 {
		return 1
	}
	return 1 - distuv.Binomial{N: float64(n), P: p}.CDF(float64(k-1))
}

// StudentTail is the chance that Student's t with the given degrees of freedom exceeds t.
func StudentTail(t, free float64) float64 { return distuv.StudentsT{Sigma: 1, Nu: free}.Survival(t) }

// StudentQuantile is what Student's t with the given degrees of freedom stays below with a chance of p.
func StudentQuantile(p, free float64) float64 {
	return distuv.StudentsT{Sigma: 1, Nu: free}.Quantile(p)
}
