package say

import (
	"fmt"
	"math"

	"github.com/hubbench/hubbench/pkg/analysis"
)

// ChangeLabel names an entry of the ledger in a few words, as a chart has room for: "A and B recover". It asks name for
// what to call a disk; working is how many disks the phase has.
func ChangeLabel(c *analysis.Change, working int, name func(disk string) string) string {
	does := func(disks []string, verb string) string {
		if len(disks) > 2 && len(disks) == working {
			return "all " + verb
		}
		names := make([]string, len(disks))
		for i, disk := range disks {
			names[i] = name(disk)
		}
		return subject(names, verb)
	}
	verb := map[string]string{
		analysis.KindStart: "start", analysis.KindEnd: "end", analysis.KindRecovery: "recover", analysis.KindSharedFall: "fall",
		analysis.KindStall: "stand still", analysis.KindWarmUp: "warm up", analysis.KindSwing: "swing", analysis.KindDrift: "drift",
	}[c.Kind]
	switch {
	case c.Kind == analysis.KindSharedFall:
		return fmt.Sprintf("%s to %.0f %%", does(c.Disks, verb), 100*c.ToRate/c.FromRate)
	case verb != "" && (c.Kind != analysis.KindStart || c.By == nil):
		return does(c.Disks, verb)
	}
	var risen, fallen []string
	for _, disk := range c.Disks {
		if s := c.Of(disk); s.ToRate > s.FromRate {
			risen = append(risen, disk)
		} else {
			fallen = append(fallen, disk)
		}
	}
	switch {
	case len(risen) == 0:
		return does(fallen, "fall")
	case len(fallen) == 0:
		return does(risen, "rise")
	case len(risen) == 1 && len(fallen) == 1 && swapped(c.Of(fallen[0]), c.Of(risen[0])):
		return does(c.Disks, "swap rates")
	}
	return does(fallen, "fall") + ", " + does(risen, "rise")
}

// swapped reports whether each of two disks has, as far as a person sees in a chart, the rate that the other had.
func swapped(a, b analysis.Shift) bool {
	const about = 0.15
	return math.Abs(a.ToRate/b.FromRate-1) < about && math.Abs(b.ToRate/a.FromRate-1) < about
}

// ChangeCause says in a few words what the evidence leaves as the cause of a change; empty for a disk's own start or end,
// which needs none.
func ChangeCause(c *analysis.Change, name func(disk string) string) string {
	switch c.Cause {
	case analysis.CauseHeat:
		return "heat"
	case analysis.CauseCacheFull:
		return "full write cache"
	case analysis.CauseLink:
		return "the link changed its speed"
	case analysis.CauseHost:
		return "the computer"
	case analysis.CauseNeighbour:
		did := map[string]string{analysis.KindStart: " started", analysis.KindRecovery: " ended"}[c.Kind]
		if did == "" {
			did = " changed"
		}
		if c.By == nil {
			return "other disks" + did
		}
		return name(*c.By) + did
	}
	if c.Kind == analysis.KindEnd || c.Kind == analysis.KindStart && c.By == nil {
		return ""
	}
	return "not known"
}
