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
	// CI covers the 95 % intervals of all repeats; null if one has none: then nobody can tell.
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
	chance            float64
}

// Where the rate without a neighbour is from.
const (
	FromPhases = "phases"
	FromStart  = "start"
	FromEnd    = "end"
)

// Limits of effects. Their noise has no limit of its own: see Effect.Sure.
const (
	// A disk that keeps more than minRetained of its baseline is not called slowed, and neither is
	// the loss of less than the rest called an effect.
	minRetained = 0.90
	// A disk kept its rate if it has minRetained of its baseline, and noise would show that much of
	// a disk with only clearlyLess at a lower rate than falseKeptRate.
	clearlyLess   = 0.80
	falseKeptRate = 0.02
	// A disk that keeps more than maxRetained of what it has alone was measured alone in another
	// state.
	maxRetained = 1.05
	// A disk that has less than evenShare of the total over the number of disks crowds out nobody.
	// Measured totals are known to 1 or 2 %.
	evenShare = 0.97
	minSteal  = 0.10 // A disk has more than others if it is this far above an even share.
	// Rates within alikeShare of the highest are about the same.
	alikeShare = 0.9
	// As a logarithm: if the rate of a solo and a later one are this close, the solo is used.
	sameReference = 0.1
	// What starts takes from a disk no more than it moves itself, but for waste: 1.25 on hubs of
	// the field notes.
	maxWaste = 1.25
	// Pauses between files that take less than this part of a stretch do not matter.
	fewPauses = 0.02
	// A stretch before a fall is compared if it is that long, in seconds.
	longS = 10
	// A disk that works alone for three times as long shows whether it stays low (see lowAlone).
	aloneNS = 1_000_000_000
	// Disks have recovered by then: the slowest seen took 11 s (field notes).
	recoveredNS = 12_000_000_000
)

// findEffects compares each disk of each setting with itself without each of the others.
func (r *run) findEffects() {
	r.effects = []Effect{}
	var chances []float64
	for _, set := range r.settings {
		for _, neighbour := range set[0].parts {
			for _, victim := range set[0].parts {
				if e := set.effect(victim, neighbour); e != nil {
					r.effects = append(r.effects, *e)
					chances = append(chances, e.chance)
				}
			}
		}
	}
	corrected, _ := stats.Holm(chances, nil, falseClaimRate)
	for i, p := range corrected {
		e := &r.effects[i]
		e.Sure = p <= falseClaimRate && e.CI != nil && e.Loss >= 1-minRetained
	}
}

// effect is the mean over the setting's states, and as sure as the median of them: half of the
// repeats must show it. It is nil if none does.
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
	var chances []float64
	var kept []*stats.Interval
	for _, state := range s {
		disk := state.part(victim.Name())
		b := state.baseline(disk, state.part(neighbour.Name()))
		if b == nil {
			continue
		}
		here, _ := state.rate(disk)
		chances = append(chances, b.chanceAbove(here, 1))
		kept = append(kept, here.over(&b.stretchRate))
		e.Rate += here.Rate
		e.Without += b.Rate
		e.Loss += 1 - here.Rate/b.Rate
		e.Phases = append(e.Phases, state.out.Name)
		e.From, e.WithoutPhases = b.from, b.phases
	}
	n := float64(len(chances))
	if n == 0 {
		return nil
	}
	e.Rate, e.Without, e.Loss = e.Rate/n, e.Without/n, e.Loss/n
	if ci := hull(kept); ci != nil {
		e.CI = &stats.Interval{1 - ci[1], 1 - ci[0]}
	}
	slices.Sort(chances)
	e.chance = chances[len(chances)/2]
	return e
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
