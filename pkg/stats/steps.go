package stats

import (
	"math"
)

// Steps are where the mean of x, above zero, changes for good: by the given ratio or more, one way or the other, and
// surely beyond noise that lasts. No stretch is shorter than minLen values. known is how many values were measured separately from their
// neighbours.
//
// It is binary segmentation (Vostrikova, "Detecting 'Disorder' in Multidimensional Random Processes", Soviet
// Mathematics Doklady 24, 1981): the cut that leaves the least squared error is held to the difference of the stretches
// on both sides of it, which knows how noise lasts (Difference), at a level that allows for the choice of the cut.
func Steps(x []float64, minLen, known int, ratio float64) []int {
	n := len(x)
	cut := Split(x, minLen)
	if cut == 0 {
		return nil
	}
	part := func(from, to int) Spectrum { return NewSpectrum(x[from:to], known*(to-from)/n) }
	before, after := part(0, cut), part(cut, n)
	d, ok := Difference(before, after)
	const level = 0.005
	if !ok || before.Mean <= 0 || after.Mean <= 0 || math.Abs(math.Log(after.Mean/before.Mean)) < math.Log(ratio) || d.P() > level {
		return nil
	}
	steps := append(Steps(x[:cut], minLen, known*cut/n, ratio), cut)
	for _, later := range Steps(x[cut:], minLen, known*(n-cut)/n, ratio) {
		steps = append(steps, cut+later)
	}
	return steps
}
