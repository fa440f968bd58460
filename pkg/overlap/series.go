package overlap

import "math"

// maxSteps is the maximum number of steps in a series: as many as a chart can show, and few enough for a file.
const maxSteps = 240

// Series is the rates of several disks over time, by curve and step, in bytes per second. The steps are of one length, 1,
// 2 or 5 times a power of ten nanoseconds, and go from zero to endNS, where the last one ends, shorter or not. A file
// under way counts as far as its progress is known.
func Series(curves []*Curve, endNS int64) (stepNS int64, rates [][]float64) {
	stepNS = roundStep(float64(endNS) / maxSteps)
	rates = make([][]float64, len(curves))
	for i, curve := range curves {
		for from := int64(0); from < endNS; from += stepNS {
			step := Interval{from, min(from+stepNS, endNS)}
			rates[i] = append(rates[i], float64(curve.Between(step).Bytes)/step.Seconds())
		}
	}
	return stepNS, rates
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
