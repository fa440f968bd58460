package analysis

import (
	"slices"

	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Effect is how much of its rate a disk loses through a neighbour's presence: two measurements
// that differ in that neighbour alone. These effects decide who is slowed, who crowds out and
// what to move; nothing else does.
type Effect struct {
	Victim      string     `json:"victim"`
	VictimOp    trace.Role `json:"victim_op"`
	Neighbour   string     `json:"neighbour"`
	NeighbourOp trace.Role `json:"neighbour_op"`
	// Others are the further disks, which worked alike in both measurements.
	Others  []string `json:"others"`
	Rate    float64  `json:"rate"`         // Rate was measured with the neighbour busy.
	Without float64  `json:"without_rate"` // Without was measured without it.
	// Loss is the part of the rate without the neighbour; it is below 0 if the victim has more
	// beside it.
	Loss float64 `json:"loss"`
	// CI is the 95 % interval of the loss, from all repeats; null if one has none: then nobody can
	// tell.
	CI *stats.Interval `json:"ci"`
	// Sure says that noise makes such a loss in less than 1 % of runs (Holm's correction over all
	// effects).
	Sure bool `json:"sure"`
	// From is start or end, those of the neighbour within a phase, or phases: with it and without.
	From string `json:"from"`
	// Phases have the neighbour, WithoutPhases do not; of a start or an end there are none of
	// these.
	Phases        []string `json:"phases"`
	WithoutPhases []string `json:"without_phases,omitempty"`

	victim, neighbour *diskPart
	setting           setting
	falseRate         float64 // falseRate is how often noise alone makes such a loss.
}

// Where the rate without a neighbour is from.
const (
	FromPhases = "phases"
	FromStart  = "start"
	FromEnd    = "end"
)

// findEffects compares each disk of each setting with itself without each of the others.
func (r *run) findEffects() {
	r.effects = []Effect{}
	var falseRates []float64
	for _, set := range r.settings {
		for _, neighbour := range set[0].parts {
			for _, victim := range set[0].parts {
				if e := set.effect(victim, neighbour); e != nil {
					r.effects = append(r.effects, *e)
					falseRates = append(falseRates, e.falseRate)
				}
			}
		}
	}
	corrected, _ := stats.Holm(falseRates, nil, falseClaimRate)
	for i, p := range corrected {
		e := &r.effects[i]
		e.Sure = p <= falseClaimRate && e.CI != nil && e.Loss >= minEffect
	}
}

// effect compares the setting's states, pooled, with all that was measured without the neighbour,
// pooled too. It is nil if no state has such a baseline.
func (s setting) effect(victim, neighbour *diskPart) *Effect {
	if victim == neighbour {
		return nil
	}
	e := &Effect{
		Victim: victim.Name(), VictimOp: victim.Trace.Op,
		Neighbour: neighbour.Name(), NeighbourOp: neighbour.Trace.Op,
		Others: []string{}, victim: victim, neighbour: neighbour, setting: s,
	}
	for _, o := range s[0].parts {
		if o != neighbour && o != victim {
			e.Others = append(e.Others, o.Name())
		}
	}
	var with, without []*stretchRate
	for _, state := range s {
		disk := state.part(victim.Name())
		b := state.baseline(disk, state.part(neighbour.Name()))
		if b == nil {
			continue
		}
		here, _ := state.rate(disk)
		with = append(with, here)
		without = addNew(without, b.of)
		e.Phases = append(e.Phases, state.out.Name)
		e.From = b.from
		e.WithoutPhases = b.phases
	}
	if len(with) == 0 {
		return nil
	}
	rate, baseline := s[0].poolRates(with), s[0].poolRates(without)
	e.Rate, e.Without, e.Loss = rate.Rate, baseline.Rate, 1-rate.Rate/baseline.Rate
	if kept := rate.over(&baseline); kept != nil {
		e.CI = &stats.Interval{1 - kept[1], 1 - kept[0]}
	}
	e.falseRate = baseline.chanceAbove(&rate, 1)
	return e
}

// addNew adds the rates that are not there: a baseline of two repeats counts once.
func addNew(all, more []*stretchRate) []*stretchRate {
	for _, r := range more {
		if !slices.Contains(all, r) {
			all = append(all, r)
		}
	}
	return all
}

// effectOf is what a neighbour costs a disk in the phase, beside the others or else beside as
// many of them as were measured; nil if that was not measured at all.
func (p *phase) effectOf(neighbour, victim *diskPart) (best *Effect) {
	for i := range p.effects {
		e := &p.effects[i]
		closer := best == nil || len(e.Others) > len(best.Others)
		if closer && e.isOf(victim, neighbour) && sameJobsIn(e.setting[0].parts, p.parts) {
			best = e
		}
	}
	return best
}

func (e *Effect) isOf(victim, neighbour *diskPart) bool {
	return e.victim.same(victim) && e.neighbour.same(neighbour)
}
