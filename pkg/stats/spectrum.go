package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// MinBins is the minimum number of values that the error of a time series' mean is estimated from.
const MinBins = 8

// MaxWaves is the maximum number of waves in a spectrum. Faster ones say little about a mean's error.
const MaxWaves = 40

// tailMargin is for tests: of many, the ones that count lie far out in the tails.
const tailMargin = 4

// Spectrum is what the mean of a time series is judged by: its slowest waves. Under independent noise each of them
// varies as the mean does, times the root of the number of values, and independently of it; noise that lasts makes
// the slow ones larger than the fast ones, and the mean's error with them.
//
// To estimate the error of a mean from a few slow waves is the equal-weighted cosine method (Lazarus, Lewis, Stock and
// Watson, "HAR Inference: Recommendations for Practice", Journal of Business & Economic Statistics 36, 2018).
type Spectrum struct {
	Mean  float64
	waves []float64 // the cosine transform: half a period along the series, one, one and a half, ...
	n     int
	// length is the series' in the unit in which another's is compared with it: values, unless said.
	length float64
	free   float64 // degrees of freedom at most
	skew   float64 // of the mean: that of means of neighbours, over the root of their number
}

// NewSpectrum is the spectrum of x, of which only known values were measured separately from their neighbours.
func NewSpectrum(x []float64, known int) Spectrum {
	n := len(x)
	s := Spectrum{Mean: stat.Mean(x, nil), n: n, length: float64(n), skew: skewOfMean(x)}
	s.waves = make([]float64, max(0, min(MaxWaves, n-1, known-1)))
	s.free = float64(len(s.waves))
	for j := range s.waves {
		step := math.Pi * float64(j+1) / float64(n)
		before, now, twice := math.Cos(step/2), math.Cos(step/2), 2*math.Cos(step) // by Chebyshev's recurrence
		var sum float64
		for _, v := range x {
			sum += (v - s.Mean) * now
			before, now = now, twice*now-before
		}
		s.waves[j] = sum * math.Sqrt(2/float64(n))
	}
	return s
}

// TrimmedSpectrum is that of the influence of each value on the trimmed mean of x, see TrimmedMean: they are linear in
// the winsorized values (Wilcox, "Introduction to Robust Estimation and Hypothesis Testing", section 3.3).
func TrimmedSpectrum(x []float64, cut float64) Spectrum {
	s := NewSpectrum(trimmedScores(x, cut), len(x))
	s.free = min(s.free, float64(len(x)-2*int(cut*float64(len(x)))-1))
	return s
}

// Error is how far the mean may be from that of a longer series. It is false if there are too few values.
func (s Spectrum) Error() (Estimate, bool) {
	if len(s.waves) < MinBins-1 {
		return Estimate{}, false
	}
	var fits fits
	for _, m := range models(1, 0) {
		fits = append(fits, m.fit(s))
	}
	return Estimate{Mean: s.Mean, fits: fits, parts: fits.parts(), skew: s.skew}, true
}

// Difference is the mean of b less the mean of a and its uncertainty. Each has noise of its own size; how long it lasts is
// taken to be the same in both, which halves the doubt about it. The degrees of freedom are Welch's ("The
// Generalization of 'Student's' Problem When Several Different Population Variances Are Involved", Biometrika 34,
// 1947). It is false if there are too few values in either.
func Difference(a, b Spectrum) (Estimate, bool) {
	if min(len(a.waves), len(b.waves)) < MinBins-1 {
		return Estimate{}, false
	}
	var fits fits
	longest := max(a.length, b.length)
	others := models(b.length/longest, tailMargin)
	for i, m := range models(a.length/longest, tailMargin) {
		fits = append(fits, m.fit(a).with(others[i].fit(b)))
	}
	return Estimate{Mean: b.Mean - a.Mean, fits: fits, parts: fits.parts()}, true
}

// skewOfMean is the skewness of the mean of x, from means of up to 30 stretches of neighbours.
func skewOfMean(x []float64) float64 {
	n := len(x)
	k := min(30, n/2)
	if k < 3 {
		return 0
	}
	means := make([]float64, k)
	for i := range means {
		means[i] = stat.Mean(x[i*n/k:(i+1)*n/k], nil)
	}
	if stat.Variance(means, nil) <= 0 {
		return 0
	}
	return stat.Skew(means, nil) / math.Sqrt(float64(k))
}

// trimmedScores are values whose mean is the trimmed mean of x, and whose spread is that of its influence function.
func trimmedScores(x []float64, cut float64) []float64 {
	n := len(x)
	k := int(cut * float64(n))
	sorted := slices.Clone(x)
	slices.Sort(sorted)
	low, high := sorted[k], sorted[n-1-k]
	scores := make([]float64, n)
	for i, v := range x {
		scores[i] = min(max(v, low), high)
	}
	winsorized := stat.Mean(scores, nil)
	trimmed := stat.Mean(sorted[k:n-k], nil)
	for i, v := range scores {
		scores[i] = trimmed + (v-winsorized)/(1-2*float64(k)/float64(n))
	}
	return scores
}
