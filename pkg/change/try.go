package change

import "math"

// tryCommon tries one factor for several disks.
func (q *question) tryCommon(ups, downs []int) {
	code := func(set []int) float64 {
		if len(set) < 2 {
			return math.Inf(1)
		}
		misfit := q.equalFactors(set)
		return q.date + q.size + q.names(len(set), len(q.measured)) + misfit
	}
	claims := func(set []int) []claim { return []claim{{common, nil, set}} }
	for _, set := range [][]int{q.measured, ups, downs} {
		q.grow(set, none, code, claims)
	}
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
	if math.Abs(l.factor) < minChange || !q.cut[source] {
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
		sum, all := l.size, math.Abs(l.size)
		later := false
		for _, i := range set {
			sum += q.loads[i].size
			all += math.Abs(q.loads[i].size)
			later = later || q.event.date(i)-date > 1
		}
		// If the total stays, what rose may as well have been given what others lost. A fall that
		// others used at the same instant may as well be what these took.
		either := l.factor > 0 || q.lag == 0 && !later
		if either && math.Abs(sum) < turnShare*all {
			return []claim{{turn, nil, append([]int{source}, set...)}}
		}
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
		lag := math.Abs(float64(q.bin) - k.at)
		var set []int
		shows := lag <= q.s(startS) // what comes later shows in one disk's own history, or is chance
		for _, i := range moved {
			if q.disks[i] != k.disk {
				set = append(set, i)
				shows = shows || q.cut[i]
			}
		}
		if !shows {
			continue
		}
		given := k.rate
		for _, o := range near { // what others left shortly before is there to take, too
			if as == ended && !o.begins && !o.stall && o.at < k.at {
				given += o.rate
			}
		}
		date := math.Log(2*float64(len(near))) + lagPrice*math.Log(1+lag)
		code := func(set []int) float64 {
			price := date + q.names(len(set), len(q.measured)) +
				q.taken(set, given, square(rateBlur*given))
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
