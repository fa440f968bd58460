package analysis

import (
	"github.com/hubbench/hubbench/pkg/ledger"
	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stats"
)

// throttle looks among the disk's own falls in the ledger for one that lasts: a cache that is full,
// or heat. Steps that follow one another down are reported together; the deepest of them dates the
// fall.
func (p *phase) throttle(part *diskPart) *Throttle {
	levels := part.Levels
	for first := 0; first+1 < len(levels); first++ {
		if !p.fallsAt(part, levels[first+1].StartNS) {
			continue
		}
		bottom := first + 1
		for bottom+1 < len(levels) && p.fallsAt(part, levels[bottom+1].StartNS) {
			bottom++
		}
		if levels[bottom].Rate > maxDrop*levels[first].Rate {
			continue
		}
		high, low := part.Compare(levels[first].Span, levels[bottom].Span)
		if high.ChanceAbove(low) > p.alpha.perDisk {
			continue
		}
		until, rebound := part.lasts(levels, bottom, levels[first].Rate)
		slower := overlap.Between(levels[bottom].StartNS, until)
		if until < slower.StartNS+ledger.MinNS || part.sizesExplain(levels[first].Span, slower) {
			continue
		}
		return part.toThrottle(levels[first:bottom+1], until, rebound)
	}
	return nil
}

// toThrottle turns the fall over the levels, the last of which holds until a time, into a Throttle.
func (p *diskPart) toThrottle(levels []ledger.Level, until int64, rebound *Rebound) *Throttle {
	last := len(levels) - 1
	low := p.LevelIn(overlap.Between(levels[last].StartNS, until))
	t := &Throttle{Recovered: rebound, FirstLevelS: levels[0].Seconds(), LastLevelS: low.Seconds()}
	deepest := 0.0
	for i := 1; i <= last; i++ {
		to := levels[i].Rate
		if i == last {
			to = low.Rate
		}
		at := levels[i].StartNS
		step := ledger.Step{
			AtBytes: float64(p.Curve.At(at)), AtS: seconds(at), FromRate: levels[i-1].Rate,
			ToRate: to,
		}
		t.Steps = append(t.Steps, step)
		if drop := 1 - step.ToRate/step.FromRate; drop > deepest {
			t.Step = step
			deepest = drop
		}
	}
	return t
}

// lasts returns how long the rate stays below what it was before, from the level at index bottom
// on: to the disk's end, or to a pause after which it is back. If it comes back without a pause, it
// did not last at all.
func (p *diskPart) lasts(
	levels []ledger.Level, bottom int, from float64,
) (until int64, rebound *Rebound) {
	for _, l := range levels[bottom+1:] {
		if l.Rate <= minRetained*from {
			continue
		}
		if pause, ok := p.pauseAt(l.StartNS); ok {
			return pause.StartNS, &Rebound{AtS: seconds(pause.EndNS), PauseS: pause.Seconds(),
				Rate: l.Rate}
		}
		return levels[bottom].StartNS, nil
	}
	return p.EndNS(), nil
}

// pauseAt returns the pause between two active intervals that ends close to ns.
func (p *diskPart) pauseAt(ns int64) (overlap.Span, bool) {
	for i := 1; i < len(p.Active); i++ {
		pause := overlap.Between(p.Active[i-1].EndNS, p.Active[i].StartNS)
		if pause.StartNS-ledger.HoldNS <= ns && ns <= pause.EndNS+ledger.HoldNS {
			return pause, true
		}
	}
	return overlap.Span{}, false
}

// sizesExplain reports whether the files of a slower stretch took no longer than those before would
// have at their sizes: each file has a fixed cost, and a run of small ones is slow for that alone.
func (p *diskPart) sizesExplain(before, slower overlap.Span) bool {
	sizes, times := p.WholeFiles(before)
	small, took := p.WholeFiles(slower)
	if len(sizes) < ledger.MinFiles || len(small) == 0 {
		return false
	}
	line, ok := stats.FitCost(sizes, times)
	if !ok {
		return false
	}
	var expected, seen float64
	for i, size := range small {
		expected += line.At(size)
		seen += took[i]
	}
	return seen < expected/maxDrop
}

// Throttle is a lasting drop of a disk's rate that no other disk explains.
type Throttle struct {
	ledger.Step // the deepest one
	// Recovered is null if the rate stayed low to the end.
	Recovered *Rebound      `json:"recovered"`
	Steps     []ledger.Step `json:"steps"` // Steps are the whole fall.
	Cause     string        `json:"cause"` // Cause is heat, cache_full or unknown.
	Evidence  Evidence      `json:"evidence"`
	// NeighbourGains are what other disks gained by it.
	NeighbourGains []Shift `json:"freed,omitempty"`
	// FirstLevelS is how long the first level was seen.
	FirstLevelS float64 `json:"held_s"`
	// LastLevelS is how long the last level was seen.
	LastLevelS float64 `json:"lasts_s"`
}

// Rebound is a throttle that was over after a pause.
type Rebound struct {
	AtS    float64 `json:"at_s"`
	PauseS float64 `json:"pause_s"`
	Rate   float64 `json:"rate"`
}
