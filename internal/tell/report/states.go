package report

import (
	"github.com/hubbench/hubbench/pkg/unit"
)

// nameStates words the page by the two states that a person named: what the second changes.
func (c comparison) nameStates(p *Page) {
	run := c.runs[0]
	if !c.betweenRuns() {
		p.Marks = []string{"one run each"}
	}
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
}

// setup is how many disks and phases are compared.
func (c comparison) setup() string {
	return unit.Plural(len(c.disks), "disk") + ", " +
		unit.Plural(len(c.Pairs[0].Phases), "phase")
}
