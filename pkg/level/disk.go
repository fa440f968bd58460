// Package level finds how fast one disk was over the time of a phase: the levels that its rate kept, how far noise
// may have put any rate off, and when it stood still, swung or drifted. It knows one disk alone; what others did
// meanwhile, and why a rate changed, is the subject of package analysis. Start at New and Settle, which fill a
// Disk, and at Measure, which gives a rate its error.
package level

import (
	"math"
	"slices"
	"sort"

	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/work"
)

// Disk is one working disk in a phase, with what is derived from it once.
type Disk struct {
	Trace   *trace.DiskRecord
	Work    work.Work
	Active  []overlap.Span
	Stalls  []overlap.Span // times in which it stood still
	stops   []overlap.Span // those of them in which it was not asked for anything
	Curve   *overlap.Curve
	Levels  []Level // candidates: where the rate may have changed
	Solid   []Level // those that noise would hardly make
	Swing   *Swing  // nil if it has none
	Drift   *Drift
	Scatter float64 // how files differ in other phases (see FileScatter); 0 if that is not known

	series     *series
	inFiles    *series // without the pauses between files; nil until it is needed (see busy)
	given      []int64 // when other disks start and end: there a level may change, however short it is
	cut        []piece // see pieces; nil until they are needed
	quick      float64 // see quickNoise; 0 until it is needed
	excursionS float64 // the longest stretch that was too short to be a level
}

// Level is a stretch of time in which the disk's rate was constant except for noise.
type Level struct {
	overlap.Span
	Rate float64 // bytes per second of active time
}

// How levels are found.
const (
	pieceNS   = 100_000_000 // rates are compared over pieces of 0.1 s, or of a file if nothing finer is known
	maxPieces = 2000        // longer pieces are used if there would be more
	HoldNS    = 500_000_000 // a rate that holds for less is no level

	// A change of level must lower the squared error by this many noise variances for each natural logarithm of
	// the number of pieces. The Schwarz criterion asks for 2 if the variance is known (Yao, "Estimating the
	// Number of Change-points via Schwarz' Criterion", 1988); here it is estimated.
	changePenalty = 3
	minNoise      = 0.01 // of the mean rate: differences below it are no change, however quiet the rest
)

// New finds when the disk was active and the levels that its rate may have kept; pauses between files of up to
// gapNS count as activity. In stops, as far as they are known, the machine or the disk's worker was stopped.
func New(t *trace.DiskRecord, w work.Work, gapNS int64, stops ...overlap.Span) Disk {
	p := Disk{Trace: t, Work: w, Active: overlap.Active(t, gapNS), Curve: overlap.NewCurve(t)}
	// What a preset has the disk move before its work is to count nowhere.
	if first := slices.IndexFunc(t.Files, func(f trace.File) bool { return !f.Filler }); first > 0 {
		p.Active = overlap.Clip(p.Active, overlap.Span{StartNS: t.Files[first].StartNS, EndNS: math.MaxInt64})
	}
	p.findStops(stops)
	p.findStalls()
	p.series = newSeries(&p)
	p.Levels = p.levelsBy(math.MaxInt)
	return p
}

// Name is the disk's name.
func (p *Disk) Name() string { return p.Trace.Name }

// StartNS is the disk's first active moment; it must have one.
func (p *Disk) StartNS() int64 { return p.Active[0].StartNS }

// EndNS is the last.
func (p *Disk) EndNS() int64 { return p.Active[len(p.Active)-1].EndNS }

// moving is the time in which the disk was active and did not stand still: what rates are compared over.
func (p *Disk) moving() []overlap.Span { return overlap.Without(p.Active, p.Stalls) }

// MovingIn is what of that lies within v.
func (p *Disk) MovingIn(v overlap.Span) []overlap.Span {
	return overlap.Without(overlap.Clip(p.Active, v), p.Stalls)
}

// RateIn is the mean rate over v, pauses included.
func (p *Disk) RateIn(v overlap.Span) float64 {
	if v.EndNS <= v.StartNS {
		return 0
	}
	return float64(p.Curve.Between(v).Bytes) / v.Seconds()
}

// At is the index of the level that holds ns, the nearest one if it lies outside all.
func At(levels []Level, ns int64) int {
	i := slices.IndexFunc(levels, func(l Level) bool { return ns < l.EndNS })
	if i < 0 {
		return len(levels) - 1
	}
	return i
}

// piece is a stretch of active time long enough to have a rate.
type piece struct {
	overlap.Span
	rate   float64
	weight float64 // seconds of active time
}

// pieces cuts the active time if the bytes are known. Pauses are left out of it: a piece may span some.
func (p *Disk) pieces() []piece {
	moving := p.moving()
	step := max(pieceNS, int64(overlap.Seconds(moving)*1e9/maxPieces))
	var pieces []piece
	var bytes, active, start int64 // of the piece being gathered
	gathered := func(endNS int64) {
		weight := seconds(active)
		pieces = append(pieces, piece{overlap.Span{StartNS: start, EndNS: endNS}, float64(bytes) / weight, weight})
		bytes, active = 0, 0
	}
	for _, v := range moving {
		points := p.Curve.Points(v, step)
		for i := 1; i < len(points); i++ {
			from, to := points[i-1], points[i]
			if active == 0 {
				start = from.TNS
			}
			bytes += to.Bytes - from.Bytes
			active += to.TNS - from.TNS
			if active >= step/2 {
				gathered(to.TNS)
			}
		}
	}
	if active > 0 {
		gathered(p.EndNS())
	}
	return pieces
}

// levelsBy cuts the disk's rate over active time into levels (stats.Segments), of noise that is judged over batches
// of at most that many pieces.
func (p *Disk) levelsBy(batch int) []Level {
	if p.cut == nil {
		p.cut = p.pieces()
	}
	pieces := p.cut
	for batch < math.MaxInt && len(pieces) > swingPieces { // each piece is joined with the next
		var pairs []piece
		for pair := range slices.Chunk(pieces, 2) {
			a, b := pair[0], pair[len(pair)-1]
			if len(pair) == 2 {
				weight := a.weight + b.weight
				a.rate, a.weight, a.EndNS = (a.rate*a.weight+b.rate*b.weight)/weight, weight, b.EndNS
			}
			pairs = append(pairs, a)
		}
		pieces = pairs
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
	minLen := max(2, int(math.Ceil(seconds(HoldNS)/typical-1e-9)))
	starts := stats.Segments(rates, weights, minLen, changePenalty*noise*math.Log(float64(len(rates))))

	edges := []int64{pieces[0].StartNS}
	for _, c := range changes(starts, rates, weights, minLen) {
		edges = append(edges, crossing(pieces[c.first:c.last+1], c.before, c.after))
	}
	edges = append(edges, pieces[len(pieces)-1].EndNS)
	var levels []Level
	for i := 1; i < len(edges); i++ {
		if v := (overlap.Span{StartNS: edges[i-1], EndNS: edges[i]}); overlap.Seconds(p.MovingIn(v)) > 0 {
			levels = append(levels, p.LevelOver(v))
		}
	}
	return levels
}

// LevelOver is what v would be as one level; the disk must be active in it.
func (p *Disk) LevelOver(v overlap.Span) Level {
	return Level{v, float64(p.Curve.Between(v).Bytes) / overlap.Seconds(p.MovingIn(v))}
}

// change is a step from one rate to another that lies within the pieces from first to last.
type change struct {
	first, last   int
	before, after float64
}

// changes are the steps between the segments that begin at starts. A segment of no more than minLen pieces between
// two longer ones, and between them in rate, is no level of its own: it comes from a piece that holds the step.
func changes(starts []int, rates, weights []float64, minLen int) []change {
	ends := append(slices.Clone(starts[1:]), len(rates))
	long := func(i int) bool { return ends[i]-starts[i] > minLen }
	rate := func(i int) float64 { return stats.WeightedMean(rates[starts[i]:ends[i]], weights[starts[i]:ends[i]]) }
	var found []change
	for i := 1; i < len(starts); i++ {
		from, to := i-1, i
		if i+1 < len(starts) && long(from) && !long(i) && long(i+1) && (rate(i)-rate(from))*(rate(i+1)-rate(i)) > 0 {
			to = i + 1
			i++
		}
		c := change{first: ends[from] - 1, last: starts[to]}
		c.before = stats.WeightedMean(rates[starts[from]:c.first], weights[starts[from]:c.first])
		c.after = stats.WeightedMean(rates[c.last+1:ends[to]], weights[c.last+1:ends[to]])
		found = append(found, c)
	}
	return found
}

// crossing is the moment within the pieces around a change at which their bytes say the rate went from before to
// after. It makes changes finer than pieces, which without progress samples are whole files. If a pause lies
// among them, or the levels do not say, it is the last one's start.
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

// Limited reports whether the disk goes no faster than its work asks: what it moves says nothing of what it could, and
// no claim is made about it. Its neighbours' rates are theirs anyway.
func (p *Disk) Limited() bool { return p.Work.Limited() }

// Contends reports whether the disk wants all it can get, in one direction: only such disks share a total, take
// from one another, or have more or less than an even part.
func (p *Disk) Contends() bool { return !p.Limited() && p.Work.Reads == 0 }

// Asks is the rate that a limited disk's work asks for at most, in bytes per second; 0 if that is not known.
func (p *Disk) Asks() float64 {
	return max(p.Work.Pace, stream.TotalRate(p.Work.Streams))
}

// HasFiles reports whether the disk's files are files: those of streams and probes are stretches of time, cut for the
// trace.
func (p *Disk) HasFiles() bool { return len(p.Work.Streams) == 0 && p.Work.Probe == 0 }

// WorksIn reports whether the disk is active at any moment of v.
func (p *Disk) WorksIn(v overlap.Span) bool {
	i := sort.Search(len(p.Active), func(i int) bool { return p.Active[i].EndNS > v.StartNS })
	return i < len(p.Active) && p.Active[i].StartNS < v.EndNS
}

func seconds(ns int64) float64 { return float64(ns) / 1e9 }
