package analysis

import (
	"cmp"
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
	NoneChanged      = "changed"       // Its rate changed by itself here.
	NoneAloneChanged = "alone_changed" // Its rate alone changed, so there is no single one.
	NoneTooLittle    = "too_little"    // It worked alone for too short a time to know its rate.
	NoneUnlike       = "unlike"        // It did other work alone, or was connected elsewhere.
	NoneExceeded     = "exceeded"      // It was clearly faster here than alone.
)

// noReference is why the disk's rates alone in other phases are no baseline.
func (s *busySet) noReference(disk *diskPart) (why string) {
	for _, q := range s.phases {
		alone := q.part(disk.Name())
		switch {
		case disk.IsPaced() || len(q.parts) != 1 || alone == nil ||
			alone.Trace.Op != disk.Trace.Op || alone.IsPaced():
		case disk.isUnsettled() || s.isDown(disk):
			return NoneChanged
		case alone.same(disk) && alone.isUnsettled():
			return NoneAloneChanged
		case alone.same(disk):
			return NoneTooLittle
		default:
			why = NoneUnlike
		}
	}
	return why
}

// fillContention compares the disks' rates in one stretch of the window with their baselines:
// alone, or else without the one neighbour that costs them most.
func (s *busySet) fillContention() {
	all := cutAt(s.window, s.cuts(""))
	c := &Contention{Disks: map[string]DiskContention{}, Steals: []Steal{}, Even: s.even(all)}
	if len(all) > 1 {
		c.Spans = spans(s.in)
	}
	for _, part := range s.parts {
		part.window = part.measureIn(s.in)
		part.kept = DiskContention{Rate: part.window.Rate, NoReference: s.noReference(part)}
		s.fillBaseline(part)
		c.Disks[part.Name()] = part.kept
	}
	for _, part := range s.parts {
		c.Steals = append(c.Steals, s.crowdsOut(part)...)
	}
	s.out.Contention = c
}

// fillBaseline compares the disk with its baseline.
func (s *busySet) fillBaseline(disk *diskPart) {
	if disk.IsPaced() {
		return // Its own pace may be what limits it.
	}
	b := s.baseline(disk, s.others(disk)...)
	d := &disk.kept
	if b != nil {
		d.Reference = ReferenceLater
		d.ReferenceFrom = b.after
		d.Alone = true
		if b.from == FromPhases {
			d.Reference = ReferenceSolo
			d.ReferenceFrom = strings.Join(b.phases, ", ")
		}
	}
	for _, o := range s.others(disk) {
		if d.Alone {
			break
		}
		if w := s.baseline(disk, o); w != nil && (b == nil || w.Rate > b.Rate) {
			b = w
			d.Reference = ReferenceLater
			d.ReferenceFrom = o.Name()
		}
	}
	if b == nil {
		return
	}
	here, _ := s.rate(disk)
	kept := here.Rate / b.Rate
	ci := here.over(&b.stretchRate)
	d.Slowed = kept <= minRetained && b.chanceAbove(here, 1) < s.alpha.perPhase &&
		!s.fallsForGood(disk)
	d.Kept = kept >= minRetained && here.chanceAbove(&b.stretchRate, clearlyLess) < falseKeptRate
	if kept > maxRetained {
		d.Reference = ""
		d.ReferenceFrom = ""
		d.Alone = false
		d.NoReference = NoneExceeded
		d.Kept = d.Kept && ci != nil && ci[0] <= 1
		return
	}
	disk.base = b
	d.NoReference = ""
	d.ReferenceRate = number(b.Rate)
	d.Retention = number(kept)
	d.RetentionCI = ci
}

// crowdsOut is what the disk takes from those that it surely slows, if it keeps at least an even
// share of what all move, and either all of its own rate or more than those that it slows.
func (s *busySet) crowdsOut(by *diskPart) (found []Steal) {
	even := by.window.Rate >= evenShare*rateTogether(s.parts)/float64(len(s.parts))
	for _, from := range s.parts {
		e := s.effectOf(by, from)
		more := by.window.Rate >= (1+minEffect)*from.window.Rate &&
			by.window.chanceAbove(&from.window, 1) < s.alpha.perPhase
		steal := Steal{From: from.Name(), By: by.Name()}
		switch {
		case from == by || !s.comparable(by) || !s.comparable(from) || !by.kept.Kept && !more:
		case e != nil && e.Sure && even:
			steal.Rate = e.Without - e.Rate
			steal.Share = e.Loss
			for _, o := range s.parts {
				if !sameJobsIn([]*diskPart{o}, e.setting[0].parts) {
					steal.Absent = append(steal.Absent, o.Name())
				}
			}
		case s.mustTake(by, from):
			steal.Deduced = true
			steal.Rate = *from.kept.ReferenceRate - from.window.Rate
			steal.Share = 1 - *from.kept.Retention
		}
		if steal.Share > 0 {
			found = append(found, steal)
		}
	}
	return found
}

// rateTogether is the rate of several disks in the stretch that is compared.
func rateTogether(parts []*diskPart) (sum float64) {
	for _, o := range parts {
		sum += o.window.Rate
	}
	return sum
}

// mustTake reports whether a disk would have more without another although it was nowhere
// measured without it. What a disk moves alone fits through all that it shares. So if all that
// may share it move less than that without the other, the other shares it too. If the slowed
// disks move as much as each of them alone, no other disk has to.
func (s *busySet) mustTake(by, from *diskPart) bool {
	for i := range s.effects {
		if s.effects[i].isOf(from, by) {
			return false
		}
	}
	var slowed []*diskPart
	most := 0.0
	for _, o := range s.parts {
		if o.kept.Slowed && o.kept.Alone {
			slowed = append(slowed, o)
			most = max(most, *o.kept.ReferenceRate)
		}
	}
	group := slowed
	if rateTogether(slowed) < most {
		group = s.parts
	}
	if !slices.Contains(slowed, from) || !slices.Contains(group, by) {
		return false
	}
	total := rateTogether(group)
	return by.window.Rate >= (1+minEffect)*total/float64(len(group)) &&
		maxRetained*(total-by.window.Rate) < *from.kept.ReferenceRate
}

// comparable reports whether the disk wants as much as it can get and did not change by itself in
// the window.
func (s *busySet) comparable(disk *diskPart) bool {
	return disk.WantsAll() && !disk.isUnsettled() && !s.isDown(disk)
}

// isDown reports whether the disk fell by itself before the stretch that is compared.
func (s *busySet) isDown(disk *diskPart) bool { return s.hasFallen(disk.Name(), s.in[0].StartNS) }

// fallsForGood reports whether the disk has fallen by itself when the window ends.
func (p *phase) fallsForGood(disk *diskPart) bool {
	return p.hasFallen(disk.Name(), p.window[len(p.window)-1].EndNS)
}

// even reports whether all disks go as fast as they can, in one direction, at about the same rate
// in every stretch, beyond noise.
func (s *busySet) even(all [][]overlap.Span) bool {
	for _, in := range all {
		var rates []stretchRate
		for _, part := range s.parts {
			m := part.measureIn(in)
			if m.Rate == 0 || part.IsPaced() || part.isUnsettled() ||
				part.Trace.Op != s.parts[0].Trace.Op {
				return false
			}
			rates = append(rates, m)
		}
		ascending := func(a, b stretchRate) int { return cmp.Compare(a.Rate, b.Rate) }
		low, high := slices.MinFunc(rates, ascending), slices.MaxFunc(rates, ascending)
		if low.Rate < minRetained*high.Rate ||
			low.chanceAbove(&high, clearlyLess) >= falseKeptRate {
			return false
		}
	}
	return len(all) > 0
}
