package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// maxCorrelation bounds the correlation of neighbours: of a series that hardly forgets, that much is taken to be new in
// each value.
const maxCorrelation = 0.97

// HalfOfShort is half the interval of the mean of a short series that remembers, as a first-order autoregression does: the
// mean of a longer one lies further off, on either side, with a chance of tail. The correlation of neighbours that short
// series show is too low; it is corrected (Kendall, "Note on Bias in the Estimation of Autocorrelation", Biometrika 41,
// 1954) and raised by its standard error. The mean of n values is then worth that of n (1-r)/(1+r) independent ones
// (Bayley and Hammersley, "The 'Effective' Number of Independent Observations in an Autocorrelated Time Series",
// Supplement to the Journal of the Royal Statistical Society 8, 1946). It is infinite for fewer than three values.
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
	t := distuv.StudentsT{Sigma: 1, Nu: max(2, worth-1)}.Quantile(1 - tail)
	return t * math.Sqrt(variance/(n-1)/worth)
}
