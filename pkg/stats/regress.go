package stats

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat"
)

// Line is y = Intercept + Slope x.
type Line struct {
	Intercept float64
	Slope     float64
}

// OLS fits a line by ordinary least squares. It is false if fewer than two different x leave the slope open.
func OLS(x, y []float64) (Line, bool) {
	if !varies(x) {
		return Line{}, false
	}
	a, b := stat.LinearRegression(x, y, nil, false)
	return Line{a, b}, true
}

// maxPairs is the number of pairs up to which TheilSen looks at all of them: a thousand points.
const maxPairs = 500_000

// TheilSen fits a line whose slope is the median of the slopes between all pairs of points with different x, and
// whose intercept is median(y) - Slope median(x) (Sen, "Estimates of the Regression Coefficient Based on Kendall's
// Tau", JASA 63, 1968; Conover's intercept, as in SciPy). Outliers among a third of the points do not move it far.
// Above maxPairs the median is over as many pairs drawn at random, an incomplete U-statistic (Blom, "Some Properties
// of Incomplete U-Statistics", Biometrika 63, 1976): its rank then errs by 0.07 % (one standard error). The draw is
// the same every time. It is false if no two x differ.
func TheilSen(x, y []float64) (Line, bool) {
	n := len(x)
	if !varies(x) {
		return Line{}, false
	}
	var slopes []float64
	add := func(i, j int) {
		if dx := x[j] - x[i]; dx != 0 {
			slopes = append(slopes, (y[j]-y[i])/dx)
		}
	}
	if n*(n-1)/2 <= maxPairs {
		slopes = make([]float64, 0, n*(n-1)/2)
		for i := range x {
			for j := i + 1; j < n; j++ {
				add(i, j)
			}
		}
	} else {
		slopes = make([]float64, 0, maxPairs)
		rnd := rand.New(rand.NewPCG(uint64(n), 0))
		for range maxPairs {
			i, j := rnd.IntN(n), rnd.IntN(n-1)
			if j >= i {
				j++
			}
			add(i, j)
		}
	}
	if len(slopes) == 0 { // nearly all x equal, and the draw missed the others
		return Line{}, false
	}
	slope := medianInPlace(slopes)
	median := func(v []float64) float64 { return medianInPlace(append(slopes[:0], v...)) } // in memory that is there
	return Line{median(y) - slope*median(x), slope}, true
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
