package analysis

import (
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/overlap"
)

// Change is one entry of a phase's ledger: a stretch of time during which the rates of some disks were different, or the
// moment from which they were. Every other statement about why a rate changed quotes it.
type Change struct {
	// A change from one level to the next happens at one moment; EndS is later only if the rate came back at that time. A
	// recovery lasts from the other disk's end until the new level is reached.
	StartS float64  `json:"start_s"`
	EndS   float64  `json:"end_s"`
	Disks  []string `json:"disks"`
	Kind   string   `json:"kind"`
	Cause  string   `json:"cause"`
	By     *string  `json:"by"` // the disk that started, ended, recovered or gained; null if there is none or more than one
	// Of the disks together, in bytes per second; of a swing, the higher and the lower level; of a redistribution, of the first disk.
	FromRate float64   `json:"from_rate"`
	ToRate   float64   `json:"to_rate"`
	CI       *Interval `json:"ci"`                  // 95 % confidence interval of to_rate; null if it is not known
	AtCI     *Interval `json:"at_ci_s,omitempty"`   // of start_s
	Each     []Shift   `json:"each,omitempty"`      // disk by disk, if there are several
	AtBytes  float64   `json:"at_bytes,omitempty"`  // bytes the disk had moved when it fell by itself
	PeriodS  float64   `json:"period_s,omitempty"`  // of a swing, on average
	LowShare float64   `json:"low_share,omitempty"` // of a swing: part of its time at the lower level
	Count    int       `json:"count,omitempty"`     // of a swing: how often it changed
	Phases   []string  `json:"phases,omitempty"`    // of a warm-up: all phases that show it
}

// Shift is what one disk's rate did.
type Shift struct {
	Disk     string  `json:"disk"`
	FromRate float64 `json:"from_rate"`
	ToRate   float64 `json:"to_rate"`
}

// The kinds of change.
const (
	KindStart          = "start"          // a disk began, or others changed at once when it did
	KindEnd            = "end"            // a disk ended before the phase did
	KindRecovery       = "recovery"       // a rise after another disk ended
	KindOwnFall        = "own_fall"       // one disk fell, and no other disk has to do with it
	KindSharedFall     = "shared_fall"    // all that work, or all of one direction, fell by one factor at one instant
	KindRedistribution = "redistribution" // some gained what others lost, and the total stayed
	KindStall          = "stall"          // nothing moved
	KindWarmUp         = "warm_up"        // slower at first, at every start of this disk at this work
	KindSwing          = "swing"          // two levels in turn
	KindDrift          = "drift"          // a slope
	KindUnknown        = "unknown"
)

// The causes of a change besides those of a throttle (heat, cache_full, unknown).
const (
	CauseLink      = "link"
	CauseHost      = "host"
	CauseNeighbour = "neighbour"
)

func (c *Change) concerns(disk string) bool { return slices.Contains(c.Disks, disk) }

// Of is what one of its disks did.
func (c *Change) Of(disk string) Shift {
	for _, s := range c.Each {
		if s.Disk == disk {
			return s
		}
	}
	return Shift{disk, c.FromRate, c.ToRate}
}

// kind is what the ledger has the change to a solid level for; empty if it leaves it out.
func (p *part) kind(level int) string {
	if level >= len(p.kinds) {
		return ""
	}
	return p.kinds[level]
}

// wavers reports whether the disk has no settled rate in the phase: it swings or drifts.
func (p *part) wavers() bool { return p.Swing != nil || p.Drift != nil }

// cuts are the moments at which the rate of the disk, or of any disk if the name is empty, changed for a reason other than
// another's start or end. Between two of them lies a stretch: within it nothing that affects rates changed.
func (p *phase) cuts(disk string) []int64 {
	var at []int64
	for i := range p.out.Changes {
		c := &p.out.Changes[i]
		if disk != "" && !c.concerns(disk) {
			continue
		}
		switch c.Kind {
		case KindOwnFall, KindSharedFall, KindRedistribution, KindUnknown:
			at = append(at, nanoseconds(c.StartS), nanoseconds(c.EndS))
		case KindWarmUp:
			at = append(at, nanoseconds(c.EndS))
		}
	}
	slices.Sort(at)
	return slices.Compact(at)
}

func nanoseconds(s float64) int64 { return int64(math.Round(s * 1e9)) }

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

// mainStretch is the longest stretch of the window.
func (p *phase) mainStretch() []overlap.Interval { return longest(cutAt(p.window, p.cuts(""))) }
