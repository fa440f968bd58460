package fit

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// draws are the rates drawn of one combination: for each draw, one for each disk at work. There are none if a disk
// was never observed.
type draws [][]float64

func (d draws) column(disk int) []float64 {
	out := make([]float64, len(d))
	for i := range d {
		out[i] = d[i][disk]
	}
	return out
}

func (d draws) sums() []float64 {
	out := make([]float64, len(d))
	for i := range d {
		for _, rate := range d[i] {
			out[i] += rate
		}
	}
	return out
}

// draw draws the rates of all combinations, each draw with one family's parameters.
func (en *ensemble) draw(rng *rand.Rand, all []mix) []draws {
	out := make([]draws, len(all))
	for _, f := range en.fitted {
		n := int(math.Round(f.weight * drawn))
		if n == 0 {
			continue
		}
		vectors := f.sample(rng)
		targets := make([]*target, len(all))
		for i, m := range all {
			if t, lacks := f.space.target(m.observation()); lacks == "" {
				targets[i] = &t
			}
		}
		for k := range n {
			f.space.set(vectors[k*len(vectors)/n])
			inside := f.drawDiscrepancy(rng)
			for i, t := range targets {
				if t == nil {
					continue
				}
				rates := append([]float64(nil), f.space.predict(t)...)
				common := together(inside, en.maxTogether, len(t.sides)) * rng.NormFloat64()
				for j := range rates {
					rates[j] *= math.Exp(common + inside*rng.NormFloat64())
				}
				out[i] = append(out[i], rates)
			}
		}
	}
	return out
}

// sample draws parameters of the family. Its discrepancy widens the errors of combinations, its misfit those of all
// evidence.
func (f *fitted) sample(rng *rand.Rand) [][]float64 {
	s, off := f.space, f.discrepancy()
	for i := range s.obs {
		if t := &s.obs[i]; len(t.errors) > 1 {
			for j := range t.errors {
				t.errors[j] = math.Hypot(t.errors[j], off)
			}
		}
	}
	best := append([]float64(nil), f.best...)
	s.descend(best)
	return s.sample(rng, best, max(f.rms, 1))
}

// lacks says which disk at work was never observed to do the same on the hub; empty if all were.
func (en *ensemble) lacks(m mix) string {
	for _, use := range m {
		if !en.fitted[0].space.has(use.disk + "." + string(use.op) + ".hub") {
			return fmt.Sprintf("in none of them does %s %s through the hub", use.disk, use.op)
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
		return fmt.Sprintf("no model of sharing explains them; predictions of combinations left out of the fit are %.0f %% off", 100*off)
	case times > maxMisfit:
		return fmt.Sprintf("no model of sharing explains them; the best misses them by %.1f times their errors", times)
	}
	return ""
}
