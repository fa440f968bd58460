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
