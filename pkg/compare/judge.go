package compare

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/stats"
)

// levelWeight is the weight of a test of levels relative to one of a whole window or of its files: levels that
// differ at all differ by much, so they need only a small part of the chance of a mistake and leave more to the
// others.
const levelWeight = 0.15

// phases goes over those of all pairs.
func (c *Comparison) phases() iter.Seq2[*Pair, *Phase] {
	return func(yield func(*Pair, *Phase) bool) {
		for i := range c.Pairs {
			for j := range c.Pairs[i].Phases {
				if !yield(&c.Pairs[i], &c.Pairs[i].Phases[j]) {
					return
				}
			}
		}
	}
}

// stepped reports whether levels of a disk are compared, or of all together.
func (p *Phase) stepped(disk string) bool {
	return slices.ContainsFunc(p.Rates, func(r Rate) bool { return r.Measure == Level && r.Disk == disk })
}

// judge gives the verdicts on rates and, by themselves, on latencies. Whether there are levels to compare
// depends on the data, so their part of the chance of a mistake is reserved even if there are none.
func (c *Comparison) judge() {
	var rates, latencies []*Test
	var weights, latencyWeights []float64
	aside := 1e-9
	for _, phase := range c.phases() {
		for i := range phase.Rates {
			r, weight := &phase.Rates[i], 1.0
			stepped := phase.stepped(r.Disk)
			switch {
			case r.Measure == Level:
				weight = levelWeight
			case r.Measure == Window && !stepped:
				aside += 2 * levelWeight
			case r.Measure == Window:
				r.memory = 0 // a step looks like noise that lasts
			case !stepped && phase.lasts(r.Disk):
				r.withhold()
			}
			rates, weights = append(rates, &r.Test), append(weights, weight)
		}
		for i := range phase.Latencies {
			latencies, latencyWeights = append(latencies, &phase.Latencies[i].Test), append(latencyWeights, 1)
		}
	}
	withhold(rates)
	withhold(latencies)
	correct(rates, append(weights, aside), Faster, Slower)
	correct(latencies, latencyWeights, Longer, Shorter)
	c.Tests, c.LatencyTests = len(rates), len(latencies)
	for _, phase := range c.phases() {
		for i := range phase.Rates {
			if r := &phase.Rates[i]; r.P != nil {
				r.ExcludedFall = new(max(0, -math.Expm1(r.evidence.LowerBound(Chance))))
			}
		}
	}
}

// withhold takes all verdicts back if the median of the tests shows noise that lasts as long as the phase, for the
// same machine made them.
func withhold(tests []*Test) {
	var memories []float64
	for _, t := range tests {
		if t.memory > 0 {
			memories = append(memories, t.memory)
		}
	}
	if !(stats.Median(memories) > stats.MaxMemory) {
		return
	}
	for _, t := range tests {
		t.withhold()
	}
}

// withhold takes the verdict back.
func (t *Test) withhold() {
	if t.P != nil {
		t.P, t.Verdict, t.Reason = nil, TooLittle, lasting
	}
}

// lasts reports whether a disk's window has no verdict because its noise lasts: then its files have none either.
func (p *Phase) lasts(disk string) bool {
	return slices.ContainsFunc(p.Rates, func(r Rate) bool {
		return r.Measure == Window && r.Disk == disk && strings.HasSuffix(r.Reason, lasting)
	})
}

// correct corrects tests for their number, each with its weight, and gives the verdicts. Weights beyond the
// tests are of those that there might have been.
func correct(tests []*Test, weights []float64, above, below Verdict) {
	chances := slices.Repeat([]float64{1}, len(weights))
	for i, t := range tests {
		if t.P != nil {
			chances[i] = t.evidence.P()
			ci := t.evidence.Interval()
			t.P, t.CI95 = &chances[i], &stats.Interval{math.Expm1(ci[0]), math.Expm1(ci[1])}
		}
	}
	corrected, levels := stats.Holm(chances, weights, Chance)
	for i, t := range tests {
		if t.P == nil {
			continue
		}
		t.Corrected = &corrected[i]
		switch {
		case corrected[i] > Chance:
			t.Verdict = NotShown
		case *t.Change > 0:
			t.Verdict = above
		default:
			t.Verdict = below
		}
		ci := t.evidence.IntervalAt(levels[i])
		t.Interval = &stats.Interval{math.Expm1(ci[0]), math.Expm1(ci[1])}
	}
}

// test fills in what the difference of the logarithms says. One with a smaller error than assumed at least is
// taken as known, and so without an error of its own.
func (t *Test) test(difference stats.Estimate, smallest float64) {
	if difference.SE < smallest {
		difference = stats.Certain(difference.Mean, smallest)
	}
	t.evidence, t.P = difference, new(difference.P())
}

// repeat tests what was measured in several runs of either side, or in several repeats within one run. It returns
// the geometric means of both sides: measure gives logarithms, or says what is missing in a run. Repeats within one
// of several runs are pooled first.
func (t *Test) repeat(unit string, base, other [][]*part, smallest float64,
	measure func(p *part, where string) (stats.Estimate, string)) (b, n float64, ok bool) {
	*t = Test{Unit: unit, Verdict: TooLittle}
	all := func(units [][]*part) (list []stats.Estimate, mean float64, fault string) {
		for i, parts := range units {
			var each []stats.Estimate
			for _, p := range parts {
				one, fault := measure(p, fmt.Sprintf("%s %d of a side", unit, i+1))
				if fault == "" && math.IsInf(one.Mean, 0) {
					fault = "nothing was moved"
				}
				if fault != "" {
					return nil, 0, fault
				}
				each = append(each, one)
			}
			list = append(list, together(each))
			mean += list[i].Mean / float64(len(units))
		}
		return list, math.Exp(mean), ""
	}
	before, b, faultB := all(base)
	after, n, faultN := all(other)
	d, ok := stats.RepeatedDifference(before, after)
	t.Reason = max(faultB, faultN)
	if t.Reason != "" || !ok {
		return 0, 0, false
	}
	t.N = min(len(before), len(after))
	t.test(d, smallest)
	return b, n, true
}

// together pools the repeats within one run. Their mean is no surer than they say of themselves, nor than they agree.
func together(list []stats.Estimate) (r stats.Estimate) {
	n := float64(len(list))
	own, between := 0.0, 0.0
	for _, one := range list {
		r.Mean += one.Mean / n
		own += one.SE * one.SE / (n * n)
	}
	for _, one := range list {
		between += (one.Mean - r.Mean) * (one.Mean - r.Mean) / (n * max(1, n-1))
	}
	r.SE = math.Sqrt(max(own, between))
	return r
}

// Outcome is what the data say about a fall by more than a limit.
type Outcome string

// The outcomes.
const (
	Fell       Outcome = "fell"         // the corrected test says slower, and the fall is larger than the limit: measured, or proven
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
	Limit      float64     `json:"limit"`             // a share of the base's rate
	Certain    bool        `json:"certain,omitempty"` // only proven falls cross it
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

// Against checks every rate against a limit, a share of the base's rate, and gives each an outcome. That a rate
// did not fall by so much is a test of its own: such a fall is rejected at a level of 5 %, for each rate by
// itself, since all must be rejected to pass (Berger, "Multiparameter Hypothesis Testing and Acceptance
// Sampling", Technometrics 24, 1982; Schuirmann, "A Comparison of the Two One-Sided Tests Procedure", Journal
// of Pharmacokinetics and Biopharmaceutics 15, 1987).
//
// A rate that cannot be judged crosses the gate if it measured a larger fall. A limit of 0 is crossed by
// significant falls only, as no data exclude the smallest. So is any limit by files of a disk that are too few
// to judge, and by a window whose levels are judged.
func (c *Comparison) Against(limit float64) *Gate { return c.against(limit, false) }

// AgainstCertain is Against for a gate that only proven falls cross: the whole corrected interval of the change lies
// below the limit. What was not measured crosses it as well.
func (c *Comparison) AgainstCertain(limit float64) *Gate { return c.against(limit, true) }

func (c *Comparison) against(limit float64, certain bool) *Gate {
	g := &Gate{Limit: limit, Certain: certain, Outcome: Passed, Crossed: []Fall{}}
	judged := 0
	for pair, phase := range c.phases() {
		for i := range phase.Rates {
			r := &phase.Rates[i]
			if r.P != nil {
				judged++
			}
			g.Rates++
			switch {
			case r.P != nil && r.Verdict == Slower && -*r.Change > limit && (!certain || -r.Interval[1] > limit):
				r.Outcome = Fell
				g.Fell++
			case r.P != nil && r.evidence.Above(math.Log1p(-limit)) < Chance:
				r.Outcome = DidNotFall
				g.DidNotFall++
			default:
				r.Outcome = CannotTell
				g.CannotTell++
			}
		}
		for _, r := range phase.Rates {
			doubtful := !certain && r.Outcome == CannotTell && limit > 0 && r.Change != nil && -*r.Change > limit &&
				(r.P != nil || r.Measure != File) && (r.Measure == Level || !phase.levelsHold(r.Disk))
			if r.Outcome == Fell || doubtful {
				g.Crossed = append(g.Crossed, Fall{pair.Label, phase.Name, r})
			}
		}
	}
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

// levelsHold reports whether a disk has levels and none of them fell.
func (p *Phase) levelsHold(disk string) bool {
	return p.stepped(disk) && !slices.ContainsFunc(p.Rates, func(r Rate) bool {
		return r.Measure == Level && r.Disk == disk && r.Outcome != DidNotFall
	})
}
