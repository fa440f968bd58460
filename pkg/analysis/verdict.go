package analysis

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hubbench/hubbench/pkg/scenario"
)

// verdict says the phase in one sentence.
func (p *phase) verdict() string {
	o := p.out.Overlap
	switch {
	case len(p.parts) == 0:
		return "No disk worked in this phase."
	case o == nil:
		return fmt.Sprintf("%s: no overlap to speak of, %s.", upperFirst(p.whoDoesWhat()), p.whyNoOverlap())
	case len(p.parts) == 1:
		return fmt.Sprintf("%s alone: %s for %s.", upperFirst(p.whoDoesWhat()), rate(o.Rate), duration(o.DurationS))
	}
	return fmt.Sprintf("%s: %s together for %s; %s.",
		upperFirst(p.whoDoesWhat()), rate(o.Rate), duration(o.DurationS), strings.Join(p.parties(), ", "))
}

// whoDoesWhat is "three disks writing", or "C writing, A and B reading".
func (p *phase) whoDoesWhat() string {
	byOp := map[scenario.Role][]string{}
	var ops []scenario.Role
	for _, part := range p.parts {
		if byOp[part.trace.Op] == nil {
			ops = append(ops, part.trace.Op)
		}
		byOp[part.trace.Op] = append(byOp[part.trace.Op], part.trace.Name)
	}
	verb := map[scenario.Role]string{scenario.Read: "reading", scenario.Write: "writing"}
	if len(ops) == 1 && len(p.parts) > 1 {
		return count(len(p.parts)) + " disks " + verb[ops[0]]
	}
	var texts []string
	for _, op := range ops {
		texts = append(texts, list(byOp[op])+" "+verb[op])
	}
	return strings.Join(texts, ", ")
}

// parties are the clauses of the verdict about the disks: those that kept their rate, then those that a recovery
// shows to have been held down, alike ones together.
func (p *phase) parties() []string {
	recovered := map[string]Recovery{}
	for _, r := range p.out.Recoveries { // the last one leads to the highest level
		recovered[r.Disk] = r
	}
	var kept, fell []string
	for _, part := range p.parts {
		if _, ok := recovered[part.trace.Name]; ok {
			fell = append(fell, part.trace.Name)
		} else {
			kept = append(kept, part.trace.Name)
		}
	}
	disks := p.out.Overlap.Disks
	byRate := func(a, b string) int { return int(disks[b].Rate - disks[a].Rate) }
	slices.SortStableFunc(kept, byRate)
	slices.SortStableFunc(fell, byRate)
	rateOf := func(n string) float64 { return disks[n].Rate }
	if all := p.alike(slices.SortedStableFunc(slices.Values(slices.Concat(kept, fell)), byRate), rateOf); len(all) == 1 {
		return []string{"evenly shared, " + each(all[0], disks)}
	}
	verb := "got"
	if len(fell) > 0 {
		verb = "kept"
	}
	var texts []string
	for _, group := range p.alike(kept, rateOf) {
		texts = append(texts, fmt.Sprintf("%s %s %s", list(group), verb, each(group, disks)))
	}
	for _, group := range p.alike(fell, rateOf) {
		texts = append(texts, fmt.Sprintf("%s fell to %s %s", list(group), each(group, disks), regained(group, recovered, disks)))
	}
	return texts
}

// each is the group's common rate: "0.7 GB/s each".
func each(group []string, disks map[string]OverlapDisk) string {
	var sum float64
	for _, n := range group {
		sum += disks[n].Rate
	}
	text := rate(sum / float64(len(group)))
	if len(group) > 1 {
		text += " each"
	}
	return text
}

// regained is "(50 % of their later 1.4 GB/s) and took 11.7 s to recover after C finished".
func regained(group []string, recovered map[string]Recovery, disks map[string]OverlapDisk) string {
	var now, later float64
	var lags []float64
	for _, n := range group {
		r := recovered[n]
		now += disks[n].Rate
		later += *r.ToRate
		if r.LagS != nil {
			lags = append(lags, *r.LagS)
		}
	}
	whose := "its"
	if len(group) > 1 {
		whose = "their"
	}
	text := fmt.Sprintf("(%.0f %% of %s later %s)", 100*now/later, whose, rate(later/float64(len(group))))
	after := recovered[group[0]].After
	if len(lags) < len(group) {
		return fmt.Sprintf("%s and had not settled when the trace ended after %s finished", text, after)
	}
	low, high := slices.Min(lags), slices.Max(lags)
	took := duration(high)
	if low < 0.8*high {
		took = fmt.Sprintf("%.1f to %s", low, took)
	}
	return fmt.Sprintf("%s and took %s to recover after %s finished", text, took, after)
}

// alike groups neighbours whose values lie within a tenth of the group's first, each group in the run's order.
func (p *phase) alike(names []string, value func(string) float64) [][]string {
	var groups [][]string
	for _, n := range names {
		if last := len(groups) - 1; last >= 0 && value(n) >= 0.9*value(groups[last][0]) {
			groups[last] = append(groups[last], n)
			continue
		}
		groups = append(groups, []string{n})
	}
	place := func(n string) int {
		return slices.IndexFunc(p.parts, func(part part) bool { return part.trace.Name == n })
	}
	for _, group := range groups {
		slices.SortFunc(group, func(a, b string) int { return place(a) - place(b) })
	}
	return groups
}

// rate is a rate for a sentence, in decimal units: "3.46 GB/s".
func rate(v float64) string {
	for _, u := range []struct {
		size float64
		name string
	}{{1e9, "GB/s"}, {1e6, "MB/s"}, {1e3, "kB/s"}} {
		if v >= 0.1*u.size {
			return digits(v/u.size) + " " + u.name
		}
	}
	return digits(v) + " B/s"
}

// digits writes v with three significant digits, or as a whole number above a hundred.
func digits(v float64) string {
	switch {
	case v >= 100:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

// duration is a time for a sentence.
func duration(s float64) string {
	switch {
	case s >= 0.1:
		return strconv.FormatFloat(s, 'f', 1, 64) + " s"
	case s >= 1e-4:
		return strconv.FormatFloat(s*1e3, 'f', 1, 64) + " ms"
	}
	return strconv.FormatFloat(s*1e6, 'f', 0, 64) + " us"
}

// count is a small number as a word.
func count(n int) string {
	words := []string{"no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"}
	if n < len(words) {
		return words[n]
	}
	return strconv.Itoa(n)
}

func upperFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
