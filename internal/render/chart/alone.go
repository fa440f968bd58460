package chart

import (
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/scenario"
)

// Alone is what a disk does when the others leave it be, and how the run shows it.
type Alone struct {
	Rate float64 // bytes per second
	From string  // "alone in phase X", "after C ended"
}

// AloneRate finds a disk's rate without the others, or nil where the run shows none: from a phase in which
// it worked alone in the same direction, or else from its recovery in this phase.
func AloneRate(a *analysis.Analysis, phase *analysis.Phase, disk string) *Alone {
	op := phase.Roles[disk]
	for i := range a.Phases {
		solo := &a.Phases[i]
		if solo != phase && only(solo) == disk && solo.Roles[disk] == op {
			if rate := solo.Disks[disk].Rate; rate != nil {
				return &Alone{*rate, "alone in " + solo.Phase}
			}
		}
	}
	var best *Alone
	for _, recovery := range phase.Recoveries {
		if recovery.Disk == disk && recovery.ToRate != nil && (best == nil || *recovery.ToRate > best.Rate) {
			best = &Alone{*recovery.ToRate, "after " + recovery.After + " ended"}
		}
	}
	return best
}

// only is the one working disk of a phase, or "".
func only(phase *analysis.Phase) string {
	name := ""
	for disk, role := range phase.Roles {
		if role == scenario.Idle {
			continue
		}
		if name != "" {
			return ""
		}
		name = disk
	}
	return name
}
