package stats

import (
	"cmp"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Ranks are the ranks of x from 1 up, ties sharing their mean rank.
func Ranks(x []float64) []float64 {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(x[a], x[b]) })
	ranks := make([]float64, len(x))
	for i := 0; i < len(order); {
		j := i
		for j < len(order) && x[order[j]] == x[order[i]] {
			j++
		}
		for _, k := range order[i:j] {
			ranks[k] = float64(i+j+1) / 2
		}
		i = j
	}
	return ranks
}

// Spearman is Spearman's rank correlation of x and y (American Journal of Psychology 15, 1904). NaN where either does
// not vary.
func Spearman(x, y []float64) float64 {
	return stat.Correlation(Ranks(x), Ranks(y), nil)
}

// NormalScores are what a normal sample has on average in place of the values of these ranks, by Blom's approximation
// ("Statistical Estimates and Transformed Beta Variables", 1958): they keep a sample's order and drop its tails.
func NormalScores(x []float64) []float64 {
	scores := Ranks(x)
	for i, r := range scores {
		scores[i] = distuv.UnitNormal.Quantile((r - 0.375) / (float64(len(x)) + 0.25))
	}
	return scores
}
