package change

import "math"

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
	date, size, lone float64 // prices: of a date, of a size, of one disk's change by itself
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
	q.loads = make([]loading, len(p.disks))
	q.zero = make([]float64, len(p.disks))
	for i, d := range p.disks {
		if d.IsPaced() {
			continue // its rate says what was asked for
		}
		if q.loads[i] = d.measure(windows[i]); q.loads[i].ok {
			q.zero[i] = square(q.loads[i].factor) / q.loads[i].variance / 2
			q.measured = append(q.measured, i)
			q.best.nothing += q.zero[i]
		}
	}
	q.lone = q.date + math.Log(float64(max(1, len(q.measured)))) + q.size
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
		case contains(used, i):
		case q.zero[i] > q.lone && math.Abs(q.loads[i].factor) >= minChange:
			price += q.lone
			alone = append(alone, i)
		default:
			price += q.zero[i]
		}
	}
	return price, alone
}

// offer takes a hypothesis if it is the cheapest so far.
func (q *question) offer(code float64, used []int, claims ...claim) {
	rest, alone := q.rest(used)
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

// names returns the price of saying which of some disks a set of k is.
func (q *question) names(k, of int) float64 {
	return logChoices(of, k) + math.Log(float64(max(of, 1)))
}

// tryCommon tries one factor for several disks.
func (q *question) tryCommon(ups, downs []int) {
	code := func(set []int) float64 {
		if len(set) < 2 {
			return math.Inf(1)
		}
		_, misfit := q.equalFactors(set)
		return q.date + q.size + q.names(len(set), len(q.measured)) + misfit
	}
	claims := func(set []int) []claim { return []claim{{common, nil, set}} }
	for _, set := range [][]int{q.measured, ups, downs} {
		q.grow(set, none, code, claims)
	}
}

// equalFactors returns the mean factor of some disks, and what it takes to say that all have it.
func (q *question) equalFactors(set []int) (middle, misfit float64) {
	var weights float64
	for _, i := range set {
		w := 1 / (q.loads[i].variance + square(tolerance))
		middle += w * q.loads[i].factor
		weights += w
	}
	middle /= weights
	for _, i := range set {
		misfit += square(q.loads[i].factor-middle) / (q.loads[i].variance + square(tolerance)) / 2
	}
	return middle, misfit
}

// equalSizes returns what it takes to say that all of some disks changed by as many bytes.
func (q *question) equalSizes(set []int) (misfit float64) {
	var middle, weights float64
	for _, i := range set {
		middle += q.loads[i].size / q.loads[i].sizeVariance
		weights += 1 / q.loads[i].sizeVariance
	}
	middle /= weights
	for _, i := range set {
		blur := q.loads[i].sizeVariance + square(3*tolerance*middle)
		misfit += square(q.loads[i].size-middle) / blur / 2
	}
	return misfit
}

// sizes returns the price of the sizes by which some disks changed: equal in factor, equal in
// bytes, or free, whichever is cheapest.
func (q *question) sizes(set []int) float64 {
	k := float64(len(set))
	if len(set) == 1 {
		return q.size
	}
	_, misfit := q.equalFactors(set)
	least := min(k*q.size, q.size+misfit, q.size+q.equalSizes(set))
	return least + math.Log(3)
}

// taken returns the price of the sizes of disks that took what was given, or gave what was taken:
// no more than that, and one size less if the total stays.
func (q *question) taken(set []int, given, blur float64) float64 {
	spread := blur
	sum := 0.0
	for _, i := range set {
		sum += q.loads[i].size
		spread += q.loads[i].sizeVariance
	}
	price := q.sizes(set)
	price += square(max(0, math.Abs(sum)-maxTaken*math.Abs(given))) / spread / 2
	stays := square(sum+given) / (spread + square(totalBlur*given)) / 2
	stays = min(q.size, stays) - q.size
	return price + min(0, stays+1)
}

// tryOwn tries one disk's own change, to which others respond: they take what it leaves, or leave
// what it takes.
func (q *question) tryOwn(ups, downs []int) {
	for _, set := range [][]int{ups, downs} {
		for _, source := range set {
			q.trySource(source, ups, downs)
		}
	}
}

func (q *question) trySource(source int, ups, downs []int) {
	l := &q.loads[source]
	if math.Abs(l.factor) < minChange {
		return
	}
	odds := fallOdds
	moved := ups
	if l.factor > 0 {
		odds = riseOdds
		moved = downs
	}
	var against []int
	for _, i := range q.measured {
		if i != source && q.loads[i].factor*l.factor < 0 {
			against = append(against, i)
		}
	}
	date := q.event.date(source)
	code := func(set []int) float64 {
		price := q.lone + math.Log(odds) + q.names(len(set), len(q.measured)-1) +
			q.taken(set, l.size, l.sizeVariance)
		if q.lag > 0 {
			price += lagPrice * math.Log(1+float64(q.lag))
		}
		for _, i := range set {
			if at := q.event.date(i); at < date { // nobody responds before
				price += max(0, q.disks[i].moving(at, date, &q.loads[i]))
			}
		}
		return price
	}
	claims := func(set []int) []claim {
		by := q.disks[source]
		return []claim{{own, by, []int{source}}, {response, by, set}}
	}
	earliest := float64(date) - q.s(foreseenS)
	for _, set := range [][]int{moved, against} {
		var later []int
		for _, i := range set {
			if float64(q.event.date(i)) >= earliest {
				later = append(later, i)
			}
		}
		q.grow(later, source, code, claims)
	}
}

// tryKnown tries what other disks did at known moments: began, finished, stood still, went on.
func (q *question) tryKnown(ups, downs []int) {
	var near []moment
	for _, k := range q.known {
		lag := float64(q.bin) - k.at
		longest := q.s(startS)
		if !k.begins && !k.stall {
			longest = q.s(recoveryS)
		}
		if -q.s(leadS) <= lag && lag <= longest {
			near = append(near, k)
		}
	}
	for _, k := range near {
		moved := ups
		as := ended
		switch {
		case k.begins && k.stall:
			moved, as = downs, resumed
		case k.begins:
			moved, as = downs, began
		case k.stall:
			as = stalled
		}
		var set []int
		for _, i := range moved {
			if q.disks[i] != k.disk {
				set = append(set, i)
			}
		}
		lag := math.Abs(float64(q.bin) - k.at)
		date := math.Log(2*float64(len(near))) + lagPrice*math.Log(1+lag)
		code := func(set []int) float64 {
			price := date + q.names(len(set), len(q.measured)) +
				q.taken(set, k.rate, square(rateBlur*k.rate))
			if k.begins && !k.stall {
				price += q.notReturned(k, set) / 2
			}
			return price
		}
		q.grow(set, none, code, func(set []int) []claim { return []claim{{as, k.disk, set}} })
	}
}

// tryTogether tries that some rose as others fell, and nobody knows who began.
func (q *question) tryTogether(ups, downs []int) {
	if len(ups) == 0 || len(downs) == 0 {
		return
	}
	all := append(append([]int{}, ups...), downs...)
	var sum, spread, big float64
	for _, i := range all {
		sum += q.loads[i].size
		spread += q.loads[i].sizeVariance
		big += math.Abs(q.loads[i].size) / 2
	}
	k := float64(len(all))
	date := q.date + q.names(len(all), len(q.measured)) + k*math.Log(2)
	q.offer(date+math.Log(shiftOdds)+q.sizes(ups)+q.sizes(downs), all, claim{shifted, nil, all})
	stays := square(sum) / (spread + square(totalBlur*big)) / 2
	q.offer(date+math.Log(turnOdds)+(k-1)*q.size+stays+q.atOnce(all), all, claim{turn, nil, all})
}

// atOnce returns what it costs to date some disks' changes at one instant.
func (q *question) atOnce(set []int) float64 {
	least := math.Inf(1)
	for _, k := range set {
		var loss float64
		for _, i := range set {
			loss += max(0, q.disks[i].moving(q.event.date(i), q.event.date(k), &q.loads[i]))
		}
		least = min(least, loss)
	}
	return least
}

// notReturned returns the squared misfit of disks that fell when another began in what they gain
// back when that finishes.
func (q *question) notReturned(k moment, set []int) (misfit float64) {
	end := float64(q.n)
	next := math.Inf(1)
	for _, o := range q.known {
		if o.disk != k.disk {
			continue
		}
		if !o.begins && !o.stall && o.at > k.at+q.s(1) && end == float64(q.n) {
			end = o.at
		}
	}
	for _, o := range q.known {
		if o.disk == k.disk && o.at > end+1 {
			next = min(next, o.at)
		}
	}
	for _, i := range set {
		d := q.disks[i]
		before, ok := d.side(max(k.at+2, end-q.s(6)), end-2)
		after, too := d.side(end+q.s(11), min(next, end+q.s(21)))
		if ok && too {
			lacks := -returnShare*q.loads[i].factor - (after.mean - before.mean)
			misfit += square(max(0, lacks)) /
				(after.variance + before.variance + square(tolerance))
		}
	}
	return misfit
}

func contains(set []int, i int) bool {
	for _, k := range set {
		if k == i {
			return true
		}
	}
	return false
}
