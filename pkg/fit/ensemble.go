package fit

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/hubbench/hubbench/pkg/hub"
)

// ensemble is every family fitted to the same evidence, and its weight.
type ensemble struct {
	fitted      []*fitted // in the order of families
	maxTogether int       // the most disks observed together
}

// fitted is one family.
type fitted struct {
	space  *space
	best   []float64
	held   []leftOut
	off    [len(discrepancies)]float64 // how likely each of them is
	rms    float64                     // its model error
	weight float64                     // among the families; their sum is 1
}

// discrepancies are the relative errors that a family may make in a combination that was not measured, besides those of
// its parameters (a model's discrepancy: Kennedy and O'Hagan, J. R. Stat. Soc. B 63, 2001).
var discrepancies = [...]float64{0.005, 0.0075, 0.01, 0.015, 0.02, 0.03, 0.045, 0.065, 0.1, 0.15, 0.22, 0.33, 0.5}

const (
	// likelyDiscrepancy is the scale of a discrepancy's prior: half a t
	// distribution (Gelman, Bayesian Analysis 1, 2006), so that little evidence makes none large.
	likelyDiscrepancy = 0.02
	// If more disks are at work than were ever seen together, predictions may be off by extrapolated for each further
	// disk, and by so many times more than the discrepancy found among those seen: what two disks show of a wrong model is the least
	// of what three make of it. Chosen by hubs that share like no family (fittest).
	extrapolated, amplified = 0.04, 2.0
	// contradiction is the ratio of two families' model errors above which the worse one is ruled out.
	contradiction = 3.0
	// bootstraps is how often the combinations are resampled.
	bootstraps = 1000
	// unreliable is the difference of two families' densities, as a logarithm, that counts as none: small ones do not show
	// which predicts better (Sivula, Magnusson, Matamoros and Vehtari, arXiv:2008.10296).
	unreliable = 2.0
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
		f.weighDiscrepancies()
		en.fitted = append(en.fitted, f)
	}
	en.weigh(rng)
	return en, nil
}

// weighDiscrepancies finds how likely each discrepancy is by the combinations left out.
func (f *fitted) weighDiscrepancies() {
	var logs [len(discrepancies)]float64
	for i, d := range discrepancies {
		logs[i] = math.Log(d) - (priorFreedom+1)/2*math.Log1p(d*d/(priorFreedom*likelyDiscrepancy*likelyDiscrepancy)) // they stand as far apart as they are large
		for j := range f.held {
			logs[i] += f.held[j].density(d)
		}
	}
	all := floats.LogSumExp(logs[:])
	for i := range logs {
		f.off[i] = math.Exp(logs[i] - all)
	}
}

// discrepancy is the root mean square of the discrepancies, by their probabilities.
func (f *fitted) discrepancy() float64 {
	sum := 0.0
	for i, d := range discrepancies {
		sum += f.off[i] * d * d
	}
	return math.Sqrt(sum)
}

// together is how far the predictions of all disks at work are off by the same factor, relative, one standard deviation,
// besides the discrepancy of each by itself, when so many disks at most were seen together and so many are at work: what
// a hub carries of more disks than were ever seen together concerns all of them.
func together(discrepancy float64, seen, working int) float64 {
	further := float64(max(working-seen, 0))
	times := 1 + amplified*further
	return math.Hypot(discrepancy*math.Sqrt(times*times-1), extrapolated*further)
}

// misfit is how far the measurements lie from the families, in their errors, as the families count: Birge's ratio (Phys.
// Rev. 40, 1932), at least 1.
func (en *ensemble) misfit() (times float64) {
	for _, f := range en.fitted {
		times += f.weight * max(f.rms, 1)
	}
	return times
}

// drawDiscrepancy draws one by its probability.
func (f *fitted) drawDiscrepancy(rng *rand.Rand) float64 {
	at := rng.Float64()
	for i, d := range discrepancies {
		if at -= f.off[i]; at < 0 {
			return d
		}
	}
	return discrepancies[len(discrepancies)-1]
}

// contradicted reports whether the runs rule a family out: another's model error is several times smaller.
func (en *ensemble) contradicted(f *fitted) bool {
	least := f.rms
	for _, other := range en.fitted {
		least = min(least, other.rms)
	}
	return f.rms > PoorFit && f.rms > contradiction*least
}

// weigh gives each family its part by the density it gave to the combinations left out: pseudo-BMA with the Bayesian
// bootstrap, which shares out among families that do about equally well, while stacking would choose one of them
// (Yao, Vehtari, Simpson and Gelman, Bayesian Analysis 13, 2018, section 3.4).
func (en *ensemble) weigh(rng *rand.Rand) {
	n := len(en.fitted[0].held)
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
	out := make([]bool, len(en.fitted))
	for i, f := range en.fitted {
		out[i] = en.contradicted(f)
	}
	for range bootstraps {
		clear(sums)
		parts, all := make([]float64, n), 0.0
		for j := range parts { // Dirichlet's, by exponential waiting times
			parts[j] = rng.ExpFloat64()
			all += parts[j]
		}
		highest := math.Inf(-1)
		for i := range sums {
			for j, part := range parts {
				sums[i] += float64(n) * part / all * scores[i][j]
			}
			if out[i] {
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

// Weight is a family's weight.
type Weight struct {
	Family Family  `json:"family"`
	Weight float64 `json:"weight"` // of all families; their sum is 1
	// Error is how far the family's predictions of combinations that were left out lie from what was measured beyond what
	// the errors of both allow: relative, one standard deviation.
	Error float64 `json:"error"`
}

func (en *ensemble) weights() []Weight {
	var list []Weight
	for _, f := range en.fitted {
		list = append(list, Weight{Family: f.space.family, Weight: f.weight, Error: f.discrepancy()})
	}
	return list
}

// chosen is the family of the profile: the simplest that the runs do not distinguish from the one with the largest weight.
func (en *ensemble) chosen() *fitted {
	maxTogether := 0.0
	for _, f := range en.fitted {
		maxTogether = max(maxTogether, f.weight)
	}
	i := slices.IndexFunc(en.fitted, func(f *fitted) bool { return f.weight >= maxTogether/10 })
	return en.fitted[i]
}
