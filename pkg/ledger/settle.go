package ledger

import (
	"math"
	"slices"
	"sort"

	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stats"
)

// Settle finds what the disk's rate does over the phase: the levels it keeps, slopes between them,
// and whether it swings, dips again and again, or wanders. It is one of so many series that are
// looked at, and other disks start and end at the given moments.
func (d *History) Settle(series int, neighbourNS ...int64) {
	q := d.rates
	q.falseChangeRate /= float64(series)
	for _, ns := range neighbourNS {
		q.neighbourEdges = append(q.neighbourEdges, q.time.bin(ns))
	}
	defer d.estimate()
	d.Levels = d.levels()
	if d.IsPaced() || len(d.Levels) == 0 || len(q.y) == 0 {
		return
	}
	d.findSwing()
	if d.wandersInSteps() {
		return
	}
	if d.Swing != nil {
		d.LongestBurstS = d.Swing.BurstS
	}
	d.dropExcursions()
	for _, l := range d.Levels {
		if l.From != l.To {
			d.Drifts = append(d.Drifts, Drift{l.Span, l.From, l.To})
		}
	}
	if d.Swing == nil && len(d.Drifts) == 0 {
		if d.Unsteady = d.wanders(); d.Unsteady {
			d.Levels = d.merge(d.Levels, 0, len(d.Levels)-1)
		}
	}
}

// wandersInSteps makes one level of several, up and down, that are not in turn, if a rate that
// wanders from one to the next explains the means over a second better.
func (d *History) wandersInSteps() bool {
	others := len(d.Levels)
	up := 0
	for i := 1; i < len(d.Levels); i++ {
		if d.Levels[i].Rate > d.Levels[i-1].Rate {
			up++
		}
	}
	down := len(d.Levels) - 1 - up
	if d.Swing != nil {
		others -= d.Swing.Levels
	}
	if others < 2 || 3*min(up, down) < up+down || !d.rates.wandersAt(d.rates.edgesOf(d.Levels)) {
		return false
	}
	d.Swing, d.Levels = nil, d.merge(d.Levels, 0, len(d.Levels)-1)
	d.Unsteady = true
	return true
}

// wandersAt reports whether an autoregression without levels explains the means over a second
// better than levels do that are many or change little by little. Over a second, files that are
// fast or slow by chance average out.
func (q *sequence) wandersAt(edges []int) bool {
	width := q.bins(1)
	n := len(q.y) / width
	if n < minWanderMeans {
		return false
	}
	var y []float64
	for i := range n {
		y = append(y, q.mean(i*width, (i+1)*width))
	}
	coarse := q.withValues(y)
	var cuts []int
	var changes, jumps float64
	for i, edge := range edges[1 : len(edges)-1] {
		before := edges[i]
		after := edges[i+2]
		if edge-before < 2 || after-edge < 2 {
			continue
		}
		cuts = append(cuts, min(n-1, max(1, (edge+width/2)/width)))
		change := q.mean(edge, after) - q.mean(before, edge)
		jump := q.mean(edge+1, min(edge+1+width/2, after)) - q.mean(max(edge-width/2, before), edge)
		changes += math.Abs(change)
		jumps += math.Copysign(jump, change*jump)
	}
	if len(cuts) < maxLevels && jumps > minSharpShare*changes {
		return false
	}
	cuts = slices.Compact(cuts)
	levels := coarse.autoregressive(coarse.edges(cuts)).cost
	levels += cutCost * float64(len(cuts)) * math.Log(float64(n))
	return coarse.autoregressive([]int{0, n}).cost < levels
}

// dropExcursions makes one level of two that are alike and a short one between them: it is an
// excursion, and too few of them to be dips.
func (d *History) dropExcursions() {
	flat := func(l Level) bool { return l.From == l.To && !d.Swing.Covers(l.StartNS) }
	typical := func(l Level) float64 { // An excursion within it counts for little.
		from, to := d.rates.time.bin(l.StartNS), d.rates.time.bin(l.EndNS)
		if from == to {
			return math.Log(l.Rate)
		}
		return stats.Median(d.rates.y[from:to])
	}
	for i := 1; i+1 < len(d.Levels); i++ {
		before := d.Levels[i-1]
		l := d.Levels[i]
		after := d.Levels[i+1]
		if l.Seconds() >= maxDipS || !flat(before) || !flat(l) || !flat(after) ||
			math.Abs(typical(after)-typical(before)) >= maxSideSpread {
			continue
		}
		d.LongestBurstS = max(d.LongestBurstS, l.Seconds())
		if l.Seconds() < minEndLevelS {
			d.Levels = d.merge(d.Levels, i-1, i+1)
			i--
		}
	}
}

// estimate finds the noise about the levels.
func (d *History) estimate() { d.noise = d.rates.noiseOf(d.rates.edgesOf(d.Levels)) }

// Trim makes the first and the last level part of their neighbours if they are not longer than the
// excursions of that many seconds that the disk was seen to have: they may be such excursions, cut
// off by the beginning or the end.
func (d *History) Trim(longestBurstS float64) {
	d.LongestBurstS = max(d.LongestBurstS, longestBurstS)
	settled := len(d.Levels)
	short := func(edge, next int) bool {
		l := d.Levels[edge]
		neighbour := d.Levels[next]
		minS := minEndS
		if math.Log(l.Rate/neighbour.Rate) > largeRise {
			minS = minRiseS
		}
		return l.From == l.To && neighbour.From == neighbour.To && !d.Swing.Covers(l.StartNS) &&
			l.Seconds() < max(minS, burstMargin*d.LongestBurstS)
	}
	for n := len(d.Levels); n > 1 && short(n-1, n-2); n = len(d.Levels) {
		d.Levels = d.merge(d.Levels, n-2, n-1)
	}
	for len(d.Levels) > 1 && short(0, 1) {
		d.Levels = d.merge(d.Levels, 0, 1)
	}
	if len(d.Levels) < settled {
		d.estimate()
	}
}

// wanders reports whether the noise is so large, and has so long a memory, that the rate is at no
// level. Whole files, which are fast or slow by chance, may be what makes it: then it does not.
func (d *History) wanders() bool {
	q := d.rates
	edges := q.edgesOf(d.Levels)
	minMemory := math.Exp(-min(q.binS/minMemoryS, 1.0/minMemoryBins))
	if q.residual.memory < minMemory || !q.outlastsFiles(edges) {
		return false
	}
	block := max(1, int(wanderBlockS/q.binS))
	var means []float64
	for i := range len(edges) - 1 {
		middle := q.mean(edges[i], edges[i+1])
		for from := edges[i]; from+block <= edges[i+1]; from += block {
			means = append(means, q.mean(from, from+block)-middle)
		}
	}
	if len(means) < minWanderBlocks || stats.Summarize(means).SD < minWander {
		return false
	}
	var rates []float64
	for _, l := range d.Levels {
		rates = append(rates, d.Curve.Rates(d.MovingIn(l.Span), max(1, int(l.Seconds())))...)
	}
	slices.Sort(rates)
	low := max(stats.Quantile(rates, 0.25), 1)
	high := stats.Quantile(rates, 0.75)
	return math.Log(high/low) >= minQuartileGap // else it was at one level for half of the time
}

// pieces returns what the criterion finds, of the series less what the sizes of its files explain if
// that costs less.
func (d *History) pieces() []piece {
	found := d.rates.segment()
	if len(found.pieces) == 1 && !found.slopes() {
		return found.pieces
	}
	bySize := d.withoutSizes(d.rates)
	if bySize == nil {
		return found.pieces
	}
	fixed := sizeCost * math.Log(float64(len(d.rates.y)))
	left := bySize.segment()
	if left.score+fixed >= found.score {
		return found.pieces
	}
	d.rates = bySize
	d.FollowsSizes = true
	return left.pieces
}

// levels cuts the disk's moving time at the changes that the criterion finds.
func (d *History) levels() []Level {
	q := d.rates
	moving := d.moving()
	if len(moving) == 0 {
		return nil
	}
	v := overlap.Between(moving[0].StartNS, moving[len(moving)-1].EndNS)
	pieces := []piece{{}}
	if !d.IsPaced() && len(q.y) >= 2*q.bins(q.minS) {
		pieces = d.pieces()
		q = d.rates
	}
	d.unsloped = q
	var levels []Level
	end := v.EndNS
	for i, piece := range pieces {
		if v.EndNS = end; i+1 < len(pieces) {
			v.EndNS = q.time.startNS(piece.to)
			if next := pieces[i+1]; piece.form == flat && next.form == flat {
				before, after := math.Exp(piece.end), math.Exp(next.start)
				moment := d.crossing(v.EndNS, before, after)
				until := end
				if i+2 < len(pieces) {
					until = q.time.startNS(next.to)
				}
				first := overlap.Between(v.StartNS, moment)
				second := overlap.Between(moment, until)
				if d.moves(first) && d.moves(second) {
					v.EndNS = moment
				}
			}
		}
		l := d.LevelIn(v)
		if piece.form != flat {
			l.From, l.To = math.Exp(piece.start), math.Exp(piece.end)
			d.rates = d.rates.flatten(&piece)
		}
		levels = append(levels, l)
		v.StartNS = v.EndNS
	}
	for i := 1; i+1 < len(levels); i++ {
		l := levels[i]
		after := levels[i+1]
		if l.From == l.To && after.From == after.To && l.Seconds() < minLevelS {
			levels = d.merge(levels, i, i+1)
		}
	}
	return levels
}

// moves reports whether the disk is active in v, and does not stand still.
func (d *History) moves(v overlap.Span) bool {
	return v.EndNS > v.StartNS && overlap.Seconds(d.MovingIn(v)) > 0
}

// flatten takes the slope of a piece out of the rates: it is no noise.
func (q *sequence) flatten(p *piece) *sequence {
	y, middle := slices.Clone(q.y), stats.Mean(p.fitted)
	for i, v := range p.fitted {
		y[p.from+i] -= v - middle
	}
	return q.withValues(y)
}

// edgesOf returns the edges of levels, and the end.
func (q *sequence) edgesOf(levels []Level) []int {
	var cuts []int
	for _, l := range levels[min(1, len(levels)):] {
		cuts = append(cuts, q.time.bin(l.StartNS))
	}
	return q.edges(cuts)
}

// sequence returns the logarithm of the disk's rate bin by bin, and in which file each bin lies.
// Pauses between files are left out unless they are what limits the disk.
func (d *History) sequence() *sequence {
	active := d.moving()
	if !d.IsPaced() {
		active = nil
		for _, v := range overlap.Active(d.Trace, SampleNS) {
			active = append(active, overlap.Without(overlap.Clip(d.Active, v), d.Stalls)...)
		}
	}
	t := newBinnedTime(active)
	y := d.Curve.Rates(t.active, t.bins)
	file := d.unmix(t, y)
	floor := max(minRateShare*stats.Mean(y), 1)
	for i, r := range y {
		y[i] = math.Log(max(r, floor))
	}
	q := newSequence(clipped(y, t.binNS/1e9), file, t.binNS/1e9, t)
	q.raw = y
	return q
}

// unmix finds the file that each bin of a series lies in, and has the bins that more than one share
// show the rate of that one alone.
func (d *History) unmix(s *binnedTime, rates []float64) (file []int) {
	files := d.Trace.Files
	file = make([]int, len(rates))
	for bin := range file {
		v := overlap.Between(s.startNS(bin), s.startNS(bin+1))
		middle := (v.StartNS + v.EndNS) / 2
		i := sort.Search(len(files), func(k int) bool { return files[k].EndNS > middle })
		if file[bin] = i; i == len(files) {
			continue
		}
		if in := overlap.Of(&files[i]).Within(v); in != v && 2*in.Seconds() >= v.Seconds() {
			rates[bin] = d.RateIn(in)
		}
	}
	return file
}

// clipped brings excursions of less than half a second to what surrounds them: they are no level.
func clipped(y []float64, binS float64) []float64 {
	half := int(maxClipS / binS)
	around, off := make([]float64, len(y)), make([]float64, len(y))
	for i := range y {
		around[i] = stats.Median(y[max(0, i-half):min(len(y), i+half+1)])
		off[i] = math.Abs(y[i] - around[i])
	}
	limit := max(clipDeviations*stats.NormalMAD*stats.Median(off), minClip)
	clipped := slices.Clone(y)
	for i := range y {
		if off[i] > limit {
			clipped[i] = around[i]
		}
	}
	return clipped
}
