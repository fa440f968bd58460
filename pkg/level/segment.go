package level

import (
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/stats"
	"gonum.org/v1/gonum/stat"
)

// Thresholds decide what counts as a change of a series. All of them were chosen on the tuned half of
// the truths and noise classes in the tests, and are tested on the other half.
type Thresholds struct {
	Bins       int     // Bins is the most that a series has; longer phases get longer bins.
	MinS       float64 // MinS is how long a level lasts, in seconds: the shortest real dips take 0.8 s.
	MinSlopeS  float64 // MinSlopeS is how long a slope lasts: what takes less is a step.
	FirstS     float64 // FirstS is how long the first and the last level last: excursions of real disks are shorter.
	Penalties  int     // Penalties is how many are tried, each a fixed ratio below the one before.
	MaxCuts    int     // MaxCuts is the most that a set may have to be scored: shorter swings are noise.
	CutCost    float64 // CutCost times log(bins) is what each cut must lower the Schwarz criterion by.
	MinChange  float64 // MinChange is the difference, as a logarithm, below which neighbouring levels are one.
	Chance     float64 // Chance is how likely noise may make a change of level
	StandsOut  float64 // that is not StandsOut times as large a jump as any other.
	Lowest     float64 // Lowest is the part of the mean rate that slower bins count as.
	Outlier    float64 // Outlier is how many deviations from its surroundings clip a short excursion,
	MinOutlier float64 // if it is of at least MinOutlier, as a logarithm.
	ExcursionS float64 // ExcursionS is how long it may last, in seconds.
	MinFiles   float64 // MinFiles on either side are needed by a change that shows inside no file.
	InOrder    float64 // InOrder is the chance of an order of files that shows a change without that.
	InsideS    float64 // InsideS is how much of a file on either side of a change is looked at, in seconds.
	Shown      float64 // Shown is the part of a change that must show inside a file,
	Clear      float64 // and Clear how many times the noise of those bins it must be.
	SlopeEnds  int     // SlopeEnds is how many halves of halves of its first level a slope may take, and of the last.
	Stair      float64 // Stair is how large a step of a slope is, as a logarithm, where steps are looked at.
	MinNoise   float64 // MinNoise is the least deviation of a bin, relative.
	Runs       int     // Runs is the number of alternating levels that are a swing or dips.
	Alike      float64 // Alike is the spread, as a logarithm, of levels of one side of them,
	AlikeOfGap float64 // or AlikeOfGap, a part of the difference between the sides.
	Regular    float64 // Regular is the part of the median by which the length of a swing's cycles may differ from it.
	Wanders    float64 // Wanders is the deviation, relative, from which a rate is unsteady,
	WandersS   float64 // of its means over so many seconds,
	WandersN   int     // of which there are at least WandersN.
	BurstShare float64 // BurstShare is the part of the time at the higher level up to which they are bursts.
	DipShare   float64 // DipShare is the part of the time at the lower level up to which they are dips.
}

// Defaults are the thresholds of a phase's series.
var Defaults = Thresholds{
	Bins: 1800, MinS: 0.8, MinSlopeS: 4, FirstS: 2.2, Penalties: 14, MaxCuts: 60, CutCost: 1.5, MinChange: math.Log(1.12), Chance: 1e-5, StandsOut: 1.5, Lowest: 0.01,
	Outlier: 8, MinOutlier: math.Log(2), ExcursionS: 0.5, MinFiles: 4, InOrder: 0.02, InsideS: 3, Shown: 0.5, Clear: 6, SlopeEnds: 5, Stair: 0.05, MinNoise: 1e-4,
	Runs: 5, Alike: 0.15, AlikeOfGap: 1. / 3, Regular: 0.3, DipShare: 0.35, BurstShare: 0.2, Wanders: 0.13, WandersS: 4, WandersN: 8,
}

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
	time  *series // time says when each bin is.
	binS  float64
	y     []float64
	file  []int
	given []int // given are the bins in which other disks start and end.
	// sums, squares and products (of neighbours) are cumulative; fileEnd is the end of each bin's file.
	sums, squares, products []float64
	fileEnd                 []int
	quick                   float64 // quick is the robust deviation of a bin from its neighbours.
}

// find returns the pieces that the criterion chooses, less those that single files explain.
func (q *sequence) find() shape {
	q = q.over(q.y)
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

// sloped is the best of some shapes with one slope in place of the levels from i to j, which rise or
// fall all the way: the first and the last may keep a part of theirs. Its score is infinite if they do
// not go one way.
func (q *sequence) sloped(pieces []piece, i, j int) shape {
	best := shape{score: math.Inf(1)}
	for k := i; k <= j; k++ {
		p := pieces[k]
		if p.form != flat || k > i+1 && (p.start > pieces[k-1].start) != (pieces[i+1].start > pieces[i].start) {
			return best
		}
	}
	first, last := pieces[i], pieces[j]
	try := func(from, to int) {
		if short := func(a, b int) bool { return a < b && b-a < q.bins(q.MinS) }; short(first.from, from) ||
			short(to, last.to) || to-from < q.bins(q.MinSlopeS) || q.spans(from, to) {
			return
		}
		for _, how := range []form{slope, curve} {
			all := slices.Clone(pieces[:i])
			if from > first.from {
				all = append(all, piece{from: first.from, to: from})
			}
			all = append(all, piece{from: from, to: to, form: how})
			if to < last.to {
				all = append(all, piece{from: to, to: last.to})
			}
			if s := q.fitPieces(append(all, pieces[j+1:]...)); s.score < best.score {
				best = s
			}
		}
	}
	try(first.from, last.to)
	if i == j {
		for length := (first.to - first.from) / 2; length >= q.bins(q.MinSlopeS); length /= 2 {
			for from := first.from; from+length <= first.to; from += length {
				try(from, from+length)
			}
			try(first.to-length, first.to)
		}
		return best
	}
	for a := range q.SlopeEnds {
		for b := range q.SlopeEnds {
			try(first.to-(first.to-first.from)>>a, last.from+(last.to-last.from)>>b)
		}
	}
	return best
}

// spans reports whether another disk starts or ends within some bins: then a step there is no part of a slope.
func (q *sequence) spans(from, to int) bool {
	margin := q.bins(q.MinS)
	return slices.ContainsFunc(q.given, func(bin int) bool { return from+margin <= bin && bin <= to-margin })
}

// refine moves the ends of slopes to where they fit best.
func (q *sequence) refine(s shape) shape {
	for k := range len(s.pieces) - 1 {
		if s.pieces[k].form == flat && s.pieces[k+1].form == flat {
			continue
		}
		for step := len(q.y) / 8; step > 0; step /= 2 {
			for _, by := range []int{-step, step} {
				moved := slices.Clone(s.pieces)
				moved[k].to += by
				moved[k+1].from += by
				if moved[k].short(q) || moved[k+1].short(q) {
					continue
				}
				if t := q.fitPieces(moved); t.score < s.score {
					s = t
				}
			}
		}
	}
	return s
}

// short reports whether the piece is shorter than its form may be.
func (p *piece) short(q *sequence) bool {
	if p.form == flat {
		return p.to-p.from < q.bins(q.MinS)
	}
	return p.to-p.from < q.bins(q.MinSlopeS)
}

// fitPieces fits levels, slopes and curves by least squares and scores them: infinitely if a slope is too
// slight to be told.
func (q *sequence) fitPieces(pieces []piece) shape {
	left := make([]float64, len(q.y))
	costs := float64(len(pieces) - 1)
	for k := range pieces {
		p := &pieces[k]
		y := q.y[p.from:p.to]
		fitted := make([]float64, len(y))
		switch p.form {
		case flat:
			for i := range fitted {
				fitted[i] = q.mean(p.from, p.to)
			}
		case slope:
			costs++
			fitted = lineIn(y)
			if other := ratesBy(y, func(i float64) float64 { return i }); misfit(y, other) < misfit(y, fitted) {
				fitted = other
			}
		case curve:
			costs += 2
			const taus = 8
			for k := range taus {
				tau := float64(len(y)) / 12 * math.Pow(12, float64(k)/(taus-1))
				other := ratesBy(y, func(i float64) float64 { return math.Exp(-i / tau) })
				if k == 0 || misfit(y, other) < misfit(y, fitted) {
					fitted = other
				}
			}
		}
		if len(fitted) == 0 {
			return shape{score: math.Inf(1)}
		}
		p.start, p.end, p.fitted = fitted[0], fitted[len(fitted)-1], fitted
		if p.form != flat && (math.Abs(p.end-p.start) < q.MinChange || !q.slopes(p.from, fitted)) {
			return shape{score: math.Inf(1)}
		}
		for i := range fitted {
			left[p.from+i] = y[i] - fitted[i]
		}
	}
	return shape{pieces, q.over(left).fit(nil).score + q.CutCost*costs*math.Log(float64(len(q.y)))}
}

// slopes reports whether fitted values show inside the files, or in the means of enough of them: the times of
// files have heavy tails, and a few of them may lie in any order.
func (q *sequence) slopes(from int, fitted []float64) bool {
	n := len(fitted)
	rose := stats.Median(q.y[from+n-n/3:from+n]) - stats.Median(q.y[from:from+n/3])
	if rose/(stats.Mean(fitted[n-n/3:])-stats.Mean(fitted[:n/3])) < q.Shown {
		return false // A few bins alone are off.
	}
	var inside, squares float64 // the products and squares of what deviates from the means of files
	var means, wanted []float64
	for i := 0; i < len(fitted); {
		j := i
		for j < len(fitted) && q.file[from+j] == q.file[from+i] {
			j++
		}
		y, f := stats.Mean(q.y[from+i:from+j]), stats.Mean(fitted[i:j])
		means, wanted = append(means, y), append(wanted, f)
		for k := i; k < j; k++ {
			inside += (q.y[from+k] - y) * (fitted[k] - f)
			squares += square(fitted[k] - f)
		}
		i = j
	}
	if q.Shown*squares > q.Clear*q.quick*math.Sqrt(squares) { // It would show inside the files.
		return inside > q.Shown*squares
	}
	if float64(len(means)) < 3*q.MinFiles {
		return false
	}
	r := stat.Correlation(wanted, means, nil)
	return r*math.Sqrt(float64(len(means)-2)) > q.Clear*math.Sqrt(1-r*r)
}

// lineIn is the line through log rates by least squares.
func lineIn(y []float64) []float64 {
	x := make([]float64, len(y))
	for i := range x {
		x[i] = float64(i)
	}
	line, _ := stats.OLS(x, y)
	for i := range x {
		x[i] = line.Intercept + line.Slope*x[i]
	}
	return x
}

// ratesBy are the logarithms of rates a + b basis(i) that fit best, relative errors counted alike; nil if any
// of them would be 0 or less.
func ratesBy(y []float64, basis func(float64) float64) []float64 {
	var s11, s12, s22, r1, r2 float64
	for i, v := range y {
		a := math.Exp(-v)
		b := a * basis(float64(i))
		s11, s12, s22 = s11+a*a, s12+a*b, s22+b*b
		r1, r2 = r1+a, r2+b
	}
	det := s11*s22 - s12*s12
	if det <= 0 {
		return nil
	}
	a, b := (r1*s22-r2*s12)/det, (s11*r2-s12*r1)/det
	fitted := make([]float64, len(y))
	var off float64
	for i, v := range y {
		rate := a + b*basis(float64(i))
		if rate <= 0 {
			return nil
		}
		fitted[i] = math.Log(rate)
		off += (v - fitted[i]) / float64(len(y))
	}
	for i := range fitted {
		fitted[i] += off
	}
	return fitted
}

// misfit is the sum of the squares of what fitted values leave, infinite if there are none.
func misfit(y, fitted []float64) (sum float64) {
	if len(fitted) == 0 {
		return math.Inf(1)
	}
	for i, v := range y {
		sum += square(v - fitted[i])
	}
	return sum
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
		if fewer == nil && len(chosen) > 0 || len(chosen) == 0 {
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
	open := []int{0}
	costs := make([]float64, 0, n)
	for t := minLen; t <= n; t++ {
		costs = costs[:0]
		for _, from := range open {
			sum := sums[t] - sums[from]
			cost := total[from] + squares[t] - squares[from] - sum*sum/float64(t-from)
			costs = append(costs, cost)
			if cost+penalty < total[t] {
				total[t], before[t] = cost+penalty, from
			}
		}
		kept := open[:0]
		for i, from := range open {
			if costs[i] <= total[t] {
				kept = append(kept, from)
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

// fileRatios are the variances of files tried, in units of the variance of bins within files.
var fileRatios = []float64{0.1, 0.4, 1.6, 6.4, 25, 100, 400, 1600}

// drawn is the score of levels under noise of which a part is new in each file and the rest in each
// bin (a random-effects model: Searle, Casella and McCulloch, "Variance Components", 1992).
func (q *sequence) drawn(edges []int) float64 {
	type block struct{ bins, sum, squares float64 }
	best := math.Inf(1)
	n := float64(len(q.y))
	blocks := make([][]block, len(edges)-1)
	for i := range blocks {
		for from := edges[i]; from < edges[i+1]; {
			to := min(q.fileEnd[from], edges[i+1])
			blocks[i] = append(blocks[i], block{float64(to - from), q.sums[to] - q.sums[from], q.squares[to] - q.squares[from]})
			from = to
		}
	}
	for _, ratio := range fileRatios {
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
				logs += math.Log(1 + b.bins*ratio)
			}
		}
		best = min(best, n/2*math.Log(max(sum/n, q.MinNoise*q.MinNoise))+logs/2)
	}
	return best
}

func (q *sequence) over(y []float64) *sequence {
	r := &sequence{time: q.time, given: q.given, Thresholds: q.Thresholds, binS: q.binS, y: y, file: q.file, fileEnd: q.fileEnd}
	n := len(y)
	var steps []float64
	for i := 1; i < n; i++ {
		steps = append(steps, math.Abs(y[i]-y[i-1]))
	}
	r.quick = max(stats.NormalMAD*stats.Median(steps)/math.Sqrt2, q.MinNoise)
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

// prune merges neighbouring levels that differ by less than a person would point at, the closest first.
func (q *sequence) prune(cuts []int) []int {
	cuts = slices.Clone(cuts)
	for len(cuts) > 0 {
		edges := append(append([]int{0}, cuts...), len(q.y))
		closest, least := -1, q.MinChange
		for i := range cuts {
			before := stats.Median(q.y[edges[i]:edges[i+1]])
			after := stats.Median(q.y[edges[i+1]:edges[i+2]])
			if d := math.Abs(after - before); d < least {
				closest, least = i, d
			}
		}
		if closest < 0 {
			break
		}
		cuts = slices.Delete(cuts, closest, closest+1)
	}
	return cuts
}

// significant drops cuts that the noise about the levels could make, the least certain first, unless the rate
// jumps there as nowhere else: slow noise cannot jump.
func (q *sequence) significant(cuts []int) []int {
	cuts = slices.Clone(cuts)
	for len(cuts) > 0 {
		edges := append(append([]int{0}, cuts...), len(q.y))
		var levels [][]float64
		for i := range len(edges) - 1 {
			levels = append(levels, q.y[edges[i]:edges[i+1]])
		}
		noise := stats.EstimateNoise(levels)
		noise.Nugget = max(noise.Nugget, q.MinNoise*q.MinNoise)
		free := freeOf(len(q.y), noise)
		weakest, largest := -1, q.Chance
		for i, c := range cuts {
			change := math.Abs(q.mean(c, edges[i+2]) - q.mean(edges[i], c))
			z := change / math.Sqrt(noise.DifferenceVariance(c-edges[i], edges[i+2]-c))
			if chance := 2 * stats.StudentTail(z, free); chance > largest && !q.jumps(c, cuts) {
				weakest, largest = i, chance
			}
		}
		if weakest < 0 {
			break
		}
		cuts = slices.Delete(cuts, weakest, weakest+1)
	}
	return cuts
}

// jumps reports whether the rate jumps at a cut as nowhere else but at cuts.
func (q *sequence) jumps(at int, cuts []int) bool {
	const width = 3 // bins on either side of the one in which the jump may be
	jump := func(i int) float64 {
		if i < width || i+width+1 > len(q.y) {
			return 0
		}
		return math.Abs(q.mean(i+1, i+1+width) - q.mean(i-width, i))
	}
	var here, elsewhere float64
	for i := range q.y {
		near := func(c int) bool { return i-c <= 2*width && c-i <= 2*width }
		switch {
		case near(at):
			here = max(here, jump(i))
		case !slices.ContainsFunc(cuts, near):
			elsewhere = max(elsewhere, jump(i))
		}
	}
	return here > q.StandsOut*elsewhere
}

// evident drops cuts that single files explain: a change that shows inside no file needs several files
// on either side, as the times of files have heavy tails. Levels that are alike count together.
func (q *sequence) evident(cuts []int) []int {
	cuts = slices.Clone(cuts)
	if n := len(cuts); n > 0 && len(q.y)-cuts[n-1] < q.bins(q.FirstS) && !q.seen(cuts, n) {
		cuts = cuts[:n-1]
	}
	if len(cuts) > 0 && cuts[0] < q.bins(q.FirstS) && !q.seen(cuts, 0) {
		cuts = cuts[1:]
	}
	for {
		edges := append(append([]int{0}, cuts...), len(q.y))
		levels, files := make([]float64, len(edges)-1), make([]float64, len(edges)-1)
		for i := range levels {
			levels[i] = stats.Median(q.y[edges[i]:edges[i+1]])
			files[i] = q.filesIn(edges[i], edges[i+1])
		}
		alike := func(level float64) (count float64) {
			for i, other := range levels {
				if math.Abs(other-level) < q.MinChange {
					count += files[i]
				}
			}
			return count
		}
		weakest, least := -1, math.Inf(1)
		for i := range cuts {
			change := math.Abs(levels[i+1] - levels[i])
			if change < least && min(alike(levels[i]), alike(levels[i+1])) < q.MinFiles && !q.insideFile(cuts, i) &&
				!q.apart(edges[i], cuts[i], edges[i+2]) {
				weakest, least = i, change
			}
		}
		if weakest < 0 {
			return cuts
		}
		cuts = slices.Delete(cuts, weakest, weakest+1)
	}
}

// apart reports whether all files of one level are slower than all of the next, and so many that chance would
// hardly have them lie in that order at any of the places (the exact rank test of Wilcoxon, "Individual Comparisons
// by Ranking Methods", Biometrics Bulletin 1, 1945, at its extreme).
func (q *sequence) apart(from, cut, to int) bool {
	before, after := q.fileMeans(from, cut), q.fileMeans(cut, to)
	n, k := float64(len(before)), float64(len(after))
	if n == 0 || k == 0 || slices.Max(before)+q.MinChange > slices.Min(after) && slices.Max(after)+q.MinChange > slices.Min(before) {
		return false
	}
	lg := func(x float64) float64 { v, _ := math.Lgamma(x + 1); return v }
	return math.Log(n+k)-(lg(n+k)-lg(n)-lg(k)) < math.Log(q.InOrder)
}

// fileMeans lists the mean of each file that has more than a bin in a range.
func (q *sequence) fileMeans(from, to int) (means []float64) {
	for i := from; i < to; {
		j := min(q.fileEnd[i], to)
		if j > i+1 {
			means = append(means, q.mean(i, j))
		}
		i = j
	}
	return means
}

// seen reports whether the series has a level like that at an index elsewhere too.
func (q *sequence) seen(cuts []int, at int) bool {
	edges := append(append([]int{0}, cuts...), len(q.y))
	level := q.mean(edges[at], edges[at+1])
	for i := range len(edges) - 1 {
		if i != at && math.Abs(q.mean(edges[i], edges[i+1])-level) < q.MinChange {
			return true
		}
	}
	return false
}

// filesIn is how many files of equal length a range is worth.
func (q *sequence) filesIn(from, to int) float64 {
	var squares float64
	for i := from; i < to; {
		j := min(q.fileEnd[i], to)
		squares += square(float64(j - i))
		i = j
	}
	return square(float64(to-from)) / squares
}

// insideFile reports whether half of a change or more shows inside a file.
func (q *sequence) insideFile(cuts []int, i int) bool {
	c, from, to := cuts[i], 0, len(q.y)
	if i > 0 {
		from = cuts[i-1]
	}
	if i+1 < len(cuts) {
		to = cuts[i+1]
	}
	change := stats.Median(q.y[c:to]) - stats.Median(q.y[from:c])
	for _, f := range []int{q.file[c-1], q.file[c], q.file[min(c+1, len(q.y)-1)]} {
		var before, after []float64
		for k := max(from, c-q.bins(q.InsideS)); k < c; k++ {
			if q.file[k] == f {
				before = append(before, q.y[k])
			}
		}
		for k := c + 1; k < min(to, c+q.bins(q.InsideS)); k++ {
			if q.file[k] == f {
				after = append(after, q.y[k])
			}
		}
		if len(before) == 0 || len(after) == 0 {
			continue
		}
		blur := q.quick * math.Sqrt(1/float64(len(before))+1/float64(len(after)))
		shown := (stats.Mean(after) - stats.Mean(before)) / change
		if shown > q.Shown && q.Clear*blur < math.Abs(change) {
			return true
		}
	}
	return false
}
