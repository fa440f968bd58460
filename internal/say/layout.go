package say

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// layout is which disk to plug in elsewhere, in short, and why: by what the others have when it does not work.
func (en english) layout() (short, reasons string) {
	advice := en.Answer.Advice[0]
	switch advice.Kind {
	case analysis.AdviceShare:
		return " They can share the hub.", "together on the hub, where none of them loses more than a tenth of its rate."
	case analysis.AdviceUnmeasured:
		return "", "not measured. Phases in which one disk at a time is idle would show what the others gain without it (study: matrix has them)."
	case analysis.AdviceNone:
		return "", "no disk is shown to cost the others more than a tenth of their rate."
	}
	disk := advice.Disks[0]
	best := &en.Summary.Removals[slices.IndexFunc(en.Summary.Removals, func(r analysis.Removal) bool { return r.Disk == disk })]
	if advice.Kind == analysis.AdviceAnyOwnPort {
		return " Give one of them a port of its own.",
			fmt.Sprintf("give one of %s a port of its own; which one makes little difference to the others. Without %s, %s.", unit.List(inOrder(en.Order, advice.Disks)), disk, join(en.gains(best)))
	}
	reasons = fmt.Sprintf("give %[1]s a port of its own. Without %[1]s on the hub, %[2]s.", disk, join(en.gains(best)))
	if own := en.ownRates(best); own != "" {
		reasons += " On a port of its own " + disk + " " + own + "."
	}
	return " Give " + disk + " a port of its own.", reasons
}

// join is list, for clauses that hold an "and" themselves.
func join(clauses []string) string { return strings.Join(clauses, ", and ") }

// gains says for writing and for reading what the others gain at best without the disk; nil if nothing is shown.
func (en english) gains(r *analysis.Removal) []string {
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
		measured := en.Title(best.Phase) + ", after it finished"
		if best.Without != "" {
			measured = en.Title(best.Without) + " against " + en.Title(best.Phase)
		}
		out = append(out, fmt.Sprintf("%s %s%s instead of %s (%s)", subject(names, string(op)), en.each(to, len(names)), keptThen(en.Analysis, best, names), en.Rate(from), measured))
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

// keptThen is how much of their rates alone the disks keep beside one another once the disk is gone; empty if that is
// not known.
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

func (en english) ownRates(r *analysis.Removal) string {
	var parts []string
	for _, op := range []trace.Role{trace.Write, trace.Read} {
		if v, ok := r.Own[op]; ok {
			parts = append(parts, string(op)+"s "+en.Rate(v))
		}
	}
	return strings.Join(parts, " and ")
}

func pick(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}
