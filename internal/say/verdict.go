package say

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// Verdict says a phase in one sentence; order is the disks' in the run.
func Verdict(order []string, p *analysis.Phase) string {
	v := verdict{p, slices.DeleteFunc(slices.Clone(order), func(n string) bool { _, ok := p.Disks[n]; return !ok })}
	if len(v.names) == 0 {
		return "No disk worked in this phase."
	}
	o, who := p.Overlap, v.whoDoesWhat()
	var clauses []string
	switch {
	case o == nil:
		return fmt.Sprintf("%s: no overlap, %s.", who, noOverlap(p.NoOverlap))
	case len(v.names) == 1:
		clauses = []string{fmt.Sprintf("%s alone: %s for %s", who, rate(o.Rate), unit.FormatSeconds(o.DurationS))}
	default:
		clauses = []string{
			fmt.Sprintf("%s: %s together for %s", who, rate(o.Rate), unit.FormatSeconds(o.DurationS)),
			strings.Join(v.parties(), ", "),
		}
	}
	for _, name := range v.names {
		if t := p.Disks[name].Throttle; t != nil {
			clause := name + " fell " + steps(t)
			if len(v.names) > 1 {
				clause += " with no other disk involved"
			}
			clauses = append(clauses, clause+freed(t))
		}
	}
	return strings.Join(clauses, "; ") + "."
}

// verdict is a phase to be told, and its disks in the run's order.
type verdict struct {
	*analysis.Phase
	names []string
}

// whoDoesWhat is "Three disks writing", or "C writing, A and B reading".
func (v verdict) whoDoesWhat() string {
	byOp := map[trace.Role][]string{}
	var ops []trace.Role
	for _, name := range v.names {
		op := v.Disks[name].Op
		if byOp[op] == nil {
			ops = append(ops, op)
		}
		byOp[op] = append(byOp[op], name)
	}
	verb := map[trace.Role]string{trace.Read: "reading", trace.Write: "writing"}
	if len(ops) == 1 && len(v.names) > 1 {
		return count(len(v.names)) + " disks " + verb[ops[0]]
	}
	var texts []string
	for _, op := range ops {
		texts = append(texts, list(byOp[op])+" "+verb[op])
	}
	return strings.Join(texts, ", ")
}

// parties are the clauses about the disks: those that kept their rate, those of which that is not known, and those that
// were held back, alike ones together.
func (v verdict) parties() []string {
	var kept, got, fell []string
	for _, name := range v.names {
		switch c := v.Contention.Disks[name]; {
		case c.Held:
			fell = append(fell, name)
		case c.Kept:
			kept = append(kept, name)
		default:
			got = append(got, name)
		}
	}
	rateOf := func(name string) float64 { return v.Overlap.Disks[name].Rate }
	if all := analysis.Alike(v.names, rateOf); len(all) == 1 {
		text := "evenly shared, " + v.each(all[0])
		if len(fell) == len(v.names) {
			text += " " + v.against(all[0])
		}
		return []string{text}
	}
	var texts []string
	for _, group := range analysis.Alike(kept, rateOf) {
		texts = append(texts, fmt.Sprintf("%s kept %s", list(group), v.each(group)))
	}
	for _, group := range analysis.Alike(got, rateOf) {
		texts = append(texts, fmt.Sprintf("%s got %s", list(group), v.each(group)))
	}
	for _, group := range analysis.Alike(fell, rateOf) {
		texts = append(texts, fmt.Sprintf("%s fell to %s %s", list(group), v.each(group), v.against(group)))
	}
	return texts
}

// each is the group's common rate in the overlap: "0.74 GB/s each".
func (v verdict) each(group []string) string {
	var sum float64
	for _, n := range group {
		sum += v.Overlap.Disks[n].Rate
	}
	return each(sum/float64(len(group)), len(group))
}

// against is "(50 % of the 1.40 GB/s without C) and took 11.7 s to recover after C finished".
func (v verdict) against(group []string) string {
	var now, reference float64
	where := ""
	for _, n := range group {
		c := v.Contention.Disks[n]
		now += v.Overlap.Disks[n].Rate
		reference += *c.ReferenceRate
		from := " alone"
		if c.Reference == analysis.ReferenceLater {
			from = " without " + c.ReferenceFrom
		}
		if where != "" && where != from { // of disks that were last, each has another
			from = " after others finished"
		}
		where = from
	}
	return fmt.Sprintf("(%.0f %% of the %s%s)%s", 100*now/reference, rate(reference/float64(len(group))), where, v.recovered(group))
}

// recovered says how long the group took to recover, where all of it did.
func (v verdict) recovered(group []string) string {
	last := map[string]analysis.Recovery{}
	for _, r := range v.Recoveries {
		last[r.Disk] = r
	}
	var lags []float64
	for _, n := range group {
		if r, ok := last[n]; ok && r.LagS != nil {
			lags = append(lags, *r.LagS)
		}
	}
	if len(lags) < len(group) {
		return ""
	}
	return fmt.Sprintf(" and took %s to recover after %s finished", secondsRange(slices.Min(lags), slices.Max(lags)), last[group[0]].After)
}

// steps tells a fall: "from 2.0 GB/s to 1.66 GB/s after 12 GB and to 0.50 GB/s after 52 GB".
func steps(t *analysis.Throttle) string {
	var down []string
	for _, s := range t.Steps {
		down = append(down, fmt.Sprintf("to %s after %s", rate(s.ToRate), unit.FormatBytes(int64(s.AtBytes))))
	}
	return "from " + rate(t.Steps[0].FromRate) + " " + strings.Join(down, " and ")
}
