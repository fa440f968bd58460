package stats

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
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

// RankShift permutes up to shuffles times, so that p can be told to 0.001, and stops when chance has been as clear as
// the sample enough times to know that p is not small.
const (
	shuffles = 999
	enough   = 20
)

// RankShift looks for one place at which the values y, in their given order, shift up or down. It returns the index
// of the first value after the shift and the probability p of a shift as clear by chance.
//
// Cuts are tried where allowed(i), for a cut before y[i], is true, with at least minLen values on either side. The
// statistic is the difference of the mean ranks on both sides over its standard error, greatest over all cuts: a
// rank version of Page's scan, as in Pettitt, "A Non-parametric Approach to the Change-point Problem", Applied
// Statistics 28, 1979, but standardised, so that shifts near an end are found as well. p comes from at most
// 999 permutations (always the same), fewer where p is plainly not small (Besag and Clifford, "Sequential Monte Carlo
// P-values", Biometrika 78, 1991). The cut is 0 and p is 1 where no cut is allowed.
func RankShift(y []float64, minLen int, allowed func(i int) bool) (cut int, p float64) {
	ranks := Ranks(y)
	n := len(y)
	var cuts []int
	for i := max(minLen, 1); i <= n-max(minLen, 1); i++ {
		if allowed(i) {
			cuts = append(cuts, i)
		}
	}
	if len(cuts) == 0 {
		return 0, 1
	}
	mean := float64(n+1) / 2
	scan := func() (best float64, cut int) {
		var sum float64
		next := 0
		for i, r := range ranks {
			if next < len(cuts) && i == cuts[next] {
				next++
				if z := math.Abs(sum) / math.Sqrt(float64(i)*float64(n-i)); z > best {
					best, cut = z, i
				}
			}
			sum += r - mean
		}
		return best, cut
	}
	found, cut := scan()
	rnd := rand.New(rand.NewPCG(1979, uint64(n)))
	asClear := 0
	for drawn := 1; drawn <= shuffles; drawn++ {
		rnd.Shuffle(n, func(i, j int) { ranks[i], ranks[j] = ranks[j], ranks[i] })
		if z, _ := scan(); z >= found {
			asClear++
		}
		if asClear == enough {
			return cut, float64(enough) / float64(drawn)
		}
	}
	return cut, float64(asClear+1) / (shuffles + 1)
}
