package compare

import (
	"math"

	"github.com/hubbench/hubbench/pkg/stats"
)

// GateOutcome is the result of a gate.
type GateOutcome string

// The outcomes of a gate.
const (
	Passed      GateOutcome = "passed"
	CrossedIt   GateOutcome = "crossed"      // a rate fell by more, or was not measured
	CannotJudge GateOutcome = "cannot_judge" // a fall by more can't be ruled out
)

// Gate is what a comparison says about falls by more than a limit.
type Gate struct {
	Limit      float64     `json:"limit"`             // a share of the base's rate
	Certain    bool        `json:"certain,omitempty"` // what can't be judged passes
	Outcome    GateOutcome `json:"outcome"`
	Rates      int         `json:"rates"` // number of rates; each has one of these three outcomes
	Fell       int         `json:"fell"`
	DidNotFall int         `json:"did_not_fall"`
	CannotTell int         `json:"cannot_tell"`
	Crossed    []Fall      `json:"crossed"` // rates that fell

	// What the base measured and another run did not, or not completely: a fall may hide there.
	Lost []string `json:"lost,omitempty"`
}

// Fall is a rate that is lower than in the base.
type Fall struct {
	Run   string `json:"run"` // its label
	Phase string `json:"phase"`
	Rate
}

// Against checks every rate against a limit, a share of the base's rate, and gives each an
// outcome: see Judge.
func (c *Comparison) Against(limit float64, certain bool) *Gate {
	g := &Gate{Limit: limit, Certain: certain, Outcome: Passed, Crossed: []Fall{}}
	var above []*stats.Estimate
	var rates []*Rate
	var falls []Fall
	for pair, phase := range c.phases() {
		for i := range phase.Rates {
			r := &phase.Rates[i]
			if !phase.gated(r) {
				continue
			}
			var margin *stats.Estimate
			if r.P != nil {
				e := r.evidence
				e.Mean -= math.Log1p(-limit)
				margin = &e
			}
			above, rates = append(above, margin), append(rates, r)
			falls = append(falls, Fall{Run: pair.Label, Phase: phase.Name})
		}
	}
	count := map[FallOutcome]int{}
	judged := 0
	outcomes, _ := Judge(above)
	for i, outcome := range outcomes {
		if rates[i].Outcome = outcome; above[i] != nil {
			judged++
		}
		if count[outcome]++; outcome == Fell {
			falls[i].Rate = *rates[i]
			g.Crossed = append(g.Crossed, falls[i])
		}
	}
	g.Rates = len(rates)
	g.Fell, g.DidNotFall, g.CannotTell = count[Fell], count[DidNotFall], count[CannotTell]
	for i := range c.Pairs {
		g.Lost = append(g.Lost, c.Pairs[i].Lost...)
	}
	switch {
	case g.Fell+len(g.Lost) > 0:
		g.Outcome = CrossedIt
	case judged == 0, g.CannotTell > 0 && !certain && limit > 0:
		// No data exclude the smallest fall.
		g.Outcome = CannotJudge
	}
	c.Gate = g
	return g
}
