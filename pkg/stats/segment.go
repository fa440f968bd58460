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

// Split cuts x in two so that the squared error about the means of both parts, of minLen values or more each, is
// smallest (Hinkley, "Inference About the Change-Point in a Sequence of Random Variables", Biometrika 57, 1970; of an
// ascending sample it makes the groups that differ most: Fisher, "On Grouping for Maximum Homogeneity", JASA 53, 1958).
// It returns where the second part begins, 0 if x is too short.
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

// SplitCost is the squared error of x about the means of x[:at] and x[at:].
func SplitCost(x []float64, at int) float64 {
	errorOf := squaredErrors(x)
	return errorOf(0, at) + errorOf(at, len(x))
}

// Steps are where the mean of x, above zero, changes for good: by the given ratio or more, one way or the other,
// and surely beyond noise that lasts. No stretch is shorter than minLen values. known is how many values were
// measured separately from their neighbours.
//
// It is binary segmentation (Vostrikova, "Detecting 'Disorder' in Multidimensional Random Processes", Soviet
// Mathematics Doklady 24, 1981): the cut that leaves the least squared error comes first, then those of both sides.
// Each is held to the difference of the stretches next to it (MeanOf), at a level that allows for its choice.
func Steps(x []float64, minLen, known int, ratio float64) []int {
	n := len(x)
	cut := Split(x, minLen)
	if cut == 0 || !differ(Mean(x[:cut]), Mean(x[cut:]), ratio) {
		return nil
	}
	steps := Steps(x[:cut], minLen, known*cut/n, ratio)
	from, to := 0, n
	if len(steps) > 0 {
		from = steps[len(steps)-1]
	}
	later := Steps(x[cut:], minLen, known*(n-cut)/n, ratio)
	if len(later) > 0 {
		to = cut + later[0]
	}
	before, known1 := MeanOf(x[from:cut], known*(cut-from)/n)
	after, known2 := MeanOf(x[cut:to], known*(to-cut)/n)
	const level = 0.005
	if known1 && known2 && differ(before.Mean, after.Mean, ratio) && Difference(before, after).P() <= level {
		steps = append(steps, cut)
	}
	for _, step := range later {
		steps = append(steps, cut+step)
	}
	return steps
}

// differ reports whether two rates above zero differ by a ratio or more.
func differ(a, b, ratio float64) bool {
	return a > 0 && b > 0 && math.Abs(math.Log(b/a)) >= math.Log(ratio)
}
