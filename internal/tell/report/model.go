package report

import (
	"cmp"
	"fmt"

	"github.com/hubbench/hubbench/pkg/model"
	"github.com/hubbench/hubbench/pkg/unit"
)

// OfFit says what hub explains some runs best, how well each of its figures is known, and how far
// each phase lies from it. The profile is the file that it was written to; empty for none.
func OfFit(fitted *model.FitResult, name, profile string) *Document {
	doc := &Document{Kind: "fit", Title: "Hub " + name, Blocks: warnings(fitted.Warnings),
		Data: fitted}
	t := table("Parameters", words("Parameter"), numbers("Value"),
		words("95% confidence interval", "Note")).dropFirst("Note", "95% confidence interval")
	for _, p := range fitted.Parameters {
		t.add(p.Name, p.Format(p.Value), cmp.Or(p.Interval(), "not known; assumed"), p.Note)
	}
	text := "Model error: %.2f times the spread of the measurements (near 1 if the model holds)"
	doc.Answer = &AnswerView{Headline: fmt.Sprintf(text, fitted.ModelError), Table: t,
		Sentence: asSentence(fitted.Refused)}
	if profile != "" {
		doc.Answer.Sure = "profile: " + profile
	}
	doc.Add(residualTable("Measured and modelled", fitted.Residuals))
	return doc
}

// asSentence makes one of a clause; none of none.
func asSentence(clause string) string {
	if clause == "" {
		return ""
	}
	return unit.Capital(clause) + "."
}

func residualTable(title string, list []model.Residual) *Table {
	t := table(title, words("Phase", "Who does what", "Disk"),
		numbers("Measured", "Model", "Off")).dropFirst("Who does what")
	for _, r := range list {
		t.add(r.Phase, r.Mix, r.Disk,
			unit.FormatRate(r.Rate), unit.FormatRate(r.Model), fmt.Sprintf("%+.1f%%", 100*r.Off))
	}
	return t
}

// OfPrediction says how best to plug some disks in, what to measure next, and what a hub does with
// them: in every combination, or in those to look at first.
func OfPrediction(p *model.Prediction, profile string, every bool) *Document {
	doc := &Document{Kind: "prediction", Title: "Hub " + profile, Keys: newKeys(p.Disks), Data: p}
	doc.Answer = &AnswerView{Headline: "How best to plug them in is not predictable from these " +
		"runs"}
	for i, placement := range p.Placements {
		if i == 0 {
			doc.Answer.Headline = unit.Capital(placement.String())
		} else {
			text := unit.Capital(placement.String()) + "."
			doc.Answer.Actions = append(doc.Answer.Actions, Action{Title: text, Text: text})
		}
	}
	doc.Answer.Sentence = asSentence(p.Refused)
	if p.Next != nil {
		doc.Answer.Sure = "To be surer, " + p.Next.String() + "."
	}
	doc.Answer.Table = combinationTable(doc.Keys, p, every)
	doc.Add(warnings(p.Notes)...)
	doc.Add(List{"Not predictable from these runs", refusals(p)})
	return doc
}

// combinationTable is a row for each of them.
func combinationTable(keys []LegendKey, p *model.Prediction, every bool) *Table {
	t := table("Combinations", words("GB/s"), ofDisks(keys), numbers("Together", "Keeps"))
	t.Note = "Predicted by the model; measured: the runs have it. ±: half the 95% interval. " +
		"?: not predictable. Keeps: what the most slowed disk keeps of its rate alone."
	rows := p.Rows
	if first := p.Top(); !every && len(first) < len(rows) {
		t.Note = fmt.Sprintf("%d of %d combinations: the worst, and all disks "+
			"together; --all lists them all. %s",
			len(first), len(rows), t.Note)
		rows = first
	}
	for _, row := range rows {
		cells := []any{Cell{Text: model.Describe(row.Pattern, p.Disks),
			Small: pick(row.Measured, "measured", "")}}
		for _, e := range row.Rates {
			cells = append(cells, estimateText(e))
		}
		keeps := Cell{Text: "?"}
		if row.Kept > 0 { // else not known
			keeps = Cell{Text: percent(row.Kept), Heat: row.Kept}
		}
		t.add(append(cells, strong(estimateText(row.Total)), keeps)...)
	}
	return t
}

// refusals says why something is not predictable: each reason once, with the first rate that it is
// about.
func refusals(p *model.Prediction) []string {
	var places []string
	known := map[string]bool{}
	for _, row := range p.Rows {
		for i, e := range row.Rates {
			if e.Refused != "" && !known[e.Refused] {
				known[e.Refused] = true
				places = append(places, p.Disks[i]+" in "+row.Pattern+": "+e.Refused)
			}
		}
	}
	return places
}

// estimateText is a rate in GB/s with half of its 95 % interval; idle disks have none.
func estimateText(e model.Estimate) string {
	switch {
	case e.Refused != "":
		return "?"
	case e.Rate == 0:
		return none
	case e.High > e.Low:
		return fmt.Sprintf("%.2f ±%.2f", e.Rate/1e9, (e.High-e.Low)/2e9)
	}
	return fmt.Sprintf("%.2f", e.Rate/1e9)
}
