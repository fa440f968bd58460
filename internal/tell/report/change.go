package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/hubbench/hubbench/internal/tell/say"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/compare"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// Change writes a change with its sign: "-5.0 %", "+250 %".
func Change(change float64) string {
	if math.Abs(change) < 0.0005 {
		return "0.0 %"
	}
	return pick(change > 0, "+", "") + strconv.FormatFloat(100*change, 'f', pick(change >= 0.9995, 0, 1), 64) + " %"
}

// span writes the interval of a change; empty if there is none.
func span(v *analysis.Interval) string {
	if v == nil {
		return ""
	}
	return strings.TrimSuffix(Change(v[0]), " %") + " to " + Change(v[1])
}

func chance(p float64) string {
	switch {
	case p < 0.001:
		return "< 0.001"
	case p > 0.995:
		return "1"
	}
	return strconv.FormatFloat(p, 'f', 2+int(math.Max(0, math.Ceil(-math.Log10(p)-1))), 64)
}

// pair adds the details of a run: what was measured differently, all its rates and latencies, and what to know about them.
func (c comparison) pair(doc *Document, i int) {
	pair := &c.Pairs[i]
	part := &Details{ID: phaseID(i), Title: c.keys[i+1].Label, Does: "compared with " + c.keys[0].Label, Phase: true}
	doc.Add(part)
	if len(c.Pairs) > 1 {
		part.Add(Sentence{Text: c.outcome(pair, &c.answers[i]), Lead: true})
		addList(part, "", c.others(pair, &c.answers[i]))
		part.Add(blocks(c.figure(i))...)
	}
	var method, notes []string
	for _, d := range pair.Method {
		what := d.What
		if d.Where != "" {
			what += ", " + d.Where
		}
		method = append(method, what+": "+d.Base+" → "+d.New)
	}
	addList(part, "Searches", searchAnswers(pair))
	addList(part, "Measured differently", method)
	rates, latencies := newChangeTable("Rates", "Rate"), newChangeTable("Request latency", "Latency")
	rates.Note = "In " + c.scale.Unit + "."
	for k := range pair.Phases {
		phase := &pair.Phases[k]
		for j := range phase.Rates {
			r := &phase.Rates[j]
			row := changeRow(pick(j == 0, phase.Title, ""), rateOf(r), measure(r), r)
			if r.Base != nil {
				row[3].Text, row[4].Text = c.scale.Number(*r.Base), c.scale.Number(*r.New)
			}
			rates.Rows = append(rates.Rows, row)
		}
		for j := range phase.Latencies {
			l := &phase.Latencies[j]
			row := changeRow(pick(j == 0, phase.Title, ""), fmt.Sprintf("%s %ss", l.Disk, l.Op), string(l.Quantile),
				&compare.Rate{Test: l.Test})
			if l.BaseNS != nil {
				row[3].Text, row[4].Text = timeText(l.BaseNS), timeText(l.NewNS)
			}
			latencies.Rows = append(latencies.Rows, row)
		}
		for _, line := range slices.Concat(recoveries(phase), doubts(phase)) {
			notes = append(notes, phase.Title+": "+line)
		}
	}
	part.Add(blocks(rates, latencies)...)
	for i, phases := range [][]string{pair.OnlyBase, pair.OnlyHere} {
		var titles []string
		for _, name := range phases {
			titles = append(titles, pair.Title(name))
		}
		if titles != nil {
			notes = append(notes, pick(i == 0, "only in the base: ", "not in the base: ")+strings.Join(titles, "; "))
		}
	}
	addList(part, "", notes)
	addList(part, "New findings", findingTexts(pair.Appeared))
	addList(part, "Findings no longer seen", findingTexts(pair.Went))
	if n := len(pair.Unsure); n > 0 {
		part.Add(Sentence{Text: unit.Plural(n, "more finding") + " in one of the two runs only; the rates behind them did not change significantly."})
	}
}

func newChangeTable(title, what string) *Table {
	return &Table{Title: title, Columns: []Column{
		{Head: "Phase"}, {Head: "Disk"}, {Head: what}, {Head: "Base", Numbers: true}, {Head: "New", Numbers: true}, {Head: "Change", Numbers: true},
		{Head: "Interval", Numbers: true, Drop: 1}, {Head: "p (Holm)", Numbers: true, Drop: 2}, {Head: "Verdict"},
	}}
}

// changeRow is the line of a rate, or of a latency: the change, its interval, its chance and the verdict after what it is of.
func changeRow(phase, disk, what string, r *compare.Rate) []Cell {
	strong := r.Verdict != compare.NotShown && r.Verdict != compare.TooLittle
	cells := []Cell{{Text: phase}, {Text: disk}, {Text: what}, {}, {}, {}, {Text: span(r.Interval)}, {}, {Text: verdict(r), Strong: strong}}
	if r.Change != nil {
		cells[5] = Cell{Text: Change(*r.Change), Strong: strong}
	}
	if r.Corrected != nil {
		cells[7].Text = chance(*r.Corrected)
	}
	return cells
}

// verdict is a rate's; if there is a limit, what the data say of a larger fall.
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
	}
	return string(r.Verdict)
}

// rateOf says what a rate is of: "A writes".
func rateOf(r *compare.Rate) string {
	switch {
	case r.Disk == "":
		return "together"
	case r.Op == trace.Read || r.Op == trace.Write:
		return r.Disk + " " + string(r.Op) + "s"
	}
	return r.Disk
}

func measure(r *compare.Rate) string {
	if r.Span != nil {
		return fmt.Sprintf("%.0f to %.0f s", r.Span[0], r.Span[1])
	}
	return pick(r.Measure == compare.File, "typical file", "overlap mean")
}

// doubts say why rates and latencies have no verdict, each reason once, or why a phase has no rates.
func doubts(p *compare.Phase) []string {
	var lines []string
	if p.NewPhase != "" {
		lines = append(lines, "called "+p.NewPhase+" in the new run; the work is the same")
	}
	for _, d := range p.Unlike {
		lines = append(lines, fmt.Sprintf("%s is not compared because its work differs: %s %s → %s", d.Where, d.What, d.Base, d.New))
	}
	if p.Reason != "" {
		return append(lines, "not compared: "+p.Reason)
	}
	var reasons []string
	of := map[string][]string{}
	add := func(reason, what string) {
		if reason != "" && of[reason] == nil {
			reasons = append(reasons, reason)
		}
		of[reason] = append(of[reason], what)
	}
	for i := range p.Rates {
		add(p.Rates[i].Reason, rateOf(&p.Rates[i])+" ("+measure(&p.Rates[i])+")")
	}
	for i := range p.Latencies {
		add(p.Latencies[i].Reason, string(p.Latencies[i].Quantile)+" of "+p.Latencies[i].Disk)
	}
	for _, reason := range reasons {
		lines = append(lines, strings.Join(of[reason], ", ")+": "+reason)
	}
	return lines
}

// recoveries say how long each recovery took that was seen in either run.
func recoveries(p *compare.Phase) []string {
	var lines []string
	for _, r := range p.Recoveries {
		took := [2]string{"not seen", "not seen"}
		for i, lag := range []*float64{r.BaseLagS, r.LagS} {
			if lag != nil {
				took[i] = say.Seconds(*lag)
			}
		}
		if r.LagS != nil || r.BaseLagS != nil {
			lines = append(lines, fmt.Sprintf("recovery of %s after %s: %s → %s", r.Disk, r.After, took[0], took[1]))
		}
	}
	return lines
}

func findingTexts(findings []analysis.Finding) (texts []string) {
	for _, f := range findings {
		texts = append(texts, f.Text)
	}
	return texts
}

// Gate says what became of a comparison's gate.
func Gate(g *compare.Gate) string {
	if g.Outcome == compare.CannotJudge {
		return "not measured: no rate could be judged"
	}
	text := fmt.Sprintf("%s: %d of %s (typical files included) fell %s", pick(g.Outcome == compare.Passed, "passed", "failed"), g.Fell, unit.Plural(g.Rates, "rate"),
		pick(g.Limit > 0, "by more", "significantly"))
	if g.Limit > 0 && g.CannotTell > 0 {
		text += fmt.Sprintf(", %d cannot be told", g.CannotTell)
	}
	if doubtful := len(g.Crossed) - g.Fell; doubtful > 0 {
		text += fmt.Sprintf(" (%d of them measured a larger fall)", doubtful)
	}
	if len(g.Crossed) > 0 {
		worst := slices.MinFunc(g.Crossed, func(a, b compare.Fall) int { return cmp.Compare(*a.Change, *b.Change) })
		text += fmt.Sprintf("; %s in %s of %s by %s", rateOf(&worst.Rate), worst.Phase, worst.Run, strings.TrimPrefix(Change(-*worst.Change), "+"))
	}
	if n := len(g.Lost); n > 0 {
		text += fmt.Sprintf("; %s not measured", unit.Plural(n, "part"))
	}
	return text
}
