package change

import (
	"iter"
	"math"
)

// between goes through the levels between cuts of a series of n.
func between(cuts []int, n int) iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		from := 0
		for _, to := range cuts {
			if !yield(from, to) {
				return
			}
			from = to
		}
		yield(from, n)
	}
}

func mean(x []float64) float64 {
	var sum float64
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// variance returns the mean squared distance from the mean.
func variance(x []float64) float64 {
	middle := mean(x)
	var sum float64
	for _, v := range x {
		sum += square(v - middle)
	}
	return sum / float64(len(x))
}

func differences(x []float64) []float64 {
	var d []float64
	for i := 1; i < len(x); i++ {
		d = append(d, x[i]-x[i-1])
	}
	return d
}

// logChoices returns the logarithm of how many sets of k there are of n.
func logChoices(n, k int) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return a - b - c
}

func square(x float64) float64 { return x * x }
