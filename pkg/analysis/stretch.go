package analysis

import (
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/overlap"
)

// A stretch is what lies between two changes: only there a rate belongs to one state of affairs.

// cuts are the moments at which the rate of the disk, or of any disk if the name is empty, changed for a reason other than
// another's start or end.
func (p *phase) cuts(disk string) []int64 {
	var at []int64
	add := func(s float64) { at = append(at, int64(math.Round(s*1e9))) }
	for i := range p.out.Changes {
		c := &p.out.Changes[i]
		if disk != "" && !c.concerns(disk) {
			continue
		}
		switch c.Kind {
		case KindOwnFall, KindSharedFall, KindRedistribution, KindUnknown:
			add(c.StartS)
			add(c.EndS)
		case KindWarmUp:
			add(c.EndS)
		}
	}
	slices.Sort(at)
	return slices.Compact(at)
}

// cutAt cuts intervals at moments.
func cutAt(intervals []overlap.Interval, cuts []int64) [][]overlap.Interval {
	var out [][]overlap.Interval
	from := int64(math.MinInt64)
	for _, to := range append(slices.Clone(cuts), math.MaxInt64) {
		if in := overlap.Clip(intervals, overlap.Interval{StartNS: from, EndNS: to}); overlap.Seconds(in) > 0 {
			out = append(out, in)
		}
		from = to
	}
	return out
}

// longest is the one that lasts longest; the later of two that last equally long.
func longest(all [][]overlap.Interval) []overlap.Interval {
	var best []overlap.Interval
	for _, s := range all {
		if overlap.Seconds(s) >= overlap.Seconds(best) {
			best = s
		}
	}
	return best
}

// wavers reports whether the disk has no settled rate in the phase: it swings or drifts.
func (p *part) wavers() bool { return p.Swing != nil || p.Drift != nil }

// mainStretch is the longest stretch of the window.
func (p *phase) mainStretch() []overlap.Interval { return longest(cutAt(p.window, p.cuts(""))) }
