package analysis

import "slices"

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
