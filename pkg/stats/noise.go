package stats

import (
	"math"
)

// Noise is how a sequence deviates from its level: by a part that is new in every step, and by one with a memory. It is
// the model of a nugget and an exponential variogram (Cressie, "Statistics for Spatial Data", revised edition, 1993,
// sections 2.3 and 2.6), which a first-order autoregression observed with error has.
type Noise struct {
	Nugget float64 // variance of the part without memory
	Sill   float64 // variance of the part with it
	Memory float64 // in steps: after that many the correlation has fallen to 1/e
}

// memories is how many times of memory are tried, each a fixed ratio above the one before.
const memories = 24

// EstimateNoise estimates the noise from stretches, each of them at one level: from the variogram, half the mean
// square of the differences of values that many steps apart, which needs no mean and so is not narrowed by having
// estimated one.
func EstimateNoise(stretches [][]float64) Noise {
	v := newVariogram(stretches)
	if len(v.lag) == 0 {
		return Noise{}
	}
	longest := 0
	for _, s := range stretches {
		longest = max(longest, len(s))
	}
	var best Noise
	lowest := math.Inf(1)
	ratio := math.Pow(float64(max(longest, 2)), 1.0/(memories-1))
	memory := 0.5
	for range memories {
		if n, cost := v.fit(memory); cost < lowest {
			best, lowest = n, cost
		}
		memory *= ratio
	}
	return best
}

// variogram is half the mean square of differences by how far apart they are.
type variogram struct {
	lag    []float64 // in steps
	value  []float64
	weight []float64 // about how many independent differences the value is worth
}

func newVariogram(stretches [][]float64) variogram {
	var v variogram
	for lag := 1; ; lag = max(lag+1, lag*3/2) {
		var squares float64
		var pairs, length int
		for _, x := range stretches {
			if len(x) < 2*lag {
				continue
			}
			for i := lag; i < len(x); i++ {
				squares += (x[i] - x[i-lag]) * (x[i] - x[i-lag])
			}
			pairs += len(x) - lag
			length += len(x)
		}
		if pairs == 0 {
			return v
		}
		v.lag = append(v.lag, float64(lag))
		v.value = append(v.value, squares/float64(2*pairs))
		v.weight = append(v.weight, float64(length)/float64(lag))
	}
}

// fit finds nugget and sill for a memory by least squares, each lag's error relative to its value, and returns the sum
// of the squared errors in their own standard errors.
func (v *variogram) fit(memory float64) (Noise, float64) {
	// Weights fall with the square of the value, and lags that share their data count together as one or two.
	var sw, sx, sxx, sy, sxy float64
	for i, lag := range v.lag {
		if v.value[i] <= 0 {
			continue
		}
		w := v.weight[i] / (v.value[i] * v.value[i])
		x := 1 - math.Exp(-lag/memory)
		sw += w
		sx += w * x
		sxx += w * x * x
		sy += w * v.value[i]
		sxy += w * x * v.value[i]
	}
	n := Noise{Memory: memory}
	if det := sw*sxx - sx*sx; det > 1e-12*sw*sxx {
		n.Sill = (sw*sxy - sx*sy) / det
		n.Nugget = (sy - n.Sill*sx) / sw
	}
	if n.Sill < 0 {
		n.Sill, n.Nugget = 0, sy/sw
	}
	if n.Nugget < 0 {
		n.Nugget, n.Sill = 0, sxy/sxx
	}
	var sum float64
	for i, lag := range v.lag {
		if v.value[i] <= 0 {
			continue
		}
		off := (n.Nugget+n.Sill*(1-math.Exp(-lag/memory)))/v.value[i] - 1
		sum += off * off * v.weight[i] / 4
	}
	return n, sum
}

// MeanVariance is the variance of the mean of that many steps.
func (n Noise) MeanVariance(steps int) float64 {
	if steps < 1 {
		return math.Inf(1)
	}
	l := float64(steps)
	x := l / n.Memory
	if n.Sill == 0 {
		return n.Nugget / l
	}
	return n.Nugget/l + n.Sill*2*(x-1+math.Exp(-x))/(x*x)
}

// DifferenceVariance is the variance of the difference of the means of two stretches, one right after the other.
func (n Noise) DifferenceVariance(before, after int) float64 {
	v := n.MeanVariance(before) + n.MeanVariance(after)
	if n.Sill > 0 && before > 0 && after > 0 {
		a, b := float64(before)/n.Memory, float64(after)/n.Memory
		v -= 2 * n.Sill * (1 - math.Exp(-a)) * (1 - math.Exp(-b)) / (a * b)
	}
	return math.Max(v, 0)
}

// Memory is how many values of a sequence say as much about its mean as one independent value: the integrated
// autocorrelation time, 1 if neighbours have nothing in common. The sum ends with the first pair of lags that have
// no more in common than chance gives (after Geyer, "Practical Markov Chain Monte Carlo", Statistical Science 7,
// 1992), and each correlation is corrected for its bias (Kendall, "Note on Bias in the Estimation of
// Autocorrelation", Biometrika 41, 1954).
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

// maxCorrelation bounds the correlation of neighbours: of a series that hardly forgets, that much is taken to be new in
// each value.
const maxCorrelation = 0.97

// HalfOfShort is half the interval of the mean of a short series that remembers, as a first-order autoregression
// does: the mean of a longer one lies further off, on either side, with a chance of tail. The correlation of
// neighbours that short series show is too low; it is corrected (Kendall, "Note on Bias in the Estimation of
// Autocorrelation", Biometrika 41, 1954) and raised by its standard error. The mean of n values is then worth that
// of n (1-r)/(1+r) independent ones (Bayley and Hammersley, "The 'Effective' Number of Independent Observations in
// an Autocorrelated Time Series", Supplement to the Journal of the Royal Statistical Society 8, 1946). It is
// infinite for fewer than three values.
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
