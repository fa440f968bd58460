package ledger

import (
	"math"
	"slices"
)

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

// misdating is how far noise may move the date of a change of level in 95 of 100 cases, in units of
// the noise's variance (of the mean over a second) over the squared change, if the variance is known
// (Yao, "Approximating the Distribution of the Maximum Likelihood Estimate of the Change-Point in a
// Sequence of Independent Random Variables", Annals of Statistics 15, 1987).
const misdating = 11

// roughlyNS is the longest time by which noise is assumed to misdate a change.
const roughlyNS = 10_000_000_000

// Misdated is how long before or after its time noise may have dated the change from one rate to
// the next. Noise with a memory misdates it by what is new in each bin, for a wave does not jump.
func (p *Disk) Misdated(before, after float64) int64 {
	q := p.rates
	variance := p.noise.variance
	if p.noise.files > 0 {
		variance, _ = p.noise.ofMean(q, [2]int{0, len(q.y)})
		variance *= float64(len(q.y))
	}
	change := (after - before) / max(before, after)
	return int64(min(roughlyNS, 1e9*misdating*variance*q.binS/(change*change)))
}
