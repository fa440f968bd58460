package ledger

import (
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/stats"
)

// trySlope returns the best of some shapes with one slope in place of the levels from i to j, which
// rise or fall all the way: the first and the last may keep a part of theirs. A single piece may be
// a slope already, which is shortened. Its score is infinite if they do not go one way.
func (q *sequence) trySlope(pieces []piece, i, j int) shape {
	best := shape{score: math.Inf(1)}
	for k := i; k <= j; k++ {
		p := pieces[k]
		turns := k > i+1 &&
			(p.start > pieces[k-1].start) != (pieces[i+1].start > pieces[i].start)
		if turns || p.form != flat && j > i {
			return best
		}
	}
	first, last := pieces[i], pieces[j]
	bestFrom := first.from
	bestTo := last.to
	try := func(from, to int, how form) {
		third := (to - from) / 3
		if third < 1 || math.Abs(q.mean(to-third, to)-q.mean(from, from+third)) < MinChange/5 {
			return
		}
		short := func(a, b int) bool { return a < b && b-a < q.bins(q.minS) }
		if short(first.from, from) || short(to, last.to) || to-from < q.bins(minSlopeS) ||
			q.crossesNeighbour(from, to) {
			return
		}
		all := slices.Clone(pieces[:i])
		if from > first.from {
			all = append(all, piece{from: first.from, to: from})
		}
		all = append(all, piece{from: from, to: to, form: how})
		if to < last.to {
			all = append(all, piece{from: to, to: last.to})
		}
		if s := q.fitPieces(append(all, pieces[j+1:]...)); s.score < best.score {
			best, bestFrom, bestTo = s, from, to
		}
	}
	if first.form == flat {
		try(first.from, last.to, slope)
		try(first.from, last.to, curve)
	}
	for _, v := range q.windows(first, last) {
		try(v[0], v[1], slope)
	}
	try(bestFrom, bestTo, curve)
	return best
}

// windows returns the bins that a slope may take of one piece, or of two and all between them.
func (q *sequence) windows(first, last piece) (all [][2]int) {
	if first.from < last.from {
		for a := range slopeHalvings {
			for b := range slopeHalvings {
				from := first.to - (first.to-first.from)>>a
				to := last.from + (last.to-last.from)>>b
				all = append(all, [2]int{from, to})
			}
		}
		return all
	}
	n := first.to - first.from
	for a := range slopeEnds {
		for b := range slopeEnds - a {
			if a+b > 0 {
				all = append(all, [2]int{first.from + n*a/slopeEnds, first.to - n*b/slopeEnds})
			}
		}
	}
	// Shorter slopes may lie at either end.
	for length := n / slopeEnds; length >= q.bins(minSlopeS); length /= 2 {
		all = append(all, [2]int{first.from, first.from + length})
		all = append(all, [2]int{first.to - length, first.to})
	}
	return all
}

// crossesNeighbour reports whether another disk starts or ends within some bins: then a step there
// is no part of a slope.
func (q *sequence) crossesNeighbour(from, to int) bool {
	margin := q.bins(q.minS)
	for _, bin := range q.neighbourEdges {
		if from+margin <= bin && bin <= to-margin {
			return true
		}
	}
	return false
}

// refine moves the ends of slopes to where they fit best, in the form that fits best.
func (q *sequence) refine(s shape) shape {
	better := func(pieces []piece) {
		if pieces == nil {
			return
		}
		if t := q.fitPieces(pieces); t.score < s.score {
			s = t
		}
	}
	for k := range s.pieces {
		for _, how := range []form{slope, curve} {
			if s.pieces[k].form == flat {
				break
			}
			other := slices.Clone(s.pieces)
			other[k].form = how
			better(other)
			for _, edge := range []int{k - 1, k} { // The piece before and the one after change too.
				if edge < 0 || edge+1 >= len(s.pieces) {
					continue
				}
				for step := len(q.y) / 8; step > 0; step /= 2 {
					better(q.moved(s.pieces, k, how, edge, -step))
					better(q.moved(s.pieces, k, how, edge, step))
				}
			}
		}
	}
	return s
}

// moved gives a piece another form and moves an edge by some bins. It is nil if that leaves a piece
// too short.
func (q *sequence) moved(pieces []piece, k int, how form, edge, by int) []piece {
	moved := slices.Clone(pieces)
	moved[k].form = how
	moved[edge].to += by
	moved[edge+1].from += by
	if moved[edge].short(q) || moved[edge+1].short(q) {
		return nil
	}
	return moved
}

// short reports whether the piece is shorter than its form requires.
func (p *piece) short(q *sequence) bool {
	if p.form == flat {
		return p.to-p.from < q.bins(q.minS)
	}
	return p.to-p.from < q.bins(minSlopeS)
}

// fitPieces fits levels, slopes and curves by least squares and scores them: infinitely if a slope
// is too slight to be told.
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
			costs += slopeCost
			fitted = lineIn(y)
			linear := ratesIn(y, q.inverse[p.from:p.to], 1)
			if misfit(y, linear) < misfit(y, fitted) {
				fitted = linear
			}
		case curve:
			costs += curveCost
			fitted = ratesIn(y, q.inverse[p.from:p.to], q.decay(p.from, p.to))
		}
		if len(fitted) == 0 {
			return shape{score: math.Inf(1)}
		}
		p.start = fitted[0]
		p.end = fitted[len(fitted)-1]
		p.fitted = fitted
		if p.form != flat && (math.Abs(p.end-p.start) < MinChange || !q.slopes(p.from, fitted)) {
			return shape{score: math.Inf(1)}
		}
		for i := range fitted {
			left[p.from+i] = y[i] - fitted[i]
		}
	}
	score := q.withValues(left).fit(nil).score + cutCost*costs*math.Log(float64(len(q.y)))
	return shape{pieces, score}
}

// slopes reports whether fitted values show inside the files, or in the means of enough of them:
// the times of files have heavy tails, and a few of them may lie in any order.
func (q *sequence) slopes(from int, fitted []float64) bool {
	n := len(fitted)
	_, left := q.split(from, from+n, 1)
	if left < maxStepMisfit*misfit(q.y[from:from+n], fitted) {
		return false // a step that does not count as one
	}
	rose := stats.Median(q.y[from+n-n/3:from+n]) - stats.Median(q.y[from:from+n/3])
	if rose/(stats.Mean(fitted[n-n/3:])-stats.Mean(fitted[:n/3])) < minShown {
		return false // A few bins alone are off.
	}
	var inside, squares float64 // They sum up deviations from the means of files.
	var means, wanted []float64
	for first, end := range q.files(from, from+n) {
		means = append(means, q.mean(first, end))
		wanted = append(wanted, stats.Mean(fitted[first-from:end-from]))
		if first++; first == end {
			continue // A file's first bin may show how long it took to begin.
		}
		y := q.mean(first, end)
		f := stats.Mean(fitted[first-from : end-from])
		for k := first; k < end; k++ {
			inside += (q.y[k] - y) * (fitted[k-from] - f)
			squares += square(fitted[k-from] - f)
		}
	}
	if minShown*squares > minNoiseRatio*q.sampleNoise*math.Sqrt(squares) {
		return inside > minShown*squares // It would show inside the files.
	}
	if float64(len(means)) < 3*minLevelFiles {
		return false
	}
	r := stats.Correlation(wanted, means)
	return r*math.Sqrt(float64(len(means)-2)) > minNoiseRatio*math.Sqrt(1-r*r)
}

// lineIn returns the line through log rates by least squares.
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

// decay returns what is left after a bin of the exponential that fits best.
func (q *sequence) decay(from, to int) (best float64) {
	longest := float64(to - from)
	shortest := float64(q.bins(minTauS))
	lowest := math.Inf(1)
	for k := range triedTaus {
		tau := shortest * math.Pow(max(1, longest/shortest), float64(k)/(triedTaus-1))
		decay := math.Exp(-1 / tau)
		if _, _, left := fitRates(q.inverse[from:to], decay); left < lowest {
			best = decay
			lowest = left
		}
	}
	return best
}

// fitRates fits rates a + b x by least squares, relative errors counted alike, and gives the sum of
// the squares that are left. The inverse of each rate is given; x is what a decay leaves of 1 after
// so many bins, or their number if that is 1.
func fitRates(inverse []float64, decay float64) (a, b, left float64) {
	var s11, s12, s22, r1, r2 float64
	x := newBasis(decay)
	for _, w := range inverse {
		v := w * x.next()
		s11 += w * w
		s12 += w * v
		s22 += v * v
		r1 += w
		r2 += v
	}
	det := s11*s22 - s12*s12
	if det <= 0 {
		return 0, 0, math.Inf(1)
	}
	a, b = (r1*s22-r2*s12)/det, (s11*r2-s12*r1)/det
	return a, b, float64(len(inverse)) - a*r1 - b*r2
}

// basis goes through the powers of a decay, or 0, 1, 2 and so on if that is 1.
type basis struct{ x, decay, step float64 }

func newBasis(decay float64) basis {
	if decay == 1 {
		return basis{0, 1, 1}
	}
	return basis{1, decay, 0}
}

func (b *basis) next() float64 {
	x := b.x
	b.x = b.x*b.decay + b.step
	return x
}

// ratesIn returns the logarithms of the rates that fit best (see fitRates); nil if any of these
// would be 0 or less.
func ratesIn(y, inverse []float64, decay float64) []float64 {
	a, b, _ := fitRates(inverse, decay)
	fitted := make([]float64, len(y))
	x := newBasis(decay)
	var off float64
	for i, v := range y {
		rate := a + b*x.next()
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

// misfit returns the sum of the squares of what fitted values leave, infinite if there are none.
func misfit(y, fitted []float64) (sum float64) {
	if len(fitted) == 0 {
		return math.Inf(1)
	}
	for i, v := range y {
		sum += square(v - fitted[i])
	}
	return sum
}
