package analysis

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// verdict says the phase in one sentence.
func (p *phase) verdict() string {
	if len(p.parts) == 0 {
		return "No disk worked in this phase."
	}
	o, who := p.out.Overlap, p.whoDoesWhat()
	var clauses []string
	switch {
	case o == nil:
		return fmt.Sprintf("%s: no overlap to speak of, %s.", who, p.whyNoOverlap())
	case len(p.parts) == 1:
		clauses = []string{fmt.Sprintf("%s alone: %s for %s", who, rate(o.Rate), unit.FormatSeconds(o.DurationS))}
	default:
		clauses = []string{
			fmt.Sprintf("%s: %s together for %s", who, rate(o.Rate), unit.FormatSeconds(o.DurationS)),
			strings.Join(p.parties(), ", "),
		}
	}
	for _, name := range p.names() {
		if t := p.out.Disks[name].Throttle; t != nil {
			clause := name + " fell " + steps(t)
			if len(p.parts) > 1 {
				clause += " with no other disk involved"
			}
			clauses = append(clauses, clause)
		}
	}
	return strings.Join(clauses, "; ") + "."
}

// whoDoesWhat is "Three disks writing", or "C writing, A and B reading".
func (p *phase) whoDoesWhat() string {
	byOp := map[trace.Role][]string{}
	var ops []trace.Role
	for _, part := range p.parts {
		if byOp[part.trace.Op] == nil {
			ops = append(ops, part.trace.Op)
		}
		byOp[part.trace.Op] = append(byOp[part.trace.Op], part.trace.Name)
	}
	verb := map[trace.Role]string{trace.Read: "reading", trace.Write: "writing"}
	if len(ops) == 1 && len(p.parts) > 1 {
		return count(len(p.parts)) + " disks " + verb[ops[0]]
	}
	var texts []string
	for _, op := range ops {
		texts = append(texts, list(byOp[op])+" "+verb[op])
	}
	return strings.Join(texts, ", ")
}

// parties are the clauses of the verdict about the disks: those that kept their rate, those of which that is not
// known, and those that were held back, alike ones together.
func (p *phase) parties() []string {
	disks := p.out.Overlap.Disks
	var kept, got, fell []string
	for _, name := range p.names() {
		switch c := p.out.Contention.Disks[name]; {
		case c.Held:
			fell = append(fell, name)
		case c.Kept:
			kept = append(kept, name)
		default:
			got = append(got, name)
		}
	}
	rateOf := func(name string) float64 { return disks[name].Rate }
	if all := alike(p.names(), rateOf); len(all) == 1 {
		text := "evenly shared, " + each(all[0], rateOf)
		if len(fell) == len(disks) {
			text += " " + p.against(all[0])
		}
		return []string{text}
	}
	var texts []string
	for _, group := range alike(kept, rateOf) {
		texts = append(texts, fmt.Sprintf("%s kept %s", list(group), each(group, rateOf)))
	}
	for _, group := range alike(got, rateOf) {
		texts = append(texts, fmt.Sprintf("%s got %s", list(group), each(group, rateOf)))
	}
	for _, group := range alike(fell, rateOf) {
		texts = append(texts, fmt.Sprintf("%s fell to %s %s", list(group), each(group, rateOf), p.against(group)))
	}
	return texts
}

// each is the group's common rate: "0.74 GB/s each".
func each(group []string, value func(string) float64) string {
	var sum float64
	for _, n := range group {
		sum += value(n)
	}
	return meanEach(sum, float64(len(group)))
}

// against is "(50 % of the 1.40 GB/s without C) and took 11.7 s to recover after C finished".
func (p *phase) against(group []string) string {
	c := p.out.Contention.Disks
	var now, reference float64
	where := " alone"
	for _, n := range group {
		now += p.out.Overlap.Disks[n].Rate
		reference += *c[n].ReferenceRate
		if c[n].Reference == ReferenceLater {
			where = " without " + c[n].ReferenceFrom
		}
	}
	return fmt.Sprintf("(%.0f %% of the %s%s)%s", 100*now/reference, rate(reference/float64(len(group))), where, p.recovered(group))
}

// recovered says how long the group took to recover, where all of it did.
func (p *phase) recovered(group []string) string {
	last := map[string]Recovery{}
	for _, r := range p.out.Recoveries {
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

// secondsRange is one time, or two where they lie apart.
func secondsRange(low, high float64) string {
	if low >= 0.8*high {
		return unit.FormatSeconds(high)
	}
	return unit.FormatSeconds(low) + " to " + unit.FormatSeconds(high)
}

// alike groups names whose values lie within a tenth of the highest in the group: the groups from high to low, each
// in the order of names.
func alike(names []string, value func(string) float64) [][]string {
	order := names
	names = slices.SortedStableFunc(slices.Values(names), func(a, b string) int { return cmp.Compare(value(b), value(a)) })
	var groups [][]string
	for _, n := range names {
		if last := len(groups) - 1; last >= 0 && value(n) >= 0.9*value(groups[last][0]) {
			groups[last] = append(groups[last], n)
			continue
		}
		groups = append(groups, []string{n})
	}
	for _, group := range groups {
		slices.SortFunc(group, func(a, b string) int { return slices.Index(order, a) - slices.Index(order, b) })
	}
	return groups
}

// count is a small number as a word to begin a sentence with.
func count(n int) string {
	words := []string{"No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten", "Eleven", "Twelve"}
	if n < len(words) {
		return words[n]
	}
	return strconv.Itoa(n)
}

// rate is a rate for a sentence: in GB/s from 0.1 on, so that rates to compare read alike.
func rate(v float64) string {
	if v < 0.1e9 || v >= 1e9 {
		return unit.FormatRate(v)
	}
	return strconv.FormatFloat(v/1e9, 'f', 2, 64) + " GB/s"
}

// list joins names as in a sentence: "A, B and C".
func list(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// plural is "1 file", or "3 files".
func plural(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return strconv.Itoa(n) + " " + what
}
