package stats

import (
	"math"
)

// Interval is a confidence interval, of 95 % if nothing else is said: low, high.
type Interval [2]float64

// Half is half its width: the margin of error of what lies in its middle.
func (i Interval) Half() float64 { return (i[1] - i[0]) / 2 }

// Estimate is a mean, or a difference of means, whose error over SE has Student's t distribution.
type Estimate struct {
	Mean             float64
	SE               float64 // SE is the standard error.
	DegreesOfFreedom float64
	// Memory is how long the noise lasts, as a share of the series that the mean is from.
	Memory float64
}

// Certain returns an estimate with an error that is set and not estimated.
func Certain(mean, se float64) Estimate {
	const normalDegreesOfFreedom = 1000
	return Estimate{Mean: mean, SE: se, DegreesOfFreedom: normalDegreesOfFreedom}
}

// Above is the chance of a mean as high as this one, or higher, if the truth is bound or below: the
// p-value of the test that the truth is above bound.
func (e Estimate) Above(bound float64) float64 {
	distance := e.Mean - bound
	switch {
	case e.SE > 0:
		return StudentTail(distance/e.SE, e.DegreesOfFreedom)
	case distance > 0:
		return 0
	case distance < 0:
		return 1
	}
	return 0.5
}

// P is the chance of a mean at least as far from zero if the truth is zero.
func (e Estimate) P() float64 {
	e.Mean = math.Abs(e.Mean)
	return 2 * e.Above(0)
}

// LowerBound is the lower bound of the mean at a one-sided level: lower ones are refused by Above.
func (e Estimate) LowerBound(level float64) float64 {
	if e.SE == 0 {
		return e.Mean
	}
	return e.Mean - e.SE*StudentQuantile(1-level, e.DegreesOfFreedom)
}

// Interval is the 95 % confidence interval of the mean.
func (e Estimate) Interval() Interval { return e.IntervalAt(0.05) }

// IntervalAt is the interval that misses the truth with a chance of level.
func (e Estimate) IntervalAt(level float64) Interval {
	half := e.Mean - e.LowerBound(level/2)
	return Interval{e.Mean - half, e.Mean + half}
}

// Difference is the mean of b less the mean of a. Each has noise of its own size, so the degrees of
// freedom are Welch's ("The Generalization of 'Student's' Problem When Several Different Population
// Variances Are Involved", Biometrika 34, 1947).
func Difference(a, b Estimate) Estimate {
	e := Estimate{Mean: b.Mean - a.Mean, Memory: max(a.Memory, b.Memory)}
	e.SE, e.DegreesOfFreedom = welch(a.SE, a.DegreesOfFreedom, b.SE, b.DegreesOfFreedom)
	return e
}

// welch is the error of the sum of two independent variables. One without an error adds nothing.
func welch(a, freeA, b, freeB float64) (se, free float64) {
	va, vb := a*a, b*b
	switch {
	case va == 0:
		return b, freeB
	case vb == 0:
		return a, freeA
	}
	return math.Sqrt(va + vb), (va + vb) * (va + vb) / (va*va/freeA + vb*vb/freeB)
}
