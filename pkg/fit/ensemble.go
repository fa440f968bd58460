package fit

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distmv"

	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/unit"
)

// ensemble is every family fitted to the same evidence, and its weight.
type ensemble struct {
	fitted      []*fitted // in the order of families
	maxTogether int       // the most disks observed together
}

type fitted struct {
	space  *space
	best   []float64
	held   []leftOut
	off    [len(discrepancies)]float64 // how likely each of them is
	rms    float64                     // its model error
	weight float64                     // among the families; their sum is 1
}

// leftOut is a combination of disks that was held back, and what a family fitted to all others predicts of it, as
// logarithms of rates.
type leftOut struct {
	*target
	predicted []float64
	spread    *mat.SymDense // the covariance of what is predicted
}

// discrepancies are the relative errors that a family may make in a combination that was not measured, besides those of
// its parameters (a model's discrepancy: Kennedy and O'Hagan, J. R. Stat. Soc. B 63, 2001).
var discrepancies = [...]float64{0.005, 0.0075, 0.01, 0.015, 0.02, 0.03, 0.045, 0.065, 0.1, 0.15, 0.22, 0.33, 0.5}

const (
	// likelyDiscrepancy is the scale of a discrepancy's prior: half a t
	// distribution (Gelman, Bayesian Analysis 1, 2006), so that little evidence makes none large.
	likelyDiscrepancy = 0.02
	// If more disks are at work than were ever seen together, predictions may be off by extrapolated for each further
	// disk, and by so many times more than the discrepancy found among those seen: what two disks show of a wrong model is
	// the least of what three make of it. Chosen by hubs that share like no family (the tests' tuned worlds).
	extrapolated, amplified = 0.04, 2.0
	// contradiction is the ratio of two families' model errors above which the worse one is ruled out.
	contradiction = 3.0
	// bootstraps is how often the combinations are resampled.
	bootstraps = 1000
	// unreliable is the difference of two families' densities, as a logarithm, that counts as none: small ones do not show
	// which predicts better (Sivula, Magnusson, Matamoros and Vehtari, arXiv:2008.10296).
	unreliable = 2.0
	// weighed is how many vectors a left-out combination's prediction is the mean of.
	weighed = 200
	// Degrees of freedom of what is predicted of a combination left out: when the prediction is quite open, and at most.
	openFreedom, closedFreedom = 4.0, 1000.0
)

// newEnsemble fits all families and weighs them by their predictions of combinations left out.
func newEnsemble(e *hub.Evidence, rng *rand.Rand) (*ensemble, error) {
	en := &ensemble{}
	for _, o := range e.Rates {
		en.maxTogether = max(en.maxTogether, len(o.Disks))
	}
	for _, family := range families {
		s, err := newSpace(e, family)
		if err != nil {
			return nil, err
		}
		f := &fitted{space: s, best: s.best(rng)}
		f.rms, _ = s.modelError(f.best)
		if f.held, err = s.leaveOut(e, f.best, rng); err != nil {
			return nil, err
		}
		for i, d := range discrepancies {
			// Their prior, and that they stand as far apart as they are large.
			f.off[i] = math.Log(d) - (priorFreedom+1)/2*math.Log1p(d*d/(priorFreedom*likelyDiscrepancy*likelyDiscrepancy))
			for j := range f.held {
				f.off[i] += f.held[j].density(d)
			}
		}
		all := floats.LogSumExp(f.off[:])
		for i := range f.off {
			f.off[i] = math.Exp(f.off[i] - all)
		}
		en.fitted = append(en.fitted, f)
	}
	en.weigh(rng)
	return en, nil
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
		for k, p := range without.params { // from where the whole fit ended
			j := slices.IndexFunc(s.params, func(c coordinate) bool { return c.name == p.name })
			if j >= 0 {
				at[k] = min(max(best[j], p.low), p.high)
			}
		}
		without.descend(at)
		l := leftOut{target: &t}
		l.predicted, l.spread = without.moments(rng, at, &t)
		list = append(list, l)
	}
	return list, nil
}

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

// density is the logarithm of the density that the prediction gave to what was seen, were the family off by so
// much, relative, in every combination and disk by itself. It is normal when the errors of what was seen are all
// there is, and Student's t the more the prediction is open: what only one combination shows, such as a weight, may
// lie far from the prior, and that is no failure of the family.
func (l *leftOut) density(off float64) float64 {
	n := len(l.logs)
	total := mat.NewSymDense(n, nil)
	total.CopySym(l.spread)
	for i := range n {
		total.SetSym(i, i, total.At(i, i)+l.errors[i]*l.errors[i]+off*off)
	}
	free := openFreedom * mat.Trace(total) / max(mat.Trace(l.spread), math.SmallestNonzeroFloat64)
	t, ok := distmv.NewStudentsT(l.predicted, total, min(free, closedFreedom), nil)
	if !ok {
		return math.Inf(-1)
	}
	return t.LogProb(l.logs)
}

// weigh gives each family its part by the density it gave to the combinations left out: pseudo-BMA with the Bayesian
// bootstrap, which shares out among families that do about equally well, while stacking would choose one of them
// (Yao, Vehtari, Simpson and Gelman, Bayesian Analysis 13, 2018, section 3.4). A family that the runs rule out, as
// another's model error is several times smaller, has none.
func (en *ensemble) weigh(rng *rand.Rand) {
	n := len(en.fitted[0].held)
	least := slices.MinFunc(en.fitted, func(a, b *fitted) int { return cmp.Compare(a.rms, b.rms) }).rms
	scores := make([][]float64, len(en.fitted))
	for i, f := range en.fitted {
		scores[i] = make([]float64, n)
		for j := range f.held {
			mean := 0.0
			for k, d := range discrepancies {
				mean += f.off[k] * math.Exp(f.held[j].density(d))
			}
			scores[i][j] = math.Log(max(mean, math.SmallestNonzeroFloat64))
		}
	}
	sums := make([]float64, len(en.fitted))
	for range bootstraps {
		clear(sums)
		parts, all := make([]float64, n), 0.0
		for j := range parts { // Dirichlet's, by exponential waiting times
			parts[j] = rng.ExpFloat64()
			all += parts[j]
		}
		highest := math.Inf(-1)
		for i, f := range en.fitted {
			for j, part := range parts {
				sums[i] += float64(n) * part / all * scores[i][j]
			}
			if f.rms > Poor && f.rms > contradiction*least {
				sums[i] = math.Inf(-1)
			}
			highest = max(highest, sums[i])
		}
		all = 0
		for i := range sums {
			sums[i] = math.Exp(min(sums[i]-highest+unreliable, 0))
			all += sums[i]
		}
		for i, f := range en.fitted {
			f.weight += sums[i] / all / bootstraps
		}
	}
}

// sample draws parameters of the family. Its discrepancy widens the errors of combinations, its misfit those of all
// evidence.
func (f *fitted) sample(rng *rand.Rand) [][]float64 {
	s, off := f.space, f.discrepancy()
	for _, t := range s.obs {
		for j := range t.errors {
			if len(t.errors) > 1 {
				t.errors[j] = math.Hypot(t.errors[j], off)
			}
		}
	}
	best := slices.Clone(f.best)
	s.descend(best)
	return s.sample(rng, best, max(f.rms, 1))
}

// discrepancy is the root mean square of the discrepancies, by their probabilities.
func (f *fitted) discrepancy() float64 {
	sum := 0.0
	for i, d := range discrepancies {
		sum += f.off[i] * d * d
	}
	return math.Sqrt(sum)
}

func (f *fitted) drawDiscrepancy(rng *rand.Rand) float64 {
	at := rng.Float64()
	for i, d := range discrepancies {
		if at -= f.off[i]; at < 0 {
			return d
		}
	}
	return discrepancies[len(discrepancies)-1]
}

// together is how far the predictions of all disks at work are off by the same factor, relative, one standard
// deviation, besides the discrepancy of each by itself, when so many disks at most were seen together and so many
// are at work: what a hub carries of more disks than were ever seen together concerns all of them.
func together(discrepancy float64, seen, working int) float64 {
	further := float64(max(working-seen, 0))
	times := 1 + amplified*further
	return math.Hypot(discrepancy*math.Sqrt(times*times-1), extrapolated*further)
}

// misfit is how far the measurements lie from the families, in their errors, as the families count: Birge's ratio
// (Phys. Rev. 40, 1932), at least 1.
func (en *ensemble) misfit() (times float64) {
	for _, f := range en.fitted {
		times += f.weight * max(f.rms, 1)
	}
	return times
}

// lacks says which disk at work was never observed to do the same on the hub; empty if all were.
func (en *ensemble) lacks(m *hub.Observation) string {
	for _, d := range m.Disks {
		if !en.fitted[0].space.has(d.Disk + "." + string(d.Op) + ".hub") {
			return fmt.Sprintf("in none of them does %s %s through the hub", d.Disk, d.Op)
		}
	}
	return ""
}

// unexplained says why nothing unmeasured can be predicted; empty if it can.
func (en *ensemble) unexplained() string {
	off := 0.0
	for _, f := range en.fitted {
		off += f.weight * f.discrepancy()
	}
	switch times := en.misfit(); {
	case off > maxDiscrepancy:
		return fmt.Sprintf("no model of sharing explains them; "+
			"predictions of combinations left out of the fit are %.0f %% off", 100*off)
	case times > maxMisfit:
		return fmt.Sprintf("no model of sharing explains them; the best misses them by %.1f times their errors", times)
	}
	return ""
}

// Weight is a family's weight.
type Weight struct {
	Family Family  `json:"family"`
	Share  float64 `json:"weight"` // of all families; their sum is 1
	// Error is how far the family's predictions of combinations that were left out lie from what was measured beyond what
	// the errors of both allow: relative, one standard deviation.
	Error float64 `json:"error"`
}

func (en *ensemble) weights() []Weight {
	var list []Weight
	for _, f := range en.fitted {
		list = append(list, Weight{Family: f.space.family, Share: f.weight, Error: f.discrepancy()})
	}
	return list
}

// chosen is the family of the profile: the simplest that the runs do not distinguish from the one with the largest
// weight.
func (en *ensemble) chosen() *fitted {
	heaviest := slices.MaxFunc(en.fitted, func(a, b *fitted) int { return cmp.Compare(a.weight, b.weight) }).weight
	return en.fitted[slices.IndexFunc(en.fitted, func(f *fitted) bool { return f.weight >= heaviest/10 })]
}

// Held is a phase that was held back from a fit, and how well the rest predicts it.
type Held struct {
	Phase     string     `json:"phase"`
	Residuals []Residual `json:"residuals"` // its observations beside the prediction
	Worst     float64    `json:"worst"`     // the largest error among them, relative, without sign
	// Note names the parameters that only this phase shows: then it is needed, and no test of the model.
	Note string `json:"note,omitempty"`
}

// LeaveOneOut refits the family chosen by the fit to all phases without each phase in turn, and predicts it: the
// test of whether the model holds for what has not been measured.
func LeaveOneOut(e *hub.Evidence, o Options) ([]Held, error) {
	en, err := newEnsemble(e, rand.New(rand.NewPCG(o.Seed, 1)))
	if err != nil {
		return nil, err
	}
	family := en.chosen().space.family
	var held []Held
	done := map[string]bool{}
	for _, out := range e.Rates {
		if done[out.Phase] {
			continue
		}
		done[out.Phase] = true
		h, err := holdOut(e, out.Phase, family, o.Seed)
		if err != nil {
			return nil, fmt.Errorf("leave out phase %s: %w", out.Phase, err)
		}
		held = append(held, *h)
	}
	return held, nil
}

func holdOut(e *hub.Evidence, phase string, family Family, seed uint64) (*Held, error) {
	rest := e.Without(func(o *hub.Observation) bool { return o.Phase == phase })
	if len(rest.Rates) == 0 {
		return nil, errors.New("no other phase was observed; record more")
	}
	s, err := newSpace(rest, family)
	if err != nil {
		return nil, err
	}
	best := s.best(rand.New(rand.NewPCG(seed, 1)))
	h := &Held{Phase: phase}
	var lacking []string // parameters that only this phase shows
	var targets []target
	s.set(best)
	for i := range e.Rates {
		if e.Rates[i].Phase != phase {
			continue
		}
		t, lacks := s.target(&e.Rates[i])
		if lacks != "" {
			lacking = append(lacking, lacks)
			continue
		}
		targets = append(targets, t)
		h.Residuals = append(h.Residuals, s.beside(&e.Rates[i], &t)...)
	}
	for i := range h.Residuals {
		h.Worst = max(h.Worst, math.Abs(h.Residuals[i].Off))
	}
	// Other parameters matter to the targets, one way or the other, and to nothing in the space.
	others := s.obs
	for i := range s.params {
		s.obs = others
		up, down := s.matters(best, i)
		s.obs = targets
		_, raised := s.effect(best, i, probeStep)
		_, lowered := s.effect(best, i, -probeStep)
		if raised > probeStep/5 && !up || lowered > probeStep/5 && !down {
			lacking = append(lacking, s.params[i].name)
		}
	}
	if len(lacking) > 0 {
		slices.Sort(lacking)
		h.Note = "only this phase determines " + unit.List(slices.Compact(lacking))
	}
	return h, nil
}
