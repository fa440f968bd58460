package say

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/trace"
)

// What it takes to recommend a port of its own for one disk and not for another.
const (
	worthMoving = 0.10 // that the others gain
	clearlyBest = 0.05 // that they gain more than without any other disk, and beyond the intervals of both
)

// layout is which disk to plug in elsewhere, in short, and why: by what the others have where it does not work.
func layout(a *analysis.Analysis) (short, reasons string) {
	moves := slices.DeleteFunc(slices.Clone(a.Summary.Removals), func(r analysis.Removal) bool { return r.Gain < worthMoving || gains(a, &r) == nil })
	switch {
	case len(moves) == 0 && allKept(a):
		return " They can share the hub.", "together on the hub, where none of them loses more than a tenth of its rate."
	case len(moves) == 0 && len(a.Summary.Removals) == 0:
		return "", "not measured. Phases in which one disk at a time is idle would show what the others gain without it (study: matrix has them)."
	case len(moves) == 0:
		return "", "no disk is shown to cost the others more than a tenth of their rate."
	}
	best := &moves[0]
	if alike := slices.DeleteFunc(slices.Clone(moves), func(r analysis.Removal) bool {
		return best.Gain-r.Gain > max(clearlyBest, math.Hypot(best.Error, r.Error))
	}); len(alike) > 1 {
		var names []string
		for _, r := range alike {
			names = append(names, r.Disk)
		}
		slices.SortFunc(names, func(x, y string) int { return slices.Index(a.Order, x) - slices.Index(a.Order, y) })
		return " Give one of them a port of its own.",
			fmt.Sprintf("give one of %s a port of its own; which one makes little difference to the others. Without %s, %s.", list(names), best.Disk, join(gains(a, best)))
	}
	reasons = fmt.Sprintf("give %[1]s a port of its own. Without %[1]s on the hub, %[2]s.", best.Disk, join(gains(a, best)))
	if own := ownRates(best); own != "" {
		reasons += " On a port of its own " + best.Disk + " " + own + "."
	}
	return " Give " + best.Disk + " a port of its own.", reasons
}

// join is list, for clauses that hold an "and" themselves.
func join(clauses []string) string { return strings.Join(clauses, ", and ") }

// gains says for writing and for reading what the others gain at best without the disk; nil where nothing is shown.
func gains(a *analysis.Analysis, r *analysis.Removal) []string {
	var out []string
	for _, op := range []trace.Role{trace.Write, trace.Read} {
		var best *analysis.RemovalCase
		for i := range r.Cases {
			c := &r.Cases[i]
			if len(of(c, op)) > 0 && (best == nil || tellsMore(c, best, op)) {
				best = c
			}
		}
		if best == nil {
			continue
		}
		names := of(best, op)
		var from, to float64
		for _, name := range names {
			from, to = from+best.Disks[name].From/float64(len(names)), to+best.Disks[name].To/float64(len(names))
		}
		measured := best.Phase + ", after it finished"
		if best.Without != "" {
			measured = best.Without + " against " + best.Phase
		}
		out = append(out, fmt.Sprintf("%s %s%s instead of %s (%s)", subject(names, string(op)), each(to, len(names)), keptThen(a, best, names), rate(from), measured))
	}
	return out
}

// tellsMore puts first the case in which more disks gain, then one with a phase of its own, then the greater gain.
func tellsMore(c, than *analysis.RemovalCase, op trace.Role) bool {
	if n := len(of(c, op)) - len(of(than, op)); n != 0 {
		return n > 0
	}
	if (c.Without == "") != (than.Without == "") {
		return than.Without == ""
	}
	return c.Gain > than.Gain
}

// keptThen is how much of their rates alone the disks keep beside one another once the disk is gone: where that is known,
// and they are several.
func keptThen(a *analysis.Analysis, c *analysis.RemovalCase, names []string) string {
	i := slices.IndexFunc(a.Phases, func(p analysis.Phase) bool { return p.Phase == c.Without })
	if i < 0 || a.Phases[i].Contention == nil {
		return ""
	}
	low, high := math.Inf(1), 0.0
	for _, name := range names {
		kept := a.Phases[i].Contention.Disks[name].Retention
		if kept == nil {
			return ""
		}
		low, high = min(low, *kept), max(high, *kept)
	}
	return " (" + percentRange(low, high) + " of what " + pick(len(names) > 1, "they have", "it has") + " alone)"
}

// of are the disks that gain in the case, of those that do op.
func of(c *analysis.RemovalCase, op trace.Role) []string {
	var names []string
	for name, d := range c.Disks {
		if d.Op == op {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func ownRates(r *analysis.Removal) string {
	var parts []string
	for _, op := range []trace.Role{trace.Write, trace.Read} {
		if v, ok := r.Own[op]; ok {
			parts = append(parts, string(op)+"s "+rate(v))
		}
	}
	return strings.Join(parts, " and ")
}

// allKept reports whether all disks of all contests are known to keep nine tenths of their rates.
func allKept(a *analysis.Analysis) bool {
	for _, c := range a.Summary.Contests {
		for _, d := range c.Disks {
			if d.Kept() < 0.9 {
				return false
			}
		}
	}
	return true
}

func pick(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}
