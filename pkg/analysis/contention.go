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
	// A disk kept its rate if it has heldBack of its reference, and noise would show that much of a disk with only
	// clearlyLess in fewer than doubt of cases.
	clearlyLess = 0.80
	doubt       = 0.05
	aloneNS     = 1_000_000_000  // a level without others must be seen for this long to count
	recoveredNS = 12_000_000_000 // disks have recovered by then: the slowest seen took 11 s (field notes)
	// As a logarithm: if the rate of a solo and a later one are this close, the solo is used.
	sameReference = 0.1
	alikeShare    = 0.9 // of the highest, from which rates are about the same
	maxBlur       = 0.2 // of the bytes at most may be uncertain to have moved in that time
)

// Where a disk's reference comes from.
const (
	ReferenceSolo  = "solo"
	ReferenceLater = "later"
)

// Why a disk has no reference although it was measured alone.
const (
	NoneChanged      = "changed"       // its rate changed by itself, here
	NoneAloneChanged = "alone_changed" // its rate alone did, so there is no one rate
	NoneTooLittle    = "too_little"    // it was too short alone to know its rate
	NoneUnlike       = "unlike"        // alone it did other work, or was connected elsewhere
)

// reference is a disk's rate with fewer or no others beside it, and where that is from.
type reference struct {
	level.Measured
	kind, from string
	alone      bool // no other disk worked
}

// aloneAfterwards is the disk's rate at the end of the phase, after the others had ended and before any fall of its
// own; settled if it was seen there for longer than recoveries take.
func (p *phase) aloneAfterwards(part *part) (m level.Measured, settled, ok bool) {
	if len(part.Levels) == 0 || len(p.stages) == 0 || part.wavers() {
		return level.Measured{}, false, false
	}
	stage := p.stages[len(p.stages)-1]
	if len(stage.Active) != 1 || p.parts[stage.Active[0]] != part {
		return level.Measured{}, false, false
	}
	v := stage.Span
	// Its rate after a fall of its own is not what it would have had beside the others.
	for i := 1; i < len(part.Solid); i++ {
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

// reference looks for the disk's rate without the others, nearest in condition first: alone at the end of this phase,
// if it was seen there for longer than a recovery takes or has recovered; alone in a phase of its own; alone at the
// end for a short time; else after its last recovery. A time at the end does not count if the disk's rate changed
// between the stretch that is compared and that time, for a reason other than the others' ends.
func (p *phase) reference(part *part, stretch []overlap.Span) (reference, bool) {
	if part.Limited() || part.wavers() || p.fellInside(part) {
		return reference{}, false
	}
	after, settled, seen := p.aloneAfterwards(part)
	var recovery *Recovery
	for i := range p.out.Recoveries {
		if r := &p.out.Recoveries[i]; r.Disk == part.Name() && r.ToRate != nil {
			recovery = r
		}
	}
	if len(stretch) == 0 || slices.ContainsFunc(p.cuts(part.Name()), func(at int64) bool {
		return stretch[len(stretch)-1].EndNS <= at+closeNS && at <= p.stages[len(p.stages)-1].StartNS+explainsNS
	}) {
		seen, recovery = false, nil
	}
	later := reference{after, ReferenceLater, "", true}
	last := int64(math.MinInt64)
	for _, o := range p.others(part) { // the last to end
		if o.EndNS() > last {
			last, later.from = o.EndNS(), o.Name()
		}
	}
	switch alone := p.solos.find(part.job); {
	case seen && (settled || recovery != nil) && !(alone != nil &&
		math.Abs(math.Log(after.Rate/alone.Rate)) < sameReference):
		return later, true
	case alone != nil:
		return reference{alone.Measured, ReferenceSolo, alone.from(), true}, true
	case seen:
		return later, true
	case recovery != nil:
		return reference{recovery.Reached, ReferenceLater, recovery.After, recovery.After == later.from}, true
	}
	return reference{}, false
}

// noReference is why the disk's rates alone in other phases are no reference.
func (p *phase) noReference(part *part) (why string) {
	for _, q := range p.phases {
		alone := q.part(part.Name())
		switch {
		case part.Limited() || len(q.parts) != 1 || alone == nil || alone.Trace.Op != part.Trace.Op || alone.Limited():
		case part.wavers() || p.fellInside(part):
			return NoneChanged
		case alone.job.same(part.job) && alone.wavers():
			return NoneAloneChanged
		case alone.job.same(part.job):
			return NoneTooLittle
		default:
			why = NoneUnlike
		}
	}
	return why
}

// fillContention compares the longest stretch of the window, between changes, with the disks' references, and with a
// fair sharing of its total.
func (p *phase) fillContention() {
	if p.out.Overlap == nil || len(p.parts) < 2 {
		return
	}
	all := cutAt(p.window, p.cuts(""))
	main := longest(all)
	c := &Contention{Disks: map[string]DiskContention{}, Steals: []Steal{}, Even: p.even(all)}
	if len(all) > 1 {
		c.Spans = spans(main)
	}
	total := 0.0
	for _, part := range p.parts {
		part.window, _ = part.Measure(main...)
		total += part.window.Rate
	}
	caps := make([]float64, len(p.parts))
	for i, part := range p.parts {
		caps[i] = total // if nothing is known of what it could use
		if part.Limited() {
			caps[i] = max(part.window.Rate, part.Asks())
		}
		part.kept = DiskContention{Rate: part.window.Rate}
		if r, ok := p.reference(part, main); ok {
			part.compareWith(r, p.alpha.shared)
			caps[i] = max(r.Rate, part.window.Rate)
		} else {
			part.kept.NoReference = p.noReference(part)
		}
	}
	for i, fair := range maxMin(total, caps) {
		p.parts[i].kept.FairRate = fair
	}
	for _, part := range p.parts {
		part.kept.AboveEven = p.aboveEven(part)
		c.Disks[part.Name()] = part.kept
	}
	c.Steals = append(c.Steals, p.steals()...)
	p.out.Contention = c
}

// compareWith says what the disk has in the window of its reference.
func (p *part) compareWith(r reference, alpha float64) {
	m, d := p.window, &p.kept
	d.Reference, d.ReferenceFrom, d.Alone = r.kind, r.from, r.alone
	d.ReferenceRate, d.Retention = number(r.Rate), number(m.Rate/r.Rate)
	same := r.Measured
	if r.kind == ReferenceSolo && m.LastsS >= level.LongS {
		same = level.UnderNoiseOf(r.Measured, &p.Disk)
	}
	d.Held = m.Rate > 0 && *d.Retention <= heldBack && same.CouldMoveMore(m) < alpha
	if a, b := m.WithoutPauses(), r.WithoutPauses(); !p.slow && min(a.Rate, b.Rate, a.Free, b.Free) > 0 {
		half, ratio := stats.StudentQuantile(0.975, min(a.Free, b.Free))*math.Hypot(a.Error, b.Error), a.Rate/b.Rate
		d.RetentionCI = &stats.Interval{ratio * math.Exp(-half), ratio * math.Exp(half)}
	}
	atLeast := level.Measured{Rate: clearlyLess * r.Rate, Error: r.Error, Free: r.Free}
	d.Kept = *d.Retention >= heldBack && !d.Held && m.ChanceAbove(atLeast) < doubt
}

// even reports whether all disks go as fast as they can, in one direction, at about the same rate in every stretch.
func (p *phase) even(all [][]overlap.Span) bool {
	for _, s := range all {
		low, high := math.Inf(1), 0.0
		for _, part := range p.parts {
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

// aboveEven is how much more the disk got than an even share of what the disks of its direction moved that want as
// much as they can get; 0 if noise may have made that, or if no other may want more than it has.
func (p *phase) aboveEven(part *part) float64 {
	if !p.comparable(part) {
		return 0
	}
	sum, n, squares, free, wanted := 0.0, 0.0, 0.0, part.window.Free, false
	for _, o := range p.parts {
		if o.Trace.Op == part.Trace.Op && p.comparable(o) {
			sum += o.window.Rate
			squares += square(o.window.Rate * o.window.Error)
			n++
			free = min(free, o.window.Free)
			wanted = wanted || o != part && !o.kept.Kept
		}
	}
	even := level.Measured{Rate: sum / n, Error: math.Sqrt(squares) / sum, Free: free}
	more := part.window.Rate - even.Rate
	if wanted && more >= minSteal*even.Rate && part.window.ChanceAbove(even) < p.alpha.shared {
		return more
	}
	return 0
}

// excused reports whether one disk cannot have taken from another: they are known to share no link, or a phase of
// some of these disks at the same work, without the one, shows that the other has no more there.
func (p *phase) excused(taker, loser *part) bool {
	a, b := taker.job.connection, loser.job.connection
	if trace.OwnPort(a) || trace.OwnPort(b) || a != "" && b != "" && a != b {
		return true
	}
	for _, q := range p.phases {
		there := q.part(loser.Name())
		if len(q.parts) < 2 || len(q.window) == 0 || there == nil || q.part(taker.Name()) != nil ||
			!q.comparable(there) || !among(q, p) {
			continue
		}
		had, _ := loser.Measure(p.mainStretch()...)
		if m, ok := there.Measure(q.mainStretch()...); ok && m.Rate < had.Rate/heldBack {
			return true
		}
	}
	return false
}

// comparable reports whether the disk wants as much as it can get and did not change by itself in the window.
func (p *phase) comparable(part *part) bool {
	return part.Contends() && !part.wavers() && !p.fellInside(part)
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

// steals attributes what the disks lack of their fair parts to those of the same direction that have more than
// theirs, in proportion. A disk lost only if it is known to do better without the others and did not fall meanwhile,
// and another took only if it kept clearly more of its own reference, if it has one.
func (p *phase) steals() (found []Steal) {
	more := func(part *part) float64 { return part.window.Rate - part.kept.FairRate }
	differs := func(high, low level.Measured) bool { return high.ChanceAbove(low) < p.alpha.shared }
	fair := func(part *part) level.Measured {
		return level.Measured{Rate: part.kept.FairRate, Free: part.window.Free}
	}
	for _, from := range p.parts {
		lost := -more(from)
		if !from.kept.Held || !p.comparable(from) || lost < minSteal*from.kept.FairRate || !differs(fair(from), from.window) {
			continue
		}
		var takers []*part
		var excess float64
		for _, by := range p.parts {
			kept := by.kept.Retention == nil || *by.kept.Retention >= keptMore**from.kept.Retention
			if by != from && p.comparable(by) && by.Trace.Op == from.Trace.Op && kept &&
				differs(by.window, fair(by)) && differs(by.window, from.window) && !p.excused(by, from) {
				takers, excess = append(takers, by), excess+more(by)
			}
		}
		for _, by := range takers {
			rate := min(lost, excess) * more(by) / excess
			found = append(found, Steal{From: from.Name(), By: by.Name(), Rate: rate, Share: rate / from.kept.FairRate})
		}
	}
	return found
}
