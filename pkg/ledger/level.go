package ledger

import (
	"math"
	"slices"
	"sort"

	"github.com/hubbench/hubbench/pkg/overlap"
)

// What this package and its callers count as a change, and how precisely one is dated.
const (
	MinGain  = 1.10        // a rise of less than a tenth is none
	BlurNS   = 300_000_000 // a change may be dated this much too early; by more if files are long
	SampleNS = 50_000_000  // changes are dated in bins as long as progress samples are apart
)

// How levels are distinguished from noise.
const (
	MinNS = 3_000_000_000 // what holds for less is an excursion, such as a stall or a burst, and no level
	// A level at either end of what is seen lasts for trimS; after another disk's end a large rise for ShortS; and for
	// beyondSeen times as long as the excursions that the disk has anywhere.
	MinRiseS    = 1.0
	minEndS     = 2.0
	burstMargin = 1.5
)

// timeline is active time, cut into bins of equal length.
type timeline struct {
	active []overlap.Span
	bins   int
	binNS  float64
	starts []float64 // active nanoseconds before each active interval
}

func newTimeline(active []overlap.Span) *timeline {
	t := &timeline{active: active}
	var before float64
	for _, v := range active {
		t.starts = append(t.starts, before)
		before += float64(v.EndNS - v.StartNS)
	}
	t.binNS = max(pieceNS, before/float64(Defaults().Bins))
	if t.bins = int(before / t.binNS); t.bins > 0 {
		t.binNS = before / float64(t.bins)
	}
	return t
}

// bin is the bin that begins closest to ns.
func (t *timeline) bin(ns int64) int {
	var active float64
	for i := 0; i < len(t.active) && t.active[i].StartNS < ns; i++ {
		active = t.starts[i] + float64(min(ns, t.active[i].EndNS)-t.active[i].StartNS)
	}
	return min(int(math.Round(active/t.binNS)), t.bins)
}

// at is when a bin begins; after a pause, if one lies there.
func (t *timeline) startNS(bin int) int64 {
	ns := math.Round(float64(bin) * t.binNS)
	i := max(0, sort.SearchFloat64s(t.starts, ns+1)-1)
	return t.active[i].StartNS + int64(ns-t.starts[i])
}

// merge makes one level of those from first to last.
func (d *Disk) merge(levels []Level, first, last int) []Level {
	levels[first] = d.LevelIn(overlap.Span{StartNS: levels[first].StartNS, EndNS: levels[last].EndNS})
	return slices.Delete(levels, first+1, last+1)
}
