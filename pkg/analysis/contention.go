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
	NoneExceeded     = "exceeded"      // clearly faster here than alone
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

// contender is a disk in the stretch of the window that is compared.
type contender struct {
	*diskPart
	rate    effect.Rate
	kept    DiskContention // kept compares the rate with the baseline.
	against *effect.Effect // against is how kept is judged; nil if there is no baseline.
}

// contend compares the disks' rates in one stretch of the window with their baselines: alone, or
// else without the one neighbour that costs them most.
func (p *phase) contend() []*contender {
	return Each(p.parts, func(disk *diskPart) *contender {
		c := &contender{diskPart: disk, rate: disk.measureIn(p.whole.In)}
		c.kept, c.against = p.keeps(disk)
		c.kept.Rate = c.rate.Mean
		return c
	})
}

// share returns how the contenders share what they have.
func (p *phase) share() *Contention {
	all := cutAt(p.window, p.cuts(""))
	out := &Contention{Disks: map[string]DiskContention{}, Steals: []Steal{}, Even: p.even(all)}
	if len(all) > 1 {
		out.Spans = spans(p.whole.In)
	}
	for _, c := range p.contenders {
		out.Disks[c.Name()] = c.kept
		out.Steals = append(out.Steals, p.crowdsOut(c)...)
	}
	out.DuplexGain, out.DuplexCI95 = p.duplexGain()
	return out
}

// contender returns the one that a disk is.
func (p *phase) contender(disk string) *contender {
	i := slices.IndexFunc(p.contenders, func(c *contender) bool { return c.Name() == disk })
	return p.contenders[i]
}

// keeps compares the disk with its baseline, and judges that by the effect of all repeats, which is
// nil if there is no baseline.
func (p *phase) keeps(disk *diskPart) (out DiskContention, against *effect.Effect) {
	out.NoReference = p.noReference(disk)
	if disk.IsPaced() {
		return out, nil // Its own pace may be what limits it.
	}
	e := p.table.Against(p.whole, disk.Name())
	if e == nil {
		return out, nil
	}
	b := p.table.Baseline(p.whole, disk.Name(), e.Missing()...)
	if b == nil {
		return out, nil
	}
	here := effect.Pair{With: *p.whole.Part(disk.Name()).Settled(), Without: b.Rate}
	kept, ci := here.Kept(), here.KeptCI()
	out.Slowed = e.Pair().Loses(p.alpha.perPhase) && !p.fallsForGood(disk)
	// Without one neighbor the disk may be slowed by the others as much.
	out.Kept = len(e.Others) == 0 && e.Pair().Keeps()
	if kept > maxRetained {
		out.NoReference = NoneExceeded
		out.Kept = out.Kept && ci != nil && ci[0] <= 1
		return out, nil
	}
	out.Alone = len(e.Others) == 0
	out.Reference = ReferenceLater
	switch {
	case !out.Alone:
		out.ReferenceFrom = e.Neighbour
	case b.From == effect.FromPhases:
		out.Reference = ReferenceSolo
		out.ReferenceFrom = strings.Join(b.Phases, ", ")
	default:
		out.ReferenceFrom = b.After
	}
	out.NoReference = ""
	out.ReferenceRate = number(b.Mean)
	out.Retention = number(kept)
	out.RetentionCI = ci
	return out, e
}

// crowdsOut returns what the disk takes from those that it surely slows, if it keeps at least an
// even share of what all move, and either all of its own rate or more than those that it slows.
func (p *phase) crowdsOut(by *contender) (found []Steal) {
	even := by.rate.Mean >= evenShare*rateTogether(p.contenders)/float64(len(p.contenders))
	for _, from := range p.contenders {
		e := p.table.Of(by.actor(), from.actor(), actors(p.parts))
		more := by.rate.Mean >= (1+minEffect)*from.rate.Mean &&
			by.rate.ChanceAbove(&from.rate, 1) < p.alpha.perPhase
		steal := Steal{From: from.Name(), By: by.Name()}
		switch {
		case from == by || !p.comparable(by.diskPart) || !p.comparable(from.diskPart):
		case !by.kept.Kept && !more:
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
			steal.Rate = *from.kept.ReferenceRate - from.rate.Mean
			steal.Share = 1 - *from.kept.Retention
		}
		if steal.Share > 0 {
			found = append(found, steal)
		}
	}
	return found
}

// rateTogether returns the rate of several disks in the stretch that is compared.
func rateTogether(all []*contender) (sum float64) {
	for _, o := range all {
		sum += o.rate.Mean
	}
	return sum
}

// mustTake reports whether a disk would have more without another although it was nowhere
// measured without it. What a disk moves alone fits through all that it shares. So if all that
// may share it move less than that without the other, the other shares it too. If the slowed
// disks move as much as each of them alone, no other disk has to.
func (p *phase) mustTake(by, from *contender) bool {
	for i := range p.table.Effects {
		if p.table.Effects[i].IsOf(by.actor(), from.actor()) {
			return false
		}
	}
	var slowed []*contender
	most := 0.0
	for _, o := range p.contenders {
		if o.kept.Slowed && o.kept.Alone {
			slowed = append(slowed, o)
			most = max(most, *o.kept.ReferenceRate)
		}
	}
	group := slowed
	if rateTogether(slowed) < most {
		group = p.contenders
	}
	if !slices.Contains(slowed, from) || !slices.Contains(group, by) {
		return false
	}
	total := rateTogether(group)
	return by.rate.Mean >= (1+minEffect)*total/float64(len(group)) &&
		maxRetained*(total-by.rate.Mean) < *from.kept.ReferenceRate
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
