package change

import (
	"cmp"
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/ledger"
	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stats"
)

// step is an Event at one moment with what is needed to find those that recur.
type step struct {
	Event
	role
	event *event
}

// tell returns the phase's events in order of time.
func (p *phase) tell() []Event {
	out := slices.Concat(p.startsAndEnds(), p.stallEvents(), p.driftEvents(), p.excursionEvents())
	var steps []step
	for _, e := range p.events {
		for _, c := range e.claims {
			if s, ok := p.step(e, c); ok {
				steps = append(steps, s)
			}
		}
	}
	swings, left := p.swings(steps)
	out = append(out, swings...)
	for _, s := range left {
		if !p.isChance(s) {
			out = append(out, s.Event)
		}
	}
	slices.SortStableFunc(out, func(a, b Event) int {
		return cmp.Or(cmp.Compare(a.AtNS, b.AtNS), cmp.Compare(a.EndNS, b.EndNS),
			cmp.Compare(a.Kind, b.Kind), slices.Compare(a.Disks, b.Disks))
	})
	return out
}

// isChance reports whether one disk changed by itself just after it had begun or before it
// finished, where its first and last files do that. A pause that has other rates before and after is
// no chance.
func (p *phase) isChance(s step) bool {
	if len(s.Disks) > 1 || s.role != own && s.role != common {
		return false
	}
	for _, d := range p.disks {
		if at := s.event.date(d.number); d.Name() == s.Disks[0] {
			return d.apart(at) < p.s(excursionS) && !p.pauses(d, at)
		}
	}
	return false
}

// pauses reports whether a bin lies in a pause of the disk, or next to one.
func (p *phase) pauses(d *disk, bin int) bool {
	at := float64(bin)
	for k := range len(d.on) - 1 {
		if d.on[k].to-p.s(togetherS) <= at && at <= d.on[k+1].from+p.s(togetherS) {
			return true
		}
	}
	return false
}

// step says what a part of a hypothesis means; not ok if it moves no disk that counts.
func (p *phase) step(e *event, c claim) (step, bool) {
	s := step{role: c.role, event: e}
	var disks []int
	slices.Sort(c.disks)
	for _, i := range c.disks {
		if l := &e.loads[i]; math.Abs(l.factor) >= minShift {
			disks = append(disks, i)
			s.Disks = append(s.Disks, p.disks[i].Name())
			s.Shifts = append(s.Shifts,
				Shift{Disk: p.disks[i].Name(), From: p.disks[i].rateOver(l.beforeSpan),
					To: p.disks[i].rateOver(l.afterSpan), Error: math.Sqrt(l.variance)})
		}
	}
	if disks == nil {
		return step{}, false
	}
	at, first, last := p.dateOf(e, disks)
	s.AtNS = p.crossing(e, disks, at)
	if len(disks) == 1 {
		s.AtNS = p.disks[disks[0]].ownDate(p, e, s.AtNS)
	}
	s.EndNS = s.AtNS
	s.Evidence = Evidence{e.saved(), p.ns(float64(first)), p.ns(float64(last))}
	if s.role == common && len(disks) == 1 { // the others moved too little to tell
		s.role = own
	}
	s.Kind = kindOf(s.role, s.Shifts[0].To > s.Shifts[0].From)
	if c.by != nil && c.role != own {
		s.By = c.by.Name()
	}
	if s.Kind == Recovery {
		for _, k := range p.known {
			if k.disk == c.by && !k.begins && k.at <= float64(at)+p.s(leadS) {
				s.AtNS = p.ns(k.at)
			}
		}
		s.EndNS = max(s.EndNS, s.AtNS)
		for k, i := range disks {
			s.Shifts[k].RisenNS = s.EndNS
			risen := p.disks[i].ownDate(p, e, s.EndNS)
			if math.Abs(p.at(risen)-p.at(s.EndNS)) > p.s(togetherS) {
				s.Shifts[k].RisenNS = max(risen, s.AtNS)
			}
		}
	}
	return s, true
}

// rateOver returns the disk's mean rate over the bins of a side.
func (d *disk) rateOver(s side) float64 {
	var sum float64
	for _, bin := range d.bins[s.from:s.to] {
		sum += d.rate[bin]
	}
	return sum / float64(s.to-s.from)
}

// kindOf returns what to call a change in which the first disk rose or fell.
func kindOf(r role, rise bool) Kind {
	switch r {
	case own:
		return pick(rise, OwnRise, OwnFall)
	case common:
		return pick(rise, SharedRise, SharedFall)
	case ended:
		return Recovery
	case began:
		return Start
	case shifted:
		return Unknown
	}
	return Redistribution
}

func pick(first bool, a, b Kind) Kind {
	if first {
		return a
	}
	return b
}

// crossing returns the moment at which the bytes say that the disk whose change is surest went from
// one level to the other: within a bin of the date.
func (p *phase) crossing(e *event, disks []int, at int) int64 {
	surest := disks[0]
	certainty := func(i int) float64 { return square(e.loads[i].factor) / e.loads[i].variance }
	for _, i := range disks {
		if certainty(i) > certainty(surest) {
			surest = i
		}
	}
	d, l := p.disks[surest], &e.loads[surest]
	from, to := at-1, at+1
	if from < 0 || to > p.n || d.before[to]-d.before[from] < 2 {
		return p.ns(float64(at))
	}
	rate := (d.rate[from] + d.rate[at]) / 2
	share := min(max((rate-l.after)/(l.before-l.after), 0), 1)
	return p.ns(float64(from) + 2*share)
}

// ownDate returns when the disk's own history dates an event, or the given time if it does not.
func (d *disk) ownDate(p *phase, e *event, otherwise int64) int64 {
	at := e.cells[d.number]
	for k := 1; k < len(d.Levels) && at != none; k++ {
		ns := d.Levels[k].StartNS
		if math.Abs(p.at(ns)-float64(at)) < minLevelBins {
			return ns
		}
	}
	return otherwise
}

// startsAndEnds returns the disks that begin after the phase has, and those that finish before it
// does.
func (p *phase) startsAndEnds() (out []Event) {
	first, last := math.Inf(1), math.Inf(-1)
	for _, d := range p.disks {
		first = min(first, d.on[0].from)
		last = max(last, d.on[len(d.on)-1].to)
	}
	width := p.s(edgeRateS)
	for _, d := range p.disks {
		from, to := d.on[0].from, d.on[len(d.on)-1].to
		add := func(kind Kind, at float64, shift Shift) {
			shift.Disk = d.Name()
			out = append(out, Event{AtNS: p.ns(at), EndNS: p.ns(at), Kind: kind,
				Disks: []string{d.Name()}, Shifts: []Shift{shift}})
		}
		if from-first >= p.s(togetherS) {
			add(Start, from, Shift{To: d.medianRate(from, min(from+width, to))})
		}
		if last-to >= p.s(togetherS) {
			add(End, to, Shift{From: d.medianRate(max(to-width, from), to)})
		}
	}
	return out
}

// stallEvents returns the times in which disks stood still, those of several that begin and end at
// once together.
func (p *phase) stallEvents() (out []Event) {
	type stall struct {
		overlap.Span
		disk *disk
	}
	var all []stall
	for _, d := range p.disks {
		for _, v := range d.Stalls {
			all = append(all, stall{v, d})
		}
	}
	slices.SortStableFunc(all, func(a, b stall) int { return cmp.Compare(a.StartNS, b.StartNS) })
	const together = int64(togetherS * 1e9)
	for len(all) > 0 {
		first := all[0]
		e := Event{AtNS: first.StartNS, EndNS: first.EndNS, Kind: Stall}
		var left []stall
		for _, s := range all {
			if s.StartNS-first.StartNS > together || max(s.EndNS-first.EndNS,
				first.EndNS-s.EndNS) > together {
				left = append(left, s)
				continue
			}
			at := p.at(s.StartNS)
			from := s.disk.medianRate(at-p.s(edgeRateS), at)
			e.EndNS = max(e.EndNS, s.EndNS)
			e.Disks = append(e.Disks, s.disk.Name())
			e.Shifts = append(e.Shifts,
				Shift{Disk: s.disk.Name(), From: from, To: s.disk.RateIn(s.Span)})
		}
		slices.Sort(e.Disks)
		slices.SortFunc(e.Shifts, func(a, b Shift) int { return cmp.Compare(a.Disk, b.Disk) })
		out = append(out, e)
		all = left
	}
	return out
}

// driftEvents returns the slopes: of those that rise, and of those that fall.
func (p *phase) driftEvents() (out []Event) {
	for _, v := range p.drifts {
		for _, rises := range []bool{false, true} {
			from, to := v.from, v.to
			e := Event{Kind: Drift}
			for _, s := range v.shifts {
				if (s.to > s.from) != rises {
					continue
				}
				from = max(from, s.disk.on[0].from)
				to = min(to, s.disk.on[len(s.disk.on)-1].to)
				e.Disks = append(e.Disks, s.disk.Name())
				e.Shifts = append(e.Shifts, Shift{Disk: s.disk.Name(), From: s.from, To: s.to})
			}
			if e.Disks != nil {
				e.AtNS, e.EndNS = p.ns(from), p.ns(to)
				out = append(out, e)
			}
		}
	}
	return out
}

// history cuts a disk's time where events moved it.
func history(d *ledger.History, events []Event) ledger.History {
	if len(d.Active) == 0 {
		return *d
	}
	cuts := []int64{d.StartNS(), d.EndNS()}
	var drifts []ledger.Drift
	var swing *ledger.Swing
	for i := range events {
		e := &events[i]
		s, ok := e.Of(d.Name())
		switch {
		case !ok || e.Kind == Stall || e.Kind == Start && s.From == 0 || e.Kind == End:
		case e.Kind == Swing:
			cuts = append(cuts, e.Moments...)
			swing = &ledger.Swing{Span: overlap.Between(e.AtNS, e.EndNS)}
		case e.Kind == Drift:
			drifts = append(drifts, ledger.Drift{
				Span: overlap.Between(e.AtNS, e.EndNS), From: s.From, To: s.To})
			cuts = append(cuts, e.AtNS, e.EndNS)
		case e.Kind == Recovery:
			cuts = append(cuts, s.RisenNS)
		default:
			cuts = append(cuts, e.AtNS)
		}
	}
	slices.Sort(cuts)
	var levels []ledger.Level
	for i := range len(cuts) - 1 {
		v := overlap.Between(max(cuts[i], d.StartNS()), min(cuts[i+1], d.EndNS()))
		if v.EndNS <= v.StartNS || overlap.Seconds(d.MovingIn(v)) == 0 {
			continue
		}
		l := d.LevelIn(v)
		for _, drift := range drifts {
			if drift.StartNS <= v.StartNS && v.EndNS <= drift.EndNS {
				l.From, l.To = drift.At(v.StartNS), drift.At(v.EndNS)
			}
		}
		levels = append(levels, l)
	}
	return d.With(levels, drifts, swing)
}

// medianNS returns the median of some lengths of time.
func medianNS(all []int64) int64 {
	var x []float64
	for _, v := range all {
		x = append(x, float64(v))
	}
	return int64(stats.Median(x))
}
