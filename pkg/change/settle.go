package change

import (
	"math"
	"slices"
)

// settleTwice settles the events, and again under the noise that they leave if that is much less.
func (p *phase) settleTwice() {
	p.merge()
	p.settle()
	quieter := false
	for _, d := range p.disks {
		before := d.longRun
		var cuts []int
		for _, e := range p.events {
			if at := e.cells[d.number]; at != none {
				cuts = append(cuts, d.before[at])
			}
		}
		d.estimateNoise(cuts)
		quieter = quieter || d.longRun < before/quieterRatio
	}
	if quieter {
		p.merge()
		p.settle()
	}
}

// settle decides about all events together: the least supported goes first, those that are cheaper
// as one are joined, and a disk that an event does not move is not cut there, until nothing
// changes. Two events may take turns at moving a disk; they stay as they are after maxRounds.
func (p *phase) settle() {
	for rounds := 0; rounds < maxRounds; {
		for _, e := range p.events {
			p.explain(e)
		}
		if p.joinTwo() {
			continue
		}
		if weakest := p.weakest(); weakest >= 0 {
			p.events = slices.Delete(p.events, weakest, weakest+1)
			continue
		}
		rounds++
		settled := true
		for _, e := range p.events {
			for i, moved := range e.moved {
				switch {
				case moved == (e.cells[i] != none):
				case moved:
					settled = false
					e.cells[i] = e.bin
				default:
					settled = false
					e.cells[i] = none
				}
			}
		}
		if settled {
			return
		}
	}
}

// weakest returns the event without any change that counts, or too small a one, which saves least;
// less than 0 if there is none.
func (p *phase) weakest() int {
	weakest := -1
	for k, e := range p.events {
		largest := 0.0
		for i, moved := range e.moved {
			if moved {
				largest = max(largest, math.Abs(e.loads[i].factor))
			}
		}
		if largest < minChange && (weakest < 0 || e.saved() < p.events[weakest].saved()) {
			weakest = k
		}
	}
	return weakest
}

// joinTwo makes one event of two neighbours if they can't both be, or if one is cheaper than two;
// not ok if there are no such two.
func (p *phase) joinTwo() bool {
	for k := range len(p.events) - 1 {
		e, o := p.events[k], p.events[k+1]
		apart := float64(o.bin - e.bin)
		common := e.sharesDisk(o)
		if apart <= p.s(dateSlackS) && common {
			if o.saved() < e.saved() {
				k++
			}
			p.events = slices.Delete(p.events, k, k+1)
			return true
		}
		pair := [2]*event{e, o}
		if apart > p.s(maxDateS) || common || p.tried[pair] {
			continue
		}
		p.tried[pair] = true
		if p.joined(e, o, e.bin, 0) || p.joined(e, o, o.bin, 0) ||
			apart <= p.s(startS) && p.joined(e, o, e.bin, o.bin-e.bin) {
			return true
		}
	}
	return false
}

func (e *event) sharesDisk(o *event) bool {
	for i := range e.cells {
		if e.cells[i] != none && o.cells[i] != none {
			return true
		}
	}
	return false
}

// joined tries one event in place of two, and keeps it if it is cheaper: all at the date of either,
// or each at its own if one responds to the other after a lag.
func (p *phase) joined(e, o *event, bin, lag int) bool {
	both := p.newEvent(bin)
	both.lag = max(lag, e.lag, o.lag)
	loss := 0.0
	for _, q := range []*event{e, o} {
		for i, at := range q.cells {
			if at == none {
				continue
			}
			both.cells[i] = at
			if l := &q.loads[i]; lag == 0 && q.bin != bin && l.ok {
				both.cells[i] = bin
				loss += p.disks[i].moving(at, bin, l)
			}
		}
	}
	kept := p.events
	p.events = nil
	for _, x := range kept {
		if x != e && x != o {
			p.events = append(p.events, x)
		}
	}
	p.events = append(p.events, both)
	p.sortEvents()
	p.explain(both)
	if both.saved()-max(0, loss) > e.saved()+o.saved() {
		return true
	}
	p.events = kept
	return false
}

// moving returns what it costs to date a disk's change elsewhere, in nats.
func (d *disk) moving(from, to int, l *loading) (loss float64) {
	now, then := l.afterSpan.mean, l.beforeSpan.mean
	if to < from {
		now, then = then, now
	}
	first, last := min(from, to), max(from, to)
	for _, x := range d.x[d.before[first]:d.before[last]] {
		loss += square(x-then) - square(x-now)
	}
	return loss / 2 / d.longRun
}
