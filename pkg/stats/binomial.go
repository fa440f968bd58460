package stats

import "gonum.org/v1/gonum/stat/distuv"

// BinomialTail is the chance of at least k successes in n trials of chance p each.
func BinomialTail(n, k int, p float64) float64 {
	if k <= 0 {
		return 1
	}
	return 1 - distuv.Binomial{N: float64(n), P: p}.CDF(float64(k-1))
}
