package report

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/hubbench/hubbench/pkg/advise"
	"github.com/hubbench/hubbench/pkg/fit"
	"github.com/hubbench/hubbench/pkg/say"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// OfFit says what hub explains some runs best, how well each of its figures is known, and how far each phase lies from
// it. The profile is the file that it was written to; empty for none.
func OfFit(fitted *fit.Result, name, profile string) *Document {
	doc := &Document{Kind: "fit", Title: "Hub " + name, Blocks: warnings(fitted.Warnings), Data: fitted}
	text := "Model error: %.2f times the spread of the measurements (near 1 if the model holds)."
	doc.Answer = &Answer{
		Headline: fmt.Sprintf(text, fitted.ModelError), Sure: pick(profile == "", "", "profile: "+profile),
	}
	t := table("Parameters", word("Parameter"), number("Value"), word("95 % confidence interval", 1), word("Note", 2))
	for _, p := range fitted.Parameters {
		t.add(p.Name, p.Format(p.Value), cmp.Or(p.Interval(), "not known; assumed"), p.Note)
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
	t := table(title, word("Phase"), word("Who does what", 1), word("Disk"),
		number("Measured"), number("Model"), number("Off"))
	for _, r := range list {
		t.add(r.Phase, r.Mix, r.Disk,
			unit.FormatRate(r.Rate), unit.FormatRate(r.Model), fmt.Sprintf("%+.1f %%", 100*r.Off))
	}
	return t
}

// sharing says in which ways a hub may share.
func sharing(families []fit.Weight) *Table {
	t := table("Ways of sharing", word("Way"), number("Weight"), number("Off"))
	t.Note = "Weight: how much it counts, by its predictions of combinations left out of the fit. " +
		"Off: how far those are off beyond what their errors allow."
	for _, f := range families {
		t.add(f.Family.String(), percent(f.Share), fmt.Sprintf("%.1f %%", 100*f.Error))
	}
	return t
}

// OfPrediction says how best to plug some disks in, what to measure next, and what a hub does with them: in every
// combination, or in those to look at first.
func OfPrediction(p *fit.Prediction, profile string, every bool) *Document {
	doc := &Document{Kind: "prediction", Title: "Hub " + profile, Keys: newKeys(p.Disks), Data: p}
	doc.Answer = &Answer{Headline: "How best to plug them in is not predictable from these runs."}
	best := say.Each(p.Placements, func(p fit.Placement) string { return unit.Capital(p.String()) + "." })
	if best != nil {
		doc.Answer.Headline = strings.TrimSuffix(best[0], ".")
		for _, other := range best[1:] {
			doc.Answer.Actions = append(doc.Answer.Actions, Action{Title: other})
		}
	}
	if p.Next != nil {
		doc.Answer.Sure = "To be surer, " + p.Next.String() + "."
	}
	t := combinations(doc, p, every)
	doc.show(t, 5, t.Note)
	doc.Add(warnings(p.Notes)...)
	doc.Add(List{"Not predictable from these runs", refused(p)}, sharing(p.Families))
	return doc
}

// combinations is a row for each of them.
func combinations(doc *Document, p *fit.Prediction, every bool) *Table {
	t := table("Every combination", word("GB/s"))
	t.Note = "Predicted by the model; measured: the runs have it. ±: half the 95 % interval. ?: not predictable. " +
		"Least kept: of its rate alone, by the disk that loses most."
	rows := p.Rows
	if first := p.Top(); !every && len(first) < len(rows) {
		t.Title = "Combinations"
		t.Note = fmt.Sprintf("%d of %d combinations: the worst, all disks together, and what was measured of several; "+
			"--all lists them all. %s", len(first), len(rows), t.Note)
		rows = first
	}
	for i := range doc.Keys {
		t.Columns = append(t.Columns, ofDisk(&doc.Keys[i]))
	}
	t.Columns = append(t.Columns, number("Together"), number("Least kept"))
	for _, row := range rows {
		cells := []any{Cell{Text: fit.Describe(row.Pattern, p.Disks), Small: pick(row.Measured, "measured", "")}}
		cells = append(cells, say.Each(row.Rates, func(e fit.Estimate) any { return estimate(e) })...)
		least := Cell{Text: "?"}
		if row.Kept > 0 { // else not known
			least = Cell{Text: percent(row.Kept), Heat: &row.Kept}
		}
		t.add(append(cells, Cell{Text: estimate(row.Total), Strong: true}, least)...)
	}
	return t
}

// refused says what is not predictable, each reason once.
func refused(p *fit.Prediction) []string {
	type refusal struct{ reason, where string }
	var all []refusal
	for _, row := range p.Rows {
		for j, e := range row.Rates {
			if e.Refused != "" {
				all = append(all, refusal{e.Refused, p.Disks[j] + " in " + row.Pattern})
			}
		}
	}
	return say.Each(say.Grouped(all, func(r refusal) string { return r.reason }), func(alike []refusal) string {
		places := say.Each(alike, func(r refusal) string { return r.where })
		if n := len(places); n > 3 {
			places = []string{places[0], fmt.Sprintf("%s and %d more", places[1], n-2)}
		}
		return strings.Join(places, ", ") + ": " + alike[0].reason
	})
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

// OfAnswer says whether streams survive what other disks do, how sure that is, and what to change.
func OfAnswer(a *advise.Answer) *Document {
	doc := &Document{Kind: "advice", Title: "Hub " + a.Profile, Data: a}
	changes := say.Each(a.Advice, func(change advise.Change) string { return change.Text })
	t := table("Streams", word("Disk"), word("Does"), word("Streams"), word("Each", 1), number("Late"), number("Of"),
		number("Longest stall", 2), number("Lowest buffer"), word("Verdict"))
	t.Note = "By the profile's own figures, for " + unit.FormatSeconds(a.ForS) + "."
	for _, s := range a.Streams {
		buffer := Cell{Text: unit.FormatSeconds(s.LowestBufferS), Small: "of " + unit.FormatSeconds(s.BufferS)}
		spec := stream.Spec{Kind: s.Kind, Count: s.Count}
		t.add(s.Disk, pick(s.Op == trace.Write, "records", "plays"), spec.String(), unit.FormatRate(s.Rate),
			unit.FormatCount(s.Late), unit.FormatCount(s.Due), unit.FormatSeconds(s.LongestStallS), buffer,
			verdictCell(s.Verdict))
	}
	doc.Answer = &Answer{Headline: a.Texts.Answer, Sure: a.Texts.Sure}
	if a.Texts.Sure != "" { // else what would become of the streams is not known
		doc.Answer.Table = t
	}
	doc.Add(List{"What makes it a yes, each by itself", changes}, List{"Taken for granted", append([]string{
		"This is computed from a model, with its uncertainty. A search (hubbench run with search:) tries streams " +
			"for some seconds on the disks as they are, and may find one or two more.",
	}, a.Texts.Assumptions...)})
	return doc
}
