package stats

import (
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"
)

// Holm corrects the probabilities of several tests for their number: if only those with a corrected
// p of up to alpha are believed, the chance that any of them is wrong is at most alpha, however the
// tests go together (Holm, "A Simple Sequentially Rejective Multiple Test Procedure", Scandinavian
// Journal of Statistics 6, 1979). That chance is shared out by the weights, equally if they are nil
// (as in Holm's section 4).
//
// It also returns the levels at which that decides on each test: p is no more than its level for
// just those that are believed, so an interval at that level says what the test says.
func Holm(p, weights []float64, alpha float64) (corrected, levels []float64) {
	if weights == nil {
		weights = slices.Repeat([]float64{1}, len(p))
	}
	weighed := floats.DivTo(make([]float64, len(p)), p, weights)
	corrected, levels = make([]float64, len(p)), make([]float64, len(p))
	left := floats.Sum(weights)
	undecided := left // It stays as it is from the first test on that is not believed.
	highest := 0.0
	for _, i := range Order(weighed) {
		levels[i] = alpha * weights[i] / undecided
		highest = max(highest, min(1, weighed[i]*left))
		corrected[i] = highest
		left -= weights[i]
		if highest <= alpha {
			undecided = left
		}
	}
	return corrected, levels
}

// BinomialTail returns the chance of at least k successes in n trials of chance p each.
func BinomialTail(n, k int, p float64) float64 {
	return distuv.Binomial{N: float64(n), P: p}.Survival(float64(k - 1))
}

// StudentTail returns the chance that Student's t with the given degrees of freedom exceeds t.
func StudentTail(t, free float64) float64 {
	return distuv.StudentsT{Sigma: 1, Nu: free}.Survival(t)
}

// StudentQuantile returns what Student's t with the given degrees of freedom stays below with a
// chance of p.
func StudentQuantile(p, free float64) float64 {
	return distuv.StudentsT{Sigma: 1, Nu: free}.Quantile(p)
}
