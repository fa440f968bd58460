package html

import (
	"html/template"

	"github.com/hubbench/hubbench/internal/tell/report"
)

// comparison is two runs as the page shows them.
type comparison struct {
	*report.Comparison
	First *butterfly
}

// butterfly is a load on both sides at one scale, the disks in the middle.
type butterfly struct {
	Was, Now    string
	Change      string
	Fell        bool
	Unit        string
	Runs        [2]report.LegendKey
	Left, Right hub
	Cards       []card
}

// card is a disk between the sides.
type card struct {
	hubRow
	Then, Change string
	Fell         bool
}

// prepareComparison prepares the first screen of a comparison, and all loads that can be chosen.
func (p *page) prepareComparison(tmpl *template.Template) error {
	a := p.Doc.Answer
	c := &comparison{Comparison: a.Comparison}
	var sides []report.Load
	for _, l := range c.Loads {
		sides = append(sides, l.Sides[:]...)
	}
	k := perRate(a.Scale, sides)
	first := ""
	states := map[string]loadState{}
	for i := range c.Loads {
		l := &c.Loads[i]
		if l.Disk != "" {
			continue
		}
		wings := newButterfly(a, l, k)
		if c.First == nil || l.Lead {
			c.First = wings
			first = l.Sides[0].ID
		}
		if (l.Sides[0].All || l.Lead) && len(p.Choices) < maxChoices {
			p.Choices = append(p.Choices, &l.Sides[0])
		}
		hub, err := markup(tmpl, "butterfly", wings)
		if err != nil {
			return err
		}
		states[l.Sides[0].ID] = loadState{Title: l.Sides[0].Title, Hub: hub}
	}
	p.Comparison = c
	p.Chosen = first
	return p.packLoads(states, nil)
}

// newButterfly lays a load out on both sides.
func newButterfly(a *report.AnswerView, l *report.LoadPair, k float64) *butterfly {
	r := l.Rate
	b := &butterfly{Was: a.Scale.Number(*r.Base), Now: a.Scale.Number(*r.New),
		Change: report.Change(*r.Change), Fell: l.Changed() && *r.Change < 0,
		Unit: a.Scale.Unit, Runs: a.Comparison.Runs}
	b.Left, b.Right = newHub(a.Scale, &l.Sides[0], k), newHub(a.Scale, &l.Sides[1], k)
	for i, left := range b.Left.Rows {
		right := b.Right.Rows[i]
		b.Cards = append(b.Cards, card{left, right.Now, report.Change(right.Rate/left.Rate - 1),
			left.Slowed})
	}
	return b
}
