package ledger

import (
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stats"
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
	ShortS     = 1.0
	trimS      = 2.0
	beyondSeen = 1.5
	floorRate  = 0.3 // of the median: slower bins count as this slow, or a stall would outweigh all else
	ramp       = 0.2 // of the longest level: shorter ones may be a climb, and say nothing of the noise
	minFree    = 10  // degrees of freedom credited if a jump shows that it was no wave
)

// series is a disk's rate over its active time, in bins of equal length.
type series struct {
	active []overlap.Span
	binNS  float64
	log    []float64 // logarithm of the bin's rate
	sums   []float64 // sums[i]: of log[:i]
	starts []float64 // active nanoseconds before each active interval
	noise  stats.Noise
}

func newSeries(p *Disk) *series {
	moving := p.moving()
	activeNS := overlap.Seconds(moving) * 1e9
	s := &series{active: moving, binNS: max(pieceNS, activeNS/float64(Defaults().Bins))}
	var before float64
	for _, v := range moving {
		s.starts = append(s.starts, before)
		before += float64(v.EndNS - v.StartNS)
	}
	n := int(activeNS / s.binNS)
	if n < 2 {
		return s
	}
	rates := p.Curve.Rates(moving, n)
	s.binNS = activeNS / float64(n)
	floor := floorRate * stats.Median(rates)
	if floor <= 0 {
		floor = 1
	}
	s.log = rates
	for i, r := range rates {
		s.log[i] = math.Log(max(r, floor))
	}
	s.sums = prefix(s.log)
	return s
}

// mean is that of the logarithms from one bin to before another.
func (s *series) mean(from, to int) float64 { return (s.sums[to] - s.sums[from]) / float64(to-from) }

// bin is the bin that begins closest to ns.
func (s *series) bin(ns int64) int {
	var active float64
	for i := 0; i < len(s.active) && s.active[i].StartNS < ns; i++ {
		active = s.starts[i] + float64(min(ns, s.active[i].EndNS)-s.active[i].StartNS)
	}
	return min(int(math.Round(active/s.binNS)), len(s.log))
}

// estimate is the noise that the stretches between the edges show, which are bins. Stretches within the bins from
// out[0] to out[1] are left out.
func (s *series) estimate(edges []int, out [2]int) stats.Noise {
	var stretches [][]float64
	longest := 0
	for i := 1; i < len(edges); i++ {
		longest = max(longest, edges[i]-edges[i-1])
	}
	for i := 1; i < len(edges); i++ {
		within := edges[i-1] >= out[0] && edges[i] <= out[1]
		if n := edges[i] - edges[i-1]; n > 0 && float64(n) >= ramp*float64(longest) && !within {
			stretches = append(stretches, s.log[edges[i-1]:edges[i]])
		}
	}
	n := stats.EstimateNoise(stretches)
	n.Nugget = max(n.Nugget, minNoise*minNoise)
	return n
}

// Differ measures two stretches, one after the other, to find out whether they differ: under the noise that there is
// without the change from one to the other.
func (p *Disk) Differ(before, after overlap.Span) (was, is Measured) {
	s := p.series
	edges := s.edges(p.Solid)
	from, to := s.bin(before.EndNS), s.bin(after.StartNS)
	edges = append(edges, from, to, s.bin(before.StartNS), s.bin(after.EndNS))
	slices.Sort(edges)
	edges = slices.Compact(edges)
	noise := s.estimate(edges, [2]int{from, to})
	was, _ = p.measureUnder(noise, before)
	is, _ = p.measureUnder(noise, after)
	if s.jumps(to, edges) {
		was.Free, is.Free = max(was.Free, minFree), max(is.Free, minFree)
	}
	return was, is
}

// freeOf is about how many independent values that many bins hold under a noise, less one.
func freeOf(bins int, n stats.Noise) float64 {
	memory := 1.0
	if n.Sill > 0.1*n.Nugget {
		memory += 2 * n.Memory
	}
	return max(1, float64(bins)/memory-1)
}

func (s *series) edges(levels []Level) []int {
	edges := []int{0}
	for _, l := range levels[min(1, len(levels)):] {
		edges = append(edges, s.bin(l.StartNS))
	}
	return append(edges, len(s.log))
}

// merge makes one level of those from first to last.
func (p *Disk) merge(levels []Level, first, last int) []Level {
	levels[first] = p.LevelOver(overlap.Span{StartNS: levels[first].StartNS, EndNS: levels[last].EndNS})
	return slices.Delete(levels, first+1, last+1)
}
