package analysis

import (
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stats"
)

// What losing and taking need beyond evidence.
const (
	minSteal = 0.10 // of the fair part
	keptMore = 1.20 // a taker keeps so many times as much of its reference as the loser does
	heldBack = 0.90 // of the reference: above it, nothing is worth telling
	// A disk kept its rate where it has heldBack of its reference, and chance would show that much of one that has only
	// clearlyLess in fewer than doubt of cases.
	clearlyLess = 0.80
	doubt       = 0.05
	aloneNS     = 1_000_000_000 // time without others at one level before its rate counts
	maxBlur     = 0.2           // of the bytes then, of which it is not known whether they moved before
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

// aloneAfterwards is the disk's rate at the end of the phase, when the others had ended and it had its last level.
func (p *phase) aloneAfterwards(disk int) (measured, bool) {
	part := &p.parts[disk]
	if len(part.levels) == 0 || len(p.stages) == 0 {
		return measured{}, false
	}
	stage := p.stages[len(p.stages)-1]
	if len(stage.Active) != 1 || stage.Active[0] != disk {
		return measured{}, false
	}
	last := part.levels[len(part.levels)-1]
	v := overlap.Interval{StartNS: max(last.StartNS, stage.StartNS), EndNS: stage.EndNS}
	if v.EndNS-v.StartNS < aloneNS {
		return measured{}, false
	}
	if a := part.curve.Between(v); float64(a.High-a.Low) > maxBlur*float64(a.Bytes) {
		return measured{}, false // most of it is a guess
	}
	return part.measure(v)
}

// reference looks for the disk's rate alone in a phase of its own, else alone at the end of this one, else after its
// last recovery.
func (p *phase) reference(disk int, solos solos) (reference, bool) {
	part := &p.parts[disk]
	if part.limited() {
		return reference{}, false
	}
	if alone, ok := solos.of(p, part); ok {
		return reference{alone.measured, ReferenceSolo, alone.phase}, true
	}
	if m, ok := p.aloneAfterwards(disk); ok {
		return reference{m, ReferenceLater, p.lastToEnd(disk)}, true
	}
	for i, r := range slices.Backward(p.out.Recoveries) {
		if r.Disk == part.name() && r.ToRate != nil {
			return reference{p.reached[i], ReferenceLater, r.After}, true
		}
	}
	return reference{}, false
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

// fillContention compares the window with the disks' references, and with a fair sharing of its total.
func (p *phase) fillContention(solos solos) {
	o := p.out.Overlap
	if o == nil || len(p.parts) < 2 {
		return
	}
	c := &Contention{Disks: map[string]DiskContention{}, Steals: []Steal{}}
	caps := make([]float64, len(p.parts))
	window := make([]measured, len(p.parts))
	for i := range p.parts {
		name := p.parts[i].name()
		d := DiskContention{}
		window[i], _ = p.parts[i].measure(p.window...)
		window[i].rate = o.Disks[name].Rate
		caps[i] = o.Rate // where nothing is known of what it could use
		if p.parts[i].limited() {
			caps[i] = max(window[i].rate, p.parts[i].asks())
		}
		if r, ok := p.reference(i, solos); ok {
			d.Reference, d.ReferenceFrom = r.kind, r.from
			d.ReferenceRate, d.Retention = number(r.rate), number(window[i].rate/r.rate)
			caps[i] = max(r.rate, window[i].rate)
			d.Held = window[i].rate > 0 && *d.Retention <= heldBack && r.chanceAbove(window[i]) < p.alpha.shared && !p.fellInside(&p.parts[i])
			atLeast := measured{rate: clearlyLess * r.rate, error: r.error, free: r.free}
			d.Kept = *d.Retention >= heldBack && !d.Held && window[i].chanceAbove(atLeast) < doubt
		}
		c.Disks[name] = d
	}
	for i, fair := range maxMin(o.Rate, caps) {
		d := c.Disks[p.parts[i].name()]
		d.FairRate = fair
		c.Disks[p.parts[i].name()] = d
	}
	p.aboveEven(c.Disks, window)
	c.Steals = p.steals(c.Disks, window)
	p.out.Contention = c
}

// aboveEven fills in who got more than an even share of what the disks of its direction moved that want as much as they
// can get.
func (p *phase) aboveEven(disks map[string]DiskContention, window []measured) {
	for i := range p.parts {
		if !p.parts[i].contends() {
			continue
		}
		sum, n, squares, free := 0.0, 0.0, 0.0, window[i].free
		for k := range p.parts {
			if p.parts[k].trace.Op == p.parts[i].trace.Op && p.parts[k].contends() {
				sum += window[k].rate
				off := window[k].rate * window[k].error
				squares += off * off
				n++
				free = min(free, window[k].free)
			}
		}
		even := measured{rate: sum / n, error: math.Sqrt(squares) / sum, free: free}
		d := disks[p.parts[i].name()]
		if more := window[i].rate - even.rate; more >= minSteal*even.rate && window[i].chanceAbove(even) < p.alpha.shared {
			d.AboveEven = more
			disks[p.parts[i].name()] = d
		}
	}
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
// took only if it kept clearly more of its own reference, where it has one.
func (p *phase) steals(disks map[string]DiskContention, window []measured) []Steal {
	more := func(i int) float64 { return window[i].rate - disks[p.parts[i].name()].FairRate }
	differs := func(high, low measured) bool { return high.chanceAbove(low) < p.alpha.shared }
	takes := func(by, from int) bool {
		to, of := disks[p.parts[by].name()], disks[p.parts[from].name()]
		kept := to.Retention == nil || *to.Retention >= keptMore**of.Retention
		return by != from && p.parts[by].contends() && p.parts[by].trace.Op == p.parts[from].trace.Op && kept &&
			differs(window[by], measured{rate: to.FairRate, free: window[by].free}) && differs(window[by], window[from])
	}
	found := []Steal{}
	for from := range p.parts {
		name := p.parts[from].name()
		d := disks[name]
		lost := -more(from)
		if !d.Held || !p.parts[from].contends() || lost < minSteal*d.FairRate || !differs(measured{rate: d.FairRate, free: window[from].free}, window[from]) {
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
