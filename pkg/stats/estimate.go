package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// Interval is a confidence interval, of 95 % if nothing else is said: low, high.
type Interval [2]float64

// Half is half its width: the margin of error of what lies in its middle.
func (i Interval) Half() float64 { return (i[1] - i[0]) / 2 }

// Estimate is a mean, or a difference of means, whose error over SE has Student's t distribution.
type Estimate struct {
	Mean             float64
	SE               float64 // standard error
	DegreesOfFreedom float64 // 0: the error is not known
	// Memory is how long the noise lasts, as a share of the series that the mean is from.
	Memory float64
}

// Known reports whether the error is known.
func (e Estimate) Known() bool { return e.DegreesOfFreedom > 0 }

// Certain returns an estimate with an error that is set and not estimated.
func Certain(mean, se float64) Estimate {
	const normalDegreesOfFreedom = 1000
	return Estimate{Mean: mean, SE: se, DegreesOfFreedom: normalDegreesOfFreedom}
}

// Above returns the chance of a mean as high as this one, or higher, if the truth is bound or
// below: the p-value of the test that the truth is above bound.
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

// P returns the chance of a mean at least as far from zero if the truth is zero.
func (e Estimate) P() float64 {
	e.Mean = math.Abs(e.Mean)
	return 2 * e.Above(0)
}

// LowerBound returns the lower bound of the mean at a one-sided level: lower ones are refused by
// Above.
func (e Estimate) LowerBound(level float64) float64 {
	if e.SE == 0 {
		return e.Mean
	}
	return e.Mean - e.SE*StudentQuantile(1-level, e.DegreesOfFreedom)
}

// Interval returns the 95 % confidence interval of the mean.
func (e Estimate) Interval() Interval { return e.IntervalAt(0.05) }

// IntervalAt returns the interval that misses the truth with a chance of level.
func (e Estimate) IntervalAt(level float64) Interval {
	half := e.Mean - e.LowerBound(level/2)
	return Interval{e.Mean - half, e.Mean + half}
}

// Difference returns the mean of b less the mean of a. Each has noise of its own size, so the
// degrees of freedom are Welch's ("The Generalization of 'Student's' Problem When Several Different
// Population Variances Are Involved", Biometrika 34, 1947).
func Difference(a, b Estimate) Estimate { return Sum(a.Times(-1), b) }

// Times returns the estimate of so many times what e is of.
func (e Estimate) Times(factor float64) Estimate {
	e.Mean *= factor
	e.SE *= math.Abs(factor)
	return e
}

// Log returns the estimate of the logarithm, made straight around the mean (the delta method). It
// is minus infinity, without an error, if the mean is not above 0.
func (e Estimate) Log() Estimate {
	if e.Mean <= 0 {
		return Estimate{Mean: math.Inf(-1)}
	}
	e.SE /= e.Mean
	e.Mean = math.Log(e.Mean)
	return e
}

// Exp undoes Log.
func (e Estimate) Exp() Estimate {
	e.Mean = math.Exp(e.Mean)
	e.SE *= e.Mean
	return e
}

// Sum returns the sum of independent estimates. One without an error adds none.
func Sum(list ...Estimate) (sum Estimate) {
	for i, e := range list {
		sum.Mean += e.Mean
		sum.Memory = max(sum.Memory, e.Memory)
		if i == 0 {
			sum.SE, sum.DegreesOfFreedom = e.SE, e.DegreesOfFreedom
			continue
		}
		sum.SE, sum.DegreesOfFreedom = welch(sum.SE, sum.DegreesOfFreedom, e.SE,
			e.DegreesOfFreedom)
	}
	return sum
}

// Pool returns the mean of repeats, each weighed by how well it is known. If they lie further apart
// than their errors let them, what changed from one to the next is error as well: the variance
// between them that their own leave open (Hedges and Olkin, "Statistical Methods for
// Meta-Analysis", 1985, section 9.C), known from as many differences as there are. Few differences
// say little, so others is what repeats of other things differ by; the zero Prior if there are
// none. Errors from few degrees of freedom would be poor weights, so these go by what all repeats
// say of the noise (Moderate). Repeats without an error of their own have that of the differences
// between them.
func Pool(repeats []Estimate, others Prior) Estimate {
	n := float64(len(repeats))
	if n <= 1 {
		return Sum(repeats...)
	}
	means, variances := make([]float64, len(repeats)), make([]float64, len(repeats))
	free := make([]float64, len(repeats))
	known, exact := true, false
	for i, e := range repeats {
		means[i], variances[i], free[i] = e.Mean, e.SE*e.SE, e.DegreesOfFreedom
		known = known && e.Known()
		exact = exact || e.SE == 0
	}
	_, between := stat.MeanVariance(means, nil)
	differences := n - 1
	if others.pooled > 0 {
		between, differences = others.Posterior(between, differences)
	}
	weights := slices.Repeat([]float64{1}, len(repeats))
	if known {
		between = max(0, between-Mean(variances))
	} else {
		clear(variances)
	}
	if known && !exact {
		prior := Moderate(variances, free)
		for i, v := range variances {
			own, _ := prior.Posterior(v, free[i])
			weights[i] = 1 / (own + between)
		}
	}
	floats.Scale(1/floats.Sum(weights), weights)
	var out Estimate
	// The variance, and its own over that number twice (Satterthwaite, "An Approximate Distribution
	// of Estimates of Variance Components", Biometrics Bulletin 2, 1946).
	variance := between * floats.Dot(weights, weights)
	spread := variance * variance / differences
	for i, e := range repeats {
		out.Mean += weights[i] * e.Mean
		out.Memory = max(out.Memory, e.Memory)
		out.DegreesOfFreedom = max(out.DegreesOfFreedom, e.DegreesOfFreedom)
		own := weights[i] * weights[i] * variances[i]
		variance += own
		if own > 0 {
			spread += own * own / free[i]
		}
	}
	out.SE = math.Sqrt(variance)
	if spread > 0 {
		out.DegreesOfFreedom = variance * variance / spread
	} else if !known {
		out.DegreesOfFreedom = differences
	}
	return out
}

// welch returns the error of the sum of two independent variables. One without an error adds
// nothing.
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
