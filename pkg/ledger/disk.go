// Package ledger finds how fast one disk was over the time of a phase: the levels and slopes that
// its rate went through, how far noise may have put any rate off, and when it stood still, swung,
// dipped or wandered. It knows one disk alone; what others did meanwhile, and why a rate changed,
// is the subject of package analysis. Start at New and Settle, which fill a History, and at
// Measure, which gives a rate its error.
//
// One criterion decides between levels, slopes and noise: cuts of several penalties
// (sequence.choose) are scored by the likelihood of what they leave, under noise with a memory or
// files that are draws, and each cut and slope has a cost (sequence.fit, sequence.fitPieces). What
// is left must show inside files, in enough of them, or as a jump (evidence.go). thresholds.go
// has every number.
package ledger

import (
	"math"
	"slices"
	"sort"

	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/work"
)

// History is what one working disk did in a phase, with what is derived from it once.
type History struct {
	Trace    *trace.DiskRecord
	Work     work.Work
	Active   []overlap.Span
	Stalls   []overlap.Span // It stood still in these.
	stopped  []overlap.Span // stalls in which it was not asked for anything
	Curve    *overlap.Curve
	Levels   []Level // what the rate did over time (see Settle)
	Swing    *Swing  // nil if the rate does not alternate
	Drifts   []Drift
	Unsteady bool // The rate wanders for seconds at a time.

	// FollowsSizes says that the rate changes with the sizes of the files, by a fixed time of each.
	FollowsSizes bool

	LongestBurstS float64 // the longest stretch that was too short to be a level

	rates    *sequence
	unsloped *sequence // rates before slopes were taken out
	noise    noise     // about the levels
}

// Level is a stretch of time in which the disk's rate was constant except for noise.
type Level struct {
	overlap.Span
	Rate     float64 // Rate is in bytes per second of active time.
	From, To float64 // From and To are the rates at its ends, equal to Rate unless it is a slope.
}

// New finds when the disk was active and the levels that its rate may have kept; pauses between
// files of up to gapNS count as activity. In stops, as far as they are known, the machine or the
// disk's worker was stopped.
func New(t *trace.DiskRecord, w work.Work, gapNS int64, stops ...overlap.Span) History {
	d := History{Trace: t, Work: w, Active: overlap.Active(t, gapNS), Curve: overlap.NewCurve(t)}
	// What a preset has the disk move before its work is to count nowhere.
	if first := slices.IndexFunc(t.Files, func(f trace.File) bool { return !f.Filler }); first > 0 {
		counted := overlap.Between(t.Files[first].StartNS, math.MaxInt64)
		d.Active = overlap.Clip(d.Active, counted)
	}
	d.findStops(stops)
	d.findStalls()
	d.rates = d.sequence()
	return d
}

// Name returns the disk's name.
func (d *History) Name() string { return d.Trace.Name }

// StartNS returns the disk's first active moment; it must have one.
func (d *History) StartNS() int64 { return d.Active[0].StartNS }

// EndNS returns the last.
func (d *History) EndNS() int64 { return d.Active[len(d.Active)-1].EndNS }

// moving returns the time in which the disk was active and did not stand still: what rates are
// compared over.
func (d *History) moving() []overlap.Span { return overlap.Without(d.Active, d.Stalls) }

// MovingIn returns what of that lies within v.
func (d *History) MovingIn(v overlap.Span) []overlap.Span {
	return overlap.Without(overlap.Clip(d.Active, v), d.Stalls)
}

// RateIn returns the mean rate over v, pauses included.
func (d *History) RateIn(v overlap.Span) float64 {
	if v.EndNS <= v.StartNS {
		return 0
	}
	return float64(d.Curve.Between(v).Bytes) / v.Seconds()
}

// LevelAt returns the index of the level that holds ns, the nearest one if it lies outside all.
func LevelAt(levels []Level, ns int64) int {
	for i := range levels {
		if ns < levels[i].EndNS {
			return i
		}
	}
	return len(levels) - 1
}

// LevelIn returns what v would be as one level; the disk must be active in it.
func (d *History) LevelIn(v overlap.Span) Level {
	rate := float64(d.Curve.Between(v).Bytes) / overlap.Seconds(d.MovingIn(v))
	return Level{v, rate, rate, rate}
}

// IsPaced reports whether the disk goes no faster than its work asks: what it moves says nothing of
// what it could, and no claim is made about it. Its neighbours' rates are theirs anyway.
func (d *History) IsPaced() bool { return d.Work.IsPaced() }

// WantsAll reports whether the disk wants all it can get, in one direction: only such disks share a
// total, take from one another, or have more or less than an even part.
func (d *History) WantsAll() bool { return !d.IsPaced() && d.Work.Reads == 0 }

// HasFiles reports whether the disk's files are files: those of streams and probes are stretches of
// time, cut for the trace.
func (d *History) HasFiles() bool { return len(d.Work.Streams) == 0 && d.Work.Probe == 0 }

// IsActiveIn reports whether the disk is active at any moment of v.
func (d *History) IsActiveIn(v overlap.Span) bool {
	i := sort.Search(len(d.Active), func(i int) bool { return d.Active[i].EndNS > v.StartNS })
	return i < len(d.Active) && d.Active[i].StartNS < v.EndNS
}

func seconds(ns int64) float64 { return float64(ns) / 1e9 }

func square(x float64) float64 { return x * x }
