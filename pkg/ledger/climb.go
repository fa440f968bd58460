package ledger

import (
	"math"
	"slices"
	"sort"

	"github.com/hubbench/hubbench/pkg/overlap"
)

// Limits for a rise of one disk at a known moment, such as another's end.
const (
	MaxBlurNS = 3_000_000_000
	dipNS     = 250_000_000 // the rate before a rise is looked at in stretches this long
	asFast    = 0.95        // of the new rate: a stretch with this much was as fast already
	dipShare  = 0.25        // of the stretches at most may be, or a third of this if the rise is a clear one
	clearRise = 1.3         // times
	aboutTop  = 0.97        // of the highest rate after an end: a level with this much is the new one
	topChance = 0.01        // above which noise may have made the difference from the highest level
)

// Climb is the stretch that the disk rose to from levels[first] before the next start or end: the earliest of the
// rising levels that is not clearly below the highest, with what follows at about that rate. It is empty if nothing
// rises.
func (p *Disk) Climb(levels []Level, first int, at, until int64) overlap.Span {
	top := first
	for i := first + 1; i < len(levels) && levels[i].StartNS < until-HoldNS && levels[i].Rate > levels[top].Rate; i++ {
		peak := i+1 < len(levels) && levels[i+1].StartNS < until && levels[i+1].Rate < levels[i].Rate
		if peak && top > first && levels[i].Seconds() < ShortS {
			break // for a moment
		}
		top = i
	}
	if top == first {
		return overlap.Span{StartNS: at, EndNS: at}
	}
	highest, _ := p.Measure(levels[top].Span)
	start := first + 1
	for start < top {
		lower, ok := p.Measure(levels[start].Span)
		if ok && (highest.ChanceAbove(lower) > topChance || lower.Rate >= aboutTop*highest.Rate) {
			break
		}
		start++
	}
	end := start
	half := (levels[first].Rate + levels[top].Rate) / 2
	for end+1 < len(levels) && levels[end+1].StartNS < until && levels[end+1].Rate >= half {
		end++
	}
	return overlap.Span{StartNS: max(levels[start].StartNS, at), EndNS: min(levels[end].EndNS, until)}
}

// Dipped reports whether the disk had been as fast before its rise as after it, and was only slow for a moment.
func (p *Disk) Dipped(had overlap.Span, rate float64) bool {
	limit := dipShare
	if rate > clearRise*p.RateIn(had) {
		limit = dipShare / 3
	}
	n := int((had.EndNS - had.StartNS) / dipNS)
	if n < 1 {
		return false
	}
	fast := 0
	for _, r := range p.Curve.Rates([]overlap.Span{had}, n) {
		if r >= asFast*rate {
			fast++
		}
	}
	return float64(fast) > limit*float64(n)
}

// Blur is how much too early a change at ns may be dated: by the scatter of the file before, up to MaxBlurNS.
func (p *Disk) Blur(ns int64) int64 {
	i := sort.Search(len(p.Trace.Files), func(i int) bool { return p.Trace.Files[i].StartNS >= ns })
	if i < 2 {
		return BlurNS
	}
	return min(max(BlurNS, ns-p.Trace.Files[i-2].StartNS+BlurNS), MaxBlurNS)
}

// Plateaus are levels with neighbours that lie less than step apart put together, the closest first: slow waves
// then do not hide where a rate really changed.
func (p *Disk) Plateaus(levels []Level, step float64) []Level {
	levels = slices.Clone(levels)
	for len(levels) > 1 {
		closest, smallest := 0, math.Inf(1)
		for i := 1; i < len(levels); i++ {
			a, b := levels[i-1].Rate, levels[i].Rate
			if d := (max(a, b) - min(a, b)) / max(a, b); d < smallest {
				closest, smallest = i, d
			}
		}
		if smallest >= step {
			break
		}
		levels = p.merge(levels, closest-1, closest)
	}
	return levels
}

// Outlasts reports whether a new level was seen for that many seconds, and longer than any burst of the disk.
func (p *Disk) Outlasts(reached overlap.Span, minS float64) bool {
	return float64(reached.EndNS-reached.StartNS) >= 1e9*max(minS, beyondSeen*p.excursionS)
}

// Split makes the stretch that a disk rose to a level of its own, if it is not one already: noise is judged within
// levels.
func (p *Disk) Split(reached overlap.Span) {
	for _, ns := range []int64{reached.StartNS, reached.EndNS} {
		i := At(p.Solid, ns)
		if len(p.Solid) == 0 || min(ns-p.Solid[i].StartNS, p.Solid[i].EndNS-ns) < HoldNS {
			continue
		}
		l := p.Solid[i]
		p.Solid[i] = p.LevelOver(overlap.Span{StartNS: l.StartNS, EndNS: ns})
		p.Solid = slices.Insert(p.Solid, i+1, p.LevelOver(overlap.Span{StartNS: ns, EndNS: l.EndNS}))
	}
	p.series.noise = p.series.estimate(p.series.edges(p.Solid), [2]int{})
}
