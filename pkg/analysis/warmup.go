package analysis

import (
	"cmp"
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/ledger"
	"github.com/hubbench/hubbench/pkg/overlap"
)

// start is when a disk begins to work in a phase.
type start struct {
	p *phase
	*diskPart
}

// warmUps finds the disks that are slower at first whenever they start on the same work, and
// reports their early rises as that: if at least two starts are as slow at first, all for about the
// same time. A start alone that lasted long enough and is not refutes it; beside other disks the
// hub may hide the rise.
func warmUps(phases []*phase) {
	var all []start
	for _, p := range phases {
		for _, part := range p.parts {
			if !part.IsPaced() && len(part.Active) > 0 {
				part.rise = p.earlyRise(part)
				all = append(all, start{p, part})
			}
		}
	}
	for _, starts := range grouped(all, func(a, b start) bool { return a.same(b.diskPart) }) {
		warm(starts)
	}
	for _, p := range phases {
		p.reportWarmUps()
	}
}

// warm marks the starts of one disk at one work as warm-ups if they are.
func warm(starts []start) {
	var names []string
	shortest := math.Inf(1)
	longest := 0.0
	kept := 1.0      // It is the lowest part of the later rate that a start shows.
	var ramp float64 // It is the longest visible rise.
	// They sum up how long each takes to be halfway up, and its rates in either half of that time.
	var tookAll, early, later float64
	for _, s := range starts {
		if s.rise != nil {
			names = append(names, s.p.out.Name)
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
		return
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
			return // It does not rise here.
		}
		changes := only(s.p.out.Changes, func(c Change) bool { return c.concerns(s.Name()) })
		if len(changes) == 0 {
			// It is too noisy to show that by itself.
			s.rise = &Change{EndS: seconds(s.StartNS()) + longest, FromRate: from, ToRate: to}
			names = append(names, s.p.out.Name)
		}
	}
	if len(names) < 2 {
		return
	}
	for _, s := range starts {
		if s.rise != nil {
			s.warmIn = names
			s.warmS = max(s.rise.EndS, min(seconds(s.StartNS())+ramp, seconds(s.EndNS())))
		}
	}
}

// atFirst is the disk's rate for so long after its start, and from a later time on; 0 if it ended
// before that.
func (p *diskPart) atFirst(forNS, laterNS int64) (first, later float64) {
	start := p.StartNS()
	return p.RateIn(overlap.Between(start, start+forNS)),
		p.RateIn(overlap.Between(start+laterNS, p.EndNS()))
}

// earlyRise is how a disk rises at first, in one change of the phase or several in a row, if
// nothing explains them; stalls are left out. It is nil if the disk does not rise.
func (p *phase) earlyRise(part *diskPart) (rise *Change) {
	for _, c := range p.out.Changes {
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

// halfwayS is how long after its start the disk is halfway up a rise.
func (p *diskPart) halfwayS(rise *Change) float64 {
	for _, l := range p.SteppedLevels() {
		if 2*l.Rate > rise.FromRate+rise.ToRate {
			return seconds(max(l.StartNS-p.StartNS(), 1))
		}
	}
	return rise.EndS - seconds(p.StartNS())
}

// reportWarmUps turns the early rises of disks that warm up into entries of that kind. If several
// disks rose at once, each that warms up leaves the common entry.
func (p *phase) reportWarmUps() {
	out := []Change{}
	for _, part := range p.parts {
		if part.warmIn == nil {
			continue
		}
		rise := part.rise
		w := part.change(KindWarmUp, part.StartNS(), 0, rise.FromRate, rise.ToRate)
		w.EndS, w.Phases, w.AtCI, w.CI = part.warmS, part.warmIn, rise.AtCI, rise.CI
		out = append(out, w)
		part.Drifts = slices.DeleteFunc(part.Drifts, func(d ledger.Drift) bool {
			return seconds(d.EndNS) <= rise.EndS
		})
	}
	for _, c := range p.out.Changes {
		var rest []Shift
		for _, name := range c.Disks {
			if part := p.part(name); part.warmIn == nil || !c.isRise() && c.Kind != KindDrift ||
				c.EndS > part.rise.EndS {
				rest = append(rest, c.Of(name))
			}
		}
		if len(rest) < len(c.Disks) {
			c.without(rest)
		}
		if len(c.Disks) > 0 {
			out = append(out, c)
		}
	}
	slices.SortStableFunc(out, func(a, b Change) int { return cmp.Compare(a.StartS, b.StartS) })
	for i := range out {
		p.giveWay(&out[i])
	}
	p.out.Changes = out
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
		if part.warmIn != nil && !slices.Contains(disks, part.Name()) &&
			abs(nanoseconds(part.rise.EndS)-ns) <= explainsNS {
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
