package report

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/hubbench/hubbench/pkg/fit"
	"github.com/hubbench/hubbench/pkg/unit"
)

// OfFit says what hub explains some runs best, how well each of its figures is known, and how far each phase lies from
// it. The profile is the file that it was written to; empty for none.
func OfFit(fitted *fit.Result, name, profile string) *Document {
	doc := &Document{Kind: "fit", Title: "Hub " + name, Data: fitted}
	for _, text := range fitted.Warnings {
		doc.Add(Warning{text})
	}
	doc.Answer = &Answer{Headline: fmt.Sprintf("Model error: %.2f times the spread of the measurements (near 1 if the model holds).", fitted.ModelError)}
	if profile != "" {
		doc.Answer.Sure = "profile: " + profile
	}
	t := &Table{Title: "Parameters", Columns: []Column{{Head: "Parameter"}, {Head: "Value", Numbers: true}, {Head: "95 % confidence interval", Drop: 1}, {Head: "Note", Drop: 2}}}
	for _, p := range fitted.Parameters {
		t.Rows = append(t.Rows, []Cell{{Text: p.Name}, {Text: p.Format(p.Value)}, {Text: cmp.Or(p.Interval(), "not known; assumed")}, {Text: p.Note}})
	}
	doc.show(t, screenful, fmt.Sprintf("%d of %d parameters.", screenful, len(t.Rows)))
	doc.Add(residuals("Measured and modelled", fitted.Residuals), sharing(fitted.Families))
	return doc
}

// OfCheck says how well a fit without each phase predicts it.
func OfCheck(held []fit.Held, name string) *Document {
	doc := &Document{Kind: "check", Title: "Hub " + name + ", refitted without each phase", Data: held}
	for _, h := range held {
		doc.Add(Heading{Text: "Without " + h.Phase}, Sentence{Text: fmt.Sprintf("Off by %.1f %% at most.", 100*h.Worst)})
		if h.Note != "" {
			doc.Add(Warning{h.Note})
		}
		doc.Add(residuals("Measured and predicted without "+h.Phase, h.Residuals))
	}
	return doc
}

func residuals(title string, list []fit.Residual) *Table {
	t := &Table{Title: title, Columns: []Column{
		{Head: "Phase"}, {Head: "Who does what", Drop: 1}, {Head: "Disk"}, {Head: "Measured", Numbers: true}, {Head: "Model", Numbers: true}, {Head: "Off", Numbers: true},
	}}
	for i := range list {
		r := &list[i]
		t.Rows = append(t.Rows, []Cell{
			{Text: r.Phase}, {Text: r.Mix}, {Text: r.Observed.Disk}, {Text: unit.FormatRate(r.Observed.Rate)}, {Text: unit.FormatRate(r.Model)}, {Text: fmt.Sprintf("%+.1f %%", 100*r.Off())},
		})
	}
	return t
}

// sharing says in which ways a hub may share.
func sharing(families []fit.Weight) *Table {
	t := &Table{
		Title:   "Ways of sharing",
		Columns: []Column{{Head: "Way"}, {Head: "Weight", Numbers: true}, {Head: "Off", Numbers: true}},
		Note:    "Weight: how much it counts, by its predictions of combinations left out of the fit. Off: how far those are off beyond what their errors allow.",
	}
	for _, f := range families {
		t.Rows = append(t.Rows, []Cell{{Text: f.Family.String()}, {Text: percent(f.Weight)}, {Text: fmt.Sprintf("%.1f %%", 100*f.Error)}})
	}
	return t
}

// OfPrediction says how best to plug some disks in, what to measure next, and what a hub does with them: in every
// combination, or in those to look at first.
func OfPrediction(p *fit.Prediction, profile string, every bool) *Document {
	doc := &Document{Kind: "prediction", Title: "Hub " + profile, Unit: "GB/s", Keys: newKeys(p.Disks), Data: p}
	doc.Answer = &Answer{Headline: "How best to plug them in is not predictable from these runs."}
	for i := range p.Placements {
		text := p.Placements[i].String()
		if text = unit.Capital(text) + "."; i == 0 {
			doc.Answer.Headline = text
		} else {
			doc.Answer.Advice = append(doc.Answer.Advice, text)
		}
	}
	if p.Next != nil {
		doc.Answer.Sure = "To be surer, " + p.Next.String() + "."
	}
	t := combinations(doc, p, every)
	doc.show(t, 5, t.Note)
	for _, text := range p.Notes {
		doc.Add(Warning{text})
	}
	addList(doc, "Not predictable from these runs", refused(p))
	if len(p.Families) > 0 {
		doc.Add(sharing(p.Families))
	}
	return doc
}

// show makes the table's first rows the answer's, and puts all of it into the document if there are more.
func (d *Document) show(t *Table, rows int, note string) {
	first := *t
	if first.ID = "answer"; len(t.Rows) > rows {
		first.Rows, first.Note = t.Rows[:rows], note
		d.Add(t)
	}
	d.Answer.Table = &first
}

// combinations is a row for each of them.
func combinations(doc *Document, p *fit.Prediction, every bool) *Table {
	t := &Table{Title: "Every combination", Columns: []Column{{Head: "GB/s"}}, Note: "Predicted by the model; measured: the runs have it. ±: half the 95 % interval. ?: not predictable. Least kept: of its rate alone, by the disk that loses most."}
	rows := p.Rows
	if first := p.Top(); !every && len(first) < len(rows) {
		t.Title = "Combinations"
		t.Note = fmt.Sprintf("%d of %d combinations: the worst, all disks together, and what was measured of several; --all lists them all. %s", len(first), len(rows), t.Note)
		rows = first
	}
	for i := range doc.Keys {
		t.Columns = append(t.Columns, Column{Head: doc.Keys[i].Label, Disk: &doc.Keys[i], Numbers: true})
	}
	t.Columns = append(t.Columns, Column{Head: "Together", Numbers: true}, Column{Head: "Least kept", Numbers: true})
	for _, row := range rows {
		cells := []Cell{{Text: fit.Describe(row.Pattern, p.Disks), Small: pick(row.Measured, "measured", "")}}
		for _, e := range row.Rates {
			cells = append(cells, Cell{Text: estimate(e)})
		}
		cells = append(cells, Cell{Text: estimate(row.Total), Strong: true}, Cell{Text: "?"})
		if row.Kept > 0 { // else not known
			cells[len(cells)-1] = Cell{Text: percent(row.Kept), Heat: &row.Kept}
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

// refused says what is not predictable, each reason once.
func refused(p *fit.Prediction) []string {
	where := map[string][]string{}
	var list []string
	for i := range p.Rows {
		for j, e := range p.Rows[i].Rates {
			if e.Refused == "" {
				continue
			}
			if where[e.Refused] == nil {
				list = append(list, e.Refused)
			}
			where[e.Refused] = append(where[e.Refused], p.Disks[j]+" in "+p.Rows[i].Pattern)
		}
	}
	for i, reason := range list {
		places := where[reason]
		if n := len(places); n > 3 {
			places = []string{places[0], fmt.Sprintf("%s and %d more", places[1], n-2)}
		}
		list[i] = strings.Join(places, ", ") + ": " + reason
	}
	return list
}

// estimate is a rate in GB/s with half of its 95 % interval; idle disks have none.
func estimate(e fit.Estimate) string {
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
