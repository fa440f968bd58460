package change

import (
	"cmp"
	"math"
	"slices"
)

// event is a moment at which some disks may have changed.
type event struct {
	bin   int
	cells []int // when each disk is cut, by its number: a bin, or none
	lag   int   // bins after which some respond to others; 0 if all changed at one instant
	verdict
	windows []window // what the verdict was found for
}

// none is a cell without a cut.
const none = -1

func (p *phase) newEvent(at int) *event {
	e := &event{bin: at, cells: make([]int, len(p.disks))}
	for i := range e.cells {
		e.cells[i] = none
	}
	return e
}

// date returns when a disk is cut, or may be.
func (e *event) date(disk int) int {
	if e.cells[disk] != none {
		return e.cells[disk]
	}
	return e.bin
}

// saved returns how much cheaper the event is than nothing.
func (e *event) saved() float64 { return e.nothing - e.code }

// cell is a candidate of one disk with the bins between which it may lie.
type cell struct {
	disk, at         int
	width            int
	earliest, latest float64
}

// merge makes events of cuts whose dates overlap, seeded by those that are dated best, and of what
// only the sum of all disks shows.
func (p *phase) merge() {
	var cells []cell
	for _, d := range p.disks {
		edges := d.edges(d.candidates)
		for k, c := range d.candidates {
			first, last := d.dated(edges[k], c, edges[k+2])
			at := d.bins[c]
			within := p.s(maxDateS)
			slack := p.s(dateSlackS)
			cells = append(cells, cell{d.number, at, last - first,
				max(float64(d.bins[first]), float64(at)-within) - slack,
				min(float64(d.bins[last]), float64(at)+within) + slack})
		}
	}
	slices.SortStableFunc(cells, func(a, b cell) int {
		return cmp.Or(cmp.Compare(a.width, b.width), cmp.Compare(a.at, b.at))
	})
	p.events = nil
	clear(p.tried)
	for _, c := range cells[:min(len(cells), maxEvents)] {
		var nearest *event
		for _, e := range p.events {
			if at := float64(e.bin); c.earliest <= at && at <= c.latest && e.cells[c.disk] == none &&
				(nearest == nil || abs(e.bin-c.at) < abs(nearest.bin-c.at)) {
				nearest = e
			}
		}
		if nearest == nil {
			nearest = p.newEvent(c.at)
			p.events = append(p.events, nearest)
		}
		nearest.cells[c.disk] = c.at
	}
	seeds := p.events
	for _, at := range p.sumCandidates {
		apart := true
		for _, e := range seeds {
			apart = apart && float64(abs(e.bin-at)) > p.s(sumApartS)
		}
		if apart {
			p.events = append(p.events, p.newEvent(at))
		}
	}
	p.sortEvents()
}

func (p *phase) sortEvents() {
	slices.SortStableFunc(p.events, func(a, b *event) int { return cmp.Compare(a.bin, b.bin) })
}

// dated returns the first and the last bin of x at which a cut costs no more than 2 nats, in one
// stretch with the cut.
func (d *disk) dated(from, cut, to int) (first, last int) {
	y := d.x[from:to]
	middle := mean(y)
	n := float64(len(y))
	gains := make([]float64, len(y))
	var sum float64
	for i := 1; i < len(y); i++ {
		sum += y[i-1]
		k := float64(i)
		gains[i] = square(sum/k-middle) * k * n / (n - k) / 2 / d.longRun
	}
	least := gains[cut-from] - dateNats
	first, last = cut, cut
	for first-1 > from && gains[first-1-from] >= least {
		first--
	}
	for last+1 < to && gains[last+1-from] >= least {
		last++
	}
	return first, last
}

// window is the stretch over which a disk is measured about an event, in bins.
type window struct {
	from, to float64
	at       int
}

// windowOf returns the stretch about an event in which nothing else happened to a disk.
func (p *phase) windowOf(e *event, d *disk) window {
	at := e.date(d.number)
	hidden := slices.Clone(d.stalls)
	for k := range len(d.on) - 1 {
		hidden = append(hidden, span{d.on[k].to, d.on[k+1].from})
	}
	// A change at a standstill or a pause is one from the level before it to the one after.
	var across, other []span
	for _, v := range hidden {
		slack := p.s(togetherS)
		if v.from-slack <= float64(at) && float64(at) <= v.to+slack {
			across = append(across, v)
		} else {
			other = append(other, v)
		}
	}
	w := window{float64(at - windowBins), float64(at + windowBins), at}
	for _, v := range across {
		w.from = min(w.from, v.from-windowBins)
		w.to = max(w.to, v.to+windowBins)
	}
	take := func(edge float64) {
		if edge < float64(at)-0.5 {
			w.from = max(w.from, edge)
		}
		if edge > float64(at)+0.5 {
			w.to = min(w.to, edge)
		}
	}
	take(0)
	take(float64(p.n))
	take(d.on[0].from)
	take(d.on[len(d.on)-1].to)
	for _, o := range p.events {
		if o != e && o.cells[d.number] != none {
			take(float64(o.cells[d.number]))
		}
	}
	for _, v := range other {
		take(v.from)
		take(v.to)
	}
	return w
}

// loading is what an event did to one disk.
type loading struct {
	ok                    bool    // it was measured
	factor, variance      float64 // change of the logarithm of the rate
	size, sizeVariance    float64 // change of the rate
	before, after         float64 // rates
	beforeSpan, afterSpan side
}

// apart returns how far a bin is from where the disk begins and finishes.
func (d *disk) apart(bin int) float64 {
	least := math.Inf(1)
	for _, v := range d.on {
		least = min(least, math.Abs(float64(bin)-v.from), math.Abs(float64(bin)-v.to))
	}
	return least
}

// side is the mean of a disk's series over some bins.
type side struct {
	mean, variance float64
	from, to       int // of x
}

// side measures the bins of x that lie between two moments; not ok if they are too few.
func (d *disk) side(from, to float64) (side, bool) {
	first := max(0, int(math.Ceil(from-1e-6)))
	last := min(int(math.Floor(to+1e-6)), len(d.rate))
	if first >= last {
		return side{}, false
	}
	s := side{from: d.before[first], to: d.before[last]}
	k := float64(s.to - s.from)
	if k < minSideBins {
		return side{}, false
	}
	s.mean = mean(d.x[s.from:s.to])
	s.variance = d.longRun / (k + d.longRun/d.noise.variance)
	return s, true
}

// measure compares a disk's level before an event with the one after it. A bin on either side is
// left out, for the change takes some of it.
func (d *disk) measure(w window, least float64) loading {
	at := float64(w.at)
	if at-w.from < least || w.to-at < least {
		return loading{} // a burst may be as short
	}
	before, ok := d.side(w.from+1, at-1)
	after, too := d.side(at+1.5, w.to-1)
	if !ok || !too {
		return loading{}
	}
	more := max(1, square(d.fileSD)*d.fileShares(before, after)/(before.variance+after.variance))
	before.variance *= more
	after.variance *= more
	a, b := math.Exp(before.mean), math.Exp(after.mean)
	return loading{
		ok: true, beforeSpan: before, afterSpan: after, before: a, after: b,
		factor: after.mean - before.mean, variance: before.variance + after.variance + shiftVariance,
		size:         b - a,
		sizeVariance: a*a*before.variance + b*b*after.variance + square(sizeError*(a+b))/2,
	}
}

// fileShares returns the sum of the squared differences between each file's share of one side and
// of the other: what files that are draws add to the variance of a change.
func (d *disk) fileShares(before, after side) float64 {
	var sum float64
	ofBefore := 1 / float64(before.to-before.from)
	ofAfter := 1 / float64(after.to-after.from)
	share := 0.0
	file := none
	add := func(s side, each float64) {
		for _, f := range d.file[s.from:s.to] {
			if f != file {
				sum += share * share
				share = 0
				file = f
			}
			share += each
		}
	}
	add(before, ofBefore)
	add(after, -ofAfter)
	return sum + share*share
}

func abs(x int) int { return max(x, -x) }
