package fit

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/unit"
)

// Held is a phase that was held back from a fit, and how well the rest predicts it.
type Held struct {
	Phase     string     `json:"phase"`
	Residuals []Residual `json:"residuals"`      // its observations beside the prediction
	Worst     float64    `json:"worst"`          // the largest error among them, relative, without sign
	Note      string     `json:"note,omitempty"` // the parameters that only this phase shows: then it is needed, and no test of the model
}

// LeaveOneOut refits the family chosen by the fit to all phases without each phase in turn, and predicts it: the test of
// whether the model holds for what has not been measured.
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

// holdOut fits without a phase and predicts it.
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
	var lacking []string
	var targets []target
	var seen []*hub.Observation
	for i := range e.Rates {
		o := &e.Rates[i]
		if o.Phase != phase {
			continue
		}
		if t, lacks := s.target(o); lacks != "" {
			lacking = append(lacking, lacks)
		} else {
			targets, seen = append(targets, t), append(seen, o)
		}
	}
	s.set(best)
	for i := range targets {
		for j, rate := range s.predict(&targets[i]) {
			r := Residual{Phase: phase, Mix: seen[i].Mix(), Observed: seen[i].Disks[j], Model: rate}
			h.Residuals = append(h.Residuals, r)
			h.Worst = math.Max(h.Worst, math.Abs(r.Off()))
		}
	}
	h.Note = s.onlyIn(targets, best, lacking)
	return h, nil
}

// onlyIn says which parameters matter to the targets, one way or the other, and to nothing in the space.
func (s *space) onlyIn(targets []target, best []float64, lacking []string) string {
	rest := s.obs
	for i := range s.params {
		s.obs = rest
		up, down := s.matters(best, i)
		s.obs = targets
		_, raised := s.effect(best, i, probeStep)
		_, lowered := s.effect(best, i, -probeStep)
		if raised > probeStep/5 && !up || lowered > probeStep/5 && !down {
			lacking = append(lacking, s.params[i].name)
		}
	}
	s.obs = rest
	if len(lacking) == 0 {
		return ""
	}
	slices.Sort(lacking)
	return "only this phase determines " + unit.List(slices.Compact(lacking))
}
