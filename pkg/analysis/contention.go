package analysis

import (
	"cmp"
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/overlap"
)

// When a disk counts as robbed.
const (
	minSteal = 0.10          // of its fair part
	heldBack = 0.90          // of its reference: above it, nothing was taken
	aloneNS  = 1_000_000_000 // time alone at one level before the rate of it counts
)

// Where a disk's reference comes from.
const (
	ReferenceSolo  = "solo"
	ReferenceLater = "later"
)

// aloneAfterwards is the disk's rate at the end of the phase, when the others had ended and it had its last level.
func (p *phase) aloneAfterwards(disk int) (rate float64, ok bool) {
	part := &p.parts[disk]
	if len(part.levels) == 0 || len(p.stages) == 0 {
		return 0, false
	}
	stage := p.stages[len(p.stages)-1]
	if len(stage.Active) != 1 || stage.Active[0] != disk {
		return 0, false
	}
	last := part.levels[len(part.levels)-1]
	v := overlap.Interval{StartNS: max(last.StartNS, stage.StartNS), EndNS: stage.EndNS}
	if v.EndNS-v.StartNS < aloneNS {
		return 0, false
	}
	return part.rateIn(v), true
}

// reference is what the disk has with fewer or no others beside it: alone in a phase of its own, else alone at the end
// of this one, else after its last recovery. Its rate is 0 where nothing says it.
func (p *phase) reference(disk int, solos solos) (rate float64, kind, from string) {
	part := &p.parts[disk]
	if alone, ok := solos.of(p, part); ok {
		return alone.rate(), ReferenceSolo, alone.phase
	}
	if rate, ok := p.aloneAfterwards(disk); ok {
		return rate, ReferenceLater, p.lastToEnd(disk)
	}
	for _, r := range slices.Backward(p.out.Recoveries) {
		if r.Disk == part.name() && r.ToRate != nil {
			return *r.ToRate, ReferenceLater, r.After
		}
	}
	return 0, "", ""
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
	for i := range p.parts {
		name := p.parts[i].name()
		rate := o.Disks[name].Rate
		d := DiskContention{}
		reference, kind, from := p.reference(i, solos)
		if reference > 0 {
			d.Reference, d.ReferenceFrom = kind, from
			d.ReferenceRate, d.Retention = number(reference), number(rate/reference)
		}
		caps[i] = max(reference, rate)
		if reference <= 0 {
			caps[i] = o.Rate // nothing is known of what it could use
		}
		c.Disks[name] = d
	}
	for i, fair := range maxMin(o.Rate, caps) {
		d := c.Disks[p.parts[i].name()]
		d.FairRate = fair
		c.Disks[p.parts[i].name()] = d
	}
	c.Steals = steals(c.Disks, o.Disks, p.names())
	p.out.Contention = c
}

// maxMin shares a total so that nobody has more than his cap, and no part can grow but at the cost of a smaller one
// (Bertsekas and Gallager, "Data Networks", section 6.5.2).
func maxMin(total float64, caps []float64) []float64 {
	order := make([]int, len(caps))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(caps[a], caps[b]) })
	parts := make([]float64, len(caps))
	for k, i := range order {
		parts[i] = min(caps[i], total/float64(len(caps)-k))
		total -= parts[i]
	}
	return parts
}

// steals lays what the disks lack of their fair parts to those that have more, in proportion. A disk was robbed only
// if it is known to do better without the others.
func steals(disks map[string]DiskContention, window map[string]OverlapDisk, order []string) []Steal {
	var excess float64
	for _, name := range order {
		excess += max(0, window[name].Rate-disks[name].FairRate)
	}
	found := []Steal{}
	for _, from := range order {
		d := disks[from]
		lost := d.FairRate - window[from].Rate
		if d.Retention == nil || *d.Retention > heldBack || lost < minSteal*d.FairRate || excess <= 0 {
			continue
		}
		for _, by := range order {
			if more := window[by].Rate - disks[by].FairRate; more > 0 {
				rate := lost * more / excess
				found = append(found, Steal{From: from, By: by, Rate: rate, Share: rate / d.FairRate})
			}
		}
	}
	return found
}

// names are the working disks', in the run's order.
func (p *phase) names() []string {
	names := make([]string, 0, len(p.parts))
	for i := range p.parts {
		names = append(names, p.parts[i].name())
	}
	return names
}
