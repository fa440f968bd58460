package stats

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Interval is a confidence interval, of 95 % if nothing else is said: low, high.
type Interval [2]float64

// Half is half its width: the margin of error of what lies in its middle.
func (i Interval) Half() float64 { return (i[1] - i[0]) / 2 }

// Estimate is a mean, or a difference of means, and its uncertainty.
type Estimate struct {
	Mean  float64
	fits  fits
	parts []student // what the noise over time says of its error
	few   student   // what the differences between few items say, if they must be asked; its weight is 1 then
	skew  float64   // of the mean
	tail  float64   // how much lower the truth may be, for the slow items that are still to come
}

// Certain is an estimate with an error that is set and not estimated.
func Certain(mean, se float64) Estimate {
	return Estimate{Mean: mean, parts: []student{{1, se, 1000}}}
}

// SE is the estimate's standard error.
func (e Estimate) SE() float64 {
	var v float64
	for _, p := range e.parts {
		v += p.weight * p.se * p.se
	}
	if e.few.weight > 0 {
		v = max(v, e.few.se*e.few.se)
	}
	return math.Sqrt(v)
}

// Above is the chance of a mean as high as this one, or higher, if the truth is bound or below: the p-value of the
// test that the truth is above bound.
func (e Estimate) Above(bound float64) float64 { return e.beyond(e.Mean - bound) }

// P is the chance of a mean at least as far from zero if the truth is zero.
func (e Estimate) P() float64 {
	if e.Mean == 0 {
		return 1
	}
	return min(1, 2*e.beyond(math.Abs(e.Mean)))
}

// beyond is the chance of an error above d.
func (e Estimate) beyond(d float64) float64 {
	var p float64
	for _, s := range e.parts {
		p += s.weight * s.survival(d)
	}
	if e.few.weight > 0 {
		few := e.few.survival(d)
		if d > 0 {
			return max(p, few)
		}
		return min(p, few)
	}
	return p
}

func (s student) survival(d float64) float64 {
	switch {
	case s.se > 0:
	case d > 0:
		return 0
	case d < 0:
		return 1
	default:
		return 0.5
	}
	return StudentTail(d/s.se, s.free)
}

// LowerBound is the lower bound of the mean at a one-sided level: lower ones are refused by Above.
func (e Estimate) LowerBound(level float64) float64 {
	half := e.half(level)
	if e.few.weight > 0 {
		half = max(half, e.few.se*StudentQuantile(1-level, e.few.free))
	}
	return e.Mean - half
}

// Interval is the 95 % confidence interval of the mean. It leans to the side that the skewness of the noise asks for
// (Hall, "On the Removal of Skewness by Transformation", Journal of the Royal Statistical Society B 54, 1992; Skart
// does as much for batch means: Tafazzoli and Wilson, IIE Transactions 43, 2011).
func (e Estimate) Interval() Interval { return e.IntervalAt(0.05) }

// IntervalAt is the interval that misses the truth with a chance of level.
func (e Estimate) IntervalAt(level float64) Interval {
	tail := level / 2
	half := e.half(tail)
	v := Interval{e.Mean - half, e.Mean + half}
	if se := e.SE(); se > 0 && e.skew != 0 {
		v = Interval{e.Mean - se*unskew(half/se, e.skew), e.Mean - se*unskew(-half/se, e.skew)}
	}
	if e.few.weight > 0 {
		few := e.few.se * StudentQuantile(1-tail, e.few.free)
		v = Interval{min(v[0], e.Mean-few), max(v[1], e.Mean+few)}
	}
	v[0] -= e.tail
	return v
}

// half is the distance beyond which lies that much of the mixture: Newton's method, which for a mixture of t comes
// nearer from below at every step.
func (e Estimate) half(tail float64) float64 {
	x := 0.0
	for range 60 {
		over, density := -tail, 0.0
		for _, p := range e.parts {
			if p.se > 0 {
				t := distuv.StudentsT{Sigma: p.se, Nu: p.free}
				over += p.weight * t.Survival(x)
				density += p.weight * t.Prob(x)
			}
		}
		if density <= 0 || over <= 1e-7 {
			break
		}
		x += over / density
	}
	return x
}

// unskew takes a quantile t of the mean's error to one of a mean whose skewness is skew.
func unskew(t, skew float64) float64 {
	b := skew / 6
	if math.Abs(b) < 1e-6 {
		return t
	}
	return (math.Cbrt(1+6*b*(t-b)) - 1) / (2 * b)
}

// Repeat is one of several measurements of a thing: what it gave, and its uncertainty by itself.
type Repeat struct{ Mean, SE float64 }

// RepeatedDifference is the mean of b less the mean of a, each measured once or more, at least three times
// together. What counts is how the measurements differ from one another: it is Welch's t on their means. The error
// is no less than what they say of themselves, for a few may agree by chance. A side that was measured once is
// taken to vary as the other does.
func RepeatedDifference(a, b []Repeat) (Estimate, bool) {
	if min(len(a), len(b)) < 1 || len(a)+len(b) < 3 {
		return Estimate{}, false
	}
	meanA, varianceA, own := repeats(a)
	meanB, varianceB, ownB := repeats(b)
	own += ownB
	nA, nB := float64(len(a)), float64(len(b))
	var between student
	switch {
	case nA == 1:
		between = student{1, math.Sqrt(varianceB * (1 + 1/nB)), nB - 1}
	case nB == 1:
		between = student{1, math.Sqrt(varianceA * (1 + 1/nA)), nA - 1}
	default:
		between = student{1, math.Sqrt(varianceA / nA), nA - 1}.plus(student{1, math.Sqrt(varianceB / nB), nB - 1})
	}
	between.se = max(between.se, math.Sqrt(own))
	return Estimate{Mean: meanB - meanA, parts: []student{between}}, true
}

// repeats are the mean and the variance of measurements, and the variance that the mean has by what they say of
// themselves.
func repeats(list []Repeat) (mean, variance, own float64) {
	means := make([]float64, len(list))
	n := float64(len(list))
	for i, r := range list {
		means[i] = r.Mean
		own += r.SE * r.SE / (n * n)
	}
	mean = stat.Mean(means, nil)
	if len(list) > 1 {
		variance = stat.Variance(means, nil)
	}
	return mean, variance, own
}
