package ledger

import (
	"iter"
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
	minBins         int // minBins and minS are the minimum length of a level.
	minS            float64
	falseChangeRate float64     // falseChangeRate is how often noise may make a change of level.
	time            *binnedTime // time says when each bin is.
	binS            float64
	y               []float64
	raw             []float64 // raw is y before excursions are clipped.
	file            []int
	inverse         []float64 // inverse is one over each rate.
	shortEnds       []int     // shortEnds are the cuts of end levels that are too short to count.
	residual        noise     // residual is what levels leave.
	neighbourEdges  []int     // neighbourEdges are the bins in which other disks start and end.
	// sums, squares and products (of neighbours) are cumulative; fileEnd is the end of each bin's
	// file.
	sums, squares, products []float64
	fileEnd                 []int
	sampleNoise             float64 // sampleNoise is the robust deviation of neighbouring bins.
}

// newSequence returns a series of log rates in bins of so many seconds, each of which lies in a
// file.
func newSequence(y []float64, file []int, binS float64, time *binnedTime) *sequence {
	q := &sequence{
		minBins: minLevelBins, minS: minLevelS, falseChangeRate: noiseChangeRate,
		time: time, binS: binS,
		y: y, raw: y, file: file, fileEnd: fileEnds(file),
	}
	var steps []float64
	for i := 1; i < len(y); i++ {
		steps = append(steps, math.Abs(y[i]-y[i-1]))
	}
	for _, v := range y {
		q.inverse = append(q.inverse, math.Exp(-v))
	}
	q.sampleNoise = max(stats.NormalMAD*stats.Median(steps)/math.Sqrt2, minBinNoise)
	return q.withValues(y)
}

// fileEnds returns the end of each bin's file.
func fileEnds(file []int) []int {
	ends := make([]int, len(file))
	end := len(file)
	for i := len(file) - 1; i >= 0; i-- {
		if i+1 < len(file) && file[i+1] != file[i] {
			end = i + 1
		}
		ends[i] = end
	}
	return ends
}

// withValues returns the sequence with other values, such as what fitted ones leave.
func (q *sequence) withValues(y []float64) *sequence {
	r := *q
	n := len(y)
	r.y = y
	r.sums = make([]float64, n+1)
	r.squares = make([]float64, n+1)
	r.products = make([]float64, n+1)
	for i, v := range y {
		r.sums[i+1] = r.sums[i] + v
		r.squares[i+1] = r.squares[i] + v*v
		r.products[i+1] = r.products[i]
		if i > 0 {
			r.products[i+1] += v * y[i-1]
		}
	}
	return &r
}

// segment returns the pieces that the criterion chooses, less those that single files explain.
func (q *sequence) segment() shape {
	all := q.mergeClose(q.chooseCuts())
	for _, cut := range all {
		if cut < q.bins(minEndLevelS) || cut > len(q.y)-q.bins(minEndLevelS) {
			q.shortEnds = append(q.shortEnds, cut)
		}
	}
	cuts := q.dropInsignificant(q.mergeClose(q.dropUnseen(all)))
	q.residual = q.noiseOf(q.edges(cuts))
	if q.residual.fileVariance == 0 {
		return q.withSlopes(q.fit(cuts))
	}
	moved := q.redate(cuts)
	dated := q.withSlopes(q.fit(moved))
	if dated.slopes() || slices.Equal(moved, cuts) {
		return dated
	}
	if other := q.withSlopes(q.fit(cuts)); other.slopes() && other.score < dated.score {
		return other
	}
	return dated
}

// slopes reports whether any piece is one.
func (s shape) slopes() bool {
	for _, p := range s.pieces {
		if p.form != flat {
			return true
		}
	}
	return false
}

// withSlopes puts slopes in the place of levels for as long as that scores better.
func (q *sequence) withSlopes(best shape) shape {
	for range maxCuts {
		better := shape{score: math.Inf(1)}
		for i := range best.pieces {
			for j := i; j < len(best.pieces); j++ {
				if s := q.trySlope(best.pieces, i, j); s.score < better.score {
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

// bins returns how many bins last for so many seconds, and at least as many as show a level.
func (q *sequence) bins(s float64) int { return max(q.minBins, int(math.Round(s/q.binS))) }

// edges returns where the levels between cuts begin, and the end.
func (q *sequence) edges(cuts []int) []int { return append(append([]int{0}, cuts...), len(q.y)) }

// files goes through the bins from one to before another, file by file.
func (q *sequence) files(from, to int) iter.Seq2[int, int] {
	return func(yield func(first, end int) bool) {
		for from < to {
			end := min(q.fileEnd[from], to)
			if !yield(from, end) {
				return
			}
			from = end
		}
	}
}

func (q *sequence) mean(from, to int) float64 {
	return (q.sums[to] - q.sums[from]) / float64(to-from)
}

// chooseCuts scores the cuts of some penalties by a Schwarz criterion with innovations of a
// first-order autoregression about the levels, so that noise with a memory is no level (WCM.gSa:
// Cho and Fryzlewicz, "Multiple Change Point Detection Under Serial Dependence", 2024), and then
// adds and drops single cuts as long as that lowers the score.
func (q *sequence) chooseCuts() []int {
	n := float64(len(q.y))
	best := q.fit(nil).score
	var chosen []int
	var differences float64
	for i := 1; i < len(q.y); i++ {
		differences += (q.y[i] - q.y[i-1]) * (q.y[i] - q.y[i-1]) / (2 * (n - 1))
	}
	var spread float64
	for _, v := range q.y {
		spread += (v - q.mean(0, len(q.y))) * (v - q.mean(0, len(q.y)))
	}
	high := spread/3 + 1e-9
	low := max(4*differences, 1e-9)
	if high < low {
		return nil
	}
	last := 0
	for _, cuts := range CutsOf(q.y, high, low, penalties, q.bins(q.minS), maxCuts) {
		if len(cuts) == last {
			continue
		}
		last = len(cuts)
		if score := q.fit(cuts).score; score < best {
			best = score
			chosen = cuts
		}
	}
	for {
		var other []int
		try := func(cuts []int) {
			if score := q.fit(cuts).score; score < best {
				best = score
				other = cuts
			}
		}
		edges := q.edges(chosen)
		for i := range edges[1:] {
			at, _ := q.split(edges[i], edges[i+1], q.bins(q.minS))
			if at > 0 && len(chosen) < maxCuts {
				try(slices.Insert(slices.Clone(chosen), i, at))
			}
		}
		for i := range chosen {
			try(slices.Delete(slices.Clone(chosen), i, i+1))
		}
		if other == nil {
			return chosen
		}
		chosen = other
	}
}

// split returns where two levels of some bins or more fit best, and the sum of the squares that
// they leave; at is 0 if there are too few bins.
func (q *sequence) split(from, to, bins int) (at int, left float64) {
	bestFit := 0.0
	for i := from + bins; i <= to-bins; i++ {
		before := q.sums[i] - q.sums[from]
		after := q.sums[to] - q.sums[i]
		if fit := before*before/float64(i-from) + after*after/float64(to-i); fit > bestFit {
			bestFit = fit
			at = i
		}
	}
	return at, q.squares[to] - q.squares[from] - bestFit
}

// candidate is a bin at which a level may begin, and the range of means for which no later bin is a
// better beginning.
type candidate struct {
	from      int
	low, high float64
}

// CutsOf returns the optimal cuts of so many penalties from high to low, each a fixed ratio below
// the one before, up to those that are too many. Where two penalties lead to equally many cuts, or
// the lower to one more, those between lead to no others (Haynes, Eckley and Fearnhead,
// "Computationally Efficient Changepoint Detection for a Range of Penalties", Journal of
// Computational and Graphical Statistics 26, 2017), and stand as the lower one; the highest is taken
// to follow one that leads to none.
func CutsOf(y []float64, high, low float64, penalties, minLen, most int) [][]int {
	all := make([][]int, penalties)
	find := func(i int) {
		penalty := high * math.Pow(low/high, float64(i)/float64(penalties-1))
		all[i] = optimalCuts(y, penalty, minLen)
	}
	var between func(after, to, cuts int) // cuts are those that the penalty at after leads to
	between = func(after, to, cuts int) {
		if len(all[to]) <= cuts+1 || cuts > most {
			for i := after + 1; i < to; i++ {
				all[i] = all[to]
			}
		} else if middle := (after + to) / 2; after < middle && middle < to {
			find(middle)
			between(after, middle, cuts)
			between(middle, to, len(all[middle]))
		}
	}
	find(penalties - 1)
	between(-1, penalties-1, 0)
	if i := slices.IndexFunc(all, func(cuts []int) bool { return len(cuts) > most }); i >= 0 {
		return all[:i]
	}
	return all
}

// pruneEvery is after how many bins beginnings that do worse are dropped: more often costs more than
// it saves.
const pruneEvery = 4

// optimalCuts returns the cuts that minimize the squared error about levels of at least minLen
// values plus a penalty for each (Killick, Fearnhead and Eckley, "Optimal Detection of Changepoints With a Linear
// Computational Cost", JASA 107, 2012). A beginning of a level is dropped as soon as later ones do
// better at each mean that the level may have (Maidstone, Hocking, Rigaill and Fearnhead, "On
// Optimal Multiple Changepoint Algorithms for Large Data", Statistics and Computing 27, 2017), so
// that few are left even if nothing changes.
func optimalCuts(y []float64, penalty float64, minLen int) []int {
	n := len(y)
	sums, squares := make([]float64, n+1), make([]float64, n+1)
	for i, v := range y {
		sums[i+1] = sums[i] + v
		squares[i+1] = squares[i] + v*v
	}
	if n < 2*minLen {
		return nil
	}
	total, before := make([]float64, n+1), make([]int, n+1)
	total[0] = -penalty
	candidates := []candidate{{0, math.Inf(-1), math.Inf(1)}}
	for t := minLen; t <= n; t++ {
		lowestCost := math.Inf(1)
		for _, c := range candidates {
			sum := sums[t] - sums[c.from]
			cost := total[c.from] - squares[c.from] - sum*sum/float64(t-c.from)
			if cost < lowestCost {
				lowestCost = cost
				before[t] = c.from
			}
		}
		total[t] = lowestCost + squares[t] + penalty
		next := t - minLen + 1
		if next < minLen {
			continue
		}
		if next%pruneEvery == 0 {
			kept := candidates[:0]
			for _, c := range candidates {
				length := float64(next - c.from)
				mean := (sums[next] - sums[c.from]) / length
				costDifference := total[next] - total[c.from] - (squares[next] - squares[c.from])
				// NaN if the later one does better at any mean.
				halfWidth := math.Sqrt(mean*mean + costDifference/length)
				c.low, c.high = max(c.low, mean-halfWidth), min(c.high, mean+halfWidth)
				if c.low <= c.high {
					kept = append(kept, c)
				}
			}
			candidates = kept
		}
		candidates = append(candidates, candidate{next, math.Inf(-1), math.Inf(1)})
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
	edges := q.edges(cuts)
	s := shape{score: min(q.autoregressive(edges).cost, q.fileEffects(edges).cost)}
	for i := range len(edges) - 1 {
		m := q.mean(edges[i], edges[i+1])
		s.pieces = append(s.pieces, piece{from: edges[i], to: edges[i+1], start: m, end: m})
	}
	s.score += cutCost * float64(len(cuts)) * math.Log(float64(len(q.y)))
	return s
}
