package analysis

import (
	"cmp"
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stats"
)

// startsAndEnds are the disks that begin after the phase has, and those that end before it does.
func (p *phase) startsAndEnds() []Change {
	first, last := int64(math.MaxInt64), int64(math.MinInt64)
	for i := range p.parts {
		if part := &p.parts[i]; len(part.Active) > 0 {
			first, last = min(first, part.StartNS()), max(last, part.EndNS())
		}
	}
	var out []Change
	for i := range p.parts {
		part := &p.parts[i]
		if len(part.Active) == 0 {
			continue
		}
		one := func(kind string, at, until int64, from, to float64) {
			out = append(out, Change{StartS: seconds(at), EndS: seconds(until), Disks: []string{part.Name()}, Kind: kind, Cause: CauseUnknown, FromRate: from, ToRate: to})
		}
		if at := part.StartNS(); seconds(at-first) >= togetherS {
			one(KindStart, at, at, 0, part.RateIn(overlap.Interval{StartNS: at, EndNS: min(at+settleNS, part.EndNS())}))
		}
		if at := part.EndNS(); seconds(last-at) >= togetherS {
			one(KindEnd, at, at, part.RateIn(overlap.Interval{StartNS: max(at-settleNS, part.StartNS()), EndNS: at}), 0)
		}
	}
	return out
}

// stallChanges are the times in which disks stood still, those of several at once together.
func (p *phase) stallChanges() []Change {
	type stall struct {
		overlap.Interval
		disk int
	}
	var all []stall
	for i := range p.parts {
		for _, v := range p.parts[i].Stalls {
			all = append(all, stall{v, i})
		}
	}
	slices.SortStableFunc(all, func(a, b stall) int { return cmp.Compare(a.StartNS, b.StartNS) })
	var out []Change
	for len(all) > 0 {
		first, group, rest := all[0], []stall(nil), []stall(nil)
		for _, s := range all { // those that begin and end with the first
			if abs(s.StartNS-first.StartNS) <= foreseenNS && abs(s.EndNS-first.EndNS) <= foreseenNS {
				group = append(group, s)
			} else {
				rest = append(rest, s)
			}
		}
		c := Change{StartS: seconds(first.StartNS), EndS: seconds(first.EndNS), Kind: KindStall, Cause: CauseUnknown}
		for _, s := range group {
			part := &p.parts[s.disk]
			before := part.MovingIn(overlap.Interval{StartNS: s.StartNS - beforeNS, EndNS: s.StartNS})
			from := 0.0
			if m, ok := part.Measure(before...); ok {
				from = m.Rate
			}
			to := part.RateIn(s.Interval)
			c.Disks = append(c.Disks, part.Name())
			c.FromRate, c.ToRate = c.FromRate+from, c.ToRate+to
			c.Each = append(c.Each, Shift{part.Name(), from, to})
			c.EndS = max(c.EndS, seconds(s.EndNS))
		}
		if len(group) == 1 {
			c.Each = nil
		}
		if !slices.ContainsFunc(group, func(s stall) bool { return !p.parts[s.disk].Stopped(s.Interval) }) {
			c.Cause = CauseHost
		}
		out = append(out, c)
		all = rest
	}
	return out
}

func abs(ns int64) int64 { return max(ns, -ns) }

// slowChanges are swings and drifts, disk by disk.
func (p *phase) slowChanges() []Change {
	var out []Change
	for i := range p.parts {
		part := &p.parts[i]
		name := part.Name()
		switch s, d := part.Swing, part.Drift; {
		case s != nil:
			out = append(out, Change{
				StartS: seconds(s.StartNS), EndS: seconds(s.EndNS), Disks: []string{name}, Kind: KindSwing, Cause: CauseUnknown,
				FromRate: s.High, ToRate: s.Low, PeriodS: 2 * s.Seconds() / float64(s.Runs), LowShare: s.LowShare, Count: s.Runs - 1,
			})
		case d != nil:
			out = append(out, Change{StartS: seconds(d.StartNS), EndS: seconds(d.EndNS), Disks: []string{name}, Kind: KindDrift, Cause: CauseUnknown, FromRate: d.From, ToRate: d.To})
		}
	}
	return out
}

// recoveryChanges are what each disk gained after another had ended, if it is known when.
func (p *phase) recoveryChanges() []Change {
	var out []Change
	for k, r := range p.out.Recoveries {
		if r.LagS == nil {
			continue
		}
		c := Change{
			StartS: r.AtS, EndS: r.AtS + *r.LagS, Disks: []string{r.Disk}, Kind: KindRecovery, Cause: CauseNeighbour, By: &r.After,
			FromRate: r.FromRate, ToRate: *r.ToRate,
		}
		if m := p.reached[k]; m.Free > 0 {
			half := stats.StudentQuantile(0.975, m.Free) * m.Rate * m.Error
			c.CI = &Interval{max(0, m.Rate-half), m.Rate + half}
		}
		out = append(out, c)
	}
	return out
}

// inOrder sorts the ledger by time, leaves out changes that are too small to report, and folds a rise that only undoes a fall
// into that fall, as its end.
func (p *phase) inOrder(all []Change) []Change {
	slices.SortStableFunc(all, func(a, b Change) int { return cmp.Compare(a.StartS, b.StartS) })
	out := []Change{}
	for _, c := range all {
		if len(c.Each) > 0 && c.Kind != KindStall {
			large := slices.ContainsFunc(c.Each, func(s Shift) bool { return math.Abs(s.ToRate/s.FromRate-1) >= minChange })
			if !large {
				continue
			}
		} else if c.AtCI != nil && math.Abs(c.ToRate/c.FromRate-1) < minChange {
			continue
		}
		if c.Kind == KindUnknown || c.Kind == KindSharedFall && c.ToRate > c.FromRate {
			if undone := undoneBy(out, &c); undone != nil {
				undone.EndS = c.StartS
				continue
			}
			if c.Kind == KindSharedFall {
				c.Kind = KindUnknown
			}
		}
		out = append(out, c)
	}
	return out
}

// undoneBy is the fall that a rise undoes: the last change of the same disks, if the rise brings each back to about the rate
// it had before. It is nil if there is none.
func undoneBy(before []Change, rise *Change) *Change {
	if rise.ToRate <= rise.FromRate {
		return nil
	}
	for i := range slices.Backward(before) {
		c := &before[i]
		if !slices.ContainsFunc(c.Disks, rise.concerns) || c.Kind == KindStall {
			continue
		}
		if !slices.Contains([]string{KindOwnFall, KindSharedFall, KindUnknown}, c.Kind) || !slices.Equal(c.Disks, rise.Disks) || c.ToRate >= c.FromRate {
			return nil
		}
		for _, name := range c.Disks {
			if math.Abs(rise.Of(name).ToRate/c.Of(name).FromRate-1) > minChange {
				return nil
			}
		}
		return c
	}
	return nil
}

// How a warm-up is detected.
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

// warmUps finds the disks that are slower at first whenever they start on the same work, and reports their early rises as that.
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
		p.reportWarmUps()
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

// reportWarmUps turns the early rises of disks that warm up into entries of that kind. If several disks rose at once, each that
// warms up gets an entry of its own and leaves the common one.
func (p *phase) reportWarmUps() {
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
