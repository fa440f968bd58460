package analysis

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/overlap"
)

// warmUp is that a disk is slower at first, in each of the phases that show it.
type warmUp struct {
	rise   Change // its early rise here, or what those of the others lead to expect
	untilS float64
	phases []string
}

// start is when a disk begins to work in a phase.
type start struct {
	p *phase
	*diskPart
	rise *Change // nil if it does not rise at first
}

// warmUps finds the disks that are slower at first whenever they start on the same work: if at
// least two starts are as slow at first, all for about the same time. A start alone that lasted
// long enough and is not refutes it; beside other disks the hub may hide the rise.
func warmUps(phases []*phase) map[*diskPart]*warmUp {
	var all []start
	for _, p := range phases {
		for _, part := range p.parts {
			if !part.IsPaced() && len(part.Active) > 0 {
				all = append(all, start{p, part, p.earlyRise(part)})
			}
		}
	}
	found := map[*diskPart]*warmUp{}
	for _, starts := range grouped(all, func(a, b start) bool { return a.same(b.diskPart) }) {
		maps.Copy(found, warm(starts))
	}
	return found
}

// warm returns the warm-ups of the starts of one disk at one work, if they are some.
func warm(starts []start) map[*diskPart]*warmUp {
	var names []string
	shortest := math.Inf(1)
	longest := 0.0
	kept := 1.0      // the lowest part of the later rate that a start shows
	var ramp float64 // the longest visible rise
	// Sums of how long each takes to be halfway up, and of its rates in either half of that time.
	var tookAll, early, later float64
	rises := map[*diskPart]*Change{}
	for _, s := range starts {
		if s.rise != nil {
			rises[s.diskPart] = s.rise
			names = append(names, s.p.trace.Name)
			took := s.halfwayS(s.rise)
			shortest, longest = min(shortest, took), max(longest, took)
			kept = min(kept, s.rise.FromRate/s.rise.ToRate)
			half := s.StartNS() + nanoseconds(took/2)
			end := s.StartNS() + nanoseconds(took)
			tookAll += took
			early += s.RateIn(overlap.Between(s.StartNS(), half))
			later += s.RateIn(overlap.Between(half, end))
			if s.rise.EndS > s.rise.StartS {
				ramp = max(ramp, s.rise.EndS-seconds(s.StartNS()))
			}
		}
	}
	if len(names) == 0 || len(names) == 1 && kept > keptOfOne || longest > warmUpMore*shortest {
		return nil
	}
	// A rise that is no step goes on as long after halfway as before.
	if ramp == 0 && later > (1+minEffect)*early {
		ramp = 2 * tookAll / float64(len(names))
	}
	for _, s := range starts {
		from, to := s.atFirst(nanoseconds(shortest), nanoseconds(2*longest))
		if s.rise != nil || len(s.p.parts) > 1 || to == 0 {
			continue
		}
		if from > math.Sqrt(kept)*to {
			return nil // It does not rise here.
		}
		changes := only(s.p.happened, func(c Change) bool { return c.concerns(s.Name()) })
		if len(changes) == 0 {
			// It is too noisy to show that by itself.
			rises[s.diskPart] = &Change{
				EndS: seconds(s.StartNS()) + longest, FromRate: from, ToRate: to,
			}
			names = append(names, s.p.trace.Name)
		}
	}
	if len(names) < 2 {
		return nil
	}
	found := map[*diskPart]*warmUp{}
	for part, rise := range rises {
		until := max(rise.EndS, min(seconds(part.StartNS())+ramp, seconds(part.EndNS())))
		found[part] = &warmUp{*rise, until, names}
	}
	return found
}

// atFirst returns the disk's rate for so long after its start, and from a later time on; 0 if it
// ended before that.
func (p *diskPart) atFirst(forNS, laterNS int64) (first, later float64) {
	start := p.StartNS()
	return p.RateIn(overlap.Between(start, start+forNS)),
		p.RateIn(overlap.Between(start+laterNS, p.EndNS()))
}

// earlyRise returns how a disk rises at first, in one change of the phase or several in a row, if
// nothing explains them; stalls are left out. It is nil if the disk does not rise.
func (p *phase) earlyRise(part *diskPart) (rise *Change) {
	for _, c := range p.happened {
		if !c.concerns(part.Name()) || c.Kind == KindStall {
			continue
		}
		d := c.Of(part.Name())
		slide := c.Kind == KindDrift && part.settles(c) &&
			(rise != nil || c.StartS-seconds(part.StartNS()) <= togetherS)
		if !(c.isRise() && c.EndS <= c.StartS || slide) || d.ToRate <= d.FromRate ||
			c.EndS-seconds(part.StartNS()) > warmUpS {
			break
		}
		if rise == nil {
			rise = &Change{StartS: c.StartS, FromRate: d.FromRate}
		}
		rise.EndS, rise.ToRate, rise.AtCI, rise.CI = c.EndS, d.ToRate, c.AtCI, c.CI
		if len(c.Disks) > 1 {
			rise.CI = nil
		}
	}
	return rise
}

// settles reports whether the disk was seen for half as long after a slope as during it: else nobody
// knows whether the slope has ended.
func (p *diskPart) settles(c Change) bool {
	return seconds(p.EndNS())-c.EndS >= (c.EndS-c.StartS)/2
}

// halfwayS returns how long after its start the disk is halfway up a rise.
func (p *diskPart) halfwayS(rise *Change) float64 {
	for _, l := range p.SteppedLevels() {
		if 2*l.Rate > rise.FromRate+rise.ToRate {
			return seconds(max(l.StartNS-p.StartNS(), 1))
		}
	}
	return rise.EndS - seconds(p.StartNS())
}

// withWarmUps returns the phase's ledger with the early rises of disks that warm up as entries of
// that kind. If several disks rose at once, each that warms up leaves the common entry.
func (p *phase) withWarmUps() []Change {
	out := []Change{}
	for _, part := range p.parts {
		if w := part.warm; w != nil {
			c := part.change(KindWarmUp, part.StartNS(), 0, w.rise.FromRate, w.rise.ToRate)
			c.EndS, c.Phases, c.AtCI, c.CI = w.untilS, w.phases, w.rise.AtCI, w.rise.CI
			out = append(out, c)
		}
	}
	for _, c := range p.happened {
		var rest []Shift
		for _, name := range c.Disks {
			if w := p.part(name).warm; w == nil || !c.isRise() && c.Kind != KindDrift ||
				c.EndS > w.rise.EndS {
				rest = append(rest, c.Of(name))
			}
		}
		if len(rest) < len(c.Disks) {
			c.without(rest)
		}
		if len(c.Disks) > 0 {
			p.giveWay(&c)
			out = append(out, c)
		}
	}
	slices.SortStableFunc(out, func(a, b Change) int { return cmp.Compare(a.StartS, b.StartS) })
	return out
}

// giveWay has disks that fell as another was warm give way to it.
func (p *phase) giveWay(c *Change) {
	if c.Kind != KindOwnFall && (c.Kind != KindRedistribution || c.By != nil) ||
		c.ToRate > c.FromRate {
		return
	}
	if by := p.warmThen(nanoseconds(c.StartS), c.Disks); by != "" {
		c.Kind = KindRedistribution
		c.Cause = CauseNeighbour
		c.By = &by
	}
}

// warmThen returns a disk, none of those given, whose warm-up was over at about a time; empty if
// there is none.
func (p *phase) warmThen(ns int64, disks []string) string {
	for _, part := range p.parts {
		if part.warm != nil && !slices.Contains(disks, part.Name()) &&
			abs(nanoseconds(part.warm.rise.EndS)-ns) <= explainsNS {
			return part.Name()
		}
	}
	return ""
}

// without leaves just some disks in the change.
func (c *Change) without(rest []Shift) {
	c.Disks, c.Each, c.CI, c.FromRate, c.ToRate = nil, rest, nil, 0, 0
	for _, s := range rest {
		c.Disks = append(c.Disks, s.Disk)
		c.FromRate = c.FromRate + s.FromRate
		c.ToRate = c.ToRate + s.ToRate
	}
	if len(rest) == 1 {
		c.Each = nil
		if c.Kind == KindSharedRise {
			c.Kind = KindOwnRise
		}
	}
}
