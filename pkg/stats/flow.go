package stats

import "math"

// Flow is a rate over time with the counts behind it, from which its error and its difference from another are estimated.
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

// Change is the logarithm of what g's mean is of f's, made straight around the means (the delta method), and its uncertainty;
// there must be no doubt about either, and both means above zero.
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
