package analysis

import (
	"slices"

	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stats"
)

// How a throttle is told from contention, and from what is of no interest.
const (
	maxDrop      = 0.80           // the rate must fall to four fifths or less
	staysBelow   = 0.90           // of the rate before: what comes back above it was no throttle, but a slow spell
	explainsNS   = 2_000_000_000  // another disk's start or end explains a drop up to this long after it ...
	foreseenNS   = 500_000_000    // ... and, levels being dated roughly, this long before it,
	roughlyNS    = 10_000_000_000 // or as long as noise may have dated the drop wrongly, but no longer than this
	coincidentNS = 1_000_000_000  // the others' recovery explains a drop this close to it
	takenByShare = 0.5            // if the others gain at least this part of what a disk lost, it did not fall by itself
	beforeNS     = 5_000_000_000  // the rate before a stall or a recovery is looked at over at most this long
)

// throttle looks among the disk's own falls in the ledger for one that lasts: a cache that is full, or heat. Steps that follow
// one another down are told together; the deepest of them dates the fall.
func (p *phase) throttle(part *part) *Throttle {
	levels := part.solid
	for first := 0; first+1 < len(levels); first++ {
		if part.kind(first+1) != KindOwnFall {
			continue
		}
		bottom := first + 1
		for bottom+1 < len(levels) && part.kind(bottom+1) == KindOwnFall {
			bottom++
		}
		if levels[bottom].rate > maxDrop*levels[first].rate {
			continue
		}
		until, rebound := part.lasts(levels, bottom, levels[first].rate)
		if low := (overlap.Interval{StartNS: levels[bottom].StartNS, EndNS: until}); until <= low.StartNS || part.sizesExplain(levels[first].Interval, low) {
			continue
		}
		return part.toThrottle(levels[first:bottom+1], until, rebound)
	}
	return nil
}

// toThrottle tells the fall over the levels, the last of which holds until a time.
func (p *part) toThrottle(levels []level, until int64, rebound *Rebound) *Throttle {
	last := len(levels) - 1
	low := p.levelOver(overlap.Interval{StartNS: levels[last].StartNS, EndNS: until})
	t := &Throttle{Recovered: rebound, HeldS: levels[0].Seconds(), LastsS: low.Seconds()}
	deepest := 0.0
	for i := 1; i <= last; i++ {
		to := levels[i].rate
		if i == last {
			to = low.rate
		}
		at := levels[i].StartNS
		step := Step{AtBytes: float64(p.curve.At(at)), AtS: seconds(at), FromRate: levels[i-1].rate, ToRate: to}
		t.Steps = append(t.Steps, step)
		if drop := 1 - step.ToRate/step.FromRate; drop > deepest {
			deepest = drop
			t.AtBytes, t.AtS, t.FromRate, t.ToRate = step.AtBytes, step.AtS, step.FromRate, step.ToRate
		}
	}
	return t
}

// lasts returns how long the rate stays below what it was before, from the level at index bottom on: to the disk's
// end, or to a pause after which it is back. If it comes back without a pause, it did not last at all.
func (p *part) lasts(levels []level, bottom int, from float64) (until int64, rebound *Rebound) {
	for _, l := range levels[bottom+1:] {
		if l.rate <= staysBelow*from {
			continue
		}
		if pause, ok := p.pauseAt(l.StartNS); ok {
			return pause.StartNS, &Rebound{AtS: seconds(pause.EndNS), PauseS: pause.Seconds(), Rate: l.rate}
		}
		return levels[bottom].StartNS, nil
	}
	return p.endNS(), nil
}

// pauseAt returns the pause between two active intervals that ends close to ns.
func (p *part) pauseAt(ns int64) (overlap.Interval, bool) {
	for i := 1; i < len(p.active); i++ {
		pause := overlap.Interval{StartNS: p.active[i-1].EndNS, EndNS: p.active[i].StartNS}
		if pause.StartNS-holdNS <= ns && ns <= pause.EndNS+holdNS {
			return pause, true
		}
	}
	return overlap.Interval{}, false
}

// misdating is how far noise may move the date of a change of level, in units of the noise's variance (of the mean over a
// second) over the squared change. Were the variance known, 11 would do in 95 of 100 cases (Yao, "Approximating the
// Distribution of the Maximum Likelihood Estimate of the Change-Point in a Sequence of Independent Random Variables",
// Annals of Statistics 15, 1987); it is estimated from a few seconds, which takes about twice as much.
const misdating = 25

// misdated is how long before or after its time noise may have dated the change from one level to the next. The level
// that shows more of the noise decides: the other may be too short to show it.
func (p *part) misdated(before, after level) int64 {
	change := after.rate - before.rate
	variance := max(p.varianceIn(before.Interval), p.varianceIn(after.Interval))
	return int64(min(roughlyNS, 1e9*misdating*variance/(change*change)))
}

// varianceIn is the variance of the disk's mean rate over a second, with all that neighbouring moments have in common.
func (p *part) varianceIn(span overlap.Interval) float64 {
	const most, binS = 400, 0.25
	n := min(most, int(span.Seconds()/binS))
	if n < 2 {
		return 0
	}
	rates := p.curve.Rates([]overlap.Interval{span}, n)
	var mean, squares float64
	for _, r := range rates {
		mean += r / float64(n)
	}
	for _, r := range rates {
		squares += (r - mean) * (r - mean)
	}
	return squares / float64(n-1) * stats.Memory(rates) * span.Seconds() / float64(n)
}

// fellInside reports whether the disk fell in the window for a reason other than another's start: then its mean over the
// window is of several levels, and nobody is to blame for it.
func (p *phase) fellInside(part *part) bool {
	for i := 1; i < len(part.solid); i++ {
		at := part.solid[i].StartNS
		inside := slices.ContainsFunc(p.window, func(v overlap.Interval) bool { return v.StartNS < at && at < v.EndNS })
		if inside && part.solid[i].rate <= maxDrop*part.solid[i-1].rate && part.kind(i) != "" && part.kind(i) != KindStart {
			return true
		}
	}
	return false
}

// lowAlone reports whether the disk stays below a rate even when it works alone: then the others only took what it left.
func (p *phase) lowAlone(part *part, from float64, at int64) bool {
	for _, s := range p.stages {
		if s.StartNS >= at && len(s.Active) == 1 && p.parts[s.Active[0]].trace == part.trace && s.EndNS-s.StartNS >= 3*aloneNS {
			return part.rateIn(s.Interval) <= staysBelow*from
		}
	}
	return false
}

// How it is told whether a disk fell before the others rose.
const (
	aroundNS     = 2_000_000_000 // both are dated within so long of the fall
	datingNS     = 50_000_000    // in bins as long as samples are apart
	clearlyLater = 3             // bins at least
	clearlyOff   = 15            // a date is wrong if it costs this many variances of the noise more than the best
)

// fellFirst reports whether the disk fell clearly before the others rose: then they only took what it left.
func (p *phase) fellFirst(part *part, ns int64) bool {
	const n = 2 * aroundNS / datingNS
	around := []overlap.Interval{{StartNS: max(0, ns-aroundNS), EndNS: ns + aroundNS}}
	own := part.curve.Rates(around, n)
	others := make([]float64, n)
	for k := range p.parts {
		if other := &p.parts[k]; other.trace != part.trace {
			for i, r := range other.curve.Rates(around, n) {
				others[i] += r
			}
		}
	}
	fell, rose := stats.Split(own, 5), stats.Split(others, 5)
	return rose >= fell+clearlyLater && dateIsOff(others, fell, rose)
}

// dateIsOff reports whether a step of the values costs clearly more at an index than at the best one.
func dateIsOff(x []float64, at, best int) bool {
	return stats.SplitCost(x, at) > stats.SplitCost(x, best)*(1+clearlyOff/float64(len(x)-2))
}
