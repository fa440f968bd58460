package stats

import (
	"slices"

	"gonum.org/v1/gonum/floats"
)

// Holm corrects the probabilities of several tests for their number: where only those with a corrected p of up to
// 0.05 are believed, the chance that any of them is wrong is at most 0.05, however the tests go together (Holm, "A
// Simple Sequentially Rejective Multiple Test Procedure", Scandinavian Journal of Statistics 6, 1979). That chance is
// shared out by the weights, equally where they are nil (as in Holm's section 4).
func Holm(p, weights []float64) []float64 {
	if weights == nil {
		weights = slices.Repeat([]float64{1}, len(p))
	}
	weighed := floats.DivTo(make([]float64, len(p)), p, weights)
	left := floats.Sum(weights)
	corrected := make([]float64, len(p))
	least := 0.0
	for _, i := range Order(weighed) {
		least = max(least, min(1, weighed[i]*left))
		corrected[i] = least
		left -= weights[i]
	}
	return corrected
}
