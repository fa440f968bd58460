package say

import (
	"fmt"
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
	gains := en.gains(disk)
	for i, g := range gains {
		who, to := subject(g.names, string(g.op)), en.each(g.to, len(g.names))
		if i > 0 && slices.Equal(g.names, gains[0].names) { // who and the unit have been said
			who, to = strings.TrimPrefix(who, unit.List(g.names)+" "), en.Number(g.to)
		}
		clauses = append(clauses, fmt.Sprintf("%s %s instead of %s", who, to, en.Number(g.from)))
	}
	return fmt.Sprintf("Give %s a port of its own: without it %s.", disk, strings.Join(clauses, ", and "))
}

// gain is what disks that do the same gain without another one.
type gain struct {
	op       trace.Role
	names    []string
	from, to float64
}

// gains are for writing and for reading what the others gain at best without a disk.
func (en english) gains(without string) []gain {
	cases := en.Summary.Removals[slices.IndexFunc(en.Summary.Removals, func(r analysis.Removal) bool { return r.Disk == without })].Cases
	var out []gain
	for _, op := range []trace.Role{trace.Write, trace.Read} {
		var best *analysis.RemovalCase
		for i := range cases {
			if c := &cases[i]; len(of(c, op)) > 0 && (best == nil || tellsMore(c, best, op)) {
				best = c
			}
		}
		if best == nil {
			continue
		}
		g := gain{op: op, names: of(best, op)}
		for _, name := range g.names {
			g.from, g.to = g.from+best.Disks[name].From/float64(len(g.names)), g.to+best.Disks[name].To/float64(len(g.names))
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

func pick(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}
