package analysis

import (
	"cmp"
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/change"
	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stats"
)

// Change is one entry of a phase's ledger: a stretch of time during which the rates of some disks
// were different, or the moment from which they were. Every other statement about why a rate
// changed quotes it.
type Change struct {
	// A change from one level to the next happens at one moment; EndS is later only if the rate
	// came back at that time. A recovery lasts from the other disk's end until the new level is
	// reached.
	StartS float64  `json:"start_s"`
	EndS   float64  `json:"end_s"`
	Disks  []string `json:"disks"`
	Kind   string   `json:"kind"`
	Cause  string   `json:"cause"`
	// By is the disk that started, ended, recovered or gained; null if it is none or several.
	By *string `json:"by"`
	// FromRate and ToRate are of the disks together, in bytes per second; for a swing they are the
	// higher and the lower level, for a redistribution the rates of the first disk.
	FromRate float64         `json:"from_rate"`
	ToRate   float64         `json:"to_rate"`
	CI       *stats.Interval `json:"ci"`                // CI is the 95 % interval of ToRate or null.
	AtCI     *stats.Interval `json:"at_ci_s,omitempty"` // AtCI is the interval of StartS.
	Each     []Shift         `json:"each,omitempty"`    // Each is by disk, if there are several.
	// AtBytes is what the disk had moved when it fell by itself.
	AtBytes float64 `json:"at_bytes,omitempty"`
	PeriodS float64 `json:"period_s,omitempty"` // PeriodS is a swing's mean period.
	// LowShare is a swing's share of time at the lower level.
	LowShare float64  `json:"low_share,omitempty"`
	Count    int      `json:"count,omitempty"`  // how often a swing changed
	LowS     float64  `json:"low_s,omitempty"`  // median length of a swing's lower levels
	Phases   []string `json:"phases,omitempty"` // Phases are all that show a warm-up.
}

// Shift is what one disk's rate did.
type Shift struct {
	Disk     string  `json:"disk"`
	FromRate float64 `json:"from_rate"`
	ToRate   float64 `json:"to_rate"`
}

// The kinds of change.
const (
	KindStart    = "start"    // A disk began, or others changed at once when it did.
	KindEnd      = "end"      // A disk ended before the phase did.
	KindRecovery = "recovery" // A disk rose after another ended.
	KindOwnFall  = "own_fall" // One disk fell, and no other disk has to do with it.
	// All busy disks, or all of one direction, fell by one factor at one instant.
	KindSharedFall     = "shared_fall"
	KindRedistribution = "redistribution" // Some gained what others lost, and the total stayed.
	KindStall          = "stall"          // Nothing moved.
	KindWarmUp         = "warm_up"        // slower at first whenever it starts this work
	KindSwing          = "swing"          // Two levels alternate.
	KindDrift          = "drift"          // The rate slopes.
	KindOwnRise        = "own_rise"       // One disk rose, and no other disk has to do with it.
	KindSharedRise     = "shared_rise"    // All rose as in a shared fall.
	KindUnknown        = "unknown"
)

// The causes of a change besides those of a throttle (heat, cache_full, unknown).
const (
	CauseLink      = "link"
	CauseHost      = "host"
	CauseNeighbour = "neighbour"
)

func (c *Change) concerns(disk string) bool { return slices.Contains(c.Disks, disk) }

// Recurs reports whether the rate went up and down all the time, so that it is no single rise or
// fall.
func (c *Change) Recurs() bool { return c.Kind == KindSwing }

// Of returns what one of its disks did.
func (c *Change) Of(disk string) Shift {
	for _, s := range c.Each {
		if s.Disk == disk {
			return s
		}
	}
	return Shift{disk, c.FromRate, c.ToRate}
}

// isRise reports whether the change may be a rise that nothing explains.
func (c *Change) isRise() bool {
	return slices.Contains([]string{KindUnknown, KindOwnRise, KindSharedRise, KindRedistribution},
		c.Kind)
}

// isUnsettled reports whether the disk has no settled rate in the phase: it swings or drifts, or
// goes as the sizes of its files do.
func (p *diskPart) isUnsettled() bool {
	return p.Swing != nil || len(p.Drifts) > 0 || p.FollowsSizes
}

// cuts returns the moments at which the rate of the disk, or of any disk if the name is empty,
// changed for a reason other than another's start or end. Between two of them lies a stretch:
// within it nothing that affects rates changed.
func (p *phase) cuts(disk string) []int64 { return cutsOf(p.changes, disk) }

// Stretches are intervals cut at lasting changes of the rate of a disk, or of any if it is empty.
func (p *PhaseResult) Stretches(disk string, intervals []overlap.Span) [][]overlap.Span {
	return cutAt(intervals, cutsOf(p.Changes, disk))
}

func cutsOf(changes []Change, disk string) []int64 {
	var at []int64
	for i := range changes {
		c := &changes[i]
		if disk != "" && !c.concerns(disk) {
			continue
		}
		switch c.Kind {
		case KindOwnFall, KindOwnRise, KindSharedFall, KindSharedRise, KindRedistribution,
			KindUnknown:
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
func cutAt(intervals []overlap.Span, cuts []int64) [][]overlap.Span {
	var out [][]overlap.Span
	from := int64(math.MinInt64)
	for _, to := range append(slices.Clone(cuts), math.MaxInt64) {
		in := overlap.Clip(intervals, overlap.Between(from, to))
		if overlap.Seconds(in) > 0 {
			out = append(out, in)
		}
		from = to
	}
	return out
}

// longest returns the one that lasts longest; the later of two that last equally long.
func longest(all [][]overlap.Span) []overlap.Span {
	var best []overlap.Span
	for _, s := range all {
		if overlap.Seconds(s) >= overlap.Seconds(best) {
			best = s
		}
	}
	return best
}

// fallsAt reports whether the disk fell by itself at about a time, and not as another was warm.
func (p *phase) fallsAt(part *diskPart, ns int64) bool {
	for _, e := range change.Falls(p.events, part.Name()) {
		if abs(e.AtNS-ns) <= closeNS && p.warmThen(e.AtNS, e.Disks) == "" {
			return true
		}
	}
	return false
}

// change is one of the disk alone, whose cause is not known.
func (p *diskPart) change(kind string, startNS, endNS int64, from, to float64) Change {
	return Change{
		StartS: seconds(startNS), EndS: seconds(endNS), Disks: []string{p.Name()},
		Kind: kind, Cause: CauseUnknown, FromRate: from, ToRate: to,
	}
}

func abs(ns int64) int64 { return max(ns, -ns) }

// recoveryChanges returns what each disk gained after another had ended, if it is known when.
func recoveryChanges(all []Recovery) (out []Change) {
	for _, r := range all {
		if r.LagS == nil {
			continue
		}
		c := Change{
			StartS: r.AtS, EndS: r.AtS + *r.LagS, Disks: []string{r.Disk},
			Kind: KindRecovery, Cause: CauseNeighbour, By: &r.After,
			FromRate: r.FromRate, ToRate: *r.ToRate,
		}
		if m := r.Reached; m.DegreesOfFreedom > 0 {
			half := stats.StudentQuantile(0.975, m.DegreesOfFreedom) * m.Rate * m.Error
			c.CI = &stats.Interval{max(0, m.Rate-half), m.Rate + half}
		}
		out = append(out, c)
	}
	return out
}

// inOrder sorts the ledger by time, leaves out changes that are too small to report, and folds a
// rise that only undoes a fall into that fall, as its end.
func inOrder(all []Change) []Change {
	slices.SortStableFunc(all, func(a, b Change) int {
		return cmp.Or(cmp.Compare(a.StartS, b.StartS), cmp.Compare(a.EndS, b.EndS))
	})
	out := []Change{}
	for _, c := range all {
		reported := len(c.Each) == 0 && c.AtCI == nil || c.Kind == KindStall ||
			len(c.Each) == 0 && isLarge(c.FromRate, c.ToRate)
		for _, s := range c.Each {
			reported = reported || isLarge(s.FromRate, s.ToRate)
		}
		if !reported {
			continue
		}
		if undone := undoneBy(out, &c); undone != nil {
			undone.EndS = c.StartS
			continue
		}
		out = append(out, c)
	}
	return out
}

// isLarge reports whether a change of a rate is large enough to report.
func isLarge(from, to float64) bool { return math.Abs(to/from-1) >= minChange }

// undoneBy returns the change that a later one undoes: the last of the same disks, if it went the
// other way and they are back at about the rates they had. It is nil if there is none.
func undoneBy(before []Change, back *Change) *Change {
	single := []string{KindOwnFall, KindOwnRise, KindSharedFall, KindSharedRise, KindUnknown}
	if !slices.Contains(single, back.Kind) {
		return nil
	}
	for i := range slices.Backward(before) {
		c := &before[i]
		if !slices.ContainsFunc(c.Disks, back.concerns) || c.Kind == KindStall {
			continue
		}
		away := slices.Contains(single, c.Kind) && c.EndS == c.StartS &&
			(c.ToRate < c.FromRate) == (back.ToRate > back.FromRate)
		if !away || !slices.Equal(c.Disks, back.Disks) ||
			slices.ContainsFunc(c.Disks, func(name string) bool {
				return math.Abs(back.Of(name).ToRate/c.Of(name).FromRate-1) > minChange
			}) {
			return nil
		}
		return c
	}
	return nil
}
