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

// Drift is a stretch in which a rate changes little by little.
type Drift struct {
	overlap.Span
	From, To float64
}

// At returns the drift's rate at a moment within it.
func (d Drift) At(ns int64) float64 {
	share := float64(ns-d.StartNS) / float64(d.EndNS-d.StartNS)
	return d.From + share*(d.To-d.From)
}

// With returns a copy of the history with levels that cover it, its slopes and its swing, if it has
// one, and the noise about them.
func (d *History) With(levels []Level, drifts []Drift, swing *Swing) History {
	out := *d
	if d.unsloped != nil {
		out.rates = d.unsloped
	}
	out.Levels, out.Drifts, out.Swing = levels, drifts, swing
	for _, l := range levels {
		if l.From == l.To {
			continue
		}
		p := piece{from: out.rates.time.bin(l.StartNS), to: out.rates.time.bin(l.EndNS)}
		for i := range p.to - p.from {
			share := (float64(i) + 0.5) / float64(p.to-p.from)
			p.fitted = append(p.fitted, math.Log(l.From+share*(l.To-l.From)))
		}
		if p.fitted != nil {
			out.rates = out.rates.flatten(&p)
		}
	}
	if len(out.rates.y) > 0 {
		out.estimate()
	}
	return out
}

// OutlastsBursts reports whether a new level was seen for longer than any excursion of the disk.
func (d *History) OutlastsBursts(level overlap.Span) bool {
	return level.Seconds() >= max(minRiseS, burstMargin*d.LongestBurstS)
}

// SteppedLevels returns the disk's levels, with slopes as steps of a twentieth.
func (d *History) SteppedLevels() (steps []Level) {
	for _, l := range d.Levels {
		n := max(1, int(math.Abs(math.Log(l.To/l.From))/slopeStep))
		for i := range n {
			v := l.Span
			v.StartNS += (l.EndNS - l.StartNS) * int64(i) / int64(n)
			if i+1 < n {
				v.EndNS = l.StartNS + (l.EndNS-l.StartNS)*int64(i+1)/int64(n)
			}
			if overlap.Seconds(d.MovingIn(v)) > 0 {
				steps = append(steps, d.LevelIn(v))
			}
		}
	}
	return steps
}
