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

// advice is how to connect the disks, and what the others gain by it.
func (en english) advice() string {
	advice := en.Answer.Advice[0]
	switch advice.Kind {
	case analysis.AdviceShare:
		return "Together on one hub, none of them loses more than a tenth of its rate."
	case analysis.AdviceUnmeasured:
		return "How to connect them: not measured; phases in which one disk at a time is idle would show it (study: matrix)."
	case analysis.AdviceNone:
		return "No disk is shown to cost the others more than a tenth of their rate."
	}
	disk := advice.Disks[0]
	if advice.Kind == analysis.AdviceAnyOwnPort {
		return fmt.Sprintf("Give one of %s a port of its own; which one makes little difference to the others.", unit.List(inOrder(en.Order, advice.Disks)))
	}
	var clauses []string
	gains := en.gains()
	for i, g := range gains {
		if i > 0 && slices.Equal(g.names, gains[0].names) {
			clauses = append(clauses, fmt.Sprintf("%s %s instead of %s", pick(len(g.names) > 1, string(g.op), string(g.op)+"s"), en.Number(g.to), en.Number(g.from)))
		} else {
			clauses = append(clauses, fmt.Sprintf("%s %s instead of %s", subject(g.names, string(g.op)), en.each(g.to, len(g.names)), en.Number(g.from)))
		}
	}
	return fmt.Sprintf("Give %s a port of its own: without it %s.", disk, strings.Join(clauses, ", and "))
}

// reasons are the numbers behind the advice, with the phases that they are from.
func (en english) reasons() []string {
	var out []string
	for _, g := range en.gains() {
		measured := en.Title(g.best.Phase) + ", after it finished"
		if g.best.Without != "" {
			measured = en.Title(g.best.Without) + " against " + en.Title(g.best.Phase)
		}
		out = append(out, fmt.Sprintf("Without %s on the hub, %s%s (%s).", g.Disk, g.text(en), en.keptThen(g.best, g.names), measured))
	}
	if en.Answer.Advice[0].Kind == analysis.AdviceOwnPort {
		if own := en.ownRates(en.removal()); own != "" {
			out = append(out, "On a port of its own "+en.removal().Disk+" "+own+".")
		}
	}
	return out
}

// removal is what the others have without the disk that is to get a port of its own; nil if none is.
func (en english) removal() *analysis.Removal {
	disks := en.Answer.Advice[0].Disks
	if len(disks) == 0 {
		return nil
	}
	return &en.Summary.Removals[slices.IndexFunc(en.Summary.Removals, func(r analysis.Removal) bool { return r.Disk == disks[0] })]
}

// gain is what disks that do the same gain without another one.
type gain struct {
	*analysis.Removal
	best     *analysis.RemovalCase
	op       trace.Role
	names    []string
	from, to float64
}

// text is "A and B write 1.46 GB/s each instead of 0.683 GB/s".
func (g gain) text(en english) string {
	return fmt.Sprintf("%s %s instead of %s", subject(g.names, string(g.op)), en.each(g.to, len(g.names)), en.Rate(g.from))
}

// gains are for writing and for reading what the others gain at best without the disk that is to get a port of its own.
func (en english) gains() []gain {
	r := en.removal()
	if r == nil {
		return nil
	}
	var out []gain
	for _, op := range []trace.Role{trace.Write, trace.Read} {
		g := gain{Removal: r, op: op}
		for i := range r.Cases {
			c := &r.Cases[i]
			if len(of(c, op)) > 0 && (g.best == nil || tellsMore(c, g.best, op)) {
				g.best = c
			}
		}
		if g.best == nil {
			continue
		}
		g.names = of(g.best, op)
		for _, name := range g.names {
			g.from, g.to = g.from+g.best.Disks[name].From/float64(len(g.names)), g.to+g.best.Disks[name].To/float64(len(g.names))
		}
		out = append(out, g)
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
func (en english) keptThen(c *analysis.RemovalCase, names []string) string {
	i := slices.IndexFunc(en.Phases, func(p analysis.Phase) bool { return p.Phase == c.Without })
	if i < 0 || en.Phases[i].Contention == nil {
		return ""
	}
	low, high := math.Inf(1), 0.0
	for _, name := range names {
		kept := en.Phases[i].Contention.Disks[name].Retention
		if kept == nil {
			return ""
		}
		low, high = min(low, *kept), max(high, *kept)
	}
	return ", " + percentRange(low, high) + " of what " + pick(len(names) > 1, "they have", "it has") + " alone"
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
