package model

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/hubbench/hubbench/pkg/hub"
)

// fits is the law fitted to what was observed, and to bootstrap samples of it.
type fits struct {
	*law
	best []float64
	// Places that the observations hardly contradict more, from different starts.
	nearBest  [][]float64
	samples   [][]float64 // fits of the samples
	misfit    float64     // how far the observations lie from the best, in their errors
	chance    float64     // chance of a misfit as large, if the hub shares by the law
	isChecked bool        // there are more observations than parameters
}

// fitLaw fits the law by least squares of the rates' logarithms in their errors, from many starts.
func fitLaw(p *hub.Profile, e *hub.Evidence, rng *rand.Rand) (*fits, error) {
	l, err := newLaw(p, e)
	if err != nil {
		return nil, err
	}
	f := &fits{law: l}
	least := math.Inf(1)
	ends := make([][]float64, starts)
	for n := range ends {
		x := l.descend(l.start(rng, min(n, 1)), l.logs)
		ends[n] = x
		sum := l.squares(x, l.logs)
		if sum < least-negligible { // the first start has even weights
			f.best = x
			least = sum
		}
	}
	for _, x := range ends {
		if l.squares(x, l.logs) < least+chi2Critical {
			f.nearBest = append(f.nearBest, x)
		}
	}
	f.judge(least)
	return f, nil
}

// bootstrap fits the law to samples in which the residual of each rate is multiplied by a standard
// normal number: the wild bootstrap (Wu, Ann. Statist. 14, 1986). Two numbers, as Rademacher's,
// would not do, as many parameters rest on one rate. No residual is taken to be smaller than the
// rate's error. What the observations leave open differs from sample to sample.
func (f *fits) bootstrap(rng *rand.Rand) {
	fitted := f.predicted(f.best)
	for range bootstraps {
		sample := slices.Clone(fitted)
		for i := range sample {
			residual := max(math.Abs(f.logs[i]-fitted[i]), f.errors[i])
			sample[i] += residual * rng.NormFloat64()
		}
		x := f.descend(f.nearBest[rng.IntN(len(f.nearBest))], sample)
		f.samples = append(f.samples, f.loosen(rng, x, sample))
	}
}

// start returns where a fit begins: at what was observed, with the weights' spread in parts.
func (l *law) start(rng *rand.Rand, parts int) []float64 {
	x := make([]float64, len(l.params))
	for i, p := range l.params {
		x[i] = p.start
		if p.spread == weightSpread {
			x[i] += float64(parts) * p.spread * rng.NormFloat64()
		}
	}
	return x
}

// loosen moves parameters at random, as far as that does not contradict a sample.
func (l *law) loosen(rng *rand.Rand, x, sample []float64) []float64 {
	sum := l.squares(x, sample)
	for _, i := range rng.Perm(len(x)) {
		was := x[i]
		x[i] += l.params[i].spread * rng.NormFloat64()
		if l.params[i].spread == fewSpread { // half of all hubs carry as much for few disks
			x[i] = min(fewSpread*rng.NormFloat64(), 0)
		}
		if moved := l.squares(x, sample); moved > sum+negligible {
			x[i] = was
		} else {
			sum = moved
		}
	}
	return x
}

// judge tests whether the hub shares by the law, to within the tolerance: by the chi-square of the
// residuals (Bevington and Robinson, Data Reduction and Error Analysis for the Physical Sciences,
// 2003, 11.1).
func (f *fits) judge(squares float64) {
	var svd mat.SVD
	svd.Factorize(f.jacobian(f.best), mat.SVDNone)
	free := len(f.logs) - svd.Rank(1e-6)
	f.misfit = 1
	f.chance = 1
	f.isChecked = free > 0
	if !f.isChecked {
		return
	}
	f.misfit = math.Sqrt(squares / float64(free))
	sum := 0.0
	row := 0
	r := f.residuals(f.best, f.logs)
	for _, t := range f.targets {
		for range t.sides {
			wide := f.errors[row]
			if len(t.sides) > 1 {
				wide = math.Hypot(wide, tolerance)
			}
			off := r[row] * f.errors[row] / wide
			sum += off * off
			row++
		}
	}
	f.chance = distuv.ChiSquared{K: float64(free)}.Survival(sum)
}

func (f *fits) refused() string {
	if f.chance < minChance {
		return unknownLaw
	}
	return ""
}
