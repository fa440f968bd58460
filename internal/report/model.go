package report

import (
	"fmt"

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
	doc.Add(Sentence{Text: fmt.Sprintf("Model error: %.2f times what the measurements vary by (near 1 when the model holds).", fitted.Misfit), Lead: true})
	t := &Table{Title: "Parameters", Columns: []Column{{Head: "Parameter"}, {Head: "Value", Numbers: true}, {Head: "95 % confidence interval", Drop: 1}, {Head: "Note", Drop: 2}}}
	for _, p := range fitted.Parameters {
		between := ""
		if p.High > p.Low {
			between = quantity(p.Low, p.Unit) + " to " + quantity(p.High, p.Unit)
		}
		t.Rows = append(t.Rows, []Cell{{Text: p.Name}, {Text: quantity(p.Value, p.Unit)}, {Text: between}, {Text: p.Note}})
	}
	doc.Add(t, residuals("Measured and modelled", fitted.Residuals))
	if profile != "" {
		doc.Add(Sentence{Text: "profile: " + profile})
	}
	return doc
}

// OfCheck says how well a fit without each phase predicts it.
func OfCheck(held []fit.Held, name string) *Document {
	doc := &Document{Kind: "check", Title: "Hub " + name + ", refitted without each phase", Data: held}
	for _, h := range held {
		doc.Add(Heading{"Without " + h.Phase}, Sentence{Text: fmt.Sprintf("Off by %.1f %% at most.", 100*h.Worst)})
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

// quantity writes a parameter's value in its unit.
func quantity(v float64, in string) string {
	switch in {
	case "B/s":
		return unit.FormatRate(v)
	case "s":
		return unit.FormatSeconds(v)
	default:
		return fmt.Sprintf("%.3g", v)
	}
}

// OfPrediction says what a hub does with some disks in every combination, how best to plug them in, and what to measure
// next.
func OfPrediction(p *fit.Prediction, profile string) *Document {
	doc := &Document{Kind: "prediction", Title: "Hub " + profile, Unit: "GB/s", Keys: newKeys(p.Disks), Data: p}
	var advice []string
	for i := range p.Placements {
		advice = append(advice, p.Placements[i].String())
	}
	t := &Table{Title: "Every combination", Columns: []Column{{Head: "GB/s"}}, Note: "Predicted from the model, not measured, unless marked. ±: half the 95 % confidence interval. Least kept: what the disk that loses most keeps of its rate alone on the hub."}
	for i := range doc.Keys {
		t.Columns = append(t.Columns, Column{Head: doc.Keys[i].Label, Disk: &doc.Keys[i], Numbers: true})
	}
	t.Columns = append(t.Columns, Column{Head: "Together", Numbers: true}, Column{Head: "Least kept", Numbers: true}, Column{Head: "Measured", Drop: 1})
	f := &Figure{ID: "combinations", Title: "Predicted rates", Text: "Each disk's rate in every combination in which all of them work.", Keys: doc.Keys}
	top := 0.0
	var marks []Mark
	for _, row := range p.Rows {
		cells := []Cell{{Text: row.Pattern}}
		for _, e := range row.Rates {
			cells = append(cells, Cell{Text: estimate(e)})
			top = max(top, e.High/1e9, e.Rate/1e9)
		}
		cells = append(cells, Cell{Text: estimate(row.Total), Strong: true}, Cell{Text: percent(row.Kept), Heat: &row.Kept}, Cell{Text: pick(row.Measured, "measured", "")})
		t.Rows = append(t.Rows, cells)
	}
	for i := range p.Disks {
		m := Mark{Shape: Point, Key: i, Name: "predicted"}
		for _, row := range p.Rows {
			if e := row.Rates[i]; e.Rate > 0 {
				m.Rows = append(m.Rows, []float64{Round(e.Rate/1e9, 4), float64(i)})
			}
		}
		marks = append(marks, m)
	}
	f.X = Axis{Name: "rate, GB/s", Max: 1.1 * max(top, 1e-9)}
	f.Text = "Each mark is a disk's rate in one combination."
	f.Panels = []Panel{rows(len(doc.Keys), marks)}
	addList(doc, "How to plug them in", advice)
	doc.Add(t, f)
	if p.Next != nil {
		doc.Add(Sentence{Text: p.Next.String()})
	}
	return doc
}

// estimate is a rate in GB/s with half its interval; idle disks have none.
func estimate(e fit.Estimate) string {
	switch {
	case e.Rate == 0:
		return none
	case e.High > e.Low:
		return fmt.Sprintf("%.2f ±%.2f", e.Rate/1e9, (e.High-e.Low)/2e9)
	default:
		return fmt.Sprintf("%.2f", e.Rate/1e9)
	}
}
