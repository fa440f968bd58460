package ledger

import (
	"math"
	"slices"
	"sort"

	"github.com/hubbench/hubbench/pkg/overlap"
)

// binnedTime is active time, cut into bins of equal length.
type binnedTime struct {
	active []overlap.Span
	bins   int
	binNS  float64
	starts []float64 // starts has the active nanoseconds before each active interval.
}

func newBinnedTime(active []overlap.Span) *binnedTime {
	t := &binnedTime{active: active}
	var before float64
	for _, v := range active {
		t.starts = append(t.starts, before)
		before += float64(v.EndNS - v.StartNS)
	}
	t.binNS = max(pieceNS, before/float64(maxBins))
	if t.bins = int(before / t.binNS); t.bins > 0 {
		t.binNS = before / float64(t.bins)
	}
	return t
}

// bin returns the bin that begins closest to ns.
func (t *binnedTime) bin(ns int64) int {
	var active float64
	for i := 0; i < len(t.active) && t.active[i].StartNS < ns; i++ {
		active = t.starts[i] + float64(min(ns, t.active[i].EndNS)-t.active[i].StartNS)
	}
	return min(int(math.Round(active/t.binNS)), t.bins)
}

// startNS returns when a bin begins: after a pause, if one lies there.
func (t *binnedTime) startNS(bin int) int64 {
	ns := math.Round(float64(bin) * t.binNS)
	i := max(0, sort.SearchFloat64s(t.starts, ns+1)-1)
	return t.active[i].StartNS + int64(ns-t.starts[i])
}

// merge makes one level of those from first to last.
func (d *History) merge(levels []Level, first, last int) []Level {
	all := overlap.Between(levels[first].StartNS, levels[last].EndNS)
	levels[first] = d.LevelIn(all)
	return slices.Delete(levels, first+1, last+1)
}
