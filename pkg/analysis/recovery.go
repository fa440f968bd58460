package analysis

import (
	"cmp"
	"slices"

	"github.com/hubbench/hubbench/pkg/effect"
	"github.com/hubbench/hubbench/pkg/ledger"
	"github.com/hubbench/hubbench/pkg/overlap"
)

// cutRecoveries returns those that the trace cuts off, and so are not among the ones seen: of disks
// that are slower than alone when another finishes, and do not rise before they finish themselves.
func (p *phase) cutRecoveries() (cut []Recovery) {
	p.eachEnd(func(ended string, other int, at, until int64) {
		part := p.parts[other]
		if part.IsPaced() || p.isRecovered(part, at) {
			return
		}
		if r, ok := p.cutRecovery(part, ended, at, until); ok {
			cut = append(cut, r)
		}
	})
	return cut
}

// isRecovered reports whether the disk's rise after another's end at that time was seen.
func (p *phase) isRecovered(part *diskPart, at int64) bool {
	for _, r := range p.seen {
		if r.Disk == part.Name() && r.LagS != nil && abs(nanoseconds(r.AtS)-at) <= foreseenNS {
			return true
		}
	}
	return part.Swing.Covers(at)
}

// cutRecovery returns a disk's recovery after another's end at that time if it lies beyond what was
// seen: the disk was slower than alone then, and still was at its own end.
func (p *phase) cutRecovery(part *diskPart, after string, at, until int64) (r Recovery, ok bool) {
	level := part.Levels[ledger.LevelAt(part.Levels, at-1)]
	before := overlap.Between(level.StartNS, min(level.EndNS, at))
	from, ok := part.Measure(before)
	alone := p.solos.Of(part.actor())
	if !ok || alone == nil || before.EndNS-before.StartNS < settleNS ||
		from.Rate >= maxWaiting*alone.Mean ||
		alone.ChanceAbove(&effect.Rate{Log: from.Log()}, 1) >= p.alpha.perRecovery ||
		!part.RestsOnFiles(before) {
		return r, false
	}
	now := part.RateIn(overlap.Between(until-ledger.HoldNS, until))
	if until != part.EndNS() || now >= maxWaiting*alone.Mean {
		return r, false
	}
	r = Recovery{Disk: part.Name(), Op: part.Trace.Op, After: after, AtS: seconds(at),
		FromRate: from.Rate, Cut: p.cut(part, until, seconds(until-at), false)}
	r.Reason = reason(&r)
	return r, true
}

// eachEnd calls do for each disk that finishes and each other one that is active then: with the
// time of the end, and of the next start or end. Of disks that finish together the last counts.
func (p *phase) eachEnd(do func(ended string, other int, at, until int64)) {
	ends := p.others(nil)
	slices.SortStableFunc(ends, func(a, b *diskPart) int {
		return cmp.Compare(a.EndNS(), b.EndNS())
	})
	for k, ended := range ends {
		at := ended.EndNS()
		if k+1 < len(ends) && seconds(ends[k+1].EndNS()-at) < togetherS {
			continue
		}
		stage := slices.IndexFunc(p.stages, func(s overlap.Stage) bool { return s.StartNS == at })
		if stage < 0 {
			continue
		}
		for _, other := range p.stages[stage].Active {
			do(ended.Name(), other, at, p.stages[stage].EndNS)
		}
	}
}

// cut says what cut off the view of a disk at ns.
func (p *phase) cut(part *diskPart, ns int64, s float64, rose bool) *Cut {
	c := &Cut{Rose: rose, AfterS: s, Why: "ended", Disk: part.Name()}
	if ns == part.EndNS() {
		return c
	}
	for _, other := range p.others(part) {
		c.Disk = other.Name()
		if other.EndNS() == ns {
			return c
		}
		for _, v := range other.Active {
			if v.StartNS == ns {
				c.Why = "started"
				return c
			}
		}
	}
	c.Why = "paused"
	c.Disk = ""
	return c
}
