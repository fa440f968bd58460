package report

import (
	"slices"

	"github.com/hubbench/hubbench/pkg/unit"
)

// showStates gives the document the page of two states, in place of its answer.
func (c comparison) showStates(doc *Document) {
	a := doc.Answer
	doc.Title = c.base.Label + " / " + c.runs[0].key.Label
	doc.Page = c.statesPage(a)
	doc.Add(List{"What else differs", a.Findings},
		Sentence{Text: pick(doc.Page.Actions != nil, a.Sure, "")})
	for i, text := range a.Doubts {
		if i > 0 { // the first is the page's status
			doc.Add(Warning{text})
		}
	}
	doc.Answer = nil
}

// statesPage is the page of two states that a person named: what the second changes, with the rates
// of both and their changes as rows.
func (c comparison) statesPage(a *AnswerView) *Page {
	run := c.runs[0]
	p := &Page{Headline: a.Headline, Sub: a.Sentence, Kicker: nonEmpty(c.setup())}
	if !c.betweenRuns() {
		p.Marks = []string{"one run each"}
	}
	p.Status = statusOf(a.Doubts)
	lead := c.headlineChange()
	bound := hiddenBound(&run.answer)
	switch {
	case c.Gate != nil:
	case lead != nil:
		p.Headline = "With " + run.key.Label + ", " + c.changeInWords(run, *lead)
		better, now, then := run.key.Label, *lead.New, *lead.Base
		if *lead.Change < 0 {
			better, now, then = c.base.Label, then, now
		}
		p.Actions = []Action{{Title: "Prefer “" + better + "”",
			Detail: unit.Capital(rowName(*lead)) + ": " + c.rateInstead(now, then) + "."}}
	case len(run.answer.Same) > 0 && len(run.answer.Unjudged) == 0 && bound <= c.limit:
		p.Headline = "“" + run.key.Label + "” makes no difference"
		p.Sub = "Every rate is within ±" + atMost(bound) + " of “" + c.base.Label + "”."
	}
	if p.Actions == nil {
		p.Actions = a.Actions
	}
	p.Numbers = a.numbers()
	if a.Comparison != nil {
		rows := *a.Comparison.Rows
		more := len(rows.Rows) - maxStates
		rows.Rows = slices.Clone(rows.Rows[:min(len(rows.Rows), maxStates)])
		for i := range rows.Rows {
			rows.Rows[i].Load = "" // there is no diagram to show it
		}
		if more > 0 {
			rows.Note = joined(" ", rows.Note, unit.Plural(more, "more load")+" below.")
		}
		p.Hero = &rows
	}
	return p
}

// maxStates is how many loads the picture of two states has.
const maxStates = 8

// setup is how many disks and phases are compared.
func (c comparison) setup() string {
	return unit.Plural(len(c.disks), "disk") + ", " +
		unit.Plural(len(c.Pairs[0].Phases), "phase")
}
