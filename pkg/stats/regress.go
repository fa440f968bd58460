package stats

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// Line is y = Intercept + Slope x.
type Line struct {
	Intercept float64
	Slope     float64
}

// At returns the line's y at x.
func (l Line) At(x float64) float64 { return l.Intercept + l.Slope*x }

// OLS fits a line by ordinary least squares. It is false if fewer than two different x leave the
// slope open.
func OLS(x, y []float64) (Line, bool) {
	if !varies(x) {
		return Line{}, false
	}
	a, b := stat.LinearRegression(x, y, nil, false)
	return Line{a, b}, true
}

// maxPairs is the number of pairs up to which TheilSen looks at all of them: 447 points.
const maxPairs = 100_000

// TheilSen fits a line whose slope is the median of the slopes between all pairs of points with
// different x, and whose intercept is median(y) - Slope median(x) (Sen, "Estimates of the
// Regression Coefficient Based on Kendall's Tau", JASA 63, 1968; Conover's intercept, as in SciPy).
// Outliers among a third of the points do not move it far. Above maxPairs the median is over as
// many pairs drawn at random, an incomplete U-statistic (Blom, "Some Properties of Incomplete
// U-Statistics", Biometrika 63, 1976): its rank then errs by 0.16 % (one standard error), less than
// the points themselves put it off by unless there are more than 40,000. The draw is the same every
// time. It is false if no two x differ, or if nearly all are equal and the draw missed the others.
func TheilSen(x, y []float64) (Line, bool) {
	n := len(x)
	if n == 0 || slices.Min(x) == slices.Max(x) {
		return Line{}, false
	}
	slopes := make([]float64, 0, min(n*(n-1)/2, maxPairs))
	add := func(i, j int) {
		if dx := x[j] - x[i]; dx != 0 {
			slopes = append(slopes, (y[j]-y[i])/dx)
		}
	}
	if n*(n-1)/2 <= maxPairs {
		for i := range x {
			for j := i + 1; j < n; j++ {
				add(i, j)
			}
		}
	} else {
		rnd := rand.New(rand.NewPCG(uint64(n), 0))
		for range maxPairs {
			i := rnd.IntN(n)
			j := rnd.IntN(n - 1)
			if j >= i {
				j++
			}
			add(i, j)
		}
	}
	if len(slopes) == 0 {
		return Line{}, false
	}
	slope := Median(slopes)
	return Line{Median(y) - slope*Median(x), slope}, true
}

// varies reports whether x has two different, finite values.
func varies(x []float64) bool {
	for _, v := range x {
		if v != x[0] && !math.IsInf(v-x[0], 0) {
			return true
		}
	}
	return false
}

// FitCost fits a line of time over size, whose intercept is a file's fixed cost, never negative,
// and whose slope is the inverse of a rate, to times whose errors go with their size. The cost is
// the slope of TheilSen's line of time per byte, whose errors are alike, over bytes' inverse; the
// time per byte is the median of what the cost leaves. If all sizes are alike, or larger files take
// less time, no cost is known, and none is taken. It is false for an empty sample.
func FitCost(size, time []float64) (Line, bool) {
	inverse, paces := make([]float64, len(size)), make([]float64, len(size))
	for i := range size {
		inverse[i] = 1 / size[i]
		paces[i] = time[i] / size[i]
	}
	line, _ := TheilSen(inverse, paces)
	cost := max(0, line.Slope)
	pace := Median(floats.AddScaledTo(make([]float64, len(paces)), paces, -cost, inverse))
	if pace <= 0 {
		cost = 0
		pace = Median(paces)
	}
	return Line{Intercept: cost, Slope: pace}, len(size) > 0
}
