package analysis

import (
	"cmp"
	"slices"

	"github.com/hubbench/hubbench/pkg/effect"
	"github.com/hubbench/hubbench/pkg/ledger"
	"github.com/hubbench/hubbench/pkg/overlap"
)

// recoveries looks, after each disk that ends while others go on, for what the others gained and
// when. A rise is attributed to the latest end before it, and looked for until the next disk starts
// or ends. Recoveries that the trace cuts off are reported only if the disks' rates alone are
// known.
func (p *phase) recoveries() {
	p.out.Recoveries = []Recovery{}
	for _, part := range p.parts {
		part.risenNS = 0
	}
	p.eachEnd(func(ended string, other int, at, until int64) {
		if since := p.worksSince(other, at); since < at && !p.parts[other].IsPaced() {
			p.recovery(p.parts[other], ended, overlap.Between(since, at), until)
		}
	})
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

// worksSince is the time since which, up to ns, the disk has worked without a pause and no other
// has begun; ns itself if it paused then. Others may have ended meanwhile: until that shows in its
// rate, the disk's level is the one before.
func (p *phase) worksSince(disk int, ns int64) int64 {
	since := ns
	for i := len(p.stages) - 1; i >= 0; i-- {
		s := &p.stages[i]
		if s.EndNS > ns {
			continue
		}
		if s.EndNS < since || !slices.Contains(s.Active, disk) {
			break
		}
		since = s.StartNS
		begins := func(other int) bool {
			return i == 0 || !slices.Contains(p.stages[i-1].Active, other)
		}
		if s.Seconds() >= togetherS && slices.ContainsFunc(s.Active, begins) {
			break
		}
	}
	return since
}

// recovery looks for one disk's climb after another's end, from the level it had before.
func (p *phase) recovery(part *diskPart, after string, before overlap.Span, until int64) {
	at := before.EndNS
	if part.Swing.Covers(at) {
		return // It goes up and down anyway.
	}
	oldLevel, newLevel := p.climbAfter(part, before, until)
	from, ok := part.Measure(oldLevel)
	if !ok {
		return
	}
	to, rose := part.Measure(newLevel)
	if rose = rose && to.Rate >= ledger.MinGain*from.Rate; rose {
		from, to = part.Compare(oldLevel, newLevel)
	}
	r := Recovery{
		Disk: part.Name(), Op: part.Trace.Op, After: after, AtS: seconds(at), FromRate: from.Rate,
		Reached: to,
	}
	alone := p.solos.Of(part.actor())
	wasSlowed := alone != nil && from.Rate < maxWaiting*alone.Mean &&
		alone.ChanceAbove(&effect.Rate{Log: from.Log()}, 1) < p.alpha.perRecovery &&
		part.RestsOnFiles(oldLevel)
	switch {
	case rose && part.OutlastsBursts(newLevel):
		r.LagS = number(seconds(newLevel.StartNS - at))
		r.ToRate = number(to.Rate)
	case rose && wasSlowed && to.Rate >= minRetained*alone.Mean && newLevel.EndNS == until:
		r.Cut = p.cut(part, until, seconds(newLevel.StartNS-at), true)
	case !rose && wasSlowed && until == part.EndNS() &&
		oldLevel.EndNS-oldLevel.StartNS >= settleNS &&
		part.RateIn(overlap.Between(until-ledger.HoldNS, until)) < maxWaiting*
			alone.Mean:
		// Its recovery lies beyond the trace.
		r.Cut = p.cut(part, until, seconds(until-at), false)
	default:
		return
	}
	p.out.Recoveries = append(p.out.Recoveries, r)
	if r.LagS != nil {
		part.risenNS = max(part.risenNS, int64((r.AtS+*r.LagS)*1e9))
	}
}

// climbAfter is the level that the disk had before another's end, and the one it rose to; empty if
// they are not seen.
func (p *phase) climbAfter(
	part *diskPart, before overlap.Span, until int64,
) (oldLevel, newLevel overlap.Span) {
	at := before.EndNS
	levels := part.SteppedLevels()
	first := ledger.LevelAt(levels, max(at-part.Blur(at), min(part.risenNS+ledger.HoldNS, at)))
	oldLevel = overlap.Span{
		StartNS: max(levels[first].StartNS, before.StartNS), EndNS: min(levels[first].EndNS, at),
	}
	if oldLevel.EndNS-oldLevel.StartNS < settleNS {
		return overlap.Span{}, overlap.Span{}
	}
	return oldLevel, ledger.Climb(levels, first, at, until)
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
