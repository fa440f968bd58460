package stats

import (
	"math"

	"gonum.org/v1/gonum/stat"
)

// Repeat is one of several measurements of a thing: what it gave, and its uncertainty by itself.
type Repeat struct{ Mean, SE float64 }

// RepeatedDifference is the mean of b less the mean of a, each measured once or more, at least three times together.
// What counts is how the measurements differ from one another: it is Welch's t on their means. The error is no less than
// what they say of themselves, for a few may agree by chance. A side that was measured once is taken to vary as the
// other does.
func RepeatedDifference(a, b []Repeat) (Estimate, bool) {
	if min(len(a), len(b)) < 1 || len(a)+len(b) < 3 {
		return Estimate{}, false
	}
	meanA, varianceA, own := repeats(a)
	meanB, varianceB, ownB := repeats(b)
	own += ownB
	freeA, freeB := float64(len(a)-1), float64(len(b)-1)
	var between student
	switch {
	case freeA == 0:
		between = student{1, math.Sqrt(varianceB * (1 + 1/float64(len(b)))), freeB}
	case freeB == 0:
		between = student{1, math.Sqrt(varianceA * (1 + 1/float64(len(a)))), freeA}
	default:
		between = student{1, math.Sqrt(varianceA / float64(len(a))), freeA}.plus(student{1, math.Sqrt(varianceB / float64(len(b))), freeB})
	}
	between.se = max(between.se, math.Sqrt(own))
	return Estimate{Mean: meanB - meanA, parts: []student{between}}, true
}

// repeats are the mean and the variance of measurements, and the variance that the mean has by what they say of
// themselves.
func repeats(list []Repeat) (mean, variance, own float64) {
	means := make([]float64, len(list))
	n := float64(len(list))
	for i, r := range list {
		means[i] = r.Mean
		own += r.SE * r.SE / (n * n)
	}
	mean = stat.Mean(means, nil)
	if len(list) > 1 {
		variance = stat.Variance(means, nil)
	}
	return mean, variance, own
}
