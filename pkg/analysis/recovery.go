package analysis

import (
	"cmp"
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/level"
	"github.com/hubbench/hubbench/pkg/overlap"
)

// How a recovery is told.
const (
	oneStep      = 0.09           // neighbouring levels that differ by less are taken for one
	togetherS    = 0.5            // seconds: disks that end this close together count as one end, the last one's
	settleNS     = 2_000_000_000  // the old level must be seen for this long
	jointChance  = 0.05           // if two disks rise at one instant, noise makes either rise more rarely than this, and both more rarely than alpha.after times this
	largeRise    = 1.6            // times: real disks' bursts are smaller
	jointHoldsS  = 0.7            // seconds for which the new level must be seen if two disks rise at one instant
	longestLagNS = 30_000_000_000 // a single step is looked for at most this long after an end
	heldDown     = 0.8            // below this share of its rate alone, a disk that shows no recovery was still waiting for it
)

// recoveries looks, after each disk that ends while others go on, for what the others gained and when. A rise is attributed to
// the latest end before it, and looked for until the next disk starts or ends. Recoveries that the trace cuts off are told only
// if the disks' rates alone are known.
func (p *phase) recoveries(solos solos) {
	p.out.Recoveries, p.reached = []Recovery{}, nil
	ends := make([]int, 0, len(p.parts))
	for i := range p.parts {
		if len(p.parts[i].Active) > 0 {
			ends = append(ends, i)
		}
	}
	slices.SortStableFunc(ends, func(a, b int) int { return cmp.Compare(p.parts[a].EndNS(), p.parts[b].EndNS()) })
	for k, e := range ends {
		ended := &p.parts[e]
		at := ended.EndNS()
		if k+1 < len(ends) && seconds(p.parts[ends[k+1]].EndNS()-at) < togetherS {
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
			if since := p.worksSince(other, at); since < at && !p.parts[other].Limited() {
				worked := overlap.Interval{StartNS: since, EndNS: at}
				stay, before = append(stay, &p.parts[other]), append(before, worked)
				steps = append(steps, p.stepAfter(&p.parts[other], worked, until))
			}
		}
		for i, part := range stay {
			p.recovery(part, ended.Name(), before[i], until, p.surely(part, steps, i, at), solos)
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
	from, measuredBefore := part.Measure(had)
	to, ok := part.Measure(reached)
	rose := ok && measuredBefore && rises(from, to)
	if rose {
		reached.StartNS = max(at, part.Sharpest(reached.StartNS, to.Rate-from.Rate))
		from, to = part.Differ(had, reached)
		seen := overlap.Interval{StartNS: max(before.StartNS, at-aroundS*1e9, p.risenBy(part)), EndNS: at}
		rose = to.ChanceAbove(from) < p.alpha.after && part.ShowsInFiles(had, reached, level.MinFiles, level.MaxOfOne) && !part.Dipped(seen, to.Rate)
	}
	least := level.EndS // seconds for which the new level must be seen: bursts are shorter
	switch {
	case step != nil && step.joint:
		least = jointHoldsS
	case had.Seconds() >= level.EndS && to.Rate > largeRise*from.Rate, step != nil && step.had.Seconds() >= level.EndS && step.is.Rate > largeRise*step.was.Rate:
		least = level.ShortS
	}
	if step != nil && (!rose || !part.Outlasts(reached, least)) {
		from, to, reached, rose, measuredBefore = step.was, step.is, step.reached, true, true
	}
	if !measuredBefore {
		return
	}
	r := Recovery{Disk: part.Name(), Op: part.Trace.Op, After: after, AtS: seconds(at), FromRate: from.Rate}
	alone, hasAlone := solos.of(p, part)
	held := hasAlone && from.Rate < heldDown*alone.Rate && alone.ChanceAbove(from) < p.alpha.after && part.RestsOnFiles(had, level.MinFiles, level.MaxOfOne)
	switch {
	case rose && part.Outlasts(reached, least):
		r.LagS, r.ToRate = number(seconds(reached.StartNS-at)), number(to.Rate)
	case rose && held && to.Rate >= heldBack*alone.Rate && reached.EndNS == until:
		r.Cut = p.cut(part, until, seconds(reached.StartNS-at), true)
	case !rose && held && until == part.EndNS() && had.EndNS-had.StartNS >= settleNS: // its recovery lies beyond the trace
		r.Cut = p.cut(part, until, seconds(until-at), false)
	default:
		return
	}
	p.out.Recoveries, p.reached = append(p.out.Recoveries, r), append(p.reached, to)
	if r.LagS != nil && part.kinds == nil { // the ledger, once there, goes by the levels as they are
		part.Split(reached)
	}
}

// climbAfter is the level that the disk had before another's end, and the one it rose to; empty if they are not seen.
func (p *phase) climbAfter(part *part, before overlap.Interval, until int64) (had, reached overlap.Interval) {
	at := before.EndNS
	levels := part.Plateaus(part.Levels, oneStep)
	first := level.At(levels, max(at-part.Blur(at), min(p.risenBy(part)+level.HoldNS, at)))
	had = overlap.Interval{StartNS: max(levels[first].StartNS, before.StartNS), EndNS: min(levels[first].EndNS, at)}
	if had.EndNS-had.StartNS < settleNS {
		return overlap.Interval{}, overlap.Interval{}
	}
	return had, part.Climb(levels, first, at, until)
}

// climb is a rise by one step.
type climb struct {
	was, is      level.Measured
	had, reached overlap.Interval
	joint        bool // another disk rises at the same instant
}

// surely is steps[i], the step of a disk that goes on, if noise would hardly make it: either by itself, with its moment chosen
// among many and showing in its files, or together with another disk that rises at the same instant. Else it is nil.
func (p *phase) surely(part *part, steps []climb, i int, at int64) *climb {
	c := &steps[i]
	if !rises(c.was, c.is) || part.Dipped(c.had, c.is.Rate) {
		return nil
	}
	by, places := c.is.ChanceAbove(c.was), max(1, seconds(c.reached.StartNS-c.had.StartNS))
	// The chance that one of the other disks rises within 2 datingNS of this one by coincidence.
	coincidence := min(1, float64(len(steps)-1)*4*level.SampleNS/float64(c.reached.EndNS-at))
	for k := range steps {
		if o := &steps[k]; k != i && rises(o.was, o.is) && abs(o.reached.StartNS-c.reached.StartNS) <= 2*level.SampleNS &&
			max(by, o.is.ChanceAbove(o.was)) < jointChance && places*coincidence*by*o.is.ChanceAbove(o.was) < jointChance*p.alpha.after {
			c.joint = true
			return c
		}
	}
	ever := overlap.Interval{StartNS: part.StartNS(), EndNS: c.had.EndNS}
	if places*by < p.alpha.after && (part.ShowsInFiles(c.had, c.reached, level.MinFiles, level.MaxOfOne) || part.RanksApart(ever, c.reached)) {
		return c
	}
	return nil
}

// risenBy is when the disk reached the new level of its latest recovery so far; 0 if it has none.
func (p *phase) risenBy(part *part) int64 {
	var at int64
	for _, r := range p.out.Recoveries {
		if r.Disk == part.Name() && r.LagS != nil {
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
	n, least := int((until-from)/level.SampleNS), int(leastSideNS/level.SampleNS)
	first := max(least, int((at-from)/level.SampleNS))
	if n-least < first {
		return climb{}
	}
	rates := part.Curve.Rates([]overlap.Interval{{StartNS: from, EndNS: from + int64(n)*level.SampleNS}}, n)
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
	moment := from + int64(step)*level.SampleNS
	c := climb{had: overlap.Interval{StartNS: from, EndNS: moment}, reached: overlap.Interval{StartNS: max(moment, at), EndNS: until}}
	c.was, c.is = part.Differ(c.had, c.reached)
	return c
}

// rises reports whether a rate is enough above an earlier one.
func rises(from, to level.Measured) bool { return to.Rate >= level.MinGain*from.Rate }

// cut says what cut off the view of a disk at ns.
func (p *phase) cut(part *part, ns int64, s float64, rose bool) *Cut {
	c := &Cut{Rose: rose, S: s, Why: "ended", Disk: part.Name()}
	if ns == part.EndNS() {
		return c
	}
	for i := range p.parts {
		other := &p.parts[i]
		if other == part || len(other.Active) == 0 {
			continue
		}
		c.Disk = other.Name()
		if other.EndNS() == ns {
			return c
		}
		if slices.ContainsFunc(other.Active, func(v overlap.Interval) bool { return v.StartNS == ns }) {
			c.Why = "started"
			return c
		}
	}
	c.Why, c.Disk = "paused", ""
	return c
}
