package overlap

import "math"

// maxSteps is how many steps a series has at most: as many as a chart can show, and not more than a file wants to hold.
const maxSteps = 240

// Series is the rates of several disks over time, in steps of one length that begin at zero. The last step ends with
// the series and may be shorter.
type Series struct {
	StepNS int64
	EndNS  int64
	Rates  [][]float64 // by curve and step, in bytes per second
}

// NewSeries follows the curves from zero to endNS. A file under way counts as far as its progress is known. The steps
// are 1, 2 or 5 times a power of ten nanoseconds.
func NewSeries(curves []*Curve, endNS int64) Series {
	s := Series{StepNS: roundStep(float64(endNS) / maxSteps), EndNS: endNS}
	for _, curve := range curves {
		var rates []float64
		for from := int64(0); from < endNS; from += s.StepNS {
			step := Interval{from, min(from+s.StepNS, endNS)}
			rates = append(rates, float64(curve.Between(step).Bytes)/step.Seconds())
		}
		s.Rates = append(s.Rates, rates)
	}
	return s
}

// roundStep rounds up to 1, 2 or 5 times a power of ten.
func roundStep(ns float64) int64 {
	power := math.Pow10(int(math.Floor(math.Log10(max(ns, 1)))))
	for _, factor := range []float64{1, 2, 5} {
		if factor*power >= ns {
			return int64(factor * power)
		}
	}
	return int64(10 * power)
}
