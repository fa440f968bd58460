package analysis

import (
	"cmp"
	"slices"
	"sort"

	"github.com/hubbench/hubbench/pkg/overlap"
)

// How a recovery is told.
const (
	minGain    = 1.10        // a rise of less than a tenth is none
	oneStep    = 0.09        // neighbouring levels that differ by less are taken for one
	togetherS  = 0.5         // disks that end this close together count as one event, the last one's
	blurNS     = 300_000_000 // a change may be dated this much too early: levels are compared from this long before the end
	blurMostNS = 3_000_000_000
	settleNS   = 2_000_000_000 // the old level must be seen for so long
	heldDown   = 0.8           // below this share of its rate alone, a disk that shows no recovery was still waiting for it
)

// recoveries looks, after every disk that ends while others go on, for what the others gained and when. A change is
// laid to the latest end before it, and looked for until the next disk starts or ends.
func (p *phase) recoveries(solos solos) {
	ends := make([]int, 0, len(p.parts))
	for i := range p.parts {
		if len(p.parts[i].active) > 0 {
			ends = append(ends, i)
		}
	}
	slices.SortStableFunc(ends, func(a, b int) int { return cmp.Compare(p.parts[a].endNS(), p.parts[b].endNS()) })
	for k, e := range ends {
		ended := &p.parts[e]
		at := ended.endNS()
		if k+1 < len(ends) && seconds(p.parts[ends[k+1]].endNS()-at) < togetherS {
			continue
		}
		stage := slices.IndexFunc(p.stages, func(s overlap.Stage) bool { return s.StartNS == at })
		if stage < 0 {
			continue
		}
		for _, other := range p.stages[stage].Active {
			part := &p.parts[other]
			if before := p.quietBefore(other, at); before < at && !part.limited() {
				p.recovery(part, ended.name(), overlap.Interval{StartNS: before, EndNS: at}, p.stages[stage].EndNS, solos)
			}
		}
	}
}

// quietBefore is the start of the last stage before ns with the disk in it that is long enough to measure in, ns
// itself where there is none.
func (p *phase) quietBefore(disk int, ns int64) int64 {
	for i := len(p.stages) - 1; i >= 0; i-- {
		s := &p.stages[i]
		if s.EndNS > ns {
			continue
		}
		if !slices.Contains(s.Active, disk) {
			return ns
		}
		if s.Seconds() >= togetherS {
			return s.StartNS
		}
	}
	return ns
}

// recovery looks for one disk's climb after another's end, from the level it had before.
func (p *phase) recovery(part *part, after string, before overlap.Interval, until int64, solos solos) {
	at := before.EndNS
	levels := part.plateaus(oneStep)
	first := levelAt(levels, at-part.blur(at))
	had := overlap.Interval{StartNS: max(levels[first].StartNS, before.StartNS), EndNS: min(levels[first].EndNS, at)}
	from, ok := part.measure(had)
	if !ok || had.EndNS-had.StartNS < settleNS {
		return
	}
	r := Recovery{Disk: part.name(), Op: part.trace.Op, After: after, AtS: seconds(at), FromRate: from.rate}
	reached := part.climb(levels, first, at, until)
	to, ok := part.measure(reached)
	rose := ok && rises(from, to)
	if rose {
		reached.StartNS = max(at, part.sharpest(reached.StartNS, to.rate-from.rate))
		from, to = part.differ(had, reached)
		rose = to.chanceAbove(from) < p.alpha.after && part.showsInFiles(had, reached, leastFiles, mostOfOne)
	}
	alone, hasAlone := solos.of(p, part)
	held := hasAlone && from.rate < heldDown*alone.rate && alone.chanceAbove(from) < p.alpha.after && part.restsOnFiles(had, leastFiles, mostOfOne)
	switch {
	case rose && part.holds(reached):
		r.LagS, r.ToRate = number(seconds(reached.StartNS-at)), number(to.rate)
	case rose && held && to.rate >= heldBack*alone.rate && reached.EndNS == until:
		r.Cut = p.cut(part, until, seconds(reached.StartNS-at), true)
	case !rose && held && until == part.endNS(): // its recovery lies beyond the trace
		r.Cut = p.cut(part, until, seconds(until-at), false)
	default:
		return
	}
	p.out.Recoveries, p.reached = append(p.out.Recoveries, r), append(p.reached, to)
}

// rises reports whether a rate is enough above an earlier one.
func rises(from, to measured) bool { return to.rate >= minGain*from.rate }

// blur is how much too early a change at ns may be dated: by the luck of the file before, up to blurMostNS.
func (p *part) blur(ns int64) int64 {
	i := sort.Search(len(p.trace.Files), func(i int) bool { return p.trace.Files[i].StartNS >= ns })
	if i < 2 {
		return blurNS
	}
	return min(max(blurNS, ns-p.trace.Files[i-2].StartNS+blurNS), blurMostNS)
}

// climb is where the disk got to from levels[first] before the next start or end: the earliest of the rising levels
// that is not clearly below the highest, with what follows at about that rate. It is empty where nothing rises.
func (p *part) climb(levels []level, first int, at, until int64) overlap.Interval {
	top := first
	for i := first + 1; i < len(levels) && levels[i].StartNS < until-holdNS && levels[i].rate > levels[top].rate; i++ {
		top = i
	}
	if top == first {
		return overlap.Interval{StartNS: at, EndNS: at}
	}
	highest, _ := p.measure(levels[top].Interval)
	start := first + 1
	for start < top {
		if lower, ok := p.measure(levels[start].Interval); ok && highest.chanceAbove(lower) > chance {
			break
		}
		start++
	}
	end := start
	half := (levels[first].rate + levels[top].rate) / 2
	for end+1 < len(levels) && levels[end+1].StartNS < until && levels[end+1].rate >= half {
		end++
	}
	return overlap.Interval{StartNS: max(levels[start].StartNS, at), EndNS: min(levels[end].EndNS, until)}
}

// holds tells whether a new level was seen for longer than a burst: than any seen of the disk, or than a burst may be.
func (p *part) holds(reached overlap.Interval) bool {
	return float64(reached.EndNS-reached.StartNS) >= max(levelNS, 1.5e9*p.excursionS)
}

// cut says what cut off the view of a disk at ns.
func (p *phase) cut(part *part, ns int64, s float64, rose bool) *Cut {
	c := &Cut{Rose: rose, S: s, Why: "ended", Disk: part.name()}
	if ns == part.endNS() {
		return c
	}
	for i := range p.parts {
		other := &p.parts[i]
		if other == part || len(other.active) == 0 {
			continue
		}
		c.Disk = other.name()
		if other.endNS() == ns {
			return c
		}
		if slices.ContainsFunc(other.active, func(v overlap.Interval) bool { return v.StartNS == ns }) {
			c.Why = "started"
			return c
		}
	}
	c.Why, c.Disk = "paused", ""
	return c
}
