package change

import (
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/ledger"
)

// findCandidates finds where each disk may have changed, slopes, and what noise there is.
func (p *phase) findCandidates() {
	for _, d := range p.disks {
		d.choose()
		p.allowForSizes(d)
	}
	p.findDrifts()
	p.takeDrifts()
	for _, d := range p.disks {
		d.testFiles()
	}
	p.known = nil
	p.findKnown()
	for _, d := range p.disks {
		if !d.IsPaced() { // else what it does is its work's
			p.dropExcursions(d)
		}
		p.takeLevels(d)
	}
	p.findSum()
	for _, d := range p.disks {
		cuts := slices.Clone(d.cuts)
		for _, bin := range p.sumCuts {
			cuts = append(cuts, d.before[bin])
		}
		d.estimateNoise(cuts)
	}
}

// takeLevels has the disk cut where its own history says that it changes, and no candidate close to
// one of these. What a disk's own history does not show is no change of its own, but it may be a
// part of what several do.
func (p *phase) takeLevels(d *disk) {
	if d.drift {
		return // its history may have steps in place of the slope
	}
	more := d.candidates
	d.cuts = nil
	for k := 1; k < len(d.Levels); k++ {
		if _, ok := p.shortLevel(d, k); ok {
			k++ // nor is the way back a change
			continue
		}
		l := d.Levels[k]
		before := d.Levels[k-1]
		if math.Abs(math.Log(l.From/before.To)) < minChange {
			continue // a slope begins or ends
		}
		bin := min(max(int(math.Round(p.at(l.StartNS))), 0), p.n)
		if c := d.before[bin]; c > 0 && c < len(d.x) &&
			(len(d.cuts) == 0 || c > d.cuts[len(d.cuts)-1]) {
			d.cuts = append(d.cuts, c)
		}
	}
	d.candidates = slices.Clone(d.cuts)
	for _, c := range more {
		apart := true
		for _, cut := range d.cuts {
			apart = apart && abs(c-cut) >= minLevelBins
		}
		if apart {
			d.candidates = append(d.candidates, c)
		}
	}
	slices.Sort(d.candidates)
}

// choose finds the disk's cuts.
func (d *disk) choose() {
	r := row{d.x, d.file}
	if !d.HasFiles() {
		r.file = nil
	}
	d.score, d.cuts, d.candidates = r.choose(candidatePrice)
	left := residuals(d.x, d.cuts)
	cost, _ := autoregression(left, d.cuts)
	d.byFile = r.file != nil && r.fileEffects(left, d.cuts) < cost
}

// choose returns the cuts of a series that the criterion prefers, with their score, and those that
// it prefers at a lower price.
func (r row) choose(price float64) (score float64, cuts, more []int) {
	x := r.y
	n := float64(len(x))
	score = r.misfit(residuals(x, nil), nil)
	if len(x) < minSeriesBins {
		return score, nil, nil
	}
	lowest := score
	high := variance(x)*n/3 + 1e-9
	low := variance(differences(x)) * 2
	var last []int
	for _, tried := range ledger.CutsOf(x, high, low, penalties, minLevelBins, maxCuts) {
		if len(tried) == 0 || slices.Equal(tried, last) {
			continue
		}
		last = tried
		cost := r.misfit(residuals(x, tried), tried)
		each := float64(len(tried)) * math.Log(n)
		if cost+cutPrice*each < score {
			score = cost + cutPrice*each
			cuts = tried
		}
		if cost+price*each < lowest {
			lowest = cost + price*each
			more = tried
		}
		if cost+price*each > lowest+hopeless {
			break // more cuts cost more than they save
		}
	}
	return score, cuts, more
}

// findSum finds what is too weak in each disk but shows in the sum of all, unless the order of
// their files may make it.
func (p *phase) findSum() {
	var all []*disk
	for _, d := range p.disks {
		if float64(len(d.x)) > longShare*float64(p.n) {
			all = append(all, d)
		}
	}
	if len(all) < 2 {
		return
	}
	var bins []int
	for i := range p.n {
		common := true
		for _, d := range all {
			common = common && d.before[i+1] > d.before[i]
		}
		if common {
			bins = append(bins, i)
		}
	}
	if len(bins) <= minCommonBins {
		return
	}
	rows := make([]row, len(all))
	sum := make([]float64, len(bins))
	for k, d := range all {
		scale := math.Sqrt(variance(differences(d.x)))
		for _, bin := range bins {
			rows[k].y = append(rows[k].y, d.x[d.before[bin]]/scale)
			rows[k].file = append(rows[k].file, d.file[d.before[bin]])
		}
		middle := mean(rows[k].y)
		for i := range rows[k].y {
			rows[k].y[i] -= middle
			sum[i] += rows[k].y[i]
		}
	}
	_, cuts, more := row{y: sum}.choose(sumCandidatePrice)
	if len(more) == 0 || byChance(rows) {
		return
	}
	for _, c := range cuts {
		p.sumCuts = append(p.sumCuts, bins[c])
	}
	for _, c := range more {
		p.sumCandidates = append(p.sumCandidates, bins[c])
	}
}

// residuals returns what levels between cuts leave.
func residuals(x []float64, cuts []int) []float64 {
	left := make([]float64, 0, len(x))
	for from, to := range between(cuts, len(x)) {
		level := mean(x[from:to])
		for _, v := range x[from:to] {
			left = append(left, v-level)
		}
	}
	return left
}

// misfit returns the negative log likelihood of what levels leave: under noise with a memory, or
// noise of which a part is new in each file, whichever explains more of it.
func (r row) misfit(left []float64, cuts []int) float64 {
	cost, _ := autoregression(left, cuts)
	if r.file == nil {
		return cost
	}
	return min(cost, r.fileEffects(left, cuts))
}

// autoregression returns the negative log likelihood of residuals under noise that is a first-order
// autoregression, and its memory. Pairs across a cut don't count.
func autoregression(left []float64, cuts []int) (cost, memory float64) {
	var products, squares, later, pairs float64
	next := 0
	for i := 1; i < len(left); i++ {
		for next < len(cuts) && cuts[next] < i {
			next++
		}
		if next < len(cuts) && cuts[next] == i {
			continue
		}
		products += left[i-1] * left[i]
		squares += left[i-1] * left[i-1]
		later += left[i] * left[i]
		pairs++
	}
	memory = min(max(products/max(squares, 1e-12), 0), maxMemory)
	innovations := later - 2*memory*products + memory*memory*squares
	variance := max(innovations/max(pairs, 1), minVariance)
	return float64(len(left)) / 2 * math.Log(variance), memory
}
