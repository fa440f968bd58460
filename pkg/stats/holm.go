package stats

import (
	"cmp"
	"slices"
)

// Holm corrects the probabilities of several tests for their number: where only those with a corrected p of up to
// 0.05 are believed, the chance that any of them is wrong is at most 0.05, however the tests go together (Holm, "A
// Simple Sequentially Rejective Multiple Test Procedure", Scandinavian Journal of Statistics 6, 1979).
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	corrected := make([]float64, len(p))
	least := 0.0
	for rank, i := range order {
		least = max(least, min(1, p[i]*float64(len(p)-rank)))
		corrected[i] = least
	}
	return corrected
}
