package stats

import (
	"math"
	"slices"
)

// Flow is a rate over time with the counts behind it, from which its error and its difference from another are
// estimated.
type Flow struct {
	Rates  []float64 // over stretches of equal length
	Known  int       // how many of them were measured separately from their neighbours
	Length float64   // of all of them, in seconds
	Spread Spread    // of the items
}

// Total is the flows together, which were recorded at the same times.
func Total(flows []Flow) Flow {
	total := Flow{Rates: make([]float64, len(flows[0].Rates)), Known: math.MaxInt, Length: flows[0].Length}
	sum := student{weight: 1}
	total.Spread = Spread{Items: math.MaxInt, Worth: math.Inf(1)}
	for _, f := range flows {
		for i, v := range f.Rates {
			total.Rates[i] += v
		}
		total.Known = min(total.Known, f.Known)
		s := &total.Spread
		s.Items, s.Worth = min(s.Items, f.Spread.Items), min(s.Worth, f.Spread.Worth)
		s.tail = max(s.tail, f.Spread.tail)
		if f.Spread.free > 0 {
			sum = sum.plus(student{1, f.Spread.se, f.Spread.free})
		}
	}
	total.Spread.se, total.Spread.free = sum.se, sum.free
	return total
}

// Doubt is why a flow does not show how far its mean may be off.
type Doubt int

// The doubts.
const (
	NoDoubt  Doubt = iota
	TooShort       // its rate is known at too few times
	TooFew         // too few items: how they differ is not known
)

// Doubt is why there is no estimate.
func (f Flow) Doubt() Doubt {
	switch {
	case min(len(f.Rates), f.Known) < MinBins:
		return TooShort
	case f.Spread.Items < MinItems:
		return TooFew
	default:
		return NoDoubt
	}
}

// Estimate is the flow's mean and how far it may be from that of a longer one; there must be no doubt. It rests on the
// noise over time (Spectrum) and, if few items took most of it, on the differences between these (Spread): it is
// the wider of both.
func (f Flow) Estimate() Estimate {
	e, _ := NewSpectrum(f.Rates, f.Known).Error()
	e.tail = f.Spread.tail
	if f.Spread.Worth < fewItems {
		e.few = student{1, f.Spread.se, f.Spread.free}
	}
	return e
}

// Change is the logarithm of what g's mean is of f's, made straight around the means (the delta method), and its
// uncertainty; there must be no doubt about either, and both means above zero.
func (f Flow) Change(g Flow) Estimate {
	a, b := relative(f), relative(g)
	e, _ := Difference(a.spectrum(), b.spectrum())
	e.Mean = math.Log(Mean(g.Rates) / Mean(f.Rates))
	if min(f.Spread.Worth, g.Spread.Worth) < fewItems {
		e.few = student{1, a.Spread.se, a.Spread.free}.plus(student{1, b.Spread.se, b.Spread.free})
	}
	return e
}

func (f Flow) spectrum() Spectrum {
	s := NewSpectrum(f.Rates, f.Known)
	s.length = f.Length
	return s
}

// relative is the flow as a share of its mean.
func relative(f Flow) Flow {
	m := Mean(f.Rates)
	out := Flow{Rates: make([]float64, len(f.Rates)), Known: f.Known, Length: f.Length, Spread: f.Spread}
	for i, v := range f.Rates {
		out.Rates[i] = v / m
	}
	out.Spread.se /= m
	return out
}

// Repeat is the logarithm of the flow's mean, as one of several measurements. If there is doubt about its error it
// has none of its own.
func (f Flow) Repeat() Repeat {
	r := Repeat{Mean: math.Log(Mean(f.Rates))}
	if f.Doubt() == NoDoubt {
		r.SE = relative(f).Estimate().SE()
	}
	return r
}

// MinItems is the minimum number of items of comparable size that the differences between items are estimated from.
const MinItems = 3

// Items are things done one after another: how large each was, and how long it took.
type Items struct{ Size, Time []float64 }

// Spread is how far the differences between items let the rate of all of them, size over time, be from that of many
// more. If few items took most of the time the rate over time cannot show it: within an item it is the same.
// It is the error of a ratio estimate (Cochran, "Sampling Techniques", chapter 6), for times in proportion to size
// except for a fixed cost.
type Spread struct {
	Items int     // comparable ones
	Worth float64 // how many items of equal length the times are worth
	se    float64 // in units of the rate
	free  float64
	tail  float64 // how much lower the rate would be with a slow item more
}

// How items are compared.
const (
	alike     = 50 // a size from which the largest is no more than that many times as large
	fewItems  = 12 // from that many on, noise over time shows the differences between items
	tailShare = 0.15
)

// Spread is how the items differ.
func (it Items) Spread() Spread {
	var size, time, times, sizes, largest float64
	for i, s := range it.Size {
		size += s
		time += it.Time[i]
		sizes += s * s
		times += it.Time[i] * it.Time[i]
		largest = max(largest, s)
	}
	s := Spread{Worth: time * time / times}
	slow, mass := it.slowness(largest / alike)
	s.Items = len(slow)
	if s.Items < MinItems {
		return s
	}
	n := float64(s.Items)
	var variance float64
	for _, u := range slow {
		variance += (u - 1) * (u - 1) / (n - 1)
	}
	s.se, s.free = math.Sqrt(variance*sizes)/time, n-1
	s.tail = tailShare * tailMean(slow) / n * mass / time
	return s
}

// slowness is how long items from a size on took, in proportion to their size and as a share of what they took on
// average; and how large they are together. The cost that each has whatever its size is taken out.
func (it Items) slowness(minSize float64) (slow []float64, mass float64) {
	var inverse, paces, sizes, times []float64
	for i, s := range it.Size {
		if s >= minSize {
			inverse, paces = append(inverse, 1/s), append(paces, it.Time[i]/s)
			sizes, times = append(sizes, s), append(times, it.Time[i])
		}
	}
	fixed := 0.0
	if line, ok := OLS(inverse, paces); ok && len(sizes) >= MinBins {
		fixed = max(0, line.Slope)
	}
	var moving float64
	for i := range sizes {
		times[i] -= min(fixed, 0.9*times[i])
		moving += times[i]
		mass += sizes[i]
	}
	for i := range sizes {
		times[i] *= mass / moving / sizes[i]
	}
	return times, mass
}

// tailMean is the mean factor over the average of an item slower than all others, by Hill's estimate of the
// tail's exponent from the slowest quarter ("A Simple General Approach to Inference About the Tail of a Distribution",
// Annals of Statistics 3, 1975). It reorders the items.
func tailMean(slow []float64) float64 {
	n := len(slow)
	k := max(MinItems, n/4)
	if k >= n {
		return max(0, slices.Max(slow)-1)
	}
	order(slow, n-k-1)
	from := slow[n-k-1]
	var logs float64
	for _, v := range slow[n-k:] {
		logs += math.Log(v/from) / float64(k)
	}
	exponent := math.Inf(1)
	if logs > 0 {
		exponent = max(1.2, 1/logs)
	}
	if math.IsInf(exponent, 1) {
		return max(0, slices.Max(slow)-1)
	}
	return max(0, slices.Max(slow[n-k:])*exponent/(exponent-1)-1)
}
