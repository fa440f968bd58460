package analysis

import (
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/overlap"
)

// Where a disk's baseline comes from.
const (
	ReferenceSolo  = "solo"
	ReferenceLater = "later"
)

// Why a disk has no baseline although it was measured alone.
const (
	NoneChanged      = "changed"       // its rate changed by itself, here
	NoneAloneChanged = "alone_changed" // its rate alone did, so there is no one rate
	NoneTooLittle    = "too_little"    // it was too short alone to know its rate
	NoneUnlike       = "unlike"        // alone it did other work, or was connected elsewhere
	NoneExceeded     = "exceeded"      // it had clearly more here than alone
)

// noReference is why the disk's rates alone in other phases are no baseline.
func (p *phase) noReference(part *part) (why string) {
	for _, q := range p.phases {
		alone := q.part(part.Name())
		switch {
		case part.Limited() || len(q.parts) != 1 || alone == nil ||
			alone.Trace.Op != part.Trace.Op || alone.Limited():
		case part.wavers() || p.isDown(part):
			return NoneChanged
		case alone.same(part) && alone.wavers():
			return NoneAloneChanged
		case alone.same(part):
			return NoneTooLittle
		default:
			why = NoneUnlike
		}
	}
	return why
}

// fillContention compares the disks' rates in one stretch of the window with their baselines:
// alone, or else without the one neighbour that costs them most.
func (p *phase) fillContention() {
	if p.out.Overlap == nil || len(p.parts) < 2 {
		return
	}
	in, all := p.compared, cutAt(p.window, p.cuts(""))
	c := &Contention{Disks: map[string]DiskContention{}, Steals: []Steal{}, Even: p.even(all)}
	if len(all) > 1 {
		c.Spans = spans(in)
	}
	for _, part := range p.parts {
		part.window = part.measureIn(in)
		part.kept = DiskContention{Rate: part.window.Rate, NoReference: p.noReference(part)}
		p.fillBaseline(part)
	}
	for _, part := range p.parts {
		c.Disks[part.Name()] = part.kept
	}
	for _, part := range p.parts {
		c.Steals = append(c.Steals, p.crowdsOut(part)...)
	}
	p.out.Contention = c
}

// fillBaseline compares the disk with its baseline.
func (p *phase) fillBaseline(disk *part) {
	s := p.states[len(p.states)-1] // the whole one
	if disk.Limited() {
		return // Its own pace may be what limits it.
	}
	b, d := s.baseline(disk), &disk.kept
	if b != nil && b.from == FromPhases {
		d.Reference, d.ReferenceFrom, d.Alone = ReferenceSolo, strings.Join(b.phases, ", "), true
	} else if b != nil {
		d.Reference, d.ReferenceFrom, d.Alone = ReferenceLater, b.after, true
	}
	for _, o := range p.others(disk) {
		w := s.baseline(disk, slices.DeleteFunc(p.others(disk), func(x *part) bool { return x == o })...)
		if !d.Alone && w != nil && (b == nil || w.Rate > b.Rate) {
			b, d.Reference, d.ReferenceFrom = w, ReferenceLater, o.Name()
		}
	}
	if b == nil {
		return
	}
	here, _ := s.rate(disk)
	kept, ci := here.Rate/b.Rate, here.over(&b.stretchRate)
	d.Held = kept <= heldBack && b.chanceAbove(here, 1) < p.alpha.shared && !p.fallsForGood(disk)
	d.Kept = kept >= heldBack && here.chanceAbove(&b.stretchRate, clearlyLess) < doubt
	if kept > mostKept {
		d.Reference, d.ReferenceFrom, d.Alone, d.NoReference = "", "", false, NoneExceeded
		d.Kept = d.Kept && ci != nil && ci[0] <= 1
		return
	}
	d.NoReference, d.ReferenceRate, d.Retention, d.RetentionCI = "", number(b.Rate), number(kept), ci
}

// crowdsOut is what the disk takes from those that it surely slows, if it keeps at least an even
// share of what all move, and either all of its own rate or more than those that it slows.
func (p *phase) crowdsOut(by *part) (found []Steal) {
	total := 0.0
	for _, o := range p.parts {
		total += o.window.Rate
	}
	even := by.window.Rate >= evenShare*total/float64(len(p.parts))
	for _, from := range p.parts {
		e := p.effectOf(by, from)
		more := by.window.Rate >= (1+minSteal)*from.window.Rate &&
			by.window.chanceAbove(&from.window, 1) < p.alpha.shared
		s := Steal{From: from.Name(), By: by.Name()}
		switch {
		case from == by || !p.comparable(by) || !p.comparable(from) || !by.kept.Kept && !more:
		case e != nil && e.Sure && even:
			s.Rate, s.Share = e.Without-e.Rate, e.Loss
			for _, o := range p.parts {
				if !among([]*part{o}, e.setting.parts) {
					s.Absent = append(s.Absent, o.Name())
				}
			}
		case p.mustTake(by, from):
			s.Deduced = true
			s.Rate = *from.kept.ReferenceRate - from.window.Rate
			s.Share = 1 - *from.kept.Retention
		}
		if s.Share > 0 {
			found = append(found, s)
		}
	}
	return found
}

// mustTake reports whether a disk would have more without another although it was nowhere
// measured without it. What a disk moves alone fits through all that it shares. So if all that
// may share it move less than that without the other, the other shares it too. If the slowed
// disks move as much as each of them alone, no other disk has to.
func (p *phase) mustTake(by, from *part) bool {
	if slices.ContainsFunc(p.effects, func(e *Effect) bool { return e.isOf(from, by) }) {
		return false
	}
	var slowed []*part
	total, most := 0.0, 0.0
	for _, o := range p.parts {
		if o.kept.Held && o.kept.Alone {
			slowed = append(slowed, o)
			total, most = total+o.window.Rate, max(most, *o.kept.ReferenceRate)
		}
	}
	group := slowed
	if total < most {
		group = p.parts
	}
	if !slices.Contains(slowed, from) || !slices.Contains(group, by) {
		return false
	}
	rest := -by.window.Rate
	for _, o := range group {
		rest += o.window.Rate
	}
	above := by.window.Rate >= (1+minSteal)*(rest+by.window.Rate)/float64(len(group))
	return above && mostKept*rest < *from.kept.ReferenceRate
}

// comparable reports whether the disk wants as much as it can get and did not change by itself in
// the window.
func (p *phase) comparable(disk *part) bool {
	return disk.Contends() && !disk.wavers() && !p.isDown(disk)
}

// fallsForGood reports whether the disk has fallen by itself when the window ends.
func (p *phase) fallsForGood(disk *part) bool {
	return p.hasFallen(disk.Name(), p.window[len(p.window)-1].EndNS)
}

// isDown reports whether the disk fell by itself before the stretch that is compared.
func (p *phase) isDown(disk *part) bool {
	return len(p.compared) > 0 && p.hasFallen(disk.Name(), p.compared[0].StartNS)
}

// even reports whether all disks go as fast as they can, in one direction, at about the same rate
// in every stretch, beyond noise.
func (p *phase) even(all [][]overlap.Span) bool {
	for _, s := range all {
		var low, high stretchRate
		for _, part := range p.parts {
			m := part.measureIn(s)
			if m.Rate == 0 || part.Limited() || part.wavers() || part.Trace.Op != p.parts[0].Trace.Op {
				return false
			}
			if low.Rate == 0 || m.Rate < low.Rate {
				low = m
			}
			if m.Rate > high.Rate {
				high = m
			}
		}
		if low.Rate < alikeShare*high.Rate || low.chanceAbove(&high, clearlyLess) >= doubt {
			return false
		}
	}
	return len(all) > 0
}
