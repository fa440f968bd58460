package analysis

import (
	"cmp"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/effect"
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
func (p *phase) noReference(disk *diskPart) (why string) {
	for _, q := range p.phases {
		alone := q.part(disk.Name())
		switch {
		case disk.IsPaced() || len(q.parts) != 1 || alone == nil ||
			alone.Trace.Op != disk.Trace.Op || alone.IsPaced():
		case disk.isUnsettled() || p.isDown(disk):
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
func (p *phase) fillContention() {
	all := cutAt(p.window, p.cuts(""))
	c := &Contention{Disks: map[string]DiskContention{}, Steals: []Steal{}, Even: p.even(all)}
	if len(all) > 1 {
		c.Spans = spans(p.whole.In)
	}
	for _, part := range p.parts {
		part.window = part.measureIn(p.whole.In)
		part.kept = DiskContention{Rate: part.window.Mean, NoReference: p.noReference(part)}
		p.fillBaseline(part)
		c.Disks[part.Name()] = part.kept
	}
	for _, part := range p.parts {
		c.Steals = append(c.Steals, p.crowdsOut(part)...)
	}
	p.out.Contention = c
}

// fillBaseline compares the disk with its baseline, and judges that by all repeats.
func (p *phase) fillBaseline(disk *diskPart) {
	if disk.IsPaced() {
		return // Its own pace may be what limits it.
	}
	e := p.table.Against(p.whole, disk.Name())
	if e == nil {
		return
	}
	b := p.table.Baseline(p.whole, disk.Name(), e.Missing()...)
	if b == nil {
		return
	}
	here := effect.Pair{With: *p.whole.Part(disk.Name()).Settled(), Without: b.Rate}
	kept, ci := here.Kept(), here.KeptCI()
	d := &disk.kept
	d.Slowed = e.Pair().Loses(p.alpha.perPhase) && !p.fallsForGood(disk)
	d.Kept = e.Pair().Keeps()
	if kept > maxRetained {
		d.NoReference = NoneExceeded
		d.Kept = d.Kept && ci != nil && ci[0] <= 1
		return
	}
	d.Alone = len(e.Others) == 0
	d.Reference = ReferenceLater
	switch {
	case !d.Alone:
		d.ReferenceFrom = e.Neighbour
	case b.From == effect.FromPhases:
		d.Reference = ReferenceSolo
		d.ReferenceFrom = strings.Join(b.Phases, ", ")
	default:
		d.ReferenceFrom = b.After
	}
	disk.against = e
	d.NoReference = ""
	d.ReferenceRate = number(b.Mean)
	d.Retention = number(kept)
	d.RetentionCI = ci
}

// crowdsOut is what the disk takes from those that it surely slows, if it keeps at least an even
// share of what all move, and either all of its own rate or more than those that it slows.
func (p *phase) crowdsOut(by *diskPart) (found []Steal) {
	even := by.window.Mean >= evenShare*rateTogether(p.parts)/float64(len(p.parts))
	for _, from := range p.parts {
		e := p.table.Of(by.actor(), from.actor(), actors(p.parts))
		more := by.window.Mean >= (1+minEffect)*from.window.Mean &&
			by.window.ChanceAbove(&from.window, 1) < p.alpha.perPhase
		steal := Steal{From: from.Name(), By: by.Name()}
		switch {
		case from == by || !p.comparable(by) || !p.comparable(from) || !by.kept.Kept && !more:
		case e != nil && e.Sure && even:
			steal.Rate = e.Without - e.Rate
			steal.Share = e.Loss
			for _, o := range p.parts {
				if !effect.Among([]effect.Actor{o.actor()}, e.Actors()) {
					steal.Absent = append(steal.Absent, o.Name())
				}
			}
		case p.mustTake(by, from):
			steal.Deduced = true
			steal.Rate = *from.kept.ReferenceRate - from.window.Mean
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
		sum += o.window.Mean
	}
	return sum
}

// mustTake reports whether a disk would have more without another although it was nowhere
// measured without it. What a disk moves alone fits through all that it shares. So if all that
// may share it move less than that without the other, the other shares it too. If the slowed
// disks move as much as each of them alone, no other disk has to.
func (p *phase) mustTake(by, from *diskPart) bool {
	for i := range p.table.Effects {
		if p.table.Effects[i].IsOf(by.actor(), from.actor()) {
			return false
		}
	}
	var slowed []*diskPart
	most := 0.0
	for _, o := range p.parts {
		if o.kept.Slowed && o.kept.Alone {
			slowed = append(slowed, o)
			most = max(most, *o.kept.ReferenceRate)
		}
	}
	group := slowed
	if rateTogether(slowed) < most {
		group = p.parts
	}
	if !slices.Contains(slowed, from) || !slices.Contains(group, by) {
		return false
	}
	total := rateTogether(group)
	return by.window.Mean >= (1+minEffect)*total/float64(len(group)) &&
		maxRetained*(total-by.window.Mean) < *from.kept.ReferenceRate
}

// comparable reports whether the disk wants as much as it can get and did not change by itself in
// the window.
func (p *phase) comparable(disk *diskPart) bool {
	return disk.WantsAll() && !disk.isUnsettled() && !p.isDown(disk)
}

// isDown reports whether the disk fell by itself before the stretch that is compared.
func (p *phase) isDown(disk *diskPart) bool {
	return p.hasFallen(disk.Name(), p.whole.In[0].StartNS)
}

// fallsForGood reports whether the disk has fallen by itself when the window ends.
func (p *phase) fallsForGood(disk *diskPart) bool {
	return p.hasFallen(disk.Name(), p.window[len(p.window)-1].EndNS)
}

// even reports whether all disks go as fast as they can, in one direction, at about the same rate
// in every stretch, beyond noise.
func (p *phase) even(all [][]overlap.Span) bool {
	for _, in := range all {
		var rates []effect.Rate
		for _, part := range p.parts {
			m := part.measureIn(in)
			if m.Mean == 0 || part.IsPaced() || part.isUnsettled() ||
				part.Trace.Op != p.parts[0].Trace.Op {
				return false
			}
			rates = append(rates, m)
		}
		ascending := func(a, b effect.Rate) int { return cmp.Compare(a.Mean, b.Mean) }
		low, high := slices.MinFunc(rates, ascending), slices.MaxFunc(rates, ascending)
		if pair := (effect.Pair{With: low, Without: high}); !pair.Keeps() {
			return false
		}
	}
	return len(all) > 0
}
