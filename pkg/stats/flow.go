package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// Flow is a rate over time with the items behind it, from which its error is estimated.
type Flow struct {
	Rates  []float64 // Rates are over stretches of equal length.
	Known  int       // Known counts those that were measured separately from their neighbours.
	Length float64   // Length is the total length in seconds.
	Spread Spread    // Spread is that of the items.
}

// Total returns the flows together, which were recorded at the same times.
func Total(flows []Flow) Flow {
	total := flows[0]
	total.Rates = slices.Clone(total.Rates)
	spread := &total.Spread
	for _, f := range flows[1:] {
		floats.Add(total.Rates, f.Rates)
		total.Known = min(total.Known, f.Known)
		spread.Items = min(spread.Items, f.Spread.Items)
		spread.SE, spread.DegreesOfFreedom = welch(spread.SE, spread.DegreesOfFreedom, f.Spread.SE,
			f.Spread.DegreesOfFreedom)
	}
	return total
}

// Doubt is why a flow does not show how far its mean may be off.
type Doubt int

// The doubts.
const (
	NoDoubt  Doubt = iota
	TooShort       // Its rate is known at too few times.
	TooFew         // too few items to know how they differ
	TooSlow        // Its noise lasts too long beside the flow.
)

// Estimate returns the flow's mean and how far it may be from that of a longer one. It rests on the
// noise over time (MeanOf) and on the differences between items (Spread), whichever is wider:
// within an item the rate over time does not show these. With a doubt of TooSlow, the error is too
// small.
func (f Flow) Estimate() (Estimate, Doubt) {
	e, ok := MeanOf(f.Rates, f.Known)
	switch {
	case !ok:
		return e, TooShort
	case f.Spread.Items < minItems:
		return Estimate{Mean: e.Mean}, TooFew
	}
	files := Estimate{Mean: e.Mean, SE: f.Spread.SE, DegreesOfFreedom: f.Spread.DegreesOfFreedom}
	lasts := e.Memory > maxMemory && files.SE < byFiles*e.SE
	if files.LowerBound(0.025) < e.LowerBound(0.025) {
		e = files
	}
	if lasts {
		return e, TooSlow
	}
	return e, NoDoubt
}

// LogMean returns the logarithm of the flow's mean.
func (f Flow) LogMean() (Estimate, Doubt) {
	e, doubt := f.Estimate()
	return e.Log(), doubt
}

// Items are things done one after another: how large each was, and how long it took.
type Items struct{ Size, Time []float64 }

// Spread is how far the differences between items let the rate of all of them, size over time, be
// from that of many more. It is the error of a ratio estimate (Cochran, "Sampling Techniques",
// chapter 6), for times in proportion to size except for a fixed cost.
type Spread struct {
	Items            int     // Items counts the comparable ones.
	SE               float64 // SE is in units of the rate.
	DegreesOfFreedom float64
}

// Spread returns how the items differ: how long each took in proportion to its size, as a share of
// what they took on average, the cost that each has whatever its size taken out. Items far smaller
// than the largest are left out.
func (it Items) Spread() Spread {
	var time, squares, largest float64
	for i, size := range it.Size {
		time += it.Time[i]
		squares += size * size
		largest = max(largest, size)
	}
	var sizes, times, inverse, paces []float64
	for i, size := range it.Size {
		if size >= largest/maxSizeRatio {
			sizes = append(sizes, size)
			times = append(times, it.Time[i])
			inverse = append(inverse, 1/size)
			paces = append(paces, it.Time[i]/size)
		}
	}
	s := Spread{Items: len(sizes)}
	if s.Items < minItems {
		return s
	}
	if s.Items >= MinBins && largest >= costRange*slices.Min(sizes) {
		line, _ := OLS(inverse, paces)
		for i, t := range times {
			times[i] -= min(max(0, line.Slope), 0.9*t)
		}
	}
	pace := floats.Sum(times) / floats.Sum(sizes)
	var variance float64
	s.DegreesOfFreedom = float64(s.Items - 1)
	for i, t := range times {
		off := t/(sizes[i]*pace) - 1
		variance += off * off / s.DegreesOfFreedom
	}
	s.SE = math.Sqrt(variance*squares) / time
	return s
}
