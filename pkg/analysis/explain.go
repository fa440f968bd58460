package analysis

import (
	"math"

	"github.com/hubbench/hubbench/pkg/change"
	"github.com/hubbench/hubbench/pkg/ledger"
	"github.com/hubbench/hubbench/pkg/meter"
	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
)

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

// lowAlone reports whether the disk stays below a rate even when it works alone: then the others
// only took what it left.
func (p *phase) lowAlone(part *diskPart, from float64, at int64) bool {
	for _, s := range p.stages {
		if s.StartNS >= at && len(s.Active) == 1 && p.parts[s.Active[0]] == part &&
			s.EndNS-s.StartNS >= ledger.MinNS {
			return part.RateIn(s.Span) <= minRetained*from
		}
	}
	return false
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

// changesOf returns the phase's ledger: what happened, in order of time.
func (p *phase) changesOf(recoveries []Recovery) []Change {
	var out []Change
	for i := range p.events {
		e := &p.events[i]
		if e.Kind == change.Recovery {
			continue
		}
		c := p.changeOf(e)
		switch e.Kind {
		case change.Stall:
			c.Cause = p.stallCause(e)
		case change.SharedFall, change.SharedRise:
			c.Cause = p.sharedCause(e)
		}
		out = append(out, c)
	}
	return inOrder(append(out, recoveryChanges(recoveries)...))
}

// stallCause returns the host's if it stopped all the disks that stood still.
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

// sharedCause returns what the gauges say of a change that several disks show: the link's speed
// changed then, or the CPU became busy.
func (p *phase) sharedCause(e *change.Event) string {
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

// seenRecoveries returns the rises after another's end.
func (p *phase) seenRecoveries() (out []Recovery) {
	out = []Recovery{}
	for _, r := range change.Recoveries(p.events) {
		part := p.part(r.Disk)
		k := ledger.LevelAt(part.Levels, r.EndNS)
		level := part.Levels[k]
		if k == 0 || r.To < ledger.MinGain*r.From ||
			!part.OutlastsBursts(overlap.Between(r.EndNS, level.EndNS)) {
			continue
		}
		one := Recovery{
			Disk: r.Disk, Op: part.Trace.Op, After: r.After, AtS: seconds(r.AtNS),
			FromRate: part.Levels[k-1].To, ToRate: number(level.From),
			LagS: number(seconds(r.EndNS - r.AtNS)),
		}
		before := part.Levels[k-1]
		if m, ok := part.Measure(overlap.Between(before.StartNS, r.AtNS)); ok && before.From == before.To {
			one.FromRate = m.Rate
		}
		if m, ok := part.Measure(level.Span); ok {
			one.Reached = m
		}
		out = append(out, one)
	}
	return out
}
