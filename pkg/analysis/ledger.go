package analysis

import (
	"cmp"
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/ledger"
	"github.com/hubbench/hubbench/pkg/meter"
	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
)

// edge is a change from one level of a disk to the next; its moment is known to within offNS.
type edge struct {
	part      *diskPart
	level     int // It is the index of the second one.
	at, offNS int64
}

// event is what one disk or several did at one instant.
type event struct {
	edges      []edge
	at, offNS  int64 // They are from the edge whose moment is known best.
	prev, next int64 // They are the nearest events, starts or ends, at most aroundS away.
	shifts     []shift
}

// of is the event's edge of a disk; nil if it has none.
func (e *event) of(disk *diskPart) *edge {
	for i := range e.edges {
		if e.edges[i].part == disk {
			return &e.edges[i]
		}
	}
	return nil
}

// moves reports whether the event changed the disk's rate.
func (e *event) moves(disk *diskPart) bool {
	for i := range e.shifts {
		if e.shifts[i].diskPart == disk && e.shifts[i].moved {
			return true
		}
	}
	return false
}

// shift is one disk's rate before and after an event; moved, if the event changed it.
type shift struct {
	*diskPart
	was, is ledger.Measured
	moved   bool
}

// falseRate is how often noise alone makes so large a difference at a known moment.
func (s *shift) falseRate() float64 { return min(s.is.ChanceAbove(s.was), s.was.ChanceAbove(s.is)) }

func (s *shift) factor() float64 { return math.Log(s.is.Rate / s.was.Rate) }

// blur is the standard error of the logarithms of both rates together.
func (s *shift) blur() float64 { return math.Hypot(s.was.Error, s.is.Error) }

// events are the changes of level that are not part of a swing or a drift, those at one instant
// together.
func (p *phase) events() []event {
	var edges []edge
	for _, part := range p.parts {
		for k := 1; k < len(part.Levels) && !part.IsPaced(); k++ {
			before := part.Levels[k-1]
			after := part.Levels[k]
			if math.Abs(math.Log(after.From/before.To)) < ledger.MinChange {
				continue
			}
			e := edge{part: part, level: k, at: after.StartNS}
			e.offNS = max(closeNS/2, part.DateErrorNS(before.Rate, after.Rate))
			if part.Swing.Covers(e.at) {
				continue
			}
			edges = append(edges, e)
		}
	}
	slices.SortStableFunc(edges, func(a, b edge) int { return cmp.Compare(a.at, b.at) })
	var events []event
	for _, e := range edges {
		if n := len(events); n > 0 {
			last := &events[n-1]
			if e.at-last.at <= min(explainsNS, last.offNS+e.offNS) && last.of(e.part) == nil {
				last.edges = append(last.edges, e)
				if e.offNS < last.offNS {
					last.at = e.at
					last.offNS = e.offNS
				}
				continue
			}
		}
		events = append(events, event{edges: []edge{e}, at: e.at, offNS: e.offNS})
	}
	var bounds []int64
	for _, s := range p.stages {
		bounds = append(bounds, s.StartNS, s.EndNS)
	}
	for _, e := range events {
		bounds = append(bounds, e.at)
	}
	for _, r := range p.out.Recoveries {
		if r.LagS != nil {
			bounds = append(bounds, int64((r.AtS+*r.LagS)*1e9))
		}
	}
	slices.Sort(bounds)
	for i := range events {
		p.shifts(&events[i], bounds)
	}
	return events
}

// shifts measures what each disk that works both before and after an event did, over the time in
// which nothing else happened.
func (p *phase) shifts(e *event, bounds []int64) {
	e.prev = e.at - aroundS*1e9
	e.next = e.at + aroundS*1e9
	for _, b := range bounds {
		if b < e.at-clearNS && b > e.prev {
			e.prev = b
		}
		if b > e.at+clearNS {
			e.next = min(e.next, b)
			break
		}
	}
	for _, part := range p.others(nil) {
		if part.IsPaced() {
			continue
		}
		margin := max(clearNS, min(e.offNS, 5*clearNS))
		before := overlap.Between(max(e.prev, part.StartNS()), e.at-margin)
		after := overlap.Between(e.at+margin, min(e.next, part.EndNS()))
		own := e.of(part)
		if before.EndNS-before.StartNS < ledger.HoldNS ||
			after.EndNS-after.StartNS < ledger.HoldNS ||
			!part.IsActiveIn(before) || !part.IsActiveIn(after) {
			if own == nil {
				continue
			}
			// Next to a pause or another event: its own levels will do.
			before = part.Levels[own.level-1].Span
			after = part.Levels[own.level].Span
		}
		s := shift{diskPart: part}
		if s.was, s.is = part.Compare(before, after); s.was.Rate <= 0 || s.is.Rate <= 0 {
			continue
		}
		s.moved = own != nil || math.Abs(s.factor()) >= minMoved && s.falseRate() < movedRate
		e.shifts = append(e.shifts, s)
	}
}

// explain finds the cause of an event. The first case that the evidence supports wins; a single
// event can leave two entries, such as a fall and what others made of the room it left.
func (p *phase) explain(e *event) []Change {
	var falls, rises []shift
	for _, s := range e.shifts {
		switch {
		case !s.moved:
		case s.factor() < 0:
			falls = append(falls, s)
		case !p.recovering(s.diskPart, e):
			rises = append(rises, s)
		}
	}
	all := slices.Concat(falls, rises)
	if len(all) == 0 {
		return nil
	}
	began, ended, risen := p.othersAt(e)
	gained := netOf(rises)
	lost := -netOf(falls)
	var squares float64 // It sums up the squared standard errors.
	for _, s := range e.shifts {
		squares += square(s.is.Rate*s.is.Error) + square(s.was.Rate*s.was.Error)
	}
	stays := math.Abs(gained-lost) <= max(minChange*lost, 2*math.Sqrt(squares))
	var out []Change
	add := func(kind, cause string, by []string, shifts ...shift) {
		for _, s := range shifts {
			if own := e.of(s.diskPart); own != nil {
				s.kinds[own.level] = kind
			}
		}
		out = append(out, e.change(kind, cause, by, shifts))
	}
	switch {
	case len(falls) > 0 && began != nil && !p.tookIt(began, falls, e):
		add(KindUnknown, CauseUnknown, nil, all...)
	case len(falls) > 0 && began != nil:
		add(KindStart, CauseNeighbour, began, falls...)
		if len(rises) > 0 {
			add(KindUnknown, CauseUnknown, nil, rises...)
		}
	case len(falls) > 0 && risen != nil:
		add(KindRedistribution, CauseNeighbour, risen, all...)
	case len(rises) > 0 && len(falls) == 0 && ended != nil:
		add(KindRecovery, CauseNeighbour, ended, rises...)
	case shared(e, all):
		kind := pick(len(falls) > 0, KindSharedFall, KindSharedRise)
		add(kind, p.sharedCause(e, all), nil, all...)
	case len(falls) == 1 && ended == nil && p.ownFall(&falls[0], e):
		add(KindOwnFall, CauseUnknown, nil, falls...)
		if len(rises) > 0 {
			add(KindRedistribution, CauseNeighbour, []string{falls[0].Name()}, rises...)
		}
	case len(falls) > 0 && len(rises) > 0 && stays:
		add(KindRedistribution, CauseUnknown, nil, all...)
	case len(rises) == 1 && len(falls) == 0:
		add(KindOwnRise, CauseUnknown, nil, rises...)
	case len(rises) == 0:
		at := e.at
		offNS := e.offNS
		for _, s := range falls { // They fell by different factors, so each has its own time.
			if e.at, e.offNS = at, offNS; e.of(s.diskPart) != nil {
				e.at, e.offNS = e.of(s.diskPart).at, e.of(s.diskPart).offNS
			}
			add(KindUnknown, CauseUnknown, nil, s)
		}
	default:
		add(KindUnknown, CauseUnknown, nil, all...)
	}
	return out
}

// tookIt reports whether what some disks lost went to those that began just then: these take about
// as much, and when they end, the others have more again. Of a disk that stays slow then, they were
// not the cause; and if bytes are missing and nobody ended, the cause is not known, for contention
// can waste bandwidth.
func (p *phase) tookIt(began []string, falls []shift, e *event) bool {
	taken := 0.0
	lost := -netOf(falls)
	ended := false
	for _, name := range began {
		part := p.part(name)
		taken += part.RateIn(overlap.Between(e.at, min(e.next, part.EndNS())))
		for _, s := range falls {
			after := overlap.Between(part.EndNS()+recoveredNS, s.EndNS())
			if after.Seconds() < seconds(settleNS) {
				after.StartNS = part.EndNS() + settleNS
			}
			if after.Seconds() < seconds(settleNS) {
				continue
			}
			ended = true
			if s.RateIn(after) < s.is.Rate+(s.was.Rate-s.is.Rate)*minReturned {
				return false
			}
		}
	}
	return ended || taken >= minTaken*lost
}

// netOf is by how much the disks' total changed.
func netOf(shifts []shift) (sum float64) {
	for _, s := range shifts {
		sum += s.is.Rate - s.was.Rate
	}
	return sum
}

// shared reports whether all disks that work, or all of one direction while the others stay as they
// are, fell or rose by one factor.
func shared(e *event, moved []shift) bool {
	if len(moved) < 2 {
		return false
	}
	var sum, weight float64
	ops := map[trace.Role]bool{}
	for _, s := range moved {
		w := 1 / (square(s.was.Error) + square(s.is.Error) + square(sameFactor/3))
		sum += w * s.factor()
		weight += w
		ops[s.Trace.Op] = true
	}
	mean := sum / weight
	lowest := math.Inf(1)
	for _, s := range moved {
		lowest = min(lowest, s.is.Rate)
	}
	for _, s := range e.shifts {
		off := math.Abs(s.factor() - mean)
		blur := 3 * s.blur()
		if !s.moved && (ops[s.Trace.Op] || len(ops) > 1) && off > blur &&
			s.is.Rate > minFullDemand*lowest {
			return false // It would have fallen, too: it takes no less than the others.
		}
	}
	for _, s := range moved {
		if math.Abs(s.factor()-mean) > max(sameFactor, 3*s.blur()) || s.factor()*mean < 0 {
			return false
		}
	}
	return true
}

// ownFall reports whether the one disk that fell did so by itself: the others gained less than half
// of what it lost; or it fell before they rose, stays low even when it works alone, or was hot.
func (p *phase) ownFall(s *shift, e *event) bool {
	lost := s.was.Rate - s.is.Rate
	gained := netOf(e.shifts) + lost
	return gained < takenByShare*lost || p.fellFirst(s.diskPart, e.at) ||
		p.lowAlone(s.diskPart, s.was.Rate, e.at) || p.warmth(s.diskPart, e.at).hot()
}

// sharedCause is what the gauges say of a change that all disks show: the link's speed changed
// then, or the CPU became busy.
func (p *phase) sharedCause(e *event, moved []shift) string {
	for _, s := range moved {
		all := p.meters.Of(s.Name(), trace.LinkState)
		before := meter.In(all, overlap.Between(math.MinInt64, e.at-e.offNS))
		near := meter.In(all, overlap.Between(e.at-e.offNS, e.at+eventNearNS))
		for _, r := range near {
			if len(before) > 0 && r.Value != before[len(before)-1].Value {
				return CauseLink
			}
		}
	}
	if p.cpu(e.at, e.next) >= busyCPU && p.cpu(e.prev, e.at) < busyCPU {
		return CauseHost
	}
	return CauseUnknown
}

// othersAt are the disks that the event did not move itself and that began, ended, or completed a
// recovery about when it happened.
func (p *phase) othersAt(e *event) (began, ended, risen []string) {
	offNS := min(e.offNS, explainsNS)
	near := func(ns int64) bool {
		return ns > p.stages[0].StartNS && -max(foreseenNS, offNS) <= e.at-ns &&
			e.at-ns <= max(explainsNS, offNS)
	}
	for _, part := range p.parts {
		if e.of(part) != nil || e.moves(part) {
			continue
		}
		starts, ends := false, false
		for _, v := range part.Active {
			starts = starts || near(v.StartNS)
			ends = ends || near(v.EndNS)
		}
		if starts {
			began = append(began, part.Name())
		}
		if ends {
			ended = append(ended, part.Name())
		}
	}
	for _, r := range p.out.Recoveries {
		if r.LagS != nil && e.of(p.part(r.Disk)) == nil &&
			math.Abs(seconds(e.at)-r.AtS-*r.LagS) <= seconds(coincidentNS) {
			risen = append(risen, r.Disk)
		}
	}
	return began, ended, risen
}

// recovering reports whether a disk's rise at an event is part of its recovery after another's end,
// which is reported already.
func (p *phase) recovering(disk *diskPart, e *event) bool {
	for _, r := range p.out.Recoveries {
		if r.Disk == disk.Name() && r.LagS != nil &&
			int64(r.AtS*1e9)-ledger.MaxBlurNS <= e.at &&
			e.at <= int64((r.AtS+*r.LagS)*1e9)+coincidentNS {
			return true
		}
	}
	return false
}

// change makes an entry of what some disks did at an event.
func (e *event) change(kind, cause string, by []string, shifts []shift) Change {
	c := Change{
		StartS: seconds(e.at), EndS: seconds(e.at), Kind: kind, Cause: cause,
		AtCI: &stats.Interval{seconds(e.at - e.offNS), seconds(e.at + e.offNS)},
	}
	squares := 0.0
	free := shifts[0].is.DegreesOfFreedom
	for _, s := range shifts {
		c.Disks = append(c.Disks, s.Name())
		c.FromRate += s.was.Rate
		c.ToRate += s.is.Rate
		squares += square(s.is.Rate * s.is.Error)
		free = min(free, s.is.DegreesOfFreedom)
		if len(shifts) > 1 {
			c.Each = append(c.Each, Shift{s.Name(), s.was.Rate, s.is.Rate})
		}
	}
	if kind == KindRedistribution && len(c.Each) > 0 {
		// The total stays, so the figures are those of the first disk.
		c.FromRate = c.Each[0].FromRate
		c.ToRate = c.Each[0].ToRate
		squares = square(shifts[0].is.Rate * shifts[0].is.Error)
	}
	if half := stats.StudentQuantile(0.975, max(free, 1)) * math.Sqrt(squares); half < c.ToRate {
		c.CI = &stats.Interval{c.ToRate - half, c.ToRate + half}
	}
	if len(by) == 1 {
		c.By = &by[0]
	}
	if kind == KindOwnFall && len(shifts) == 1 {
		c.AtBytes = float64(shifts[0].Curve.At(e.at))
	}
	return c
}

func square(x float64) float64 { return x * x }
