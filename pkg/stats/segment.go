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

// LongRunVariance is the variance of x per unit of weight that decides how far a mean over a long stretch deviates:
// larger than the plain variance if neighbours go together. Changes of level hardly touch it.
//
// It is the largest of the estimates from batches of 1, 2, 4, ... neighbours (batch means: Schmeiser, "Batch Size
// Effects in the Analysis of Simulation Output", Operations Research 30, 1982), each from the differences of
// neighbouring batches (Rice, "Bandwidth Choice for Nonparametric Regression", Annals of Statistics 12, 1984):
// their mean square for single values, so that regular dips count, their median square for batches, so that a few
// changes of level do not. At least ten batches are asked of every size, and no batch holds more than maxBatch values: batches
// about as long as the levels themselves would take regular changes for noise. It is 0 for fewer than two values.
func LongRunVariance(x, w []float64, maxBatch int) float64 {
	if len(x) < 2 {
		return 0
	}
	var sum float64
	squares := make([]float64, 0, len(x)-1)
	for i := 1; i < len(x); i++ {
		squares = append(squares, differenceSquare(x[i-1], x[i], w[i-1], w[i]))
		sum += squares[i-1]
	}
	largest := sum / float64(len(squares))
	const medianOfSquare = 0.4549364231195724 // of a standard normal variable, squared
	x, w = slices.Clone(x), slices.Clone(w)
	for batch := 2; len(x) >= 20 && batch <= maxBatch; batch *= 2 {
		half := len(x) / 2
		for i := range half {
			a, b := 2*i, 2*i+1
			weight := w[a] + w[b]
			x[i], w[i] = (x[a]*w[a]+x[b]*w[b])/weight, weight
		}
		x, w = x[:half], w[:half]
		squares = squares[:0]
		for i := 1; i < half; i++ {
			squares = append(squares, differenceSquare(x[i-1], x[i], w[i-1], w[i]))
		}
		largest = max(largest, medianInPlace(squares)/medianOfSquare)
	}
	return largest
}

// differenceSquare is the square of b-a, divided by what it is on average for values of variance 1/weight.
func differenceSquare(a, b, wa, wb float64) float64 {
	return (b - a) * (b - a) * wa * wb / (wa + wb)
}
