package analysis

import (
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/effect"
	"github.com/hubbench/hubbench/pkg/ledger"
	"github.com/hubbench/hubbench/pkg/overlap"
)

// measureIn measures the disk's rate in a stretch.
func (p *diskPart) measureIn(in []overlap.Span) effect.Rate {
	return effect.Measure(p.Curve, p.inFiles, overlap.Without(in, p.Stalls))
}

// newStates finds the sets of disks that worked together in the phase: all of them, and those that
// did before one started or after one ended.
func (p *phase) newStates() (all []*effect.State) {
	var sets [][]*diskPart
	working := p.others(nil)
	for _, stage := range p.stages {
		var present []*diskPart // between their starts and ends
		for _, part := range working {
			if part.StartNS() <= stage.StartNS && part.EndNS() >= stage.EndNS {
				present = append(present, part)
			}
		}
		if len(sets) == 0 || !slices.Equal(sets[len(sets)-1], present) {
			sets = append(sets, present)
			all = append(all, &effect.State{
				Phase: p.trace.Name, Whole: len(present) == len(p.parts),
			})
		}
		if s := all[len(all)-1]; len(stage.Active) == len(present) {
			s.In = append(s.In, stage.Span)
		}
	}
	for i, s := range all {
		if len(s.In) == 0 {
			continue
		}
		if s.Whole && len(sets[i]) > 1 {
			s.In = p.stretch()
		}
		for _, part := range sets[i] {
			s.Parts = append(s.Parts, p.stateOf(part, s))
		}
	}
	return slices.DeleteFunc(all, func(s *effect.State) bool { return len(s.In) == 0 })
}

// ownChange reports whether the disk's rate changed for a reason that is no neighbour's, or may
// be none. Where others gain what one disk alone loses, that one may have fallen by itself.
func (c *Change) ownChange(disk string) bool {
	switch c.Kind {
	case KindOwnFall, KindSharedFall, KindUnknown:
		return c.concerns(disk)
	case KindRedistribution:
		fell := 0
		for _, shift := range c.Each {
			if shift.ToRate < shift.FromRate {
				fell++
			}
		}
		one := c.Of(disk)
		return c.concerns(disk) && c.By == nil && fell == 1 && one.ToRate < one.FromRate
	}
	return false
}

// hasFallen reports whether the disk is at that time slower than at first by itself.
func (p *phase) hasFallen(disk string, ns int64) bool {
	left := 1.0
	for i := range p.changes {
		c := &p.changes[i]
		began := nanoseconds(c.StartS) <= ns
		ended := c.EndS > c.StartS && nanoseconds(c.EndS) <= ns
		if one := c.Of(disk); began && !ended && one.FromRate > 0 && c.ownChange(disk) {
			left *= one.ToRate / one.FromRate
		}
	}
	return left < minRetained
}

// stretch returns the part of the window that is compared with other phases: the longest between
// changes of any disk, before one fell by itself if that is long enough.
func (p *phase) stretch() []overlap.Span {
	all := cutAt(p.window, p.cuts(""))
	var before [][]overlap.Span
	for _, in := range all {
		low := func(o *diskPart) bool { return p.hasFallen(o.Name(), in[0].StartNS) }
		if !slices.ContainsFunc(p.parts, low) {
			before = append(before, in)
		}
	}
	if best := longest(before); overlap.Seconds(best) >= ledger.LongS {
		return best
	}
	return longest(all)
}

// stateOf finds the disk's rates in the state, while nothing changed; none if it has no settled
// one.
func (p *phase) stateOf(part *diskPart, s *effect.State) *effect.Part {
	out := &effect.Part{
		Actor: part.actor(), Cuts: p.cuts(part.Name()), EndNS: part.EndNS(),
		Moved: part.measureIn(s.In).Mean,
	}
	if part.isUnsettled() {
		return out
	}
	pieces := [][]overlap.Span{s.In}
	if !s.Whole || len(p.parts) == 1 {
		settled := overlap.Between(p.settledNS(part, s.In[0].StartNS), math.MaxInt64)
		pieces = cutAt(overlap.Clip(s.In, settled), out.Cuts)
	}
	for _, in := range pieces {
		m := part.measureIn(in)
		best := &out.Fresh
		if p.hasFallen(part.Name(), in[0].StartNS) {
			best = &out.Fallen
		}
		longest := *best == nil || overlap.Seconds(in) >= overlap.Seconds((*best).In)
		if longest && m.Mean > 0 && (s.Whole || m.Log.Known()) {
			*best = &m
		}
	}
	return out
}

// settledNS is since when the disk has the rate of the state that begins at a time: since its
// recovery if another disk had ended.
func (p *phase) settledNS(part *diskPart, from int64) int64 {
	ended := int64(math.MinInt64) // ended is the latest end before the state.
	for _, o := range p.others(part) {
		if end := o.EndNS(); end <= from {
			ended = max(ended, end)
		}
	}
	if ended == math.MinInt64 {
		return from
	}
	for _, r := range p.recoveries {
		switch {
		case r.Disk != part.Name() || math.Abs(r.AtS-seconds(ended)) > togetherS:
		case r.LagS != nil:
			return nanoseconds(r.AtS + *r.LagS)
		case r.Cut.Rose:
			return math.MaxInt64
		}
	}
	return from + recoveredNS
}

// states finds the sets of disks that worked together in each phase, and of each phase that in
// which all did.
func states(phases []*phase) (all []*effect.State, whole map[*phase]*effect.State) {
	whole = map[*phase]*effect.State{}
	for _, p := range phases {
		for _, s := range p.newStates() {
			all = append(all, s)
			if s.Whole {
				whole[p] = s
			}
		}
	}
	return all, whole
}

// settings groups the phases in which all disks worked together by what these do.
func settings(phases []*phase) [][]*phase {
	compared := only(phases, func(p *phase) bool { return p.whole != nil })
	return grouped(compared, func(p, q *phase) bool { return sameParts(p.parts, q.parts) })
}
