package analysis

import (
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
)

// What losing and taking need beyond evidence.
const (
	minSteal = 0.10 // of the fair part
	keptMore = 1.20 // a taker keeps so many times as much of its reference as the loser does
	heldBack = 0.90 // of the reference: above it, nothing is worth telling
	// A disk kept its rate if it has heldBack of its reference, and noise would show that much of a disk with only clearlyLess
	// in fewer than doubt of cases.
	clearlyLess   = 0.80
	doubt         = 0.05
	aloneNS       = 1_000_000_000  // a level without others must be seen for this long to count
	recoveredNS   = 12_000_000_000 // disks have recovered by then: the slowest seen took 11 s (field notes)
	sameReference = 0.1            // as a logarithm: if the rate of a solo and a later one are this close, the solo is told
	alikeShare    = 0.9            // of the highest, from which rates are about the same
	maxBlur       = 0.2            // of the bytes at most may be uncertain to have moved in that time
)

// Where a disk's reference comes from.
const (
	ReferenceSolo  = "solo"
	ReferenceLater = "later"
)

// reference is what a disk has with fewer or no others beside it, and who says so.
type reference struct {
	measured
	kind, from string
}

// aloneAfterwards is the disk's rate at the end of the phase, after the others had ended and before any fall of its own; settled
// if it was seen there for longer than recoveries take.
func (p *phase) aloneAfterwards(disk int) (m measured, settled, ok bool) {
	part := &p.parts[disk]
	if len(part.levels) == 0 || len(p.stages) == 0 || part.wavers() {
		return measured{}, false, false
	}
	stage := p.stages[len(p.stages)-1]
	if len(stage.Active) != 1 || stage.Active[0] != disk {
		return measured{}, false, false
	}
	v := stage.Interval
	for i := 1; i < len(part.solid); i++ { // its rate after a fall of its own is not what it would have had beside the others
		if at := part.solid[i].StartNS; part.kind(i) == KindOwnFall && v.StartNS < at && at < v.EndNS {
			v.EndNS = at
		}
	}
	at := levelAt(part.levels, v.EndNS-1)
	v.StartNS = max(v.StartNS, part.levels[at].StartNS)
	if v.EndNS-v.StartNS < aloneNS {
		return measured{}, false, false
	}
	if a := part.curve.Between(v); float64(a.High-a.Low) > maxBlur*float64(a.Bytes) {
		return measured{}, false, false // most of it is a guess
	}
	m, ok = part.measure(v)
	return m, v.EndNS-stage.StartNS >= recoveredNS, ok
}

// reference looks for the disk's rate without the others, nearest in condition first: alone at the end of this phase, if it
// was seen there for longer than a recovery takes or has recovered; alone in a phase of its own; alone at the end for a short
// time; else after its last recovery.
func (p *phase) reference(disk int, solos solos, main []overlap.Interval) (reference, bool) {
	part := &p.parts[disk]
	if part.limited() || part.wavers() || p.fellInside(part) {
		return reference{}, false
	}
	after, settled, seen := p.aloneAfterwards(disk)
	later := reference{after, ReferenceLater, p.lastToEnd(disk)}
	recovery := -1
	for i, r := range p.out.Recoveries {
		if r.Disk == part.name() && r.ToRate != nil {
			recovery = i
		}
	}
	if p.changedAfter(part, main) {
		seen, recovery = false, -1
	}
	alone, solo := solos.of(p, part)
	if seen && (settled || recovery >= 0) && !(solo && math.Abs(math.Log(after.rate/alone.rate)) < sameReference) {
		return later, true
	}
	if solo {
		return reference{alone.measured, ReferenceSolo, alone.phase}, true
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
	return slices.ContainsFunc(p.cuts(part.name()), func(at int64) bool { return stretch[len(stretch)-1].EndNS <= at+closeNS && at <= until+explainsNS })
}

// lastToEnd is the last of the other disks to end.
func (p *phase) lastToEnd(disk int) string {
	last, name := int64(math.MinInt64), ""
	for i := range p.parts {
		if part := &p.parts[i]; i != disk && len(part.active) > 0 && part.endNS() > last {
			last, name = part.endNS(), part.name()
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
	caps, window := make([]float64, len(p.parts)), make([]measured, len(p.parts))
	total := 0.0
	for i := range p.parts {
		window[i], _ = p.parts[i].measure(main...)
		total += window[i].rate
	}
	for i := range p.parts {
		part := &p.parts[i]
		d := DiskContention{Rate: window[i].rate}
		caps[i] = total // if nothing is known of what it could use
		if part.limited() {
			caps[i] = max(window[i].rate, part.asks())
		}
		if r, ok := p.reference(i, solos, main); ok {
			d.Reference, d.ReferenceFrom = r.kind, r.from
			d.ReferenceRate, d.Retention = number(r.rate), number(window[i].rate/r.rate)
			caps[i] = max(r.rate, window[i].rate)
			d.Held = window[i].rate > 0 && *d.Retention <= heldBack && r.couldMoveMore(window[i]) < p.alpha.shared
			d.RetentionCI = ratioInterval(window[i].withoutPauses(), r.withoutPauses())
			atLeast := measured{rate: clearlyLess * r.rate, error: r.error, free: r.free}
			d.Kept = *d.Retention >= heldBack && !d.Held && window[i].chanceAbove(atLeast) < doubt
		}
		c.Disks[part.name()] = d
	}
	for i, fair := range maxMin(total, caps) {
		d := c.Disks[p.parts[i].name()]
		d.FairRate = fair
		c.Disks[p.parts[i].name()] = d
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
			m, ok := part.measure(s...)
			if !ok || part.limited() || part.wavers() || part.trace.Op != p.parts[0].trace.Op {
				return false
			}
			low, high = min(low, m.rate), max(high, m.rate)
		}
		if low < alikeShare*high {
			return false
		}
	}
	return len(all) > 0
}

// aboveEven fills in who got more than an even share of what the disks of its direction moved that want as much as they
// can get.
func (p *phase) aboveEven(disks map[string]DiskContention, window []measured) {
	for i := range p.parts {
		if !p.comparable(i) {
			continue
		}
		sum, n, squares, free := 0.0, 0.0, 0.0, window[i].free
		for k := range p.parts {
			if p.parts[k].trace.Op == p.parts[i].trace.Op && p.comparable(k) {
				sum += window[k].rate
				off := window[k].rate * window[k].error
				squares += off * off
				n++
				free = min(free, window[k].free)
			}
		}
		even := measured{rate: sum / n, error: math.Sqrt(squares) / sum, free: free}
		d := disks[p.parts[i].name()]
		if n < 2 || !p.anyWants(disks, i) {
			continue
		}
		if more := window[i].rate - even.rate; more >= minSteal*even.rate && window[i].chanceAbove(even) < p.alpha.shared {
			d.AboveEven = more
			disks[p.parts[i].name()] = d
		}
	}
}

// anyWants reports whether one of the other disks of the same direction may want more than it has.
func (p *phase) anyWants(disks map[string]DiskContention, disk int) bool {
	for k := range p.parts {
		if k != disk && p.parts[k].trace.Op == p.parts[disk].trace.Op && p.comparable(k) && !disks[p.parts[k].name()].Kept {
			return true
		}
	}
	return false
}

// excused reports whether one disk (by) cannot have taken from another (from): they are known to share no link, or a phase of
// some of these disks at the same work, without the one, shows that the other has no more there.
func (p *phase) excused(by, from int) bool {
	taker, loser := p.parts[by].name(), p.parts[from].name()
	if a, b := p.hangs[taker], p.hangs[loser]; trace.OwnPort(a) || trace.OwnPort(b) || a != "" && b != "" && a != b {
		return true
	}
	for _, q := range p.run {
		if q == p || len(q.parts) < 2 || len(q.window) == 0 || q.part(taker) != nil || q.part(loser) == nil || !among(q, p) {
			continue
		}
		for i := range q.parts {
			if part := &q.parts[i]; part.name() == loser && q.comparable(i) {
				had, _ := p.parts[from].measure(p.mainStretch()...)
				if m, ok := part.measure(q.mainStretch()...); ok && m.rate < had.rate/heldBack {
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
	return part.contends() && !part.wavers() && !p.fellInside(part)
}

// ratioInterval is the 95 % confidence interval of a rate over another; nil if it is not known.
func ratioInterval(m, of measured) *Interval {
	if m.rate <= 0 || of.rate <= 0 || m.free <= 0 || of.free <= 0 {
		return nil
	}
	half := stats.StudentQuantile(0.975, min(m.free, of.free)) * math.Hypot(m.error, of.error)
	return &Interval{m.rate / of.rate * math.Exp(-half), m.rate / of.rate * math.Exp(half)}
}

// maxMin shares a total so that nobody has more than his cap, and no part can grow but at the cost of a smaller one
// (Bertsekas and Gallager, "Data Networks", section 6.5.2).
func maxMin(total float64, caps []float64) []float64 {
	parts := make([]float64, len(caps))
	for k, i := range stats.Order(caps) {
		parts[i] = min(caps[i], total/float64(len(caps)-k))
		total -= parts[i]
	}
	return parts
}

// steals lays what the disks lack of their fair parts to those of the same direction that have more than theirs, in
// proportion. A disk lost only if it is known to do better without the others and did not fall meanwhile, and another
// took only if it kept clearly more of its own reference, if it has one.
func (p *phase) steals(disks map[string]DiskContention, window []measured) []Steal {
	more := func(i int) float64 { return window[i].rate - disks[p.parts[i].name()].FairRate }
	differs := func(high, low measured) bool { return high.chanceAbove(low) < p.alpha.shared }
	takes := func(by, from int) bool {
		to, of := disks[p.parts[by].name()], disks[p.parts[from].name()]
		kept := to.Retention == nil || *to.Retention >= keptMore**of.Retention
		return by != from && p.comparable(by) && p.parts[by].trace.Op == p.parts[from].trace.Op && kept &&
			differs(window[by], measured{rate: to.FairRate, free: window[by].free}) && differs(window[by], window[from]) && !p.excused(by, from)
	}
	found := []Steal{}
	for from := range p.parts {
		name := p.parts[from].name()
		d := disks[name]
		lost := -more(from)
		if !d.Held || !p.comparable(from) || lost < minSteal*d.FairRate || !differs(measured{rate: d.FairRate, free: window[from].free}, window[from]) {
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
				found = append(found, Steal{From: name, By: p.parts[by].name(), Rate: rate, Share: rate / d.FairRate})
			}
		}
	}
	return found
}
