package compare

import (
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/stats"
)

// levelWeight is the weight of a test of levels relative to one of a whole window or of its files: levels that differ at
// all differ by much, so they need only a small part of the chance of a mistake and leave more to the others.
const levelWeight = 0.15

// each goes over all rates.
func (c *Comparison) each(do func(*Pair, *Phase, *Rate)) {
	for i := range c.Pairs {
		pair := &c.Pairs[i]
		for j := range pair.Phases {
			phase := &pair.Phases[j]
			for k := range phase.Rates {
				do(pair, phase, &phase.Rates[k])
			}
		}
	}
}

// stepped reports whether levels of a disk are compared, or of all together.
func (p *Phase) stepped(disk string) bool {
	return slices.ContainsFunc(p.Rates, func(r Rate) bool { return r.Measure == Level && r.Disk == disk })
}

// pool estimates how long noise lasts from all rates. Those with a step are left out, because a step looks like noise that
// lasts.
func (c *Comparison) pool() {
	var evidence []*stats.Estimate
	c.each(func(_ *Pair, phase *Phase, r *Rate) {
		if r.P != nil && (r.Measure == Level || !phase.stepped(r.Disk)) {
			evidence = append(evidence, &r.evidence)
		}
	})
	stats.Pool(evidence)
}

// read fills in what the evidence of every rate says.
func (c *Comparison) read() {
	c.each(func(_ *Pair, _ *Phase, r *Rate) {
		if r.P != nil {
			r.read()
		}
	})
}

// judge corrects all tests for their number and gives the verdicts. Whether there are levels to compare depends on the
// data, so their part of the chance of a mistake is reserved even if there are none.
func (c *Comparison) judge() {
	c.read()
	var tested []*Rate
	var chances, weights []float64
	aside := 0.0
	c.each(func(_ *Pair, phase *Phase, r *Rate) {
		chance, weight := 1.0, 1.0
		if r.P != nil {
			chance = *r.P
		}
		switch {
		case r.Measure == Level:
			weight = levelWeight
		case r.Measure == Window && !phase.stepped(r.Disk):
			aside += 2 * levelWeight
		}
		tested, chances, weights = append(tested, r), append(chances, chance), append(weights, weight)
	})
	c.Tests = len(tested)
	chances, weights = append(chances, 1), append(weights, aside+1e-9)
	levels := stats.HolmLevels(chances, weights, Chance)
	for i, p := range stats.Holm(chances, weights)[:len(tested)] {
		r := tested[i]
		if r.P == nil {
			continue
		}
		r.Corrected, r.Verdict = &p, verdict(p, *r.Change, Faster, Slower)
		r.Interval = interval(r.evidence, levels[i], p, *r.Change)
	}
}

// interval is that of a change at the level of its verdict. If the noise is skewed it can disagree slightly with the test:
// then it is cut so that it excludes no change if there is a difference, and includes it if not.
func interval(e stats.Estimate, level, corrected, change float64) *analysis.Interval {
	ci := e.IntervalAt(level)
	v := analysis.Interval{math.Expm1(ci[0]), math.Expm1(ci[1])}
	switch {
	case corrected > Chance:
		v[0], v[1] = min(v[0], 0), max(v[1], 0)
	case change > 0:
		v[0] = max(v[0], 0)
	default:
		v[1] = min(v[1], 0)
	}
	return &v
}

// verdict is above or below by the sign of the change if its corrected chance is small enough.
func verdict(corrected, change float64, above, below Verdict) Verdict {
	switch {
	case corrected > Chance:
		return NotShown
	case change > 0:
		return above
	default:
		return below
	}
}

// Outcome is what the data say about a fall by more than a limit.
type Outcome string

// The outcomes.
const (
	Fell       Outcome = "fell"         // the corrected test says slower, and the measured fall is larger than the limit
	DidNotFall Outcome = "did_not_fall" // a fall by so much is excluded
	CannotTell Outcome = "cannot_tell"
)

// GateOutcome is the result of a gate.
type GateOutcome string

// The outcomes of a gate.
const (
	Passed      GateOutcome = "passed"
	CrossedIt   GateOutcome = "crossed"      // a rate fell by more, or may have, or was not measured
	CannotJudge GateOutcome = "cannot_judge" // no rate can be judged
)

// Gate is what a comparison says about falls by more than a limit.
type Gate struct {
	Limit      float64     `json:"limit"` // a share of the base's rate
	Outcome    GateOutcome `json:"outcome"`
	Rates      int         `json:"rates"` // of which each has one of these three outcomes
	Fell       int         `json:"fell"`
	DidNotFall int         `json:"did_not_fall"`
	CannotTell int         `json:"cannot_tell"`
	Crossed    []Fall      `json:"crossed"` // those that fell, and those that cannot be judged but measured a larger fall

	// What the base measured and another run did not, or not completely: a fall may hide there.
	Lost []string `json:"lost,omitempty"`
}

// Fall is a rate that is lower than in the base.
type Fall struct {
	Run   string `json:"run"` // its label
	Phase string `json:"phase"`
	Rate
}

// Against checks every rate against a limit, a share of the base's rate, and gives each an outcome. That a rate did not fall
// by so much is a test of its own: such a fall is rejected at a level of 5 %, for each rate by itself, since all must be
// rejected to pass (Berger, "Multiparameter Hypothesis Testing and Acceptance Sampling", Technometrics 24, 1982; Schuirmann, "A
// Comparison of the Two One-Sided Tests Procedure", Journal of Pharmacokinetics and Biopharmaceutics 15, 1987).
//
// A rate that cannot be judged crosses the gate if it measured a larger fall. A limit of 0 is crossed by significant falls
// only, as no data exclude the smallest. So is any limit by files of a disk that are too few to judge, and by a window
// whose levels are judged.
func (c *Comparison) Against(limit float64) *Gate {
	g := &Gate{Limit: limit, Outcome: Passed, Crossed: []Fall{}}
	judged := 0
	c.each(func(_ *Pair, _ *Phase, r *Rate) {
		g.Rates++
		if r.P != nil {
			judged++
		}
		r.Outcome = r.against(limit)
		switch r.Outcome {
		case Fell:
			g.Fell++
		case DidNotFall:
			g.DidNotFall++
		case CannotTell:
			g.CannotTell++
		}
	})
	c.each(func(pair *Pair, phase *Phase, r *Rate) {
		doubtful := r.Outcome == CannotTell && limit > 0 && r.Change != nil && -*r.Change > limit &&
			(r.P != nil || r.Measure != File) && !((r.Measure == Window || r.Measure == File) && phase.levelsHold(r))
		if r.Outcome == Fell || doubtful {
			g.Crossed = append(g.Crossed, Fall{pair.Label, phase.Phase, *r})
		}
	})
	for i := range c.Pairs {
		g.Lost = append(g.Lost, c.Pairs[i].Lost...)
	}
	switch {
	case len(g.Lost) > 0:
		g.Outcome = CrossedIt
	case judged == 0:
		g.Outcome = CannotJudge
	case len(g.Crossed) > 0:
		g.Outcome = CrossedIt
	}
	c.Gate = g
	return g
}

func (r *Rate) against(limit float64) Outcome {
	switch {
	case r.P == nil:
		return CannotTell
	case r.Verdict == Slower && -*r.Change > limit:
		return Fell
	case r.evidence.Above(math.Log1p(-limit)) < Chance:
		return DidNotFall
	default:
		return CannotTell
	}
}

// levelsHold reports whether a disk has levels and none of them fell.
func (p *Phase) levelsHold(window *Rate) bool {
	some := false
	for i := range p.Rates {
		r := &p.Rates[i]
		if r.Measure == Level && r.Disk == window.Disk {
			if some = true; r.Outcome != DidNotFall {
				return false
			}
		}
	}
	return some
}
