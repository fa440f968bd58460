package change

import "math"

// names returns the price of saying which of some disks a set of k is.
func (q *question) names(k, of int) float64 {
	return logChoices(of, k) + math.Log(float64(max(of, 1)))
}

// equalFactors returns what it takes to say that all of some disks changed by one factor.
func (q *question) equalFactors(set []int) (misfit float64) {
	var middle float64
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
	return misfit
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
	misfit := q.equalFactors(set)
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
