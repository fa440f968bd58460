// Package effect says what disks cost one another: it sets beside one another what was measured
// with a neighbour and without it, at the same work, repeats pooled. It knows times, rates and
// work; why a rate changed within a phase, and what is said of an effect, is for package analysis.
//
// Start at Measure for a rate, State for what worked together, and Compare for the table of
// effects. Every decision about who is slowed, who crowds out, what the hub costs and what to move
// reads that table.
package effect

import (
	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/work"
)

// Actor is a disk at one work on one port. Only what one actor did is compared: a disk on the hub
// is not to be judged by its speed on a port of its own.
type Actor struct {
	Disk       string
	Op         trace.Role
	Connection string
	Work       *work.Work
}

// Same reports whether both are one disk's, at the same work except for some keys, and connected
// alike.
func (a Actor) Same(b Actor, but ...work.Key) bool {
	return a.Disk == b.Disk && a.Connection == b.Connection && a.Work.SameBut(*b.Work, but...)
}

// Part is what one disk did in a state.
type Part struct {
	Actor
	// Fresh is its rate before it fell by itself, Fallen the one after; nil if unknown.
	Fresh, Fallen *Rate
	Moved         float64 // mean rate in the state, whatever happened in it
	Cuts          []int64 // moments at which its rate changed by itself, in the phase
	EndNS         int64   // when its work in the phase ended
}

// rate returns the part's rate, and whether it is one after the disk had fallen by itself. It is
// nil if none is known.
func (p *Part) rate() (r *Rate, fell bool) {
	if p.Fresh != nil {
		return p.Fresh, false
	}
	return p.Fallen, true
}

// Settled returns the rate by which the part is compared; nil if none is known.
func (p *Part) Settled() *Rate {
	r, _ := p.rate()
	return r
}

// at returns the rate before or after the disk fell by itself.
func (p *Part) at(fallen bool) *Rate {
	if fallen {
		return p.Fallen
	}
	return p.Fresh
}

// longest returns the rate of the longer time; nil if none is known.
func (p *Part) longest() *Rate {
	if p.Fresh == nil || p.Fallen != nil &&
		overlap.Seconds(p.Fallen.In) > overlap.Seconds(p.Fresh.In) {
		return p.Fallen
	}
	return p.Fresh
}

// State is the disks that worked together in a phase for some time.
type State struct {
	Phase string
	Whole bool // no other disk had a part in the phase
	In    []overlap.Span
	Parts []*Part
}

// Part returns that of a disk; nil if it has none.
func (s *State) Part(disk string) *Part {
	for _, p := range s.Parts {
		if p.Disk == disk {
			return p
		}
	}
	return nil
}

// without returns the actors that are not among some.
func (s *State) without(some []string) (left []Actor) {
	for _, p := range s.Parts {
		out := false
		for _, disk := range some {
			out = out || disk == p.Disk
		}
		if !out {
			left = append(left, p.Actor)
		}
	}
	return left
}

// actors returns all that work in the state.
func (s *State) actors() []Actor { return s.without(nil) }

// sameActors reports whether the same disks do the same on both sides.
func sameActors(a, b []Actor) bool { return len(a) == len(b) && Among(a, b) }

// Among reports whether all that some actors do, except for some keys, the others do as well.
func Among(some, all []Actor, but ...work.Key) bool {
	for _, one := range some {
		found := false
		for _, o := range all {
			found = found || o.Same(one, but...)
		}
		if !found {
			return false
		}
	}
	return true
}

// Effect is how much of its rate a disk loses through the presence of others: two measurements that
// differ in these alone.
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

	victim  Actor
	missing []Actor // missing are the neighbours, one or all.
	all     []Actor // all are the disks of the measurement with them.
	pair    Pair
}

// Pair is a rate with some neighbours busy, and the baseline without them.
type Pair struct{ With, Without Rate }

// Kept returns the share of the baseline that is left.
func (p *Pair) Kept() float64 { return p.With.Mean / p.Without.Mean }

// KeptCI returns the 95 % interval of the share; nil if it is not known.
func (p *Pair) KeptCI() *stats.Interval { return p.With.Over(&p.Without) }

// LossChance returns the chance that noise alone makes such a loss.
func (p *Pair) LossChance() float64 { return p.Without.ChanceAbove(&p.With, 1) }

// Keeps reports whether the disk has about its baseline, and noise would hardly show that much of
// one that has clearly less.
func (p *Pair) Keeps() bool {
	return p.Kept() >= MinRetained && p.With.ChanceAbove(&p.Without, clearlyLess) < falseKeptRate
}

// Loses reports whether the disk has less than its baseline by more than noise makes with a chance
// of alpha.
func (p *Pair) Loses(alpha float64) bool {
	return p.Kept() <= MinRetained && p.LossChance() < alpha
}
