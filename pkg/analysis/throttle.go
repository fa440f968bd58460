package analysis

import (
	"github.com/hubbench/hubbench/pkg/overlap"
)

// How a throttle is told from noise and from contention.
const (
	waves        = 0.15          // neighbouring levels that differ by less are taken for one
	maxDrop      = 0.80          // the rate must fall to four fifths or less
	staysBelow   = 0.90          // of the rate before: what comes back above it was no throttle, but a slow spell
	throttleNS   = 2_000_000_000 // the drop must last this long
	explainsNS   = 2_000_000_000 // another disk's start or end explains a drop up to this long after it ...
	foreseenNS   = 500_000_000   // ... and, levels being dated roughly, this long before it
	coincidentNS = 1_000_000_000 // the others' recovery explains a drop this close to it
)

// throttle looks for the first lasting drop of the disk's rate that no other disk explains: a cache that is full, or
// heat. The levels are those of the rate over active time, and so over cumulative bytes.
func (p *phase) throttle(part *part) *Throttle {
	levels := part.plateaus(waves)
	for first := 0; first+1 < len(levels); first++ {
		from := levels[first]
		// A descent may take several steps.
		bottom := first + 1
		for bottom+1 < len(levels) && levels[bottom].rate > maxDrop*from.rate && levels[bottom+1].rate < levels[bottom].rate {
			bottom++
		}
		onset := levels[first+1].StartNS
		if levels[bottom].rate > maxDrop*from.rate || p.explained(part, onset) {
			continue
		}
		until, rebound := part.lasts(levels, bottom, from.rate)
		low := overlap.Interval{StartNS: levels[bottom].StartNS, EndNS: until}
		if overlap.Seconds(part.activeIn(low)) < seconds(throttleNS) {
			continue
		}
		return &Throttle{
			AtBytes:   float64(part.curve.At(onset)),
			AtS:       seconds(onset),
			FromRate:  from.rate,
			ToRate:    part.levelOver(low).rate,
			Recovered: rebound,
		}
	}
	return nil
}

// lasts returns how long the rate stays below what it was before, from the level at index bottom on: to the disk's
// end, or to a pause after which it is back. Where it comes back without a pause, it did not last at all.
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

// explained reports whether what other disks did explains that this one's rate fell at ns: one of them started,
// ended, paused or recovered then.
func (p *phase) explained(part *part, ns int64) bool {
	near := func(event int64) bool { return -foreseenNS <= ns-event && ns-event <= explainsNS }
	for i := range p.parts {
		other := &p.parts[i]
		if other == part {
			continue
		}
		for _, v := range other.active {
			if near(v.StartNS) || near(v.EndNS) {
				return true
			}
		}
	}
	for _, r := range p.out.Recoveries {
		if r.Disk == part.name() || r.LagS == nil {
			continue
		}
		if d := ns - int64((r.AtS+*r.LagS)*1e9); -coincidentNS <= d && d <= coincidentNS {
			return true
		}
	}
	return false
}
