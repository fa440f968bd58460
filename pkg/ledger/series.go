package ledger

import (
	"math"

	"github.com/hubbench/hubbench/pkg/stats"
)

// Levels returns where the second and each later level of some rates begins, such as those of many
// runs in order of time, in bytes per second. A level has so many of them or more. The cuts are
// those that the criterion chooses as for the bins of a phase; in place of neighbours that a person
// would not tell apart, it merges those whose means noise puts so far apart with a higher chance
// than the given one.
func Levels(rates []float64, minLength int, falseClaimRate float64) []int {
	if len(rates) < 2*minLength {
		return nil
	}
	logs, each := make([]float64, len(rates)), make([]int, len(rates))
	for i, rate := range rates {
		logs[i] = math.Log(max(rate, 1)) // Nothing has no logarithm; a byte per second does.
		each[i] = i
	}
	q := newSequence(logs, each, 1, nil)
	q.minBins = minLength
	q.minS = 0
	return q.drop(q.chooseCuts(), func(edges []int) int {
		weakest := -1
		largest := falseClaimRate
		for i := range len(edges) - 2 {
			if p := q.falseRate(edges[i], edges[i+1], edges[i+2]); p > largest {
				weakest = i
				largest = p
			}
		}
		return weakest
	})
}

// falseRate returns the chance of noise to put the means of two neighbouring levels so far apart. A
// rate that has hit a limit varies less from then on, so the standard error is the larger of
// Welch's, by each level's own noise, and of the one by the noise of both: the first is too small
// for a short level, the second for a long and quiet one.
func (q *sequence) falseRate(from, cut, to int) float64 {
	n, m := float64(cut-from), float64(to-cut)
	before, after := q.variance(from, cut), q.variance(cut, to)
	both := (before*(n-1) + after*(m-1)) / (n + m - 2)
	variance := max(before/n+after/m, both/n+both/m)
	apart := math.Abs(q.mean(cut, to) - q.mean(from, cut))
	return 2 * stats.StudentTail(apart/math.Sqrt(variance), n+m-2)
}

// variance is that of the bins about their mean: what cannot be told from rounding is no noise.
func (q *sequence) variance(from, to int) float64 {
	n := float64(to - from)
	mean := q.mean(from, to)
	squares := q.squares[to] - q.squares[from] - n*mean*mean
	return max(squares/(n-1), minBinNoise*minBinNoise)
}
