package change

import (
	"math"
	"slices"
)

// role is what a hypothesis says of some disks at an event.
type role int

const (
	own      role = iota // one disk, by itself
	response             // they took what By left, or left what By took
	common               // one factor for all
	ended                // they rose after By had finished
	began                // they fell when By began
	stalled              // they rose when By stood still
	resumed              // they fell when By went on
	turn                 // some rose as others fell, and the total stays
	shifted              // some rose and others fell
)

// claim is one part of a hypothesis.
type claim struct {
	role
	by    *disk
	disks []int // numbers, ascending
}

// verdict is the hypothesis about an event that takes the fewest nats.
type verdict struct {
	code    float64
	nothing float64 // what it takes to say that nothing happened
	claims  []claim
	moved   []bool // by disk
	loads   []loading
}

// question is an event while hypotheses about it are tried.
type question struct {
	*phase
	*event
	best             verdict
	loads            []loading
	zero             []float64 // what it takes to say that a disk stayed as it was
	measured         []int
	cut              []bool  // by disk: the event is a change of its own history
	date, size, lone float64 // prices: of a date, of a size, of one disk's change by itself
	unseen           float64 // the price of what no disk's own history shows
}

// explain finds the cheapest hypothesis about an event. It does nothing if that is known already.
func (p *phase) explain(e *event) {
	windows := make([]window, len(p.disks))
	same := e.windows != nil
	for i, d := range p.disks {
		windows[i] = p.windowOf(e, d)
		same = same && windows[i] == e.windows[i]
	}
	if same {
		return
	}
	e.windows = windows
	n := float64(p.n)
	q := &question{phase: p, event: e, date: math.Log(n), size: math.Log(n) / 2}
	q.lone = q.date + math.Log(float64(len(p.disks))) + q.size
	q.loads = make([]loading, len(p.disks))
	q.zero = make([]float64, len(p.disks))
	q.cut = make([]bool, len(p.disks))
	q.unseen = unseenNats
	for i, d := range p.disks {
		if q.cut[i] = d.isCutAt(e.cells[i]); q.cut[i] {
			q.unseen = 0
		}
		if d.IsPaced() {
			continue // its rate says what was asked for
		}
		least := p.s(burstMargin * d.LongestBurstS)
		if p.follows(d, float64(windows[i].at), true) {
			least = 0
		}
		l := d.measure(windows[i], least)
		if l.ok && !q.cut[i] {
			wanders := d.Unsteady && !p.follows(d, float64(windows[i].at), false)
			l.ok = !wanders && !d.byFew(&l)
		}
		if q.loads[i] = l; l.ok {
			q.zero[i] = square(q.loads[i].factor) / q.loads[i].variance / 2
			if q.cut[i] && math.Abs(q.loads[i].factor) >= minChange {
				// That it changed is known from its own history, whatever its noise here.
				q.zero[i] = max(q.zero[i], q.lone+1)
			}
			q.measured = append(q.measured, i)
			q.best.nothing += q.zero[i]
		}
	}
	q.best.code = q.best.nothing
	q.best.moved = make([]bool, len(p.disks))
	q.offer(0, nil)
	var ups, downs []int
	for _, i := range q.measured {
		if q.zero[i] <= movedNats || math.Abs(q.loads[i].factor) <= minShift {
			continue
		}
		if q.loads[i].factor > 0 {
			ups = append(ups, i)
		} else {
			downs = append(downs, i)
		}
	}
	q.tryOwn(ups, downs)
	if e.lag == 0 { // else they did not change at one instant
		q.tryCommon(ups, downs)
		q.tryKnown(ups, downs)
		q.tryTogether(ups, downs)
	}
	q.best.loads = q.loads
	e.verdict = q.best
}

// rest returns the price of all disks that a hypothesis says nothing of: they stayed as they were,
// or each changed by itself, with a date of its own.
func (q *question) rest(used []int) (price float64, alone []int) {
	for _, i := range q.measured {
		switch {
		case slices.Contains(used, i):
		case q.zero[i] > q.lone && math.Abs(q.loads[i].factor) >= minChange && q.cut[i]:
			price += q.lone
			alone = append(alone, i)
		default:
			price += q.zero[i]
		}
	}
	return price, alone
}

// isCutAt reports whether a bin, or none, is one at which the disk's own history changes.
func (d *disk) isCutAt(bin int) bool {
	for _, c := range d.cuts {
		if bin != none && abs(d.bins[c]-bin) < minLevelBins {
			return true
		}
	}
	return false
}

// offer takes a hypothesis if it is the cheapest so far.
func (q *question) offer(code float64, used []int, claims ...claim) {
	rest, alone := q.rest(used)
	if len(used) > 0 {
		code += q.unseen
	}
	if code+rest >= q.best.code {
		return
	}
	q.best.code = code + rest
	q.best.claims = claims
	q.best.moved = make([]bool, len(q.disks))
	for _, i := range used {
		q.best.moved[i] = true
	}
	for _, i := range alone {
		q.best.moved[i] = true
		q.best.claims = append(q.best.claims, claim{own, q.disks[i], []int{i}})
	}
}

// grow offers a set of disks, then the set without the member whose leaving saves most, and so on
// as long as that saves anything. The hypothesis is about the disk by as well, unless it is none.
func (q *question) grow(
	set []int, by int, code func(set []int) float64, claims func(set []int) []claim,
) {
	used := func(set []int) []int {
		if by == none {
			return set
		}
		return append(append([]int{}, set...), by)
	}
	for len(set) > 0 {
		now := code(set)
		q.offer(now, used(set), claims(set)...)
		rest, _ := q.rest(used(set))
		least := math.Inf(1)
		var next []int
		for leaves := range set {
			if len(set) == 1 {
				break
			}
			fewer := append(append([]int{}, set[:leaves]...), set[leaves+1:]...)
			others, _ := q.rest(used(fewer))
			if total := code(fewer) + others; total < least {
				least = total
				next = fewer
			}
		}
		if least > now+rest {
			break
		}
		set = next
	}
}
