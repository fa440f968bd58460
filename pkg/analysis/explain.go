package analysis

import (
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/change"
	"github.com/hubbench/hubbench/pkg/effect"
	"github.com/hubbench/hubbench/pkg/ledger"
	"github.com/hubbench/hubbench/pkg/meter"
	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
)

// explainJointly finds what happened in the phase, over all of its disks at once, and the levels that
// each disk's rate kept between. It is to take the place of what lists events, recoveries and
// lasting changes disk by disk, as soon as everything reads its events (see Options.jointly).
func (p *phase) explainJointly() {
	disks := make([]*ledger.History, len(p.parts))
	for i, part := range p.parts {
		disks[i] = &part.History
	}
	events, histories := change.Explain(disks)
	p.joint = p.ownFalls(events)
	for i, part := range p.parts {
		part.History = histories[i]
	}
}

// explainChanges fills in the phase's changes and recoveries, jointly or disk by disk.
func (p *phase) explainChanges(jointly bool) {
	if jointly {
		p.fillEvents()
		return
	}
	p.recoveries()
	p.fillChanges()
}

// findCutRecoveries fills in the recoveries that the trace cuts off, which takes what disks have alone.
func (p *phase) findCutRecoveries(jointly bool) {
	if jointly {
		p.cutRecoveries()
		return
	}
	p.recoveries()
}

// ownFalls names the disk that fell by itself where events leave it open whether one fell or
// another took its bandwidth: it stays low when it works alone, or it was hot.
func (p *phase) ownFalls(events []change.Event) []change.Event {
	var out []change.Event
	for i := range events {
		e := events[i]
		var fallen, risen change.Event
		fallen, risen = e, e
		fallen.Kind, fallen.Disks, fallen.Shifts = change.OwnFall, nil, nil
		risen.Disks, risen.Shifts = nil, nil
		for _, s := range e.Shifts {
			to := pick(s.To < s.From, &fallen, &risen)
			to.Disks = append(to.Disks, s.Disk)
			to.Shifts = append(to.Shifts, s)
		}
		if e.Kind != change.Redistribution || e.By != "" || len(fallen.Disks) != 1 {
			out = append(out, e)
			continue
		}
		part := p.part(fallen.Disks[0])
		if !p.lowAlone(part, fallen.Shifts[0].From, e.AtNS) && !p.warmth(part, e.AtNS).hot() {
			out = append(out, e)
			continue
		}
		risen.By = part.Name()
		out = append(out, fallen, risen)
	}
	return out
}

// changeOf makes an entry of the ledger of an event.
func (p *phase) changeOf(e *change.Event) Change {
	c := Change{
		StartS: seconds(e.AtNS), EndS: seconds(e.EndNS), Disks: e.Disks, Kind: string(e.Kind),
		Cause: CauseUnknown, PeriodS: seconds(e.PeriodNS), Count: len(e.Moments), LowS: seconds(e.LowNS),
	}
	if e.By != "" {
		c.Cause = CauseNeighbour
		c.By = &e.By
	}
	if e.PeriodNS > 0 {
		c.LowShare = c.LowS / c.PeriodS
	}
	variance := 0.0
	for _, s := range e.Shifts {
		c.FromRate += s.From
		c.ToRate += s.To
		variance += square(s.To * s.Error)
		if len(e.Shifts) > 1 {
			c.Each = append(c.Each, Shift{s.Disk, s.From, s.To})
		}
	}
	if e.Kind == change.Redistribution {
		first := e.Shifts[0]
		c.FromRate, c.ToRate, variance = first.From, first.To, square(first.To*first.Error)
	}
	if half := stats.StudentQuantile(0.975, 10) * math.Sqrt(variance); half > 0 && half < c.ToRate {
		c.CI = &stats.Interval{c.ToRate - half, c.ToRate + half}
	}
	if e.Evidence.LastNS > 0 && e.Kind != change.Swing {
		c.AtCI = &stats.Interval{seconds(e.Evidence.FirstNS), seconds(e.Evidence.LastNS)}
	}
	if e.Kind == change.OwnFall {
		c.AtBytes = float64(p.part(e.Disks[0]).Curve.At(e.AtNS))
	}
	return c
}

// levelKinds names the changes to each level of a disk.
func (p *phase) levelKinds(part *diskPart) []string {
	kinds := make([]string, len(part.Levels))
	for k := 1; k < len(part.Levels); k++ {
		for i := range p.joint {
			e := &p.joint[i]
			at := e.AtNS
			if e.Kind == change.Recovery {
				at = e.EndNS
			}
			if _, ok := e.Of(part.Name()); ok && at == part.Levels[k].StartNS {
				kinds[k] = string(e.Kind)
			}
		}
	}
	return kinds
}

// fillEvents writes the phase's ledger: what happened, in order of time.
func (p *phase) fillEvents() {
	p.out.Recoveries = p.seenRecoveries()
	var out []Change
	for i := range p.joint {
		e := &p.joint[i]
		if e.Kind == change.Recovery {
			continue
		}
		c := p.changeOf(e)
		switch e.Kind {
		case change.Stall:
			c.Cause = p.stallCause(e)
		case change.SharedFall, change.SharedRise:
			c.Cause = p.causeOfShared(e)
		}
		out = append(out, c)
	}
	out = slices.Concat(out, p.recoveryChanges())
	p.out.Changes = inOrder(out)
	for _, part := range p.parts {
		part.kinds = p.levelKinds(part)
	}
	p.forgetUndone()
}

// stallCause is the host's if it stopped all the disks that stood still.
func (p *phase) stallCause(e *change.Event) string {
	for _, s := range e.Shifts {
		for _, v := range p.part(s.Disk).Stalls {
			if v.StartNS >= e.AtNS-foreseenNS && v.EndNS <= e.EndNS+foreseenNS &&
				!p.part(s.Disk).Stopped(v) {
				return CauseUnknown
			}
		}
	}
	return CauseHost
}

// causeOfShared is what the gauges say of a change that several disks show: the link's speed changed
// then, or the CPU became busy.
func (p *phase) causeOfShared(e *change.Event) string {
	first, last := min(e.AtNS, e.Evidence.FirstNS), max(e.AtNS, e.Evidence.LastNS)
	for _, disk := range e.Disks {
		all := p.meters.Of(disk, trace.LinkState)
		before := meter.In(all, overlap.Between(math.MinInt64, first))
		for _, r := range meter.In(all, overlap.Between(first, last+eventNearNS)) {
			if len(before) > 0 && r.Value != before[len(before)-1].Value {
				return CauseLink
			}
		}
	}
	const around = int64(aroundS * 1e9)
	if p.cpu(e.AtNS, e.AtNS+around) >= busyCPU && p.cpu(e.AtNS-around, e.AtNS) < busyCPU {
		return CauseHost
	}
	return CauseUnknown
}

// seenRecoveries are the rises after another's end.
func (p *phase) seenRecoveries() (out []Recovery) {
	out = []Recovery{}
	for _, r := range change.Recoveries(p.joint) {
		part := p.part(r.Disk)
		if r.To < ledger.MinGain*r.From {
			continue
		}
		one := Recovery{
			Disk: r.Disk, Op: part.Trace.Op, After: r.After, AtS: seconds(r.AtNS),
			FromRate: r.From, ToRate: number(r.To), LagS: number(seconds(r.EndNS - r.AtNS)),
		}
		level := part.Levels[ledger.LevelAt(part.Levels, r.EndNS)]
		if !part.OutlastsBursts(overlap.Between(r.EndNS, level.EndNS)) {
			continue
		}
		if m, ok := part.Measure(level.Span); ok {
			one.Reached = m
		}
		out = append(out, one)
	}
	return out
}

// cutRecoveries adds those that the trace cuts off: of disks that are slower than alone when
// another finishes, and do not rise before they finish themselves.
func (p *phase) cutRecoveries() {
	p.eachEnd(func(ended string, other int, at, until int64) {
		part := p.parts[other]
		if !part.IsPaced() && !p.isRecovered(part, at) {
			p.cutRecovery(part, ended, at, until)
		}
	})
}

// isRecovered reports whether the disk's rise after another's end at that time was seen.
func (p *phase) isRecovered(part *diskPart, at int64) bool {
	for _, r := range p.out.Recoveries {
		if r.Disk == part.Name() && r.LagS != nil && abs(nanoseconds(r.AtS)-at) <= foreseenNS {
			return true
		}
	}
	return part.Swing.Covers(at)
}

// cutRecovery notes that a disk's recovery after another's end at that time lies beyond what was
// seen, if the disk was slower than alone until then.
func (p *phase) cutRecovery(part *diskPart, after string, at, until int64) {
	level := part.Levels[ledger.LevelAt(part.Levels, at-1)]
	before := overlap.Between(level.StartNS, min(level.EndNS, at))
	from, ok := part.Measure(before)
	alone := p.solos.Of(part.actor())
	if !ok || alone == nil || before.EndNS-before.StartNS < settleNS ||
		from.Rate >= maxWaiting*alone.Mean ||
		alone.ChanceAbove(&effect.Rate{Log: from.Log()}, 1) >= p.alpha.perRecovery ||
		!part.RestsOnFiles(before) {
		return
	}
	now := part.RateIn(overlap.Between(until-ledger.HoldNS, until))
	if until == part.EndNS() && now < maxWaiting*alone.Mean {
		p.out.Recoveries = append(p.out.Recoveries, Recovery{Disk: part.Name(), Op: part.Trace.Op,
			After: after, AtS: seconds(at), FromRate: from.Rate,
			Cut: p.cut(part, until, seconds(until-at), false)})
	}
}
