package fit

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distmv"

	"github.com/hubbench/hubbench/pkg/hub"
)

// leftOut is a combination of disks that was held back, and what a family fitted to all others predicts of it, as
// logarithms of rates.
type leftOut struct {
	seen      []float64
	errors    []float64
	predicted []float64
	spread    *mat.SymDense // the covariance of what is predicted
}

// leaveOut fits the family without each combination of two disks or more in turn, and predicts it. What one disk does
// alone is no test: it only shows how fast the disk is.
func (s *space) leaveOut(e *hub.Evidence, best []float64, rng *rand.Rand) ([]leftOut, error) {
	var list []leftOut
	pooled := e.PooledByMix()
	for i := range pooled.Rates {
		held := &pooled.Rates[i]
		if len(held.Disks) < 2 || len(pooled.Rates) == 1 {
			continue
		}
		rest := *pooled
		rest.Rates = slices.Delete(slices.Clone(pooled.Rates), i, i+1)
		without, err := newSpace(&rest, s.family)
		if err != nil {
			return nil, err
		}
		t, lacks := without.target(held)
		if lacks != "" {
			continue
		}
		at := without.start(rng, 0)
		without.copyFrom(s, best, at)
		without.descend(at)
		l := leftOut{seen: t.logs, errors: t.errors}
		l.predicted, l.spread = without.moments(rng, at, &t)
		list = append(list, l)
	}
	return list, nil
}

// copyFrom takes over the other space's values of the parameters that both have.
func (s *space) copyFrom(other *space, from, to []float64) {
	for i := range s.params {
		p := &s.params[i]
		j := slices.IndexFunc(other.params, func(c coordinate) bool { return c.name == p.name })
		if j >= 0 {
			to[i] = min(max(from[j], p.low), p.high)
		}
	}
}

// Degrees of freedom of what is predicted of a combination left out: when the prediction is quite open, and at most.
const openFreedom, closedFreedom = 4.0, 1000.0

// weighed is how many vectors a left-out combination's prediction is the mean of.
const weighed = 200

// moments are the mean and covariance of what is predicted of a target, by importance sampling about the best place.
func (s *space) moments(rng *rand.Rand, best []float64, t *target) ([]float64, *mat.SymDense) {
	n := len(t.sides)
	shape := s.shape(best)
	draws, heights := make([][]float64, weighed), make([]float64, weighed)
	x, scratch := make([]float64, len(best)), make([]float64, 0, 64)
	for i := range draws {
		shape.jump(rng, best, x, 1)
		var height float64
		height, scratch = s.height(x, 1, scratch)
		heights[i] = height - shape.jumpDensity(shape.far(x), 1)
		if !math.IsInf(height, -1) {
			draws[i] = logs(s.predict(t))
		}
	}
	all := floats.LogSumExp(heights)
	centre := make([]float64, n)
	for i, draw := range draws {
		if draw != nil {
			floats.AddScaled(centre, math.Exp(heights[i]-all), draw)
		}
	}
	spread := mat.NewSymDense(n, nil)
	for i, draw := range draws {
		if draw != nil {
			floats.Sub(draw, centre)
			spread.SymRankOne(spread, math.Exp(heights[i]-all), mat.NewVecDense(n, draw))
		}
	}
	return centre, spread
}

func logs(rates []float64) []float64 {
	out := make([]float64, len(rates))
	for i, r := range rates {
		out[i] = math.Log(r)
	}
	return out
}

// density is the logarithm of the density that the prediction gave to what was seen, were the family off by so much,
// relative, in every combination and disk by itself. It is normal when the errors of what was seen are all there is, and
// Student's t the more the prediction is open: what only one combination shows, such as a weight, may lie far from the
// prior, and that is no failure of the family.
func (l *leftOut) density(off float64) float64 {
	n := len(l.seen)
	total := mat.NewSymDense(n, nil)
	total.CopySym(l.spread)
	for i := range n {
		total.SetSym(i, i, total.At(i, i)+l.errors[i]*l.errors[i]+off*off)
	}
	free := openFreedom * mat.Trace(total) / max(mat.Trace(l.spread), math.SmallestNonzeroFloat64)
	free = min(free, closedFreedom)
	t, ok := distmv.NewStudentsT(l.predicted, total, free, nil)
	if !ok {
		return math.Inf(-1)
	}
	return t.LogProb(l.seen)
}
