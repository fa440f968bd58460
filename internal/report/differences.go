package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/compare"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// pair adds a run's differences to the document.
func (c comparison) pair(doc *Document, i int) {
	pair := &c.Pairs[i]
	part := &Details{ID: phaseID(i), Title: c.keys[i+1].Label, Does: "compared with " + c.keys[0].Label, Phase: true}
	doc.Add(part)
	var method []string
	for _, d := range pair.Method {
		what := d.What
		if d.Where != "" {
			what += ", " + d.Where
		}
		method = append(method, what+": "+d.Base+" → "+d.New)
	}
	addList(part, "Searches", searchAnswers(pair))
	addList(part, "Measured differently (in a fair comparison only what it is about differs)", method)
	t := &Table{Title: "Rates", Note: "In " + c.scale.Unit + ".", Columns: []Column{
		{Head: "Phase"}, {Head: "Disk"}, {Head: "Rate"}, {Head: "Base", Numbers: true}, {Head: "New", Numbers: true}, {Head: "Change", Numbers: true},
		{Head: "Interval", Numbers: true, Drop: 1}, {Head: "p (Holm)", Numbers: true, Drop: 2}, {Head: "Verdict"},
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
		for _, line := range slices.Concat(recoveries(phase), doubts(phase), latencyDoubts(phase)) {
			notes = append(notes, phase.Phase+": "+line)
		}
	}
	if len(t.Rows) > 0 {
		part.Add(t)
	}
	if l := latencyChanges(pair); l != nil {
		part.Add(l)
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
	addList(part, "New findings", findingTexts(pair.Appeared))
	addList(part, "Findings no longer seen", findingTexts(pair.Went))
	if n := len(pair.Unsure); n > 0 {
		part.Add(Sentence{Text: unit.Plural(n, "more finding") + " in one of the two runs only; the rates behind show no significant change."})
	}
}

// row is a rate's line: the disk, which of its rates, the two rates, the change, its interval, its chance, the verdict.
func (c comparison) row(r *compare.Rate) []Cell {
	cells := []Cell{{Text: rateOf(r)}, {Text: measure(r)}, {}, {}, {}, {}, {}, {Text: verdict(r), Strong: told(r)}}
	if r.Base != nil {
		cells[2].Text, cells[3].Text = c.scale.Number(*r.Base), c.scale.Number(*r.New)
		cells[4] = Cell{Text: Change(*r.Change), Strong: told(r)}
	}
	if r.Interval != nil {
		cells[5].Text = strings.TrimSuffix(Change(r.Interval[0]), " %") + " to " + Change(r.Interval[1])
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

// doubts say why rates have no verdict, each reason once, or why a phase has no rates.
func doubts(p *compare.Phase) []string {
	var unlike []string
	if p.NewPhase != "" {
		unlike = append(unlike, "called "+p.NewPhase+" in the new run: it is of the same work")
	}
	for _, d := range p.Unlike {
		unlike = append(unlike, fmt.Sprintf("%s is not compared, for its work differs: %s %s → %s", d.Where, d.What, d.Base, d.New))
	}
	if p.Reason != "" {
		return append(unlike, "not compared: "+p.Reason)
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
	return append(unlike, reasons...)
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
