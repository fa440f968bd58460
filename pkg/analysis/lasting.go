package analysis

import (
	"slices"

	"github.com/hubbench/hubbench/pkg/ledger"
	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stats"
)

// lasting are the swings, dips, drifts and unsteady rates. Those of several disks in step are one
// entry.
func (p *phase) lasting() (out []Change) {
	var turning, drifting []*diskPart
	for _, part := range p.parts {
		if part.Swing != nil {
			turning = append(turning, part)
		}
		part.Drifts = slices.DeleteFunc(part.Drifts, func(d ledger.Drift) bool {
			return p.recovers(part, d)
		})
		if len(part.Drifts) > 0 {
			drifting = append(drifting, part)
		}
		if w := part.Unsteady; w != nil {
			out = append(out, part.change(KindUnsteady, w.StartNS, w.EndNS, w.High, w.Low))
		}
	}
	return slices.Concat(out, turns(turning), drifts(drifting))
}

// recovers reports whether a drift is how a disk recovered after another's end.
func (p *phase) recovers(part *diskPart, d ledger.Drift) bool {
	for _, r := range p.out.Recoveries {
		if d.To > d.From && r.Disk == part.Name() && r.LagS != nil &&
			d.StartNS < nanoseconds(r.AtS+*r.LagS) && d.EndNS > nanoseconds(r.AtS) {
			return true
		}
	}
	return false
}

// turns makes one entry of all disks whose swings or dips are in step, and of those that take
// turns.
func turns(all []*diskPart) (out []Change) {
	for len(all) > 0 {
		first := all[0]
		group := []*diskPart{first}
		var rest []*diskPart
		for _, other := range all[1:] {
			if correlation(first, other) >= inStep &&
				(first.Swing.Dips > 0) == (other.Swing.Dips > 0) {
				group = append(group, other)
			} else {
				rest = append(rest, other)
			}
		}
		t := first.Swing
		kind := KindSwing
		switch turning, others := takers(group, rest); {
		case turning != nil:
			kind, group, rest = KindTakeTurns, turning, others
		case t.Dips > 0:
			kind = KindDips
		case t.Irregular:
			kind = KindUnsteady
		}
		c := Change{
			StartS: seconds(t.StartNS), EndS: seconds(t.EndNS), Kind: kind, Cause: CauseUnknown,
			PeriodS: t.PeriodS, LowShare: t.LowShare, Count: t.Levels - 1,
		}
		switch kind {
		case KindDips:
			c.Count = t.Dips
			c.LowS = t.LowS
		case KindUnsteady:
			c.PeriodS, c.LowShare, c.Count = 0, 0, 0
		}
		for _, part := range group {
			s := Shift{part.Name(), part.Swing.High, part.Swing.Low}
			c.Disks = append(c.Disks, s.Disk)
			c.Each = append(c.Each, s)
			c.FromRate += s.FromRate
			c.ToRate += s.ToRate
		}
		if len(group) == 1 {
			c.Each = nil
		}
		out = append(out, c)
		all = rest
	}
	return out
}

// takers are the disks that take turns with one that is in step with none: all, or else one other;
// and those that are left. They are nil if none does.
func takers(inStep, others []*diskPart) (turning, rest []*diskPart) {
	if len(inStep) > 1 {
		return nil, nil
	}
	if all := slices.Concat(inStep, others); takeTurns(all) {
		return all, nil
	}
	for k, other := range others {
		if pair := append(slices.Clone(inStep), other); takeTurns(pair) {
			return pair, slices.Delete(slices.Clone(others), k, k+1)
		}
	}
	return nil, nil
}

// correlation is that of two disks' levels while both go back and forth.
func correlation(a, b *diskPart) float64 {
	common := a.Swing.Span.Within(b.Swing.Span)
	x := a.sampled(common)
	if len(x) == 0 || 2*common.Seconds() < max(a.Swing.Seconds(), b.Swing.Seconds()) {
		return 0
	}
	return stats.Correlation(x, b.sampled(common))
}

// takeTurns reports whether the total of the disks stays while each of them goes back and forth.
func takeTurns(all []*diskPart) bool {
	if len(all) < 2 {
		return false
	}
	both := all[0].Swing.Span
	for _, part := range all[1:] {
		both = both.Within(part.Swing.Span)
	}
	if 2*both.Seconds() < all[0].Swing.Seconds() {
		return false
	}
	total := make([]float64, int((both.EndNS-both.StartNS)/sampleNS))
	var each float64
	for _, part := range all {
		x := part.sampled(both)
		for i, v := range x {
			total[i] += v
		}
		each += square(stats.Summarize(x).SD)
	}
	return square(stats.Summarize(total).SD) < turnsShare*each
}

// sampled is the disk's level at moments within v.
func (p *diskPart) sampled(v overlap.Span) (rates []float64) {
	for at := v.StartNS + sampleNS; at <= v.EndNS; at += sampleNS {
		rates = append(rates, p.Levels[ledger.LevelAt(p.Levels, at-1)].Rate)
	}
	return rates
}

// drifts makes one entry of all disks whose rates slide the same way over about the same time.
func drifts(all []*diskPart) (out []Change) {
	for _, part := range all {
		for _, d := range part.Drifts {
			one := part.change(KindDrift, d.StartNS, d.EndNS, d.From, d.To)
			s := Shift{part.Name(), d.From, d.To}
			i := slices.IndexFunc(out, func(c Change) bool {
				both := min(c.EndS, one.EndS) - max(c.StartS, one.StartS)
				return both >= sameStretch*(max(c.EndS, one.EndS)-min(c.StartS, one.StartS)) &&
					(c.ToRate > c.FromRate) == (one.ToRate > one.FromRate) && !c.concerns(s.Disk)
			})
			if i < 0 {
				out = append(out, one)
				continue
			}
			c := &out[i]
			if len(c.Each) == 0 {
				c.Each = []Shift{{c.Disks[0], c.FromRate, c.ToRate}}
			}
			c.Disks = append(c.Disks, s.Disk)
			c.Each = append(c.Each, s)
			c.FromRate += s.FromRate
			c.ToRate += s.ToRate
		}
	}
	return out
}
