package ledger

import (
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/stats"
)

// shape is what the criterion finds in a series.
type shape struct {
	pieces []piece
	score  float64
}

// form is what a rate does within a piece.
type form int

const (
	flat  form = iota
	slope      // a line, in the rate or in its logarithm
	curve      // an exponential that nears a level
)

// piece is a stretch of bins with the fitted log rates at its ends.
type piece struct {
	from, to int
	form
	start, end float64
	fitted     []float64
}

// sequence is a series of log rates, and which file each bin belongs to.
type sequence struct {
	Thresholds
	time    *series // time says when each bin is.
	binS    float64
	y       []float64
	file    []int
	inverse []float64 // inverse is one over each rate.
	given   []int     // given are the bins in which other disks start and end.
	// sums, squares and products (of neighbours) are cumulative; fileEnd is the end of each bin's file.
	sums, squares, products []float64
	fileEnd                 []int
	quick                   float64 // quick is the robust deviation of a bin from its neighbours.
}

// find returns the pieces that the criterion chooses, less those that single files explain.
func (q *sequence) find() shape {
	q = q.over(q.y)
	var steps []float64
	for i, v := range q.y {
		q.inverse = append(q.inverse, math.Exp(-v))
		if i > 0 {
			steps = append(steps, math.Abs(v-q.y[i-1]))
		}
	}
	q.quick = max(stats.NormalMAD*stats.Median(steps)/math.Sqrt2, q.MinNoise)
	cuts := q.significant(q.prune(q.evident(q.prune(q.choose()))))
	best := q.fit(cuts)
	for range q.MaxCuts {
		better := shape{score: math.Inf(1)}
		for i := range best.pieces {
			for j := i; j < len(best.pieces); j++ {
				if s := q.sloped(best.pieces, i, j); s.score < better.score {
					better = s
				}
			}
		}
		if better = q.refine(better); better.score >= best.score {
			break
		}
		best = better
	}
	return best
}

// bins is how many bins last for so many seconds; at least four, for two or three show no level.
func (q *sequence) bins(s float64) int { return max(4, int(math.Round(s/q.binS))) }

func prefix(x []float64) []float64 {
	sums := make([]float64, len(x)+1)
	for i, v := range x {
		sums[i+1] = sums[i] + v
	}
	return sums
}

func (q *sequence) mean(from, to int) float64 {
	return (q.sums[to] - q.sums[from]) / float64(to-from)
}

// choose scores the cuts of some penalties by a Schwarz criterion with innovations of a first-order
// autoregression about the levels, so that noise with a memory is no level (WCM.gSa: Cho and
// Fryzlewicz, "Multiple Change Point Detection Under Serial Dependence", 2024), and then drops single
// cuts as long as that lowers the score.
func (q *sequence) choose() []int {
	n := float64(len(q.y))
	best, chosen := q.fit(nil).score, []int(nil)
	var quick float64
	for i := 1; i < len(q.y); i++ {
		quick += (q.y[i] - q.y[i-1]) * (q.y[i] - q.y[i-1]) / (2 * (n - 1))
	}
	var spread float64
	for _, v := range q.y {
		spread += (v - q.mean(0, len(q.y))) * (v - q.mean(0, len(q.y)))
	}
	high, low := spread/3+1e-9, max(4*quick, 1e-9)
	if high < low {
		return nil
	}
	last := 0
	for i := range q.Penalties {
		penalty := high * math.Pow(low/high, float64(i)/float64(q.Penalties-1))
		cuts := pelt(q.y, penalty, q.bins(q.MinS))
		if len(cuts) > q.MaxCuts {
			break
		}
		if len(cuts) == last {
			continue
		}
		last = len(cuts)
		if score := q.fit(cuts).score; score < best {
			best, chosen = score, cuts
		}
	}
	for {
		var fewer []int
		for i := range chosen {
			without := slices.Delete(slices.Clone(chosen), i, i+1)
			if score := q.fit(without).score; score < best {
				best, fewer = score, without
			}
		}
		if fewer == nil {
			return chosen
		}
		chosen = fewer
	}
}

// pelt returns the cuts that minimise the squared error about levels of at least minLen values plus a
// penalty for each (Killick, Fearnhead and Eckley, "Optimal Detection of Changepoints With a Linear
// Computational Cost", JASA 107, 2012).
func pelt(y []float64, penalty float64, minLen int) []int {
	n := len(y)
	if n < 2*minLen {
		return nil
	}
	sums, squares := prefix(y), make([]float64, n+1)
	for i, v := range y {
		squares[i+1] = squares[i] + v*v
	}
	total, before := make([]float64, n+1), make([]int, n+1)
	for i := range total {
		total[i] = math.Inf(1)
	}
	total[0] = -penalty
	share := make([]float64, n+1) // one over a length
	for i := range share {
		share[i] = 1 / float64(i)
	}
	open := []int{0}
	costs := make([]float64, n)
	for t := minLen; t <= n; t++ {
		least, from := math.Inf(1), 0
		costs = costs[:len(open)]
		for i, start := range open {
			sum := sums[t] - sums[start]
			cost := total[start] - squares[start] - sum*sum*share[t-start]
			if costs[i] = cost; cost < least {
				least, from = cost, start
			}
		}
		total[t], before[t] = least+squares[t]+penalty, from
		kept := open[:0]
		for i, start := range open {
			if costs[i] <= least+penalty {
				kept = append(kept, start)
			}
		}
		open = kept
		if next := t - minLen + 1; next >= minLen {
			open = append(open, next)
		}
	}
	var cuts []int
	for t := before[n]; t > 0; t = before[t] {
		cuts = append(cuts, t)
	}
	slices.Reverse(cuts)
	return cuts
}

// fit scores levels between cuts: the negative log likelihood under the noise that explains more of
// what the levels leave, one with a memory or files that are draws, and CutCost log n for each cut.
func (q *sequence) fit(cuts []int) shape {
	n := len(q.y)
	edges := append(append([]int{0}, cuts...), n)
	s := shape{score: min(q.remembered(edges), q.drawn(edges))}
	for i := range len(edges) - 1 {
		m := q.mean(edges[i], edges[i+1])
		s.pieces = append(s.pieces, piece{from: edges[i], to: edges[i+1], start: m, end: m})
	}
	s.score += q.CutCost * float64(len(cuts)) * math.Log(float64(n))
	return s
}

// remembered is the score of levels under noise that is a first-order autoregression.
func (q *sequence) remembered(edges []int) float64 {
	n := float64(len(q.y))
	means := make([]float64, len(edges)-1)
	for i := range means {
		means[i] = q.mean(edges[i], edges[i+1])
	}
	var sum, phi float64
	for range 4 { // The means depend on the correlation, and the correlation on the means.
		var products, before, after float64
		for i, m := range means {
			from, to := edges[i], edges[i+1]
			length := float64(to - from - 1)
			first := q.sums[to-1] - q.sums[from]
			second := q.sums[to] - q.sums[from+1]
			products += q.products[to] - q.products[from+1] - m*(first+second) + length*m*m
			before += q.squares[to-1] - q.squares[from] - 2*m*first + length*m*m
			after += q.squares[to] - q.squares[from+1] - 2*m*second + length*m*m
		}
		phi = min(max(products/max(before, 1e-12), 0), 0.98)
		sum = after - 2*phi*products + phi*phi*before
		if phi > 0.97 {
			break
		}
		for i := range means {
			from, to := edges[i], edges[i+1]
			if to-from > 2 {
				first := q.sums[to-1] - q.sums[from]
				second := q.sums[to] - q.sums[from+1]
				means[i] = (second - phi*first) / float64(to-from-1) / (1 - phi)
			}
		}
	}
	return n / 2 * math.Log(max(sum/n, q.MinNoise*q.MinNoise))
}

// drawn is the score of levels under noise of which a part is new in each file and the rest in each
// bin (a random-effects model: Searle, Casella and McCulloch, "Variance Components", 1992).
func (q *sequence) drawn(edges []int) float64 {
	type block struct{ bins, sum, squares float64 }
	best := math.Inf(1)
	n := float64(len(q.y))
	blocks, lengths := make([][]block, len(edges)-1), make([]float64, len(q.y)+1)
	for i := range blocks {
		for from := edges[i]; from < edges[i+1]; {
			to := min(q.fileEnd[from], edges[i+1])
			lengths[to-from]++
			blocks[i] = append(blocks[i], block{float64(to - from), q.sums[to] - q.sums[from], q.squares[to] - q.squares[from]})
			from = to
		}
	}
	// The variances of files tried are in units of the variance of bins within files.
	for _, ratio := range []float64{0.1, 0.4, 1.6, 6.4, 25, 100, 400, 1600} {
		var sum, logs float64
		for _, level := range blocks {
			var weights, weighed float64
			for _, b := range level {
				w := 1 / (1 + b.bins*ratio)
				weights += w * b.bins
				weighed += w * b.sum
			}
			m := weighed / weights
			for _, b := range level {
				mean := b.sum / b.bins
				sum += b.squares - b.sum*mean + b.bins*(mean-m)*(mean-m)/(1+b.bins*ratio)
			}
		}
		for bins, count := range lengths {
			if count > 0 {
				logs += count * math.Log(1+float64(bins)*ratio)
			}
		}
		best = min(best, n/2*math.Log(max(sum/n, q.MinNoise*q.MinNoise))+logs/2)
	}
	return best
}

func (q *sequence) over(y []float64) *sequence {
	r := &sequence{time: q.time, given: q.given, Thresholds: q.Thresholds, binS: q.binS, y: y, file: q.file, fileEnd: q.fileEnd}
	n := len(y)
	r.sums, r.squares, r.products = prefix(y), make([]float64, n+1), make([]float64, n+1)
	for i, v := range y {
		r.squares[i+1] = r.squares[i] + v*v
		r.products[i+1] = r.products[i]
		if i > 0 {
			r.products[i+1] += v * y[i-1]
		}
	}
	if r.fileEnd == nil {
		r.fileEnd = make([]int, n)
		end := n
		for i := n - 1; i >= 0; i-- {
			if i+1 < n && r.file[i+1] != r.file[i] {
				end = i + 1
			}
			r.fileEnd[i] = end
		}
	}
	return r
}
