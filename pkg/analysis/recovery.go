package analysis

import (
	"cmp"
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/ledger"
	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stats"
)

// How a recovery is detected.
const (
	oneStep   = 0.09          // neighbouring levels that differ by less count as one
	togetherS = 0.5           // seconds: disks that end this close together count as one end, the last one's
	settleNS  = 2_000_000_000 // the old level must be seen for this long
	// Of disks that surely rise at one instant, those count that noise makes rise more rarely than this.
	jointChance  = 0.15
	largeRise    = 1.6            // times: real disks' bursts are smaller
	jointHoldsS  = 0.7            // seconds for which the new level must be seen if two disks rise at one instant
	minJoint     = 0.001          // no disk of them counts for more: one with a burst alone must not decide for all
	longestLagNS = 30_000_000_000 // a single step is looked for at most this long after an end
	// Below this share of its rate alone, a disk that shows no recovery was still waiting for it.
	heldDown = 0.8
)

// recoveries looks, after each disk that ends while others go on, for what the others gained and when. A rise is
// attributed to the latest end before it, and looked for until the next disk starts or ends. Recoveries that the
// trace cuts off are reported only if the disks' rates alone are known.
func (p *phase) recoveries() {
	p.out.Recoveries = []Recovery{}
	for _, part := range p.parts {
		part.risenNS = 0
	}
	ends := p.others(nil)
	slices.SortStableFunc(ends, func(a, b *part) int { return cmp.Compare(a.EndNS(), b.EndNS()) })
	for k, ended := range ends {
		at := ended.EndNS()
		if k+1 < len(ends) && seconds(ends[k+1].EndNS()-at) < togetherS {
			continue
		}
		stage := slices.IndexFunc(p.stages, func(s overlap.Stage) bool { return s.StartNS == at })
		if stage < 0 {
			continue
		}
		until := p.stages[stage].EndNS
		var stay []*part
		var before []overlap.Span
		var steps []climb
		for _, other := range p.stages[stage].Active {
			if since := p.worksSince(other, at); since < at && !p.parts[other].Limited() {
				worked := overlap.Span{StartNS: since, EndNS: at}
				stay, before = append(stay, p.parts[other]), append(before, worked)
				steps = append(steps, p.stepAfter(p.parts[other], worked, until))
			}
		}
		joint := p.together(stay, before, steps, at)
		for i, part := range stay {
			p.recovery(part, ended.Name(), before[i], until, cmp.Or(joint[i], p.surely(part, &steps[i])))
		}
	}
}

// worksSince is the time since which, up to ns, the disk has worked without a pause and no other has begun; ns itself
// if it paused then. Others may have ended meanwhile: until that shows in its rate, the disk's level is the one
// before.
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

// recovery looks for one disk's climb after another's end, from the level it had before: first among its levels,
// then, if they show none that holds, by the one step that fits best.
func (p *phase) recovery(part *part, after string, before overlap.Span, until int64, step *climb) {
	at := before.EndNS
	if part.Turns.Holds(at) {
		return // it goes up and down anyway
	}
	had, reached := p.climbAfter(part, before, until)
	from, measuredBefore := part.Measure(had)
	to, ok := part.Measure(reached)
	rose := ok && measuredBefore && rises(from, to)
	if rose {
		reached.StartNS = max(at, part.Sharpest(reached.StartNS, to.Rate-from.Rate))
		from, to = part.Differ(had, reached)
		seen := overlap.Span{StartNS: max(before.StartNS, at-aroundS*1e9, part.risenNS), EndNS: at}
		rose = to.ChanceAbove(from) < p.alpha.after && part.ShowsInFiles(had, reached) && !part.Dipped(seen, to.Rate)
	}
	minS := ledger.EndS // seconds for which the new level must be seen: bursts are shorter
	switch {
	case step != nil && step.joint:
		minS = jointHoldsS
	case part.known(had) && to.Rate > largeRise*from.Rate, step != nil && part.known(step.had) &&
		step.is.Rate > largeRise*step.was.Rate:
		minS = ledger.ShortS
	}
	if step != nil && (!rose || !part.Outlasts(reached, minS)) {
		from, to, reached, rose, measuredBefore = step.was, step.is, step.reached, true, true
	}
	if !measuredBefore {
		return
	}
	r := Recovery{Disk: part.Name(), Op: part.Trace.Op, After: after, AtS: seconds(at), FromRate: from.Rate, Reached: to}
	alone := p.solos.find(part.job)
	held := alone != nil && from.Rate < heldDown*alone.Rate && alone.ChanceAbove(from) < p.alpha.after &&
		part.RestsOnFiles(had, ledger.MinFiles, ledger.MaxOfOne)
	switch {
	case rose && part.Outlasts(reached, minS):
		r.LagS, r.ToRate = number(seconds(reached.StartNS-at)), number(to.Rate)
	case rose && held && to.Rate >= heldBack*alone.Rate && reached.EndNS == until:
		r.Cut = p.cut(part, until, seconds(reached.StartNS-at), true)
	case !rose && held && until == part.EndNS() && had.EndNS-had.StartNS >= settleNS: // its recovery lies beyond the trace
		r.Cut = p.cut(part, until, seconds(until-at), false)
	default:
		return
	}
	p.out.Recoveries = append(p.out.Recoveries, r)
	if r.LagS != nil {
		part.risenNS = max(part.risenNS, int64((r.AtS+*r.LagS)*1e9))
		if part.kinds == nil { // the ledger, once there, goes by the levels as they are
			part.Split(reached)
		}
	}
}

// known reports whether what a disk had before a rise is no excursion: it lasted longer, or it began with a recovery.
func (p *part) known(had overlap.Span) bool {
	return had.Seconds() >= ledger.EndS || p.risenNS > 0 && had.StartNS >= p.risenNS && had.Seconds() >= ledger.ShortS
}

// climbAfter is the level that the disk had before another's end, and the one it rose to; empty if they are not seen.
func (p *phase) climbAfter(part *part, before overlap.Span, until int64) (had, reached overlap.Span) {
	at := before.EndNS
	levels := part.Plateaus(part.Stairs(), oneStep)
	first := ledger.At(levels, max(at-part.Blur(at), min(part.risenNS+ledger.HoldNS, at)))
	had = overlap.Span{StartNS: max(levels[first].StartNS, before.StartNS), EndNS: min(levels[first].EndNS, at)}
	if had.EndNS-had.StartNS < settleNS {
		return overlap.Span{}, overlap.Span{}
	}
	return had, part.Climb(levels, first, at, until)
}

// climb is a rise by one step.
type climb struct {
	was, is      ledger.Measured
	had, reached overlap.Span
	joint        bool // another disk rises at the same instant
}

// chance is how likely noise alone makes so large a rise at a known moment.
func (c *climb) chance() float64 { return c.is.ChanceAbove(c.was) }

// surely is a disk's step if noise would hardly make it, its moment being chosen among many, and it shows in the
// files; else nil.
func (p *phase) surely(part *part, c *climb) *climb {
	if !rises(c.was, c.is) || part.Dipped(c.had, c.is.Rate) {
		return nil
	}
	places := max(1, seconds(c.reached.StartNS-c.had.StartNS))
	ever := overlap.Span{StartNS: part.StartNS(), EndNS: c.had.EndNS}
	if places*c.chance() < p.alpha.after && (part.ShowsInFiles(c.had, c.reached) ||
		part.RanksApart(ever, c.reached)) {
		return c
	}
	return nil
}

// together are the steps of the disks that rise at one instant, if noise would hardly make all that go on rise that
// much then: what an ended disk had is given to all of them at once. What each had is all that it had since then; the
// instants tried are those of the disks' own steps, and two of these that agree, if not at the edge of what is tried,
// make noise less likely still.
func (p *phase) together(stay []*part, since []overlap.Span, steps []climb, at int64) []*climb {
	best, lowest := make([]*climb, len(steps)), p.alpha.after
	for i := range steps {
		if steps[i].had.Seconds() == 0 || len(steps) < 2 {
			continue
		}
		moment, until := steps[i].reached.StartNS, steps[i].reached.EndNS
		inside := moment > at+2*ledger.SampleNS && moment < until-minSideNS-2*ledger.SampleNS
		var chances []float64
		all, rise, agree := make([]*climb, len(steps)), 0, 0
		for k, part := range stay {
			if steps[k].had.Seconds() == 0 {
				continue
			}
			from := max(since[k].StartNS, part.risenNS, part.Solid[ledger.At(part.Solid, steps[k].had.StartNS)].StartNS)
			c := part.stepAt(overlap.Span{StartNS: from, EndNS: until}, moment, at)
			chances = append(chances, max(minJoint, c.chance()))
			if rises(c.was, c.is) && c.chance() < jointChance && !part.Dipped(c.had, c.is.Rate) {
				c.joint, all[k] = true, &c
				rise++
			}
			if inside && abs(steps[k].reached.StartNS-moment) <= 2*ledger.SampleNS {
				agree++
			}
		}
		places := seconds(until - at)
		if agree > 1 {
			places *= min(1, 4*seconds(ledger.SampleNS)*float64(len(chances)-1))
		}
		if chance := stats.Fisher(chances) * places; rise > 1 && chance < lowest {
			best, lowest = all, chance
		}
	}
	return best
}

// stepAfter finds the one rise after another's end that fits best by least squares: ends close to one another leave
// no time for levels.
func (p *phase) stepAfter(part *part, before overlap.Span, until int64) climb {
	at := before.EndNS
	from := max(before.StartNS, at-beforeNS)
	if at-before.StartNS < settleNS {
		return climb{} // too short to say what the disk had
	}
	from = max(from, part.risenNS)
	until = min(until, at+longestLagNS)
	n, minSamples := int((until-from)/ledger.SampleNS), int(minSideNS/ledger.SampleNS)
	first := max(minSamples, int((at-from)/ledger.SampleNS))
	if n-minSamples < first {
		return climb{}
	}
	rates := part.Curve.Rates([]overlap.Span{{StartNS: from, EndNS: from + int64(n)*ledger.SampleNS}}, n)
	sums := make([]float64, n+1)
	for i, r := range rates {
		sums[i+1] = sums[i] + r
	}
	step, highest := 0, 0.0
	for k := first; k <= n-minSamples; k++ {
		low, high := sums[k]/float64(k), (sums[n]-sums[k])/float64(n-k)
		if gain := (high - low) * math.Abs(high-low) * float64(k) * float64(n-k); gain > highest {
			step, highest = k, gain
		}
	}
	if step == 0 {
		return climb{}
	}
	low, high := sums[step]/float64(step), (sums[n]-sums[step])/float64(n-step)
	moment := part.Crossing(from+int64(step)*ledger.SampleNS, low, high)
	return part.stepAt(overlap.Span{StartNS: from, EndNS: until}, moment, at)
}

// stepAt is a step within v at a moment, which is another's end or later.
func (p *part) stepAt(v overlap.Span, moment, at int64) climb {
	c := climb{had: overlap.Span{StartNS: v.StartNS, EndNS: moment},
		reached: overlap.Span{StartNS: max(moment, at), EndNS: v.EndNS}}
	c.was, c.is = p.Differ(c.had, c.reached)
	return c
}

// rises reports whether a rate is enough above an earlier one.
func rises(from, to ledger.Measured) bool { return to.Rate >= ledger.MinGain*from.Rate }

// cut says what cut off the view of a disk at ns.
func (p *phase) cut(part *part, ns int64, s float64, rose bool) *Cut {
	c := &Cut{Rose: rose, S: s, Why: "ended", Disk: part.Name()}
	if ns == part.EndNS() {
		return c
	}
	for _, other := range p.others(part) {
		c.Disk = other.Name()
		if other.EndNS() == ns {
			return c
		}
		if slices.ContainsFunc(other.Active, func(v overlap.Span) bool { return v.StartNS == ns }) {
			c.Why = "started"
			return c
		}
	}
	c.Why, c.Disk = "paused", ""
	return c
}
