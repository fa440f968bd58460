package ledger

import (
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stats"
)

// How a jump of the rate is detected: slow noise cannot jump, and noise that jumps does so elsewhere too.
const (
	jumpRatio = 1.5 // a jump stands out if it is that much larger than any other
	jumpSD    = 5   // and that many standard deviations of the noise
)

// jumps reports whether the rate jumps close to a bin as nowhere else but at edges, looked at over some numbers of
// bins on either side.
func (s *series) jumps(at int, edges []int) bool {
	for _, width := range [...]int{2, 5, 10} {
		here, elsewhere := jumpsAt(s.mean, at, edges, width)
		if here >= jumpRatio*elsewhere && here >= jumpSD*math.Sqrt(s.noise.DifferenceVariance(width, width)) {
			return true
		}
	}
	return false
}

// jumpsAt are the largest jump close to a bin, and the largest one that is close neither to it nor to an edge between
// the first and the last. A jump is the difference of the means of so many bins on either side of one, which may hold
// the jump itself.
func jumpsAt(mean func(from, to int) float64, at int, edges []int, width int) (here, elsewhere float64) {
	end := edges[len(edges)-1]
	for i := range end {
		if i < width || i+width+1 > end {
			continue
		}
		jump := math.Abs(mean(i+1, i+1+width) - mean(i-width, i))
		near := func(e int) bool { return i-e <= 2*width && e-i <= 2*width }
		switch {
		case near(at):
			here = max(here, jump)
		case !slices.ContainsFunc(edges[1:len(edges)-1], near):
			elsewhere = max(elsewhere, jump)
		}
	}
	return here, elsewhere
}

// misdating is how far noise may move the date of a change of level, in units of the noise's variance (of the mean
// over a second) over the squared change. Were the variance known, 11 would do in 95 of 100 cases (Yao,
// "Approximating the Distribution of the Maximum Likelihood Estimate of the Change-Point in a Sequence of
// Independent Random Variables", Annals of Statistics 15, 1987); it is estimated from a few seconds, which takes
// about twice as much.
const misdating = 25

// roughlyNS is the longest time by which noise is assumed to misdate a change.
const roughlyNS = 10_000_000_000

// Misdated is how long before or after its time noise may have dated the change from one level to the next. The level
// that shows more of the noise decides: the other may be too short to show it.
func (p *Disk) Misdated(before, after Level) int64 {
	change := after.Rate - before.Rate
	variance := max(p.varianceIn(before.Span), p.varianceIn(after.Span))
	return int64(min(roughlyNS, 1e9*misdating*variance/(change*change)))
}

// varianceIn is the variance of the disk's mean rate over a second, with all that neighbouring moments have in common.
func (p *Disk) varianceIn(span overlap.Span) float64 {
	const maxBins, binS = 400, 0.25
	n := min(maxBins, int(span.Seconds()/binS))
	if n < 2 {
		return 0
	}
	rates := p.Curve.Rates([]overlap.Span{span}, n)
	var mean, squares float64
	for _, r := range rates {
		mean += r / float64(n)
	}
	for _, r := range rates {
		squares += (r - mean) * (r - mean)
	}
	return squares / float64(n-1) * stats.Memory(rates) * span.Seconds() / float64(n)
}
