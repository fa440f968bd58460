package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// Segments cuts the sequence x, whose values count by the weights w, into stretches of constant mean: it minimises
// the weighted squared error within the segments plus penalty for each, over all ways to cut into pieces of at
// least minLen values. It returns where the segments begin, the first at 0.
//
// The search is exact: PELT (Killick, Fearnhead and Eckley, "Optimal Detection of Changepoints With a Linear
// Computational Cost", JASA 107, 2012). A cut that cannot win is dropped minLen values after that is known, for until
// then its rival is not yet a legal cut. It takes time in proportion to len(x) if there are many changes, to its
// square if there are none.
func Segments(x, w []float64, minLen int, penalty float64) []int {
	n := len(x)
	minLen = max(minLen, 1)
	if n == 0 {
		return nil
	}
	c := newCosts(x, w)
	best := make([]float64, n+1) // best[t]: least cost of x[:t]
	last := make([]int, n+1)     // last[t]: where the last segment of that begins
	type cut struct{ at, dropAt int }
	var cuts []cut
	best[0] = -penalty
	for t := 1; t <= n; t++ {
		best[t] = math.Inf(1)
		if t < minLen {
			continue
		}
		if from := t - minLen; from == 0 || from >= minLen {
			cuts = append(cuts, cut{from, math.MaxInt})
		}
		for _, k := range cuts {
			if cost := best[k.at] + c.of(k.at, t) + penalty; cost < best[t] {
				best[t], last[t] = cost, k.at
			}
		}
		for i := range cuts {
			if k := &cuts[i]; k.dropAt == math.MaxInt && best[k.at]+c.of(k.at, t) >= best[t] {
				k.dropAt = t + minLen
			}
		}
		cuts = slices.DeleteFunc(cuts, func(k cut) bool { return k.dropAt <= t+1 })
	}
	if n < minLen {
		return []int{0}
	}
	var starts []int
	for t := n; t > 0; t = last[t] {
		starts = append(starts, last[t])
	}
	slices.Reverse(starts)
	return starts
}

// Split cuts x in two so that the squared error about the means of both parts, of minLen values or more each, is
// smallest (Hinkley, "Inference About the Change-Point in a Sequence of Random Variables", Biometrika 57, 1970; of an
// ascending sample it makes the groups that differ most: Fisher, "On Grouping for Maximum Homogeneity", JASA 53, 1958).
// It returns where the second part begins, 0 if x is too short.
func Split(x []float64, minLen int) (at int) {
	n, sum := float64(len(x)), floats.Sum(x)
	var before, largest float64
	for i := 1; i <= len(x)-minLen; i++ {
		before += x[i-1]
		k := float64(i)
		gap := (sum-before)/(n-k) - before/k
		if gain := gap * gap * k * (n - k); i >= minLen && (gain > largest || at == 0) {
			at, largest = i, gain
		}
	}
	return at
}

// SplitCost is the squared error of x about the means of x[:at] and x[at:].
func SplitCost(x []float64, at int) float64 {
	var cost float64
	for _, part := range [][]float64{x[:at], x[at:]} {
		mean := stat.Mean(part, nil)
		for _, v := range part {
			cost += (v - mean) * (v - mean)
		}
	}
	return cost
}

// costs gives the weighted squared error of any stretch in constant time, from running sums.
type costs struct{ w, wx, wxx []float64 }

func newCosts(x, w []float64) costs {
	c := costs{make([]float64, len(x)+1), make([]float64, len(x)+1), make([]float64, len(x)+1)}
	var sum, weight float64
	for i := range x {
		sum += w[i] * x[i]
		weight += w[i]
	}
	mean := sum / weight // taken off, or the sums of squares would drown the differences
	for i := range x {
		d := x[i] - mean
		c.w[i+1] = c.w[i] + w[i]
		c.wx[i+1] = c.wx[i] + w[i]*d
		c.wxx[i+1] = c.wxx[i] + w[i]*d*d
	}
	return c
}

func (c *costs) of(from, to int) float64 {
	wx := c.wx[to] - c.wx[from]
	return max(0, c.wxx[to]-c.wxx[from]-wx*wx/(c.w[to]-c.w[from]))
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
