package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/internal/tell/cells"
	"github.com/hubbench/hubbench/pkg/model"
	"github.com/hubbench/hubbench/pkg/unit"
)

// maxFit is the model error up to which the model is said to fit: its misses are then hardly more
// than what equal phases differ by.
const maxFit = 1.5

// maxMisses is how many speeds the picture of a fit has.
const maxMisses = 8

// OfFit says whether a hub model explains some runs, how far it is off, and what it says of the hub.
// The profile is the file that it was written to; empty for none.
func OfFit(fitted *model.FitResult, name, profile string) *Document {
	doc := &Document{Kind: "fit", Title: "Hub " + name, Data: fitted}
	t := table("Parameters", words("Parameter"), numbers("Value"),
		words("95% confidence interval", "Note")).dropFirst("Note", "95% confidence interval")
	p := &Page{Hero: misses(fitted.Residuals), Sub: asSentence(fitted.Refused)}
	doc.Page = p
	carries := map[string]string{"capacity.read": "of reads are what the hub carries",
		"capacity.write": "of writes are what the hub carries",
		"capacity.both":  "of both at the same time"}
	for _, known := range fitted.Parameters {
		interval := known.Interval()
		t.add(known.Name, known.Format(known.Value), cmp.Or(interval, "not known; assumed"),
			known.Note)
		if text := carries[known.Name]; text != "" && interval != "" {
			p.Numbers = append(p.Numbers, Number{Value: known.Format(known.Value), Text: text})
		}
	}
	var worst float64
	for _, r := range fitted.Residuals {
		worst = max(worst, math.Abs(r.Off))
	}
	off := unsigned(worst)
	if fitted.ModelError <= maxFit {
		p.Headline = "The model fits: no speed is off by more than " + off
		p.Sub = cmp.Or(p.Sub, "It can predict loads that were never measured on this hub.")
	} else {
		p.Headline = "The model does not fit: speeds are off by up to " + off
		p.Sub = cmp.Or(p.Sub, "The hub does something that the model doesn't know.")
	}
	if profile != "" {
		p.Kicker = []string{"profile: " + profile}
		p.Actions = []Action{{Title: "Predict a load",
			Detail:  "Any combination of these disks, in a second.",
			Command: "hubbench predict " + cells.Shell(profile)}}
	}
	all := residualTable("Measured and modelled", fitted.Residuals)
	sure := &Details{Title: "How sure is this?", Printed: true, Blocks: warnings(fitted.Warnings)}
	sure.Add(Sentence{Text: fmt.Sprintf("Model error: %.2f times the spread of the measurements "+
		"(near 1 if the model holds).", fitted.ModelError)})
	doc.Add(&Details{Title: "All " + unit.Plural(len(all.Rows), "speed") + ", measured and modelled",
		Printed: true, Blocks: []Block{all}},
		&Details{Title: "All " + unit.Plural(len(t.Rows), "parameter"), Printed: true,
			Blocks: []Block{t}}, sure)
	return doc
}

// misses are the speeds that the model misses most.
func misses(residuals []model.Residual) Hero {
	list := slices.SortedStableFunc(slices.Values(residuals), func(x, y model.Residual) int {
		return cmp.Compare(math.Abs(y.Off), math.Abs(x.Off))
	})
	if list == nil {
		return nil
	}
	h := &Rows{Head: "Furthest off", Columns: numbers("off by", "measured", "model")}
	h.Columns[1].Drop, h.Columns[2].Drop = 2, 1
	if more := len(list) - maxMisses; more > 0 {
		list = list[:maxMisses]
		h.Note = fmt.Sprintf("%d more are closer.", more)
	}
	reach := max(minReach, math.Abs(list[0].Off)) * (1 + axisMargin)
	h.Axis = Ruler{Low: -reach, High: reach}
	for _, at := range Steps(-reach, reach, axisTicks) {
		h.Axis.Ticks = append(h.Axis.Ticks, RulerTick{At: at, Strong: at == 0,
			Text: pick(at == 0, "model", strings.Replace(Change(at), ".0", "", 1))})
	}
	for _, r := range list {
		h.Rows = append(h.Rows, Row{Label: r.Mix + ": " + r.Disk, Value: &r.Off, Numbers: []Cell{
			{Text: Change(r.Off), Strong: true}, {Text: unit.FormatRate(r.Rate)},
			{Text: unit.FormatRate(r.Model)}}})
	}
	return h
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
	page := &Page{Sub: asSentence(p.Refused), Marks: []string{"by the model"},
		Headline: "How best to plug them in is not predictable from these runs"}
	doc.Page = page
	for i, placement := range p.Placements {
		text := unit.Capital(placement.String())
		switch i {
		case 0:
			page.Headline = text
		case len(p.Placements) - 1: // shares least
			page.Actions = []Action{{Title: text}}
		default:
			page.Sub = joined(" ", page.Sub, text+".")
		}
	}
	if p.Next != nil {
		page.Sub = joined(" ", page.Sub, "To be surer, "+p.Next.String()+".")
	}
	t := combinationTable(doc.Keys, p, every)
	doc.Add(&Details{Title: "What the disks get", Open: true, Lead: true, Printed: true,
		Blocks: []Block{t}})
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
