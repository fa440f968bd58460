package stats

import (
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Order lists the indices of x so that their values ascend; equal ones stay in their order.
func Order(x []float64) []int {
	order := make([]int, len(x))
	floats.ArgsortStable(slices.Clone(x), order)
	return order
}

// Ranks are the ranks of x from 1 up, ties sharing their mean rank.
func Ranks(x []float64) []float64 {
	order := Order(x)
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

// Spearman is Spearman's rank correlation of x and y (American Journal of Psychology 15, 1904). NaN if either does
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
