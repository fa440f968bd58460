package stats

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

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

// models are noise that lasts no time; noise with a memory, up to half the longest of the series that it is asked of,
// beside some without; and noise whose slow waves differ from its fast ones in any way, as with regular stalls.
// They are for a series whose length is a share of the longest. The mean's variance is larger than the model's by margin
// times the memory: what is read far out in its tails, as tests of many things are, has to allow for waves that are not
// quite as any model has them.
func models(length, margin float64) []model {
	list := make([]model, 0, 50)
	list = append(list, lasting(0, 0, 0.4))
	for _, memory := range []struct{ share, prior float64 }{
		{0.01, 0.2}, {0.02, 0.2}, {0.04, 0.3}, {0.07, 0.3}, {0.1, 0.25}, {0.15, 0.2}, {0.25, 0.12}, {0.5, 0.06},
	} {
		for _, quick := range []struct{ share, prior float64 }{{0, 0.2}, {0.03, 0.2}, {0.1, 0.2}, {0.3, 0.25}, {0.6, 0.15}} {
			if quick.share < maxQuick(memory.share) {
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

// maxQuick is the share of noise without a memory above which slow noise hides in it: the slower, the fewer waves show it.
func maxQuick(memory float64) float64 {
	if memory < 0.1 {
		return 1
	}
	return 0.2
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
	var pooled []*Estimate
	for _, e := range estimates {
		if len(e.fits) > 0 {
			pooled = append(pooled, e)
		}
	}
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
