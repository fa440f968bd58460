package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/compare"
	"github.com/hubbench/hubbench/pkg/trace"
)

// OfComparison says how runs differ from the first: what was not measured alike, all runs in one table and one figure,
// then each run's differences, and what to doubt.
func OfComparison(c *compare.Comparison) *Document {
	labels := []string{c.Base.Label}
	for i := range c.Pairs {
		labels = append(labels, c.Pairs[i].Label)
	}
	doc := &Document{Kind: "comparison", Keys: newKeys(distinct(labels)), Data: c}
	doc.Title = fmt.Sprintf("%s beside %s", plural(len(c.Pairs), "run"), c.Base.Label)
	if len(c.Pairs) == 1 {
		doc.Title = c.Pairs[0].Label + " beside " + c.Base.Label
	}
	cmp := comparison{c, scaleOfComparison(c), doc.Keys}
	doc.Unit = cmp.scale.Unit
	for i, side := range append([]compare.Side{c.Base}, sides(c)...) {
		doc.Keys[i].Where = side.Name
		if at := when(side.Started); at != "" {
			doc.Keys[i].Where += ", " + at
		}
	}
	for i := range c.Pairs {
		pair := &c.Pairs[i]
		who := ""
		if len(c.Pairs) > 1 {
			who = doc.Keys[i+1].Label + ": "
		}
		doc.Add(Sentence{Text: who + Summary(pair), Lead: true})
	}
	doc.Add(cmp.overview())
	if f := cmp.figure(); f != nil {
		doc.Add(f)
	}
	for i := range c.Pairs {
		cmp.pair(doc, i)
	}
	for _, text := range c.Warnings {
		doc.Add(Warning{text})
	}
	for _, text := range trust(c) {
		doc.Add(Sentence{Text: text})
	}
	return doc
}

// trust says how far to go by the verdicts.
func trust(c *compare.Comparison) []string {
	texts := []string{fmt.Sprintf("Overlap mean: bytes over time while all disks were active; typical file: the typical file in the overlap; "+
		"a span of seconds: the overlap mean before or after a step of the rate. p allows for noise that lasts, and is corrected "+
		"by Holm's method for all %d rates. The chance that any is called slower or faster by mistake is %.0f %% at most.", c.Tests, 100*c.Level)}
	r := c.Repeats
	if r == nil {
		return append(texts, "Two recordings show what varies within them. What varies from run to run (heat, cables, how full a disk is) only repeated runs "+
			"show: compare BASE... -- NEW...")
	}
	text := fmt.Sprintf("The unit is the run: %d against %d.", r.Base, r.New)
	if r.Base+r.New <= 4 {
		text += " So few show only large differences: with two against two, a single rate must differ by 4.3 times its standard error, and one of many by far more."
	}
	return append(texts, text)
}

func sides(c *compare.Comparison) []compare.Side {
	var out []compare.Side
	for i := range c.Pairs {
		out = append(out, c.Pairs[i].Side)
	}
	return out
}

// distinct are short names for the runs: the last part of their labels where these differ, else the labels, numbered
// where one comes twice.
func distinct(labels []string) []string {
	var last, whole []string
	for _, label := range labels {
		last = append(last, label[strings.LastIndexAny(label, `/\`)+1:])
		name := label
		for n := 2; slices.Contains(whole, name); n++ {
			name = fmt.Sprintf("%s (%d)", label, n)
		}
		whole = append(whole, name)
	}
	if sorted := slices.Compact(slices.Sorted(slices.Values(last))); len(sorted) < len(labels) || sorted[0] == "" {
		return whole
	}
	return last
}

type comparison struct {
	*compare.Comparison
	scale Scale
	keys  []Key // of the runs
}

func scaleOfComparison(c *compare.Comparison) Scale {
	top := 0.0
	for i := range c.Pairs {
		for _, phase := range c.Pairs[i].Phases {
			for _, r := range phase.Rates {
				if r.Base != nil {
					top = max(top, *r.Base, *r.New)
				}
			}
		}
	}
	return scaleFor(top)
}

// whole is the rate that a phase is known by: that of all disks together, or of the only one.
func whole(rates []compare.Rate) *compare.Rate {
	for i := range rates {
		if rates[i].Disk == "" {
			return &rates[i]
		}
	}
	for i := range rates {
		if rates[i].Measure == compare.Window {
			return &rates[i]
		}
	}
	return nil
}

// phases are the names of all phases compared, in order.
func (c comparison) phases() []string {
	var names []string
	for i := range c.Pairs {
		for _, phase := range c.Pairs[i].Phases {
			if !slices.Contains(names, phase.Phase) && len(phase.Rates) > 0 {
				names = append(names, phase.Phase)
			}
		}
	}
	return names
}

// find is the phase's rate in a pair, nil where it has none.
func (c comparison) find(pair int, phase string) *compare.Rate {
	for i := range c.Pairs[pair].Phases {
		if p := &c.Pairs[pair].Phases[i]; p.Phase == phase {
			if r := whole(p.Rates); r != nil && r.Base != nil {
				return r
			}
		}
	}
	return nil
}

// mostColumns is how many phases stand side by side.
const mostColumns = 12

// overview is a line per run and a column per phase: its rate, and how far that is from the base's.
func (c comparison) overview() *Table {
	names := c.phases()
	t := &Table{Title: "Runs and phases", Note: "All disks together (or the only one) in " + c.scale.Unit + ", in the overlap, and the change against the base. Bold: more than chance.", Columns: []Column{{Head: "Run"}}}
	for _, name := range names[:min(len(names), mostColumns)] {
		t.Columns = append(t.Columns, Column{Head: name, Numbers: true})
	}
	for i := range c.keys {
		row := []Cell{{Disk: &c.keys[i]}}
		for _, name := range names[:min(len(names), mostColumns)] {
			row = append(row, c.cell(i, name))
		}
		t.Rows = append(t.Rows, row)
	}
	if n := len(names) - mostColumns; n > 0 {
		t.Note += " " + plural(n, "more phase") + " below."
	}
	return t
}

// cell is a run's rate in a phase; the first run is the base.
func (c comparison) cell(run int, phase string) Cell {
	if run > 0 {
		if r := c.find(run-1, phase); r != nil {
			return Cell{Text: c.scale.Number(*r.New), Small: Change(*r.Change), Strong: told(r)}
		}
		return Cell{Text: none}
	}
	for pair := range c.Pairs {
		if r := c.find(pair, phase); r != nil {
			return Cell{Text: c.scale.Number(*r.Base)}
		}
	}
	return Cell{Text: none}
}

func told(r *compare.Rate) bool { return r.Verdict == compare.Faster || r.Verdict == compare.Slower }

// figure is a point for each run's change in each phase, with its interval, a row per run.
func (c comparison) figure() *Figure {
	f := &Figure{
		ID: "changes", Title: "Change against the base", Keys: c.keys[1:],
		Text: "Marks: each phase's rate, all disks together; lines: 95 % confidence intervals. The dashed line is no change.",
	}
	reach := 0.05
	var marks []Mark
	for i := range c.Pairs {
		points := Mark{Shape: Point, Key: i, Name: "change"}
		bars := Mark{Shape: Segment, Style: Line, Key: i, Name: interval}
		names := c.phases()
		for k, name := range names {
			r := c.find(i, name)
			if r == nil {
				continue
			}
			y := Round(float64(i)+0.6*((float64(k)+0.5)/float64(len(names))-0.5), 4)
			reach = max(reach, math.Abs(*r.Change))
			points.Rows = append(points.Rows, []float64{Round(*r.Change, 4), y})
			if r.CI95 != nil {
				reach = max(reach, -r.CI95[0], r.CI95[1])
				bars.Rows = append(bars.Rows, []float64{Round(r.CI95[0], 4), Round(r.CI95[1], 4), y, y})
			}
		}
		marks = append(marks, bars, points)
	}
	_, reach = round125(0.01, reach)
	f.X = Axis{Name: "change of each phase's rate", Unit: Percent, Min: -reach, Max: reach}
	marks = append(marks, Mark{Shape: Rule, Style: Dashed, Key: None, Rows: [][]float64{{0}}})
	f.Panels = []Panel{rows(len(f.Keys), marks)}
	return f
}

// pair adds a run's differences to the document.
func (c comparison) pair(doc *Document, i int) {
	pair := &c.Pairs[i]
	part := &Details{ID: phaseID(i), Title: c.keys[i+1].Label, Does: "beside " + c.keys[0].Label, Phase: true}
	doc.Add(part)
	var method []string
	for _, d := range pair.Method {
		what := d.What
		if d.Where != "" {
			what += ", " + d.Where
		}
		method = append(method, what+": "+d.Base+" → "+d.New)
	}
	addList(part, "Not alike (a fair comparison differs in the one thing it is about)", method)
	t := &Table{Title: "Rates", Note: "In " + c.scale.Unit + ".", Columns: []Column{
		{Head: "Phase"}, {Head: "Disk"}, {Head: "Rate"}, {Head: "Base", Numbers: true}, {Head: "New", Numbers: true}, {Head: "Change", Numbers: true},
		{Head: "95 % interval", Numbers: true, Drop: 1}, {Head: "p (Holm)", Numbers: true, Drop: 2}, {Head: "Verdict"},
	}}
	var notes []string
	for k := range pair.Phases {
		phase := &pair.Phases[k]
		for j := range phase.Rates {
			name := ""
			if j == 0 {
				name = phase.Phase
			}
			t.Rows = append(t.Rows, append([]Cell{{Text: name}}, c.row(&phase.Rates[j])...))
		}
		for _, line := range append(recoveries(phase), doubts(phase)...) {
			notes = append(notes, phase.Phase+": "+line)
		}
	}
	if len(t.Rows) > 0 {
		part.Add(t)
	}
	for _, list := range []struct {
		phases []string
		where  string
	}{{pair.OnlyBase, "only in the base"}, {pair.OnlyHere, "not in the base"}} {
		if len(list.phases) > 0 {
			notes = append(notes, list.where+": "+strings.Join(list.phases, ", "))
		}
	}
	addList(part, "", notes)
	addList(part, "Findings that appeared", findingTexts(pair.Appeared))
	addList(part, "Findings that are gone", findingTexts(pair.Went))
	if n := len(pair.Unsure); n > 0 {
		part.Add(Sentence{Text: plural(n, "more finding") + " of one run alone, without a significant change of the rates behind."})
	}
}

// row is a rate's line: the disk, which of its rates, the two rates, the change, its interval, its chance, the verdict.
func (c comparison) row(r *compare.Rate) []Cell {
	cells := []Cell{{Text: rateOf(r)}, {Text: measure(r)}, {}, {}, {}, {}, {}, {Text: verdict(r), Strong: told(r)}}
	if r.Base != nil {
		cells[2].Text, cells[3].Text = c.scale.Number(*r.Base), c.scale.Number(*r.New)
		cells[4] = Cell{Text: Change(*r.Change), Strong: told(r)}
	}
	if r.CI95 != nil {
		cells[5].Text = strings.TrimSuffix(Change(r.CI95[0]), " %") + " to " + Change(r.CI95[1])
	}
	if r.Corrected != nil {
		cells[6].Text = chance(*r.Corrected)
	}
	return cells
}

// RateDisk is the disk a rate is of.
func RateDisk(r *compare.Rate) string {
	if r.Disk == "" {
		return "together"
	}
	return r.Disk
}

// rateOf says what a rate is of: "A writes".
func rateOf(r *compare.Rate) string {
	switch r.Op {
	case trace.Read, trace.Write:
		return RateDisk(r) + " " + string(r.Op) + "s"
	default:
		return RateDisk(r)
	}
}

func measure(r *compare.Rate) string {
	if r.Span != nil {
		return fmt.Sprintf("%.0f to %.0f s", r.Span[0], r.Span[1])
	}
	return pick(r.Measure == compare.File, "typical file", "overlap mean")
}

// Change writes a change with its sign: "-5.0 %", "+250 %".
func Change(change float64) string {
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

// verdict is a rate's; against a limit, what the data say of a larger fall.
func verdict(r *compare.Rate) string {
	switch {
	case r.Outcome == compare.CannotTell:
		return "cannot tell"
	case r.Outcome == compare.DidNotFall && r.Verdict == compare.Slower:
		return "slower, by less"
	case r.Outcome == compare.DidNotFall && r.Verdict == compare.NotShown:
		return "did not fall"
	case r.Verdict == compare.NotShown:
		return "not significant"
	case r.Verdict == compare.TooLittle:
		return "too little data"
	default:
		return string(r.Verdict)
	}
}

// Summary says a pair in one sentence.
func Summary(p *compare.Pair) string {
	n := map[compare.Verdict]int{}
	all := 0
	for _, phase := range p.Phases {
		for _, r := range phase.Rates {
			n[r.Verdict]++
			all++
		}
	}
	if all == 0 {
		return "There are no rates to compare."
	}
	if n[compare.NotShown] == all {
		return fmt.Sprintf("No significant difference in %s.", plural(all, "rate")) + excluded(p)
	}
	var parts []string
	for _, part := range []struct {
		verdict compare.Verdict
		words   string
	}{{compare.Slower, "fell"}, {compare.Faster, "rose"}, {compare.NotShown, "show no significant difference"}, {compare.TooLittle, "cannot be judged"}} {
		if n[part.verdict] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n[part.verdict], part.words))
		}
	}
	return fmt.Sprintf("Of %s, %s.", plural(all, "rate"), strings.Join(parts, ", ")) + excluded(p)
}

// excluded says which fall the rates without a significant difference exclude.
//
// A bound above worthSaying says no more than that the runs are noisy.
func excluded(p *compare.Pair) string {
	const worthSaying = 0.2
	most := 0.0
	for _, phase := range p.Phases {
		for i := range phase.Rates {
			if r := &phase.Rates[i]; r.Verdict == compare.NotShown && r.ExcludedFall != nil {
				most = max(most, *r.ExcludedFall)
			}
		}
	}
	if most == 0 || most > worthSaying {
		return ""
	}
	return fmt.Sprintf(" No rate without a significant difference fell by more than %s.", strings.TrimPrefix(Change(most), "+"))
}

// doubts say why rates have no verdict, each reason once, or why a phase has no rates.
func doubts(p *compare.Phase) []string {
	if p.Reason != "" {
		return []string{"not compared: " + p.Reason}
	}
	var reasons []string
	rates := map[string][]string{}
	for i := range p.Rates {
		r := &p.Rates[i]
		if r.Reason == "" {
			continue
		}
		if rates[r.Reason] == nil {
			reasons = append(reasons, r.Reason)
		}
		rates[r.Reason] = append(rates[r.Reason], rateOf(r)+" ("+measure(r)+")")
	}
	for i, reason := range reasons {
		reasons[i] = strings.Join(rates[reason], ", ") + ": " + reason
	}
	return reasons
}

// recoveries say how long each recovery took that was seen in either run.
func recoveries(p *compare.Phase) []string {
	lag := func(seconds *float64) string {
		if seconds == nil {
			return "not seen"
		}
		return lagText(*seconds)
	}
	var lines []string
	for _, r := range p.Recoveries {
		if r.LagS != nil || r.BaseLagS != nil {
			lines = append(lines, fmt.Sprintf("recovery of %s after %s: %s → %s", r.Disk, r.After, lag(r.BaseLagS), lag(r.LagS)))
		}
	}
	return lines
}

func findingTexts(findings []analysis.Finding) []string {
	texts := make([]string, len(findings))
	for i, f := range findings {
		texts[i] = f.Text
	}
	return texts
}
