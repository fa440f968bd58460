// Package delta puts a comparison of runs into the words and cells that the terminal's text, the Markdown and the page
// have in common. It decides nothing (see pkg/compare). Start at Row and Summary.
package delta

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/hubbench/hubbench/internal/render/chart"
	"github.com/hubbench/hubbench/pkg/compare"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// Scale is the unit for all rates of a comparison.
func Scale(c *compare.Comparison) chart.Scale {
	top := 0.0
	each(c, func(r *compare.Rate) {
		if r.Base != nil {
			top = max(top, *r.Base, *r.New)
		}
	})
	return chart.ScaleFor(top)
}

func each(c *compare.Comparison, do func(*compare.Rate)) {
	for i := range c.Pairs {
		for j := range c.Pairs[i].Phases {
			rates := c.Pairs[i].Phases[j].Rates
			for k := range rates {
				do(&rates[k])
			}
		}
	}
}

// Heads are the heads of a phase's table, and Row the cells under them: the disk, which of its rates, the two rates,
// the change, its interval, its chance, and the verdict.
func Heads(scale chart.Scale) []string {
	return []string{"disk", "rate", "base, " + scale.Unit, "new", "change", "95 % interval", "p (Holm)", "difference"}
}

// Row is a rate's line in its phase's table.
func Row(r compare.Rate, scale chart.Scale) []string {
	cells := []string{Disk(r), of(r), "", "", "", "", "", verdict(r.Verdict)}
	if r.Base != nil {
		cells[2], cells[3], cells[4] = scale.Number(*r.Base), scale.Number(*r.New), Percent(*r.Change)
	}
	if r.CI95 != nil {
		cells[5] = strings.TrimSuffix(Percent(r.CI95[0]), " %") + " to " + Percent(r.CI95[1])
	}
	if r.Corrected != nil {
		cells[6] = chance(*r.Corrected)
	}
	return cells
}

// Disk is the disk a rate is of.
func Disk(r compare.Rate) string {
	if r.Disk == "" {
		return "together"
	}
	return r.Disk
}

// of says what a rate is of: "writes, window".
func of(r compare.Rate) string {
	text := map[compare.Measure]string{compare.Window: "window", compare.File: "files"}[r.Measure]
	switch r.Op {
	case trace.Read:
		return "reads, " + text
	case trace.Write:
		return "writes, " + text
	default:
		return text
	}
}

// Percent writes a change with its sign: "-5.0 %", "+250 %".
func Percent(change float64) string {
	decimals := 1
	if change >= 0.9995 {
		decimals = 0
	}
	text := strconv.FormatFloat(100*change, 'f', decimals, 64)
	if value, err := strconv.ParseFloat(text, 64); err == nil && value == 0 {
		return "0.0 %"
	}
	if change > 0 {
		text = "+" + text
	}
	return text + " %"
}

func chance(p float64) string {
	switch {
	case p < 0.001:
		return "< 0.001"
	case p > 0.995:
		return "1"
	default:
		return strconv.FormatFloat(p, 'f', 2+int(math.Max(0, math.Ceil(-math.Log10(p)-1))), 64)
	}
}

func verdict(v compare.Verdict) string {
	switch v {
	case compare.NotShown:
		return "not shown"
	case compare.TooLittle:
		return "too little data"
	default:
		return string(v)
	}
}

// Summary says a pair in one sentence.
func Summary(p *compare.Pair) string {
	count := map[compare.Verdict]int{}
	n := 0
	for _, phase := range p.Phases {
		for _, r := range phase.Rates {
			count[r.Verdict]++
			n++
		}
	}
	if n == 0 {
		return "There are no rates to compare."
	}
	var parts []string
	for _, part := range []struct {
		verdict compare.Verdict
		words   string
	}{{compare.Slower, "fell"}, {compare.Faster, "rose"}, {compare.NotShown, "show no difference"}, {compare.TooLittle, "cannot be judged"}} {
		if count[part.verdict] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", count[part.verdict], part.words))
		}
	}
	return fmt.Sprintf("Of %d rates, %s.", n, strings.Join(parts, ", "))
}

// Method says what was not alike: "flush, B in WW: full → none".
func Method(d compare.Difference) string {
	what := d.What
	if d.Where != "" {
		what += ", " + d.Where
	}
	return what + ": " + d.Base + " → " + d.New
}

// MethodTitle stands over what was not alike.
const MethodTitle = "Not alike (a fair comparison differs in the one thing it is about):"

// Doubts say why rates have no verdict, each reason once, or why a phase has no rates.
func Doubts(p *compare.Phase) []string {
	if p.Reason != "" {
		return []string{"not compared: " + p.Reason}
	}
	var reasons []string
	rates := map[string][]string{}
	for _, r := range p.Rates {
		if r.Reason == "" {
			continue
		}
		if rates[r.Reason] == nil {
			reasons = append(reasons, r.Reason)
		}
		rates[r.Reason] = append(rates[r.Reason], Disk(r)+" ("+of(r)+")")
	}
	for i, reason := range reasons {
		reasons[i] = strings.Join(rates[reason], ", ") + ": " + reason
	}
	return reasons
}

// Recoveries say how long each recovery took that was seen in either run.
func Recoveries(p *compare.Phase) []string {
	var lines []string
	for _, r := range p.Recoveries {
		if r.LagS != nil || r.BaseLagS != nil {
			lines = append(lines, fmt.Sprintf("recovery of %s after %s: %s → %s", r.Disk, r.After, lag(r.BaseLagS), lag(r.LagS)))
		}
	}
	return lines
}

func lag(seconds *float64) string {
	if seconds == nil {
		return "not seen"
	}
	return unit.FormatSeconds(*seconds)
}

// Missing says which phases only one of the runs has.
func Missing(p *compare.Pair) []string {
	var lines []string
	for _, list := range []struct {
		phases []string
		where  string
	}{{p.OnlyBase, "only in the base"}, {p.OnlyHere, "not in the base"}} {
		if len(list.phases) > 0 {
			lines = append(lines, list.where+": "+strings.Join(list.phases, ", "))
		}
	}
	return lines
}

// Notes say how far to trust the verdicts.
func Notes(c *compare.Comparison) []string {
	return []string{
		fmt.Sprintf("window: bytes over time while all disks were active; files: the typical file in it. Welch's t on means of blocks of "+
			"neighbours, which go together in time; p corrected by Holm's method for all %d rates. The chance that any is called "+
			"slower or faster by mistake is %.0f %% at most.", c.Tests, 100*c.Level),
		"Two recordings show what varies within them. What varies from run to run (heat, cables, how full a disk is) only repeated runs show.",
	}
}
