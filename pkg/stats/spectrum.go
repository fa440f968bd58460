package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
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
	n := len(x)
	k := int(cut * float64(n))
	sorted := slices.Clone(x)
	slices.Sort(sorted)
	scores := make([]float64, n) // their mean is the trimmed mean
	for i, v := range x {
		scores[i] = min(max(v, sorted[k]), sorted[n-1-k])
	}
	winsorized := stat.Mean(scores, nil)
	trimmed := stat.Mean(sorted[k:n-k], nil)
	for i, v := range scores {
		scores[i] = trimmed + (v-winsorized)/(1-2*float64(k)/float64(n))
	}
	s := NewSpectrum(scores, n)
	s.free = min(s.free, float64(n-2*k-1))
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

// Difference is the mean of b less the mean of a and its uncertainty. Each has noise of its own size; how long it
// lasts is taken to be the same in both, which halves the doubt about it. The degrees of freedom are Welch's ("The
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

// model is a way in which noise may last. How long it does cannot be known from one series, and relying on a guess
// makes intervals too short; so each model is weighed by how likely it makes the waves, and the error is a mixture of
// what they say. That is the approach of Müller ("HAC Corrections for Strongly Autocorrelated Time Series", Journal of
// Business & Economic Statistics 32, 2014) with Bayes' weights. The size of the noise is integrated out, under
// Jeffreys' prior, which makes each part a Student's t.
type model struct {
	prior float64
	// How much the mean and the waves vary, as shares of what they do if noise lasts no time.
	mean  float64
	waves [MaxWaves]float64
	// slow is how many of the slowest waves give the mean's error, the others having a size of their own; 0 for all.
	slow int
}

// models are noise that lasts no time; noise with a memory, up to half the longest of the series that it is asked
// of, beside some without; and noise whose slow waves differ from its fast ones in any way, as with regular stalls.
// They are for a series whose length is a share of the longest. The mean's variance is larger than the model's by
// margin times the memory: what is read far out in its tails, as tests of many things are, has to allow for waves
// that are not quite as any model has them.
func models(length, margin float64) []model {
	list := make([]model, 0, 50)
	list = append(list, lasting(0, 0, 0.4))
	for _, memory := range []struct{ share, prior float64 }{
		{0.01, 0.2}, {0.02, 0.2}, {0.04, 0.3}, {0.07, 0.3}, {0.1, 0.25}, {0.15, 0.2}, {0.25, 0.12}, {0.5, 0.06},
	} {
		for _, quick := range []struct{ share, prior float64 }{{0, 0.2}, {0.03, 0.2}, {0.1, 0.2}, {0.3, 0.25}, {0.6, 0.15}} {
			if memory.share < 0.1 || quick.share < 0.2 { // slow noise hides in quick: the slower, the fewer waves show it
				list = append(list, lasting(memory.share/length, quick.share, memory.prior*quick.prior).with(1+margin*memory.share))
			}
		}
	}
	for _, slow := range []int{6, 10, 14} {
		m := lasting(0, 0, 0.04)
		m.slow = slow
		list = append(list, m)
	}
	return list
}

// lasting is a first-order autoregression whose memory is a share of the series, plus a share of noise without one.
// The variances are those of its cosine transform over a finite stretch.
func lasting(memory, quick, prior float64) model {
	m := model{prior: prior, mean: 1}
	end := 0.0
	if memory > 0 {
		end = math.Exp(-1 / memory)
		m.mean = quick + (1-quick)*(1-memory*(1-end))
	}
	sign := 1.0
	for j := range m.waves {
		sign = -sign
		turn := math.Pi * float64(j+1) * memory
		v := 1 / (1 + turn*turn)
		m.waves[j] = quick + (1-quick)*(v-2*memory*v*v*(1-sign*end))
	}
	return m
}

func (m model) with(factor float64) model {
	m.mean *= factor
	return m
}

// fit is a model's result for one or two series: the logarithm of their likelihood, and the error.
type fit struct {
	prior         float64 // the model's
	logLikelihood float64
	student
}

// student is Student's t with a scale and degrees of freedom.
type student struct{ weight, se, free float64 }

func (m *model) fit(s Spectrum) fit {
	q := len(s.waves)
	slow := m.slow
	if slow == 0 {
		slow = q
	}
	if slow > q-6 && slow < q || slow > q {
		return fit{prior: m.prior, logLikelihood: math.Inf(-1)}
	}
	var low, high, logs float64
	for j, v := range s.waves {
		if j < slow {
			low += v * v / m.waves[j]
		} else {
			high += v * v
		}
		logs += math.Log(m.waves[j])
	}
	k, rest := float64(slow), float64(q-slow)
	floor := 1e-30 * (s.Mean*s.Mean + 1e-300) // if nothing varies at all
	l := -logs/2 - k/2*math.Log(low+floor)
	if rest > 0 {
		l += logGamma(k/2) + logGamma(rest/2) - logGamma(float64(q)/2) - rest/2*math.Log(high+floor)
	}
	return fit{m.prior, l, student{se: math.Sqrt(low / k * m.mean / float64(s.n)), free: min(k, s.free)}}
}

func logGamma(x float64) float64 {
	v, _ := math.Lgamma(x)
	return v
}

// with is the fit of a model to another series as well.
func (f fit) with(g fit) fit {
	f.logLikelihood += g.logLikelihood
	f.student = f.student.plus(g.student)
	return f
}

func (s student) plus(t student) student {
	vs, vt := s.se*s.se, t.se*t.se
	if vs == 0 {
		t.weight = s.weight
		return t
	}
	sum := student{weight: s.weight, se: math.Sqrt(vs + vt), free: s.free}
	if vt > 0 {
		sum.free = (vs + vt) * (vs + vt) / (vs*vs/s.free + vt*vt/t.free)
	}
	return sum
}

type fits []fit

func (f fits) weights() []float64 {
	weights := make([]float64, len(f))
	for i, g := range f {
		weights[i] = math.Log(g.prior) + g.logLikelihood
	}
	all := floats.LogSumExp(weights)
	for i, w := range weights {
		weights[i] = math.Exp(w - all)
	}
	return weights
}

// parts are the mixture: the errors whose weight matters.
func (f fits) parts() []student {
	const minWeight = 1e-5
	parts := make([]student, 0, len(f))
	for i, weight := range f.weights() {
		if weight > minWeight {
			part := f[i].student
			part.weight = weight
			parts = append(parts, part)
		}
	}
	return parts
}

// Pool lets estimates learn from one another how long noise lasts, if the same machine made them. The weights that
// models have beforehand become those that the estimates have given them on average, and their own prior counts as
// poolPrior estimates do (Efron, "Large-Scale Inference: Empirical Bayes Methods for Estimation, Testing, and
// Prediction", 2010; found by the EM algorithm). One whose noise is unlike the others' keeps its own by its waves.
func Pool(estimates []*Estimate) {
	const poolPrior, steps = 1, 20
	pooled := slices.DeleteFunc(slices.Clone(estimates), func(e *Estimate) bool { return len(e.fits) == 0 })
	if len(pooled) == 0 {
		return
	}
	own := make([]float64, len(pooled[0].fits))
	total := 0.0
	for i, g := range pooled[0].fits {
		own[i] = g.prior
		total += g.prior
	}
	for range steps {
		prior := make([]float64, len(own))
		for i := range own {
			prior[i] = poolPrior * own[i] / total
		}
		for _, e := range pooled {
			for i, w := range e.fits.weights() {
				prior[i] += w
			}
		}
		for _, e := range pooled {
			for i := range e.fits {
				e.fits[i].prior = prior[i]
			}
		}
	}
	for _, e := range pooled {
		e.parts = e.fits.parts()
	}
}
