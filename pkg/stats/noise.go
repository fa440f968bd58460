package stats

import (
	"math"
)

// Memory returns how many values of a sequence say as much about its mean as one independent value:
// the integrated autocorrelation time, 1 if neighbours have nothing in common. The sum ends with
// the first pair of lags that have no more in common than chance gives (after Geyer, "Practical
// Markov Chain Monte Carlo", Statistical Science 7, 1992), and each correlation is corrected for
// its bias (Kendall, "Note on Bias in the Estimation of Autocorrelation", Biometrika 41, 1954).
func Memory(x []float64) float64 {
	n := len(x)
	if n < 4 {
		return 1
	}
	mean := Mean(x)
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
	// The standard error of a pair's sum if there is no correlation.
	pairError := math.Sqrt(2 / float64(n))
	memory := 1.0
	for lag := 1; lag+1 < n/2; lag += 2 {
		pair := correlation(lag) + correlation(lag+1)
		if pair <= pairError {
			break
		}
		memory += 2 * pair
	}
	return memory
}

// maxCorrelation bounds the correlation of neighbours: of a series that hardly forgets, that much
// is taken to be new in each value.
const maxCorrelation = 0.97

// HalfOfShort is half the interval of the mean of a short series that remembers, as a first-order
// autoregression does: the mean of a longer one lies further off, on either side, with a chance of
// tail. The correlation of neighbours that short series show is too low; it is corrected (Kendall,
// "Note on Bias in the Estimation of Autocorrelation", Biometrika 41, 1954) and raised by its
// standard error. The mean of n values is then worth that of n (1-r)/(1+r) independent ones (Bayley
// and Hammersley, "The 'Effective' Number of Independent Observations in an Autocorrelated Time
// Series", Supplement to the Journal of the Royal Statistical Society 8, 1946). It is infinite for
// fewer than three values.
func HalfOfShort(x []float64, tail float64) float64 {
	n := float64(len(x))
	if n < 3 {
		return math.Inf(1)
	}
	mean := Mean(x)
	var variance, neighbours float64
	for i, v := range x {
		variance += (v - mean) * (v - mean)
		if i > 0 {
			neighbours += (v - mean) * (x[i-1] - mean)
		}
	}
	if variance == 0 {
		return 0
	}
	r := neighbours / variance
	r += (1 + 4*r) / n
	r = min(maxCorrelation, max(0, r+math.Sqrt(max(0, 1-r*r)/n)))
	worth := n * (1 - r) / (1 + r)
	t := StudentQuantile(1-tail, max(2, worth-1))
	return t * math.Sqrt(variance/(n-1)/worth)
}
