package analysis

import (
	"math"
	"slices"
	"sort"

	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/work"
)

// part is one working disk's part in a phase, with what is derived from it once.
type part struct {
	trace   *trace.DiskTrace
	work    work.Work
	active  []overlap.Interval
	stalls  []overlap.Interval // times in which it stood still
	curve   *overlap.Curve
	levels  []level // candidates: where the rate may have changed
	solid   []level // those that noise would hardly make
	series  *series
	inFiles *series // without the pauses between files; nil before somebody asks (see busy)

	given  []int64  // when other disks start and end: there a level may change, however short it is
	kinds  []string // of the change to each of the solid levels, as the ledger has it; empty for what it does not tell
	swing  *swing
	drift  *drift
	warmNS int64    // when its warm-up was over, and
	warmIn []string // in which phases it was seen; nil if it has none

	cut        []piece // see pieces; nil until they are asked for
	luck       float64 // how files differ in other phases (see shareLuck); 0 if that is not known
	quick      float64 // see quickNoise; 0 until it is asked for
	excursionS float64 // the longest stretch that was too short to be a level
}

// level is a stretch of time in which the disk's rate was constant but for noise.
type level struct {
	overlap.Interval
	rate float64 // bytes per second of active time
}

// How levels are found.
const (
	pieceNS   = 100_000_000 // rates are compared over pieces of 0.1 s, or of a file where nothing finer is known
	maxPieces = 2000        // longer pieces are used where there would be more
	holdNS    = 500_000_000 // a rate that holds for less is no level

	// A change of level must lower the squared error by this many noise variances for each natural logarithm of
	// the number of pieces. The Schwarz criterion asks for 2 where the variance is known (Yao, "Estimating the
	// Number of Change-points via Schwarz' Criterion", 1988); here it is estimated.
	changePenalty = 3
	minNoise      = 0.01 // of the mean rate: differences below it are no change, however quiet the rest
)

func newPart(t *trace.DiskTrace, w work.Work, gapNS int64) part {
	p := part{trace: t, work: w, active: overlap.Active(t, gapNS), curve: overlap.NewCurve(t)}
	p.skipWarmUp()
	p.findStalls()
	p.series = newSeries(&p)
	p.levels = p.levelsBy(math.MaxInt)
	return p
}

// skipWarmUp leaves out what a preset has the disk move before its work, which is to count nowhere.
func (p *part) skipWarmUp() {
	first := slices.IndexFunc(p.trace.Files, func(f trace.File) bool { return !f.Filler })
	if first > 0 {
		p.active = clip(p.active, overlap.Interval{StartNS: p.trace.Files[first].StartNS, EndNS: math.MaxInt64})
	}
}

// name is the disk's.
func (p *part) name() string { return p.trace.Name }

// startNS and endNS are the part's first and last active moment; it must have one.
func (p *part) startNS() int64 { return p.active[0].StartNS }
func (p *part) endNS() int64   { return p.active[len(p.active)-1].EndNS }

// moving is the time in which the disk was active and did not stand still: what rates are compared over.
func (p *part) moving() []overlap.Interval { return without(p.active, p.stalls) }

// movingIn is what of that lies within v.
func (p *part) movingIn(v overlap.Interval) []overlap.Interval {
	return without(clip(p.active, v), p.stalls)
}

// clip returns the parts of ascending, disjoint intervals that lie within v.
func clip(list []overlap.Interval, v overlap.Interval) []overlap.Interval {
	var in []overlap.Interval
	first := sort.Search(len(list), func(i int) bool { return list[i].EndNS > v.StartNS })
	for i := first; i < len(list) && list[i].StartNS < v.EndNS; i++ {
		in = append(in, list[i].Within(v))
	}
	return in
}

// rateIn is the mean rate over v, pauses included.
func (p *part) rateIn(v overlap.Interval) float64 {
	if v.EndNS <= v.StartNS {
		return 0
	}
	return float64(p.curve.Between(v).Bytes) / v.Seconds()
}

// kind is what the ledger has the change to a solid level for; empty if it does not tell it.
func (p *part) kind(level int) string {
	if level >= len(p.kinds) {
		return ""
	}
	return p.kinds[level]
}

// levelAt is the index of the level that holds ns, the nearest one where it lies outside all.
func levelAt(levels []level, ns int64) int {
	for i, l := range levels {
		if ns < l.EndNS {
			return i
		}
	}
	return len(levels) - 1
}

// piece is a stretch of active time long enough to have a rate.
type piece struct {
	overlap.Interval
	rate   float64
	weight float64 // seconds of active time
}

// pieces cuts the active time where the bytes are known. Pauses are left out of it: a piece may span some.
func (p *part) pieces() []piece {
	step := max(pieceNS, int64(overlap.Seconds(p.moving())*1e9/maxPieces))
	var pieces []piece
	var bytes, active, start int64 // of the piece being gathered
	for _, v := range p.moving() {
		points := p.curve.Points(v, step)
		for i := 1; i < len(points); i++ {
			from, to := points[i-1], points[i]
			if active == 0 {
				start = from.TNS
			}
			bytes += to.Bytes - from.Bytes
			active += to.TNS - from.TNS
			if active >= step/2 {
				weight := seconds(active)
				pieces = append(pieces, piece{overlap.Interval{StartNS: start, EndNS: to.TNS}, float64(bytes) / weight, weight})
				bytes, active = 0, 0
			}
		}
	}
	if active > 0 {
		weight := seconds(active)
		pieces = append(pieces, piece{overlap.Interval{StartNS: start, EndNS: p.endNS()}, float64(bytes) / weight, weight})
	}
	return pieces
}

// levelsBy cuts the disk's rate over active time into levels (stats.Segments), of noise that is judged over batches of at
// most so many pieces.
func (p *part) levelsBy(batch int) []level {
	if p.cut == nil {
		p.cut = p.pieces()
	}
	pieces := p.cut
	for batch < math.MaxInt && len(pieces) > swingPieces {
		pieces = inPairs(pieces)
	}
	if len(pieces) == 0 {
		return nil
	}
	rates, weights := make([]float64, len(pieces)), make([]float64, len(pieces))
	var time, bytes float64
	for i, piece := range pieces {
		rates[i], weights[i] = piece.rate, piece.weight
		time += piece.weight
		bytes += piece.weight * piece.rate
	}
	typical := time / float64(len(pieces))
	floor := minNoise * bytes / time
	noise := max(stats.LongRunVariance(rates, weights, batch), floor*floor*typical)
	minLen := max(2, int(math.Ceil(seconds(holdNS)/typical-1e-9)))
	starts := stats.Segments(rates, weights, minLen, changePenalty*noise*math.Log(float64(len(rates))))

	edges := []int64{pieces[0].StartNS}
	for _, c := range changes(starts, rates, weights, minLen) {
		edges = append(edges, crossing(pieces[c.first:c.last+1], c.before, c.after))
	}
	edges = append(edges, pieces[len(pieces)-1].EndNS)
	var levels []level
	for i := 1; i < len(edges); i++ {
		if v := (overlap.Interval{StartNS: edges[i-1], EndNS: edges[i]}); overlap.Seconds(p.movingIn(v)) > 0 {
			levels = append(levels, p.levelOver(v))
		}
	}
	return levels
}

// inPairs joins each piece with the next.
func inPairs(pieces []piece) []piece {
	var pairs []piece
	for i := 0; i+1 < len(pieces); i += 2 {
		a, b := pieces[i], pieces[i+1]
		weight := a.weight + b.weight
		pairs = append(pairs, piece{overlap.Interval{StartNS: a.StartNS, EndNS: b.EndNS}, (a.rate*a.weight + b.rate*b.weight) / weight, weight})
	}
	if len(pieces)%2 == 1 {
		pairs = append(pairs, pieces[len(pieces)-1])
	}
	return pairs
}

// levelOver is what v would be as one level; the disk must be active in it.
func (p *part) levelOver(v overlap.Interval) level {
	return level{v, float64(p.curve.Between(v).Bytes) / overlap.Seconds(p.movingIn(v))}
}

// plateaus are levels with neighbours that lie less than step apart put together, the closest first: slow waves
// then do not hide where a rate really changed.
func (p *part) plateaus(levels []level, step float64) []level {
	levels = slices.Clone(levels)
	for len(levels) > 1 {
		closest, least := 0, math.Inf(1)
		for i := 1; i < len(levels); i++ {
			a, b := levels[i-1].rate, levels[i].rate
			if d := (max(a, b) - min(a, b)) / max(a, b); d < least {
				closest, least = i, d
			}
		}
		if least >= step {
			break
		}
		levels = p.merge(levels, closest-1, closest)
	}
	return levels
}

// change is a step from one rate to another that lies within the pieces from first to last.
type change struct {
	first, last   int
	before, after float64
}

// changes are the steps between the segments that begin at starts. A segment of no more than minLen pieces between
// two longer ones, and between them in rate, is no level of its own: it comes of a piece that holds the step.
func changes(starts []int, rates, weights []float64, minLen int) []change {
	ends := append(slices.Clone(starts[1:]), len(rates))
	long := func(i int) bool { return ends[i]-starts[i] > minLen }
	rate := func(i int) float64 { return mean(rates[starts[i]:ends[i]], weights[starts[i]:ends[i]]) }
	var found []change
	for i := 1; i < len(starts); i++ {
		from, to := i-1, i
		if i+1 < len(starts) && long(from) && !long(i) && long(i+1) && (rate(i)-rate(from))*(rate(i+1)-rate(i)) > 0 {
			to = i + 1
			i++
		}
		c := change{first: ends[from] - 1, last: starts[to]}
		c.before = mean(rates[starts[from]:c.first], weights[starts[from]:c.first])
		c.after = mean(rates[c.last+1:ends[to]], weights[c.last+1:ends[to]])
		found = append(found, c)
	}
	return found
}

// crossing is the moment within the pieces around a change at which their bytes say the rate went from before to
// after. It makes changes finer than pieces, which without progress samples are whole files. Where a pause lies
// among them, or the levels do not tell, it is the last one's start.
func crossing(pieces []piece, before, after float64) int64 {
	var length, bytes float64
	for _, p := range pieces {
		length += p.weight
		bytes += p.weight * p.rate
	}
	first, last := pieces[0], pieces[len(pieces)-1]
	share := (bytes - after*length) / ((before - after) * length)
	if seconds(last.EndNS-first.StartNS) > length+1e-6 || math.IsNaN(share) || math.IsInf(share, 0) {
		return last.StartNS
	}
	return first.StartNS + int64(min(max(share, 0), 1)*length*1e9)
}

// mean is the weighted mean, NaN for nothing.
func mean(x, w []float64) float64 {
	var sum, weight float64
	for i := range x {
		sum += w[i] * x[i]
		weight += w[i]
	}
	return sum / weight
}
