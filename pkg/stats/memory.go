package stats

import (
	"math"

	"gonum.org/v1/gonum/stat"
)

// Memory is how many values of a sequence say as much about its mean as one independent value: the integrated
// autocorrelation time, 1 if neighbours have nothing in common. The sum ends with the first pair of lags that have
// no more in common than chance gives (after Geyer, "Practical Markov Chain Monte Carlo", Statistical Science 7, 1992),
// and each correlation is corrected for its bias (Kendall, "Note on Bias in the Estimation of Autocorrelation", Biometrika 41, 1954).
func Memory(x []float64) float64 {
	n := len(x)
	if n < 4 {
		return 1
	}
	mean := stat.Mean(x, nil)
	var squares float64
	for _, v := range x {
		squares += (v - mean) * (v - mean)
	}
	if squares == 0 {
		return 1
	}
	correlation := func(lag int) float64 {
		var products float64
		for i := lag; i < n; i++ {
			products += (x[i] - mean) * (x[i-lag] - mean)
		}
		return products/squares + 1/float64(n)
	}
	alike := math.Sqrt(2 / float64(n)) // standard error of a pair's sum if there is no correlation
	memory := 1.0
	for lag := 1; lag+1 < n/2; lag += 2 {
		pair := correlation(lag) + correlation(lag+1)
		if pair <= alike {
			break
		}
		memory += 2 * pair
	}
	return memory
}
