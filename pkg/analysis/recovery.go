package analysis

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/hubbench/hubbench/pkg/overlap"
)

// How a recovery is told.
const (
	minGain      = 1.10        // a rise of less than a tenth is none
	oneStep      = 0.09        // neighbouring levels that differ by less are taken for one
	togetherS    = 0.5         // seconds: disks that end this close together count as one end, the last one's
	blurNS       = 300_000_000 // a change may be dated this much too early, or up to blurMostNS if files are long (see blur)
	blurMostNS   = 3_000_000_000
	settleNS     = 2_000_000_000  // the old level must be seen for this long
	jointChance  = 0.05           // if two disks rise at one instant, noise makes either rise more rarely than this, and both more rarely than alpha.after times this
	largeRise    = 1.6            // times: real disks' bursts are smaller
	jointHoldsS  = 0.7            // seconds for which the new level must be seen if two disks rise at one instant
	dipNS        = 250_000_000    // the rate before a rise is looked at in stretches this long
	asFast       = 0.95           // of the new rate: a stretch with this much was as fast already
	dipShare     = 0.25           // of the stretches at most may be, or a third of this if the rise is a clear one
	clearRise    = 1.3            // times
	longestLagNS = 30_000_000_000 // a single step is looked for at most this long after an end
	aboutTop     = 0.97           // of the highest rate after an end: a level with this much is the new one
	heldDown     = 0.8            // below this share of its rate alone, a disk that shows no recovery was still waiting for it
)

// recoveries looks, after each disk that ends while others go on, for what the others gained and when. A rise is attributed to
// the latest end before it, and looked for until the next disk starts or ends. Recoveries that the trace cuts off are told only
// if the disks' rates alone are known.
func (p *phase) recoveries(solos solos) {
	p.out.Recoveries, p.reached = []Recovery{}, nil
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
		until := p.stages[stage].EndNS
		var stay []*part
		var before []overlap.Interval
		var steps []climb
		for _, other := range p.stages[stage].Active {
			if since := p.worksSince(other, at); since < at && !p.parts[other].limited() {
				worked := overlap.Interval{StartNS: since, EndNS: at}
				stay, before = append(stay, &p.parts[other]), append(before, worked)
				steps = append(steps, p.stepAfter(&p.parts[other], worked, until))
			}
		}
		for i, part := range stay {
			p.recovery(part, ended.name(), before[i], until, p.surely(part, steps, i, at), solos)
		}
	}
}

// worksSince is the time since which, up to ns, the disk has worked without a pause and no other has begun; ns itself if it
// paused then. Others may have ended meanwhile: until that shows in its rate, the disk's level is the one before.
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
		begins := func(other int) bool { return i == 0 || !slices.Contains(p.stages[i-1].Active, other) }
		if s.Seconds() >= togetherS && slices.ContainsFunc(s.Active, begins) {
			break
		}
	}
	return since
}

// recovery looks for one disk's climb after another's end, from the level it had before: first among its levels, then, if they
// show none that holds, by the one step that fits best.
func (p *phase) recovery(part *part, after string, before overlap.Interval, until int64, step *climb, solos solos) {
	at := before.EndNS
	had, reached := p.climbAfter(part, before, until)
	from, measuredBefore := part.measure(had)
	to, ok := part.measure(reached)
	rose := ok && measuredBefore && rises(from, to)
	if rose {
		reached.StartNS = max(at, part.sharpest(reached.StartNS, to.rate-from.rate))
		from, to = part.differ(had, reached)
		seen := overlap.Interval{StartNS: max(before.StartNS, at-aroundS*1e9, p.risenBy(part)), EndNS: at}
		rose = to.chanceAbove(from) < p.alpha.after && part.showsInFiles(had, reached, leastFiles, mostOfOne) && !part.dipped(seen, to.rate)
	}
	least := endLevelS // seconds for which the new level must be seen: bursts are shorter
	switch {
	case step != nil && step.joint:
		least = jointHoldsS
	case had.Seconds() >= endLevelS && to.rate > largeRise*from.rate, step != nil && step.had.Seconds() >= endLevelS && step.is.rate > largeRise*step.was.rate:
		least = shortLevelS
	}
	if step != nil && (!rose || !part.holds(reached, least)) {
		from, to, reached, rose, measuredBefore = step.was, step.is, step.reached, true, true
	}
	if !measuredBefore {
		return
	}
	r := Recovery{Disk: part.name(), Op: part.trace.Op, After: after, AtS: seconds(at), FromRate: from.rate}
	alone, hasAlone := solos.of(p, part)
	held := hasAlone && from.rate < heldDown*alone.rate && alone.chanceAbove(from) < p.alpha.after && part.restsOnFiles(had, leastFiles, mostOfOne)
	switch {
	case rose && part.holds(reached, least):
		r.LagS, r.ToRate = number(seconds(reached.StartNS-at)), number(to.rate)
	case rose && held && to.rate >= heldBack*alone.rate && reached.EndNS == until:
		r.Cut = p.cut(part, until, seconds(reached.StartNS-at), true)
	case !rose && held && until == part.endNS() && had.EndNS-had.StartNS >= settleNS: // its recovery lies beyond the trace
		r.Cut = p.cut(part, until, seconds(until-at), false)
	default:
		return
	}
	p.out.Recoveries, p.reached = append(p.out.Recoveries, r), append(p.reached, to)
	if r.LagS != nil && part.kinds == nil { // the ledger, once there, goes by the levels as they are
		part.split(reached)
	}
}

// split makes the stretch that a disk rose to a level of its own, if it is not one already: noise is judged within levels.
func (p *part) split(reached overlap.Interval) {
	for _, ns := range []int64{reached.StartNS, reached.EndNS} {
		i := levelAt(p.solid, ns)
		if len(p.solid) == 0 || min(ns-p.solid[i].StartNS, p.solid[i].EndNS-ns) < holdNS {
			continue
		}
		l := p.solid[i]
		p.solid[i] = p.levelOver(overlap.Interval{StartNS: l.StartNS, EndNS: ns})
		p.solid = slices.Insert(p.solid, i+1, p.levelOver(overlap.Interval{StartNS: ns, EndNS: l.EndNS}))
	}
	p.series.noise = p.series.estimate(p.series.edges(p.solid), [2]int{})
}

// climbAfter is the level that the disk had before another's end, and the one it rose to; empty if they are not seen.
func (p *phase) climbAfter(part *part, before overlap.Interval, until int64) (had, reached overlap.Interval) {
	at := before.EndNS
	levels := part.plateaus(part.levels, oneStep)
	first := levelAt(levels, max(at-part.blur(at), min(p.risenBy(part)+holdNS, at)))
	had = overlap.Interval{StartNS: max(levels[first].StartNS, before.StartNS), EndNS: min(levels[first].EndNS, at)}
	if had.EndNS-had.StartNS < settleNS {
		return overlap.Interval{}, overlap.Interval{}
	}
	return had, part.climb(levels, first, at, until)
}

// climb is a rise by one step.
type climb struct {
	was, is      measured
	had, reached overlap.Interval
	joint        bool // another disk rises at the same instant
}

// surely is steps[i], the step of a disk that goes on, if noise would hardly make it: either by itself, with its moment chosen
// among many and showing in its files, or together with another disk that rises at the same instant. Else it is nil.
func (p *phase) surely(part *part, steps []climb, i int, at int64) *climb {
	c := &steps[i]
	if !rises(c.was, c.is) || part.dipped(c.had, c.is.rate) {
		return nil
	}
	by, places := c.is.chanceAbove(c.was), max(1, seconds(c.reached.StartNS-c.had.StartNS))
	// The chance that one of the other disks rises within 2 datingNS of this one by coincidence.
	coincidence := min(1, float64(len(steps)-1)*4*datingNS/float64(c.reached.EndNS-at))
	for k := range steps {
		if o := &steps[k]; k != i && rises(o.was, o.is) && abs(o.reached.StartNS-c.reached.StartNS) <= 2*datingNS &&
			max(by, o.is.chanceAbove(o.was)) < jointChance && places*coincidence*by*o.is.chanceAbove(o.was) < jointChance*p.alpha.after {
			c.joint = true
			return c
		}
	}
	ever := overlap.Interval{StartNS: part.startNS(), EndNS: c.had.EndNS}
	if places*by < p.alpha.after && (part.showsInFiles(c.had, c.reached, leastFiles, mostOfOne) || part.ranksApart(ever, c.reached)) {
		return c
	}
	return nil
}

// dipped reports whether the disk had been as fast before its rise as after it, and was only slow for a moment.
func (p *part) dipped(had overlap.Interval, rate float64) bool {
	most := dipShare
	if rate > clearRise*p.rateIn(had) {
		most = dipShare / 3
	}
	n := int((had.EndNS - had.StartNS) / dipNS)
	if n < 1 {
		return false
	}
	fast := 0
	for _, r := range p.curve.Rates([]overlap.Interval{had}, n) {
		if r >= asFast*rate {
			fast++
		}
	}
	return float64(fast) > most*float64(n)
}

// risenBy is when the disk reached the new level of its latest recovery so far; 0 if it has none.
func (p *phase) risenBy(part *part) int64 {
	var at int64
	for _, r := range p.out.Recoveries {
		if r.Disk == part.name() && r.LagS != nil {
			at = max(at, int64((r.AtS+*r.LagS)*1e9))
		}
	}
	return at
}

// stepAfter finds the one rise after another's end that fits best by least squares: ends close to one another leave no time
// for levels.
func (p *phase) stepAfter(part *part, before overlap.Interval, until int64) climb {
	at := before.EndNS
	from := max(before.StartNS, at-beforeNS)
	if at-before.StartNS < settleNS {
		return climb{} // too short to say what the disk had
	}
	from = max(from, p.risenBy(part))
	until = min(until, at+longestLagNS)
	n, least := int((until-from)/datingNS), int(leastSideNS/datingNS)
	first := max(least, int((at-from)/datingNS))
	if n-least < first {
		return climb{}
	}
	rates := part.curve.Rates([]overlap.Interval{{StartNS: from, EndNS: from + int64(n)*datingNS}}, n)
	sums := make([]float64, n+1)
	for i, r := range rates {
		sums[i+1] = sums[i] + r
	}
	step, most := 0, 0.0
	for k := first; k <= n-least; k++ {
		low, high := sums[k]/float64(k), (sums[n]-sums[k])/float64(n-k)
		if gain := (high - low) * math.Abs(high-low) * float64(k) * float64(n-k); gain > most {
			step, most = k, gain
		}
	}
	if step == 0 {
		return climb{}
	}
	moment := from + int64(step)*datingNS
	c := climb{had: overlap.Interval{StartNS: from, EndNS: moment}, reached: overlap.Interval{StartNS: max(moment, at), EndNS: until}}
	c.was, c.is = part.differ(c.had, c.reached)
	return c
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

// climb is the stretch that the disk rose to from levels[first] before the next start or end: the earliest of the rising levels
// that is not clearly below the highest, with what follows at about that rate. It is empty if nothing rises.
func (p *part) climb(levels []level, first int, at, until int64) overlap.Interval {
	top := first
	for i := first + 1; i < len(levels) && levels[i].StartNS < until-holdNS && levels[i].rate > levels[top].rate; i++ {
		if peak := i+1 < len(levels) && levels[i+1].StartNS < until && levels[i+1].rate < levels[i].rate; peak && top > first && levels[i].Seconds() < shortLevelS {
			break // for a moment
		}
		top = i
	}
	if top == first {
		return overlap.Interval{StartNS: at, EndNS: at}
	}
	highest, _ := p.measure(levels[top].Interval)
	start := first + 1
	for start < top {
		if lower, ok := p.measure(levels[start].Interval); ok && (highest.chanceAbove(lower) > chance || lower.rate >= aboutTop*highest.rate) {
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

// holds tells whether a new level was seen for so many seconds, and longer than any burst of the disk.
func (p *part) holds(reached overlap.Interval, least float64) bool {
	return float64(reached.EndNS-reached.StartNS) >= 1e9*max(least, beyondSeen*p.excursionS)
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
