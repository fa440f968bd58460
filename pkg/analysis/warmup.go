package analysis

import (
	"cmp"
	"math"
	"slices"
)

// How a warm-up is told.
const (
	warmUpS    = 30  // a warm-up takes no longer than this
	warmUpMore = 1.6 // the ratio of a disk's longest warm-up to its shortest is no larger than this
)

// start is when a disk begins to work in a phase.
type start struct {
	p      *phase
	part   *part
	change *Change // see earlyRise; nil if there is none
}

// warmUps finds the disks that are slower at first whenever they start on the same work, and tells their early rises as that.
func warmUps(phases []*phase) {
	var groups [][]start // of one disk at one work
	for _, p := range phases {
		for i := range p.parts {
			part := &p.parts[i]
			if part.Limited() || len(part.Active) == 0 {
				continue
			}
			s := start{p, part, p.earlyRise(part)}
			same := func(g []start) bool { return g[0].p.job(g[0].part).same(p.job(part)) }
			if k := slices.IndexFunc(groups, same); k >= 0 {
				groups[k] = append(groups[k], s)
			} else {
				groups = append(groups, []start{s})
			}
		}
	}
	for _, starts := range groups {
		warmUp(starts)
	}
	for _, p := range phases {
		p.tellWarmUps()
	}
}

// earlyRise is the first change of a disk in the phase, stalls aside, if it is an early rise that nothing explains; else nil.
func (p *phase) earlyRise(part *part) *Change {
	for k := range p.out.Changes {
		c := &p.out.Changes[k]
		if !c.concerns(part.Name()) || c.Kind == KindStall {
			continue
		}
		if d := c.Of(part.Name()); c.Kind == KindUnknown && d.ToRate > d.FromRate && c.StartS-seconds(part.StartNS()) <= warmUpS {
			return c
		}
		return nil
	}
	return nil
}

// warmUp marks the starts of one disk on one work as warm-ups if at least two show an early rise, all after about the same
// time. A start alone that lasted long enough and shows none refutes it; beside other disks the hub may hide the rise.
func warmUp(starts []start) {
	var names []string
	shortest, longest := math.Inf(1), 0.0
	for _, s := range starts {
		if s.change != nil {
			names = append(names, s.p.out.Phase)
			took := s.change.StartS - seconds(s.part.StartNS())
			shortest, longest = min(shortest, took), max(longest, took)
		}
	}
	refutes := func(s start) bool {
		return s.change == nil && len(s.p.parts) == 1 && s.part.EndNS()-s.part.StartNS() > int64(2e9*longest)
	}
	if len(names) < 2 || longest > warmUpMore*shortest || slices.ContainsFunc(starts, refutes) {
		return
	}
	for _, s := range starts {
		if s.change != nil {
			s.part.warmNS, s.part.warmIn = int64(math.Round(s.change.StartS*1e9)), names
		}
	}
}

// tellWarmUps turns the early rises of disks that warm up into entries of that kind. If several disks rose at once, each that
// warms up gets an entry of its own and leaves the common one.
func (p *phase) tellWarmUps() {
	var out []Change
	for _, c := range p.out.Changes {
		rest := slices.Clone(c.Disks)
		for i := range p.parts {
			part := &p.parts[i]
			if part.warmIn == nil || c.Kind != KindUnknown || !c.concerns(part.Name()) || int64(math.Round(c.StartS*1e9)) != part.warmNS {
				continue
			}
			d := c.Of(part.Name())
			w := Change{
				StartS: seconds(part.StartNS()), EndS: c.StartS, Disks: []string{part.Name()}, Kind: KindWarmUp, Cause: CauseUnknown,
				FromRate: d.FromRate, ToRate: d.ToRate, Phases: part.warmIn, AtCI: c.AtCI,
			}
			if len(c.Disks) == 1 {
				w.CI = c.CI
			}
			out = append(out, w)
			rest = slices.DeleteFunc(rest, func(name string) bool { return name == part.Name() })
			c.FromRate, c.ToRate = c.FromRate-d.FromRate, c.ToRate-d.ToRate
		}
		if len(rest) == len(c.Disks) {
			out = append(out, c)
		} else if len(rest) > 0 {
			c.Disks, c.CI = rest, nil
			out = append(out, c)
		}
	}
	slices.SortStableFunc(out, func(a, b Change) int { return cmp.Compare(a.StartS, b.StartS) })
	p.out.Changes = append([]Change{}, out...) // not nil: it is written as a list
}
