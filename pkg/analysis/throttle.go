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
		if part.kind(first+1) != KindOwnFall {
			continue
		}
		bottom := first + 1
		for bottom+1 < len(levels) && part.kind(bottom+1) == KindOwnFall {
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
		if until <= slower.StartNS || part.sizesExplain(levels[first].Span, slower) {
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

// lowAlone reports whether the disk stays below a rate even when it works alone: then the others
// only took what it left.
func (p *phase) lowAlone(part *diskPart, from float64, at int64) bool {
	for _, s := range p.stages {
		if s.StartNS >= at && len(s.Active) == 1 && p.parts[s.Active[0]].Trace == part.Trace &&
			s.EndNS-s.StartNS >= ledger.MinNS {
			return part.RateIn(s.Span) <= minRetained*from
		}
	}
	return false
}

// fellFirst reports whether the disk fell clearly before the others rose: then they only took what
// it left.
func (p *phase) fellFirst(part *diskPart, ns int64) bool {
	const n = 2 * explainsNS / ledger.SampleNS
	around := []overlap.Span{{StartNS: max(0, ns-explainsNS), EndNS: ns + explainsNS}}
	own := part.Curve.Rates(around, n)
	others := make([]float64, n)
	for k := range p.parts {
		if other := p.parts[k]; other.Trace != part.Trace {
			for i, r := range other.Curve.Rates(around, n) {
				others[i] += r
			}
		}
	}
	fell, rose := stats.Split(own, 5), stats.Split(others, 5)
	return rose >= fell+clearlyLater && dateIsOff(others, fell, rose)
}

// dateIsOff reports whether a step of the values costs clearly more at an index than at the best
// one.
func dateIsOff(x []float64, at, best int) bool {
	return stats.SplitCost(x, at) > stats.SplitCost(x, best)*(1+clearlyOff/float64(len(x)-2))
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
