package stats

import "math"

// squaredErrors returns what gives the squared error of any stretch about its mean in constant
// time, from running sums.
func squaredErrors(x []float64) func(from, to int) float64 {
	mean := Mean(x) // taken off, or the sums of squares would drown the differences
	sums, squares := make([]float64, len(x)+1), make([]float64, len(x)+1)
	for i, v := range x {
		sums[i+1] = sums[i] + (v - mean)
		squares[i+1] = squares[i] + (v-mean)*(v-mean)
	}
	return func(from, to int) float64 {
		sum := sums[to] - sums[from]
		return max(0, squares[to]-squares[from]-sum*sum/max(1, float64(to-from)))
	}
}

// Split cuts x in two so that the squared error about the means of both parts, of minLen values or
// more each, is smallest (Hinkley, "Inference About the Change-Point in a Sequence of Random
// Variables", Biometrika 57, 1970; of an ascending sample it makes the groups that differ most:
// Fisher, "On Grouping for Maximum Homogeneity", JASA 53, 1958). It returns where the second part
// begins, 0 if x is too short.
func Split(x []float64, minLen int) (at int) {
	errorOf := squaredErrors(x)
	least := math.Inf(1)
	for i := minLen; i <= len(x)-minLen; i++ {
		if cost := errorOf(0, i) + errorOf(i, len(x)); cost < least {
			at, least = i, cost
		}
	}
	return at
}

// SplitCost returns the squared error of x about the means of x[:at] and x[at:].
func SplitCost(x []float64, at int) float64 {
	errorOf := squaredErrors(x)
	return errorOf(0, at) + errorOf(at, len(x))
}
