package level

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
	// At the ends of a trace a level may be shorter: endLevelS, as long as the excursions of real disks last; less
	// if the rest of the trace is longer than endSeenS and shows none; and beyondSeen times as long as those it
	// shows.
	EndS, endSeenS = 2.2, 30
	ShortS         = 1
	beyondSeen     = 1.5
	alikeLevel     = 0.15 // levels on both sides of an excursion that differ by less are one
	floorRate      = 0.3  // of the median: slower bins count as this slow, or a stall would outweigh all else
	ramp           = 0.2  // of the longest level: shorter ones may be a climb, and say nothing of the noise
	minFree        = 10   // degrees of freedom credited if a jump shows that it was no wave
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
	s := &series{active: moving, binNS: max(pieceNS, activeNS/maxPieces)}
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
	s.sums = make([]float64, n+1)
	for i, v := range s.log {
		s.sums[i+1] = s.sums[i] + v
	}
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

// chanceOf is the chance of a difference as large as that of the bins from a to b and those from b to c by noise
// alone: by that of the whole series or of these bins, whichever makes it more likely, because a disk that others
// hold back deviates less than one that is free. Unless the rate jumps there as nowhere else, b was chosen among
// many places.
func (s *series) chanceOf(a, b, c int, edges []int) float64 {
	if b <= a || c <= b {
		return 1
	}
	difference := math.Abs(s.mean(b, c) - s.mean(a, b))
	jumps := s.jumps(b, edges)
	under := func(n stats.Noise, bins int) float64 {
		free, places := freeOf(bins, n), 1.0
		if jumps {
			free = max(minFree, free)
		} else {
			places = max(1, float64(len(s.log))/max(5, 2*n.Memory))
		}
		z := difference / math.Sqrt(n.DifferenceVariance(b-a, c-b))
		return min(1, places*2*stats.StudentTail(z, free))
	}
	return max(under(s.noise, len(s.log)), under(s.estimate([]int{a, b, c}, [2]int{}), c-a))
}

// Settle finds the disk's solid levels, and its swing if it has one. At the given moments, when other disks start
// and end, a level may change however short it is. Noise alone makes either in fewer than alpha of disks.
func (p *Disk) Settle(given []int64, alpha float64) {
	p.given = given
	p.Solid = p.solidLevels(alpha)
	if !p.Limited() && len(p.Active) > 0 {
		p.Swing = p.findSwing(alpha)
	}
}

// solidLevels are the levels that noise would hardly make: candidates are put together until each change between
// neighbours is one that noise alone would make in fewer than alpha of disks.
func (p *Disk) solidLevels(alpha float64) []Level {
	s := p.series
	levels := slices.Clone(p.Levels)
	for {
		levels = p.withoutExcursions(levels)
		edges := s.edges(levels)
		s.noise = s.estimate(edges, [2]int{})
		worst, largest := 0, alpha
		for i := 1; i < len(levels); i++ {
			if c := s.chanceOf(edges[i-1], edges[i], edges[i+1], edges); c > largest {
				worst, largest = i, c
			}
		}
		if worst == 0 {
			return levels
		}
		levels = p.merge(levels, worst-1, worst)
	}
}

// ChanceOf is the chance that noise alone makes the change to Solid[k], by all of it and of the level before.
func (p *Disk) ChanceOf(k int) float64 {
	edges := p.series.edges(p.Solid)
	return p.series.chanceOf(edges[k-1], edges[k], edges[k+1], edges)
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

// withoutExcursions merges levels that are too short with their neighbours, the shortest first.
func (p *Disk) withoutExcursions(levels []Level) []Level {
	for len(levels) > 1 {
		shortest, lowest := -1, math.Inf(1)
		for i := range levels {
			if s := p.activeS(levels[i]); s < p.shortestS(levels, i) && s < lowest {
				shortest, lowest = i, s
			}
		}
		if shortest < 0 {
			break
		}
		first, last := p.absorb(levels, shortest)
		if first < shortest && shortest < last && math.Abs(levels[shortest].Rate/levels[first].Rate-1) >= MinGain-1 {
			p.excursionS = max(p.excursionS, lowest) // of a size that could pass for a change
		}
		levels = p.merge(levels, first, last)
	}
	return levels
}

// shortestS is for how long levels[i] must hold, in seconds. Between others it may be an excursion, unless other
// disks start or end at its edges. The first and the last may be an excursion of which one side is not seen: a disk
// that shows none in a long time hardly does so just then.
func (p *Disk) shortestS(levels []Level, i int) float64 {
	isGiven := func(ns int64) bool {
		return slices.ContainsFunc(p.given, func(g int64) bool { return max(g-ns, ns-g) <= BlurNS })
	}
	if isGiven(levels[i].StartNS) && (i == len(levels)-1 || isGiven(levels[i].EndNS)) {
		return seconds(HoldNS)
	}
	if i > 0 && i < len(levels)-1 {
		return seconds(MinNS)
	}
	other := 0.0
	for k := range levels {
		if k != i {
			other += p.activeS(levels[k])
		}
	}
	return min(seconds(MinNS), max(EndS*min(1, endSeenS/other), ShortS, beyondSeen*p.excursionS))
}

func (p *Disk) activeS(l Level) float64 { return overlap.Seconds(p.MovingIn(l.Span)) }

// absorb says which levels become one if levels[i] is too short: it and both neighbours if these are alike, as
// about a burst; it and a short neighbour if they are steps of one climb or descent; else it and the neighbour of
// the nearer rate. If it is at an end, what lies before the neighbour stands in for the neighbour on the other
// side.
func (p *Disk) absorb(levels []Level, i int) (first, last int) {
	apart := func(a, b int) float64 { return math.Abs(math.Log(max(levels[a].Rate, 1) / max(levels[b].Rate, 1))) }
	short := func(k int) bool { return p.activeS(levels[k]) < seconds(MinNS) }
	end := len(levels) - 1
	switch {
	case i == 0 && end > 1 && short(1) && apart(0, 2) < alikeLevel:
		return 0, 2
	case i == 0:
		return 0, 1
	case i == end && end > 1 && short(end-1) && apart(end-2, end) < alikeLevel:
		return end - 2, end
	case i == end:
		return end - 1, end
	case apart(i-1, i+1) < alikeLevel:
		return i - 1, i + 1
	}
	steps := (levels[i].Rate > levels[i-1].Rate) == (levels[i+1].Rate > levels[i].Rate)
	if steps && short(i-1) != short(i+1) {
		if short(i - 1) {
			return i - 1, i
		}
		return i, i + 1
	}
	if apart(i-1, i) < apart(i, i+1) {
		return i - 1, i
	}
	return i, i + 1
}
