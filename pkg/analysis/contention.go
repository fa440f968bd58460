package analysis

import (
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/level"
	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
)

// What losing and taking need beyond evidence.
const (
	minSteal = 0.10 // of the fair part
	keptMore = 1.20 // a taker keeps that many times as much of its reference as the loser does
	heldBack = 0.90 // of the reference: above it, nothing is worth reporting
	// A disk kept its rate if it has heldBack of its reference, and noise would show that much of a disk with only clearlyLess
	// in fewer than doubt of cases.
	clearlyLess   = 0.80
	doubt         = 0.05
	aloneNS       = 1_000_000_000  // a level without others must be seen for this long to count
	recoveredNS   = 12_000_000_000 // disks have recovered by then: the slowest seen took 11 s (field notes)
	sameReference = 0.1            // as a logarithm: if the rate of a solo and a later one are this close, the solo is used
	alikeShare    = 0.9            // of the highest, from which rates are about the same
	maxBlur       = 0.2            // of the bytes at most may be uncertain to have moved in that time
)

// Where a disk's reference comes from.
const (
	ReferenceSolo  = "solo"
	ReferenceLater = "later"
)

// reference is a disk's rate with fewer or no others beside it, and where that is from.
type reference struct {
	level.Measured
	kind, from string
}

// aloneAfterwards is the disk's rate at the end of the phase, after the others had ended and before any fall of its own; settled
// if it was seen there for longer than recoveries take.
func (p *phase) aloneAfterwards(disk int) (m level.Measured, settled, ok bool) {
	part := &p.parts[disk]
	if len(part.Levels) == 0 || len(p.stages) == 0 || part.wavers() {
		return level.Measured{}, false, false
	}
	stage := p.stages[len(p.stages)-1]
	if len(stage.Active) != 1 || stage.Active[0] != disk {
		return level.Measured{}, false, false
	}
	v := stage.Interval
	for i := 1; i < len(part.Solid); i++ { // its rate after a fall of its own is not what it would have had beside the others
		if at := part.Solid[i].StartNS; part.kind(i) == KindOwnFall && v.StartNS < at && at < v.EndNS {
			v.EndNS = at
		}
	}
	at := level.At(part.Levels, v.EndNS-1)
	v.StartNS = max(v.StartNS, part.Levels[at].StartNS)
	if v.EndNS-v.StartNS < aloneNS {
		return level.Measured{}, false, false
	}
	if a := part.Curve.Between(v); float64(a.High-a.Low) > maxBlur*float64(a.Bytes) {
		return level.Measured{}, false, false // most of it is a guess
	}
	m, ok = part.Measure(v)
	return m, v.EndNS-stage.StartNS >= recoveredNS, ok
}

// reference looks for the disk's rate without the others, nearest in condition first: alone at the end of this phase, if it
// was seen there for longer than a recovery takes or has recovered; alone in a phase of its own; alone at the end for a short
// time; else after its last recovery.
func (p *phase) reference(disk int, solos solos, main []overlap.Interval) (reference, bool) {
	part := &p.parts[disk]
	if part.Limited() || part.wavers() || p.fellInside(part) {
		return reference{}, false
	}
	after, settled, seen := p.aloneAfterwards(disk)
	later := reference{after, ReferenceLater, p.lastToEnd(disk)}
	recovery := -1
	for i, r := range p.out.Recoveries {
		if r.Disk == part.Name() && r.ToRate != nil {
			recovery = i
		}
	}
	if p.changedAfter(part, main) {
		seen, recovery = false, -1
	}
	alone, solo := solos.of(p, part)
	if seen && (settled || recovery >= 0) && !(solo && math.Abs(math.Log(after.Rate/alone.Rate)) < sameReference) {
		return later, true
	}
	if solo {
		return reference{alone.Measured, ReferenceSolo, alone.phase}, true
	}
	if seen {
		return later, true
	}
	if recovery >= 0 {
		return reference{p.reached[recovery], ReferenceLater, p.out.Recoveries[recovery].After}, true
	}
	return reference{}, false
}

// changedAfter reports whether the disk's rate changed between the stretch and the time when it worked alone, for a reason other
// than the others' ends: then its rate alone is not what it would have had in the stretch.
func (p *phase) changedAfter(part *part, stretch []overlap.Interval) bool {
	if len(stretch) == 0 {
		return true
	}
	until := p.stages[len(p.stages)-1].StartNS
	return slices.ContainsFunc(p.cuts(part.Name()), func(at int64) bool { return stretch[len(stretch)-1].EndNS <= at+closeNS && at <= until+explainsNS })
}

// lastToEnd is the last of the other disks to end.
func (p *phase) lastToEnd(disk int) string {
	last, name := int64(math.MinInt64), ""
	for i := range p.parts {
		if part := &p.parts[i]; i != disk && len(part.Active) > 0 && part.EndNS() > last {
			last, name = part.EndNS(), part.Name()
		}
	}
	return name
}

// fillContention compares the longest stretch of the window, between changes, with the disks' references, and with a fair
// sharing of its total.
func (p *phase) fillContention(solos solos) {
	o := p.out.Overlap
	if o == nil || len(p.parts) < 2 {
		return
	}
	all := cutAt(p.window, p.cuts(""))
	main := longest(all)
	c := &Contention{Disks: map[string]DiskContention{}, Steals: []Steal{}, Even: p.even(all)}
	if len(all) > 1 {
		c.Spans = spans(main)
	}
	caps, window := make([]float64, len(p.parts)), make([]level.Measured, len(p.parts))
	total := 0.0
	for i := range p.parts {
		window[i], _ = p.parts[i].Measure(main...)
		total += window[i].Rate
	}
	for i := range p.parts {
		part := &p.parts[i]
		d := DiskContention{Rate: window[i].Rate}
		caps[i] = total // if nothing is known of what it could use
		if part.Limited() {
			caps[i] = max(window[i].Rate, part.Asks())
		}
		if r, ok := p.reference(i, solos, main); ok {
			d.Reference, d.ReferenceFrom = r.kind, r.from
			d.ReferenceRate, d.Retention = number(r.Rate), number(window[i].Rate/r.Rate)
			caps[i] = max(r.Rate, window[i].Rate)
			same := r.Measured
			if r.kind == ReferenceSolo && window[i].LastsS >= level.LongS {
				same = r.UnderNoiseOf(&part.Disk)
			}
			d.Held = window[i].Rate > 0 && *d.Retention <= heldBack && same.CouldMoveMore(window[i]) < p.alpha.shared
			d.RetentionCI = ratioInterval(window[i].WithoutPauses(), r.WithoutPauses())
			atLeast := level.Measured{Rate: clearlyLess * r.Rate, Error: r.Error, Free: r.Free}
			d.Kept = *d.Retention >= heldBack && !d.Held && window[i].ChanceAbove(atLeast) < doubt
		}
		c.Disks[part.Name()] = d
	}
	for i, fair := range maxMin(total, caps) {
		d := c.Disks[p.parts[i].Name()]
		d.FairRate = fair
		c.Disks[p.parts[i].Name()] = d
	}
	p.aboveEven(c.Disks, window)
	c.Steals = p.steals(c.Disks, window)
	p.out.Contention = c
}

// even reports whether all disks go as fast as they can, in one direction, at about the same rate in every stretch.
func (p *phase) even(all [][]overlap.Interval) bool {
	for _, s := range all {
		low, high := math.Inf(1), 0.0
		for i := range p.parts {
			part := &p.parts[i]
			m, ok := part.Measure(s...)
			if !ok || part.Limited() || part.wavers() || part.Trace.Op != p.parts[0].Trace.Op {
				return false
			}
			low, high = min(low, m.Rate), max(high, m.Rate)
		}
		if low < alikeShare*high {
			return false
		}
	}
	return len(all) > 0
}

// aboveEven fills in who got more than an even share of what the disks of its direction moved that want as much as they
// can get.
func (p *phase) aboveEven(disks map[string]DiskContention, window []level.Measured) {
	for i := range p.parts {
		if !p.comparable(i) {
			continue
		}
		sum, n, squares, free := 0.0, 0.0, 0.0, window[i].Free
		for k := range p.parts {
			if p.parts[k].Trace.Op == p.parts[i].Trace.Op && p.comparable(k) {
				sum += window[k].Rate
				off := window[k].Rate * window[k].Error
				squares += off * off
				n++
				free = min(free, window[k].Free)
			}
		}
		even := level.Measured{Rate: sum / n, Error: math.Sqrt(squares) / sum, Free: free}
		d := disks[p.parts[i].Name()]
		if n < 2 || !p.anyWants(disks, i) {
			continue
		}
		if more := window[i].Rate - even.Rate; more >= minSteal*even.Rate && window[i].ChanceAbove(even) < p.alpha.shared {
			d.AboveEven = more
			disks[p.parts[i].Name()] = d
		}
	}
}

// anyWants reports whether one of the other disks of the same direction may want more than it has.
func (p *phase) anyWants(disks map[string]DiskContention, disk int) bool {
	for k := range p.parts {
		if k != disk && p.parts[k].Trace.Op == p.parts[disk].Trace.Op && p.comparable(k) && !disks[p.parts[k].Name()].Kept {
			return true
		}
	}
	return false
}

// excused reports whether one disk (by) cannot have taken from another (from): they are known to share no link, or a phase of
// some of these disks at the same work, without the one, shows that the other has no more there.
func (p *phase) excused(by, from int) bool {
	taker, loser := p.parts[by].Name(), p.parts[from].Name()
	if a, b := p.connections[taker], p.connections[loser]; trace.OwnPort(a) || trace.OwnPort(b) || a != "" && b != "" && a != b {
		return true
	}
	for _, q := range p.run {
		if q == p || len(q.parts) < 2 || len(q.window) == 0 || q.part(taker) != nil || q.part(loser) == nil || !among(q, p) {
			continue
		}
		for i := range q.parts {
			if part := &q.parts[i]; part.Name() == loser && q.comparable(i) {
				had, _ := p.parts[from].Measure(p.mainStretch()...)
				if m, ok := part.Measure(q.mainStretch()...); ok && m.Rate < had.Rate/heldBack {
					return true
				}
			}
		}
	}
	return false
}

// comparable reports whether the disk wants as much as it can get and did not change by itself in the window.
func (p *phase) comparable(disk int) bool {
	part := &p.parts[disk]
	return part.Contends() && !part.wavers() && !p.fellInside(part)
}

// ratioInterval is the 95 % confidence interval of a rate over another; nil if it is not known.
func ratioInterval(m, of level.Measured) *Interval {
	if m.Rate <= 0 || of.Rate <= 0 || m.Free <= 0 || of.Free <= 0 {
		return nil
	}
	half := stats.StudentQuantile(0.975, min(m.Free, of.Free)) * math.Hypot(m.Error, of.Error)
	return &Interval{m.Rate / of.Rate * math.Exp(-half), m.Rate / of.Rate * math.Exp(half)}
}

// maxMin shares a total so that none has more than its cap, and no part can grow except at the cost of a smaller one
// (Bertsekas and Gallager, "Data Networks", section 6.5.2).
func maxMin(total float64, caps []float64) []float64 {
	parts := make([]float64, len(caps))
	for k, i := range stats.Order(caps) {
		parts[i] = min(caps[i], total/float64(len(caps)-k))
		total -= parts[i]
	}
	return parts
}

// steals attributes what the disks lack of their fair parts to those of the same direction that have more than theirs, in
// proportion. A disk lost only if it is known to do better without the others and did not fall meanwhile, and another
// took only if it kept clearly more of its own reference, if it has one.
func (p *phase) steals(disks map[string]DiskContention, window []level.Measured) []Steal {
	more := func(i int) float64 { return window[i].Rate - disks[p.parts[i].Name()].FairRate }
	differs := func(high, low level.Measured) bool { return high.ChanceAbove(low) < p.alpha.shared }
	takes := func(by, from int) bool {
		to, of := disks[p.parts[by].Name()], disks[p.parts[from].Name()]
		kept := to.Retention == nil || *to.Retention >= keptMore**of.Retention
		return by != from && p.comparable(by) && p.parts[by].Trace.Op == p.parts[from].Trace.Op && kept &&
			differs(window[by], level.Measured{Rate: to.FairRate, Free: window[by].Free}) && differs(window[by], window[from]) && !p.excused(by, from)
	}
	found := []Steal{}
	for from := range p.parts {
		name := p.parts[from].Name()
		d := disks[name]
		lost := -more(from)
		if !d.Held || !p.comparable(from) || lost < minSteal*d.FairRate || !differs(level.Measured{Rate: d.FairRate, Free: window[from].Free}, window[from]) {
			continue
		}
		var excess float64
		for by := range p.parts {
			if takes(by, from) {
				excess += more(by)
			}
		}
		for by := range p.parts {
			if takes(by, from) {
				rate := min(lost, excess) * more(by) / excess
				found = append(found, Steal{From: name, By: p.parts[by].Name(), Rate: rate, Share: rate / d.FairRate})
			}
		}
	}
	return found
}
