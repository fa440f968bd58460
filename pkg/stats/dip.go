package stats

import "math"

// Dip is Hartigan's dip of an ascending sample: the greatest distance between its distribution function and the
// nearest unimodal one, from 1/(2n) to 1/4 (Hartigan and Hartigan, "The Dip Test of Unimodality", Annals of
// Statistics 13, 1985). 0 for an empty sample.
//
// As in the paper's section 3, the modal interval is narrowed until, within it, the greatest convex minorant of the
// distribution function and its least concave majorant lie no further apart than the dip found outside it.
func Dip(sorted []float64) float64 {
	n := len(sorted)
	if n == 0 {
		return 0
	}
	dip := 1.0 // in observations, and twice: no continuous function comes closer to a step
	for low, high := 0, n-1; low < high; {
		// The greatest convex curve under the counts of observations below each, and the least concave one over
		// those up to it.
		under, over := hull(sorted, low, high, 0, 1), hull(sorted, low, high, 1, -1)
		apart, newLow, newHigh := widest(under, over)
		if apart <= dip {
			break
		}
		for i, k := low, 0; i <= newLow; i++ {
			k = under.after(k, sorted[i])
			dip = max(dip, float64(i+1)-under.value(k, sorted[i]))
		}
		for i, k := newHigh, 0; i <= high; i++ {
			k = over.after(k, sorted[i])
			dip = max(dip, over.value(k, sorted[i])-float64(i))
		}
		if newLow == low && newHigh == high {
			break
		}
		low, high = newLow, newHigh
	}
	return dip / float64(2*n)
}

// polygon is a curve over a sample through corners in ascending order, each the observation of an index: its value, and
// the index raised by some.
type polygon struct {
	sorted []float64
	raised int
	at     []int
}

func (p *polygon) x(k int) float64 { return p.sorted[p.at[k]] }
func (p *polygon) y(k int) float64 { return float64(p.at[k] + p.raised) }

// hull is the curve about the observations' indices, raised by some, of sorted[low:high+1] that turns one way only: up
// if the sign is 1, down if it is -1.
func hull(sorted []float64, low, high, raised int, sign float64) polygon {
	p := polygon{sorted: sorted, raised: raised}
	for i := low; i <= high; i++ {
		for n := len(p.at); n >= 2; n = len(p.at) {
			dx, dy := p.x(n-1)-p.x(n-2), p.y(n-1)-p.y(n-2)
			if sign*(dx*(float64(i+raised)-p.y(n-2))-dy*(sorted[i]-p.x(n-2))) > 0 {
				break
			}
			p.at = p.at[:n-1] // a corner at which it would turn the other way
		}
		p.at = append(p.at, i)
	}
	return p
}

// after is the first corner from k on that does not lie before x.
func (p *polygon) after(k int, x float64) int {
	for k < len(p.at)-1 && p.x(k) < x {
		k++
	}
	return k
}

// value is the curve's height at x, if k = after(x).
func (p *polygon) value(k int, x float64) float64 {
	if k == 0 || p.x(k) == x {
		return p.y(k)
	}
	return p.y(k-1) + (p.y(k)-p.y(k-1))*(x-p.x(k-1))/(p.x(k)-p.x(k-1))
}

// widest finds where the two curves lie furthest apart, and the observations between which the mode must then lie:
// the last corner of under up to there and the first of over from there on.
func widest(under, over polygon) (apart float64, low, high int) {
	for i, k := 0, 0; i < len(under.at); i++ {
		k = over.after(k, under.x(i))
		if d := over.value(k, under.x(i)) - under.y(i); d > apart {
			apart, low, high = d, under.at[i], over.at[k]
		}
	}
	for j, k := 0, 0; j < len(over.at); j++ {
		k = under.after(k, over.x(j))
		if d := over.y(j) - under.value(k, over.x(j)); d >= apart {
			if under.x(k) > over.x(j) {
				k--
			}
			apart, low, high = d, under.at[k], over.at[j]
		}
	}
	return apart, low, high
}

// DipP is the probability that a sample of n from a uniform distribution, the unimodal one most easily mistaken for two
// modes, has a dip of at least d. Below 0.001, where the table ends, the logarithm goes on falling as the square of
// the dip, as the tail of a Brownian bridge's supremum does and the table's last columns do.
func DipP(d float64, n int) float64 {
	// Quantiles of sqrt(n) d at these probabilities, from samples drawn and put through Dip: 200,000 of each size up
	// to 500, 50,000 up to 2000, 20,000 above. They agree with Maechler's table in R's diptest within its own error.
	probabilities := []float64{0, 0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999}
	table := []struct {
		n         float64
		quantiles []float64
	}{
		{5, []float64{0, 0.2719, 0.3596, 0.3949, 0.4164, 0.4325, 0.4395, 0.4431, 0.4464}},
		{10, []float64{0, 0.3093, 0.3753, 0.4125, 0.4418, 0.4776, 0.5045, 0.5295, 0.5720}},
		{20, []float64{0, 0.3280, 0.3953, 0.4352, 0.4704, 0.5129, 0.5411, 0.5672, 0.6237}},
		{50, []float64{0, 0.3457, 0.4159, 0.4586, 0.4962, 0.5419, 0.5731, 0.6021, 0.6632}},
		{100, []float64{0, 0.3548, 0.4270, 0.4716, 0.5117, 0.5578, 0.5905, 0.6223, 0.6899}},
		{200, []float64{0, 0.3619, 0.4357, 0.4807, 0.5213, 0.5699, 0.6049, 0.6372, 0.7047}},
		{500, []float64{0, 0.3684, 0.4429, 0.4888, 0.5299, 0.5794, 0.6127, 0.6443, 0.7127}},
		{1000, []float64{0, 0.3712, 0.4460, 0.4931, 0.5358, 0.5833, 0.6191, 0.6556, 0.7292}},
		{2000, []float64{0, 0.3738, 0.4494, 0.4952, 0.5384, 0.5877, 0.6229, 0.6556, 0.7185}},
		{5000, []float64{0, 0.3759, 0.4508, 0.4985, 0.5437, 0.5921, 0.6282, 0.6673, 0.7421}},
	}
	if float64(n) < table[0].n {
		return 1
	}
	// Between two sizes, the quantiles lie between theirs as log n does; beyond the last they are constant.
	size := min(float64(n), table[len(table)-1].n)
	i := 1
	for table[i].n < size {
		i++
	}
	share := math.Log(size/table[i-1].n) / math.Log(table[i].n/table[i-1].n)
	quantile := func(k int) float64 {
		return table[i-1].quantiles[k] + share*(table[i].quantiles[k]-table[i-1].quantiles[k])
	}
	scaled := d * math.Sqrt(float64(n))
	for k := 1; k < len(probabilities); k++ {
		if low, high := quantile(k-1), quantile(k); scaled < high {
			return 1 - (probabilities[k-1] + (scaled-low)/(high-low)*(probabilities[k]-probabilities[k-1]))
		}
	}
	last := len(probabilities) - 1
	inner, outer := quantile(last-2)*quantile(last-2), quantile(last)*quantile(last)
	fall := math.Log((1-probabilities[last-2])/(1-probabilities[last])) / (outer - inner)
	return (1 - probabilities[last]) * math.Exp(-fall*(scaled*scaled-outer))
}
