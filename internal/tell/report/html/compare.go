package html

import (
	"html/template"

	"github.com/hubbench/hubbench/internal/tell/report"
)

// comparison is two runs as the page shows them.
type comparison struct {
	*report.Comparison
	First  *butterfly
	Axis   *report.ChangeAxis
	Groups []group
}

// butterfly is a load on both sides at one scale, the disks in the middle.
type butterfly struct {
	changeRow
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

// group is loads of several disks, or of one.
type group struct {
	Title string
	Rows  []changeRow
}

// changeRow is a load in the table: its bars are a share of the fastest, its interval is a part of
// the axis.
type changeRow struct {
	*report.LoadPair
	Was, Now, Change, Interval string
	Bars                       [2]float64
	Left, Width                float64
	Fell                       bool
}

// prepareComparison prepares the first screen of a comparison, and all loads that can be chosen.
func (p *page) prepareComparison(tmpl *template.Template) error {
	a := p.Doc.Answer
	c := &comparison{Comparison: a.Comparison, Axis: a.Comparison.Axis()}
	var sides []report.Load
	var top float64
	for _, l := range c.Loads {
		sides = append(sides, l.Sides[:]...)
		top = max(top, l.Sides[0].Rate, l.Sides[1].Rate)
	}
	k := perRate(a.Scale, sides)
	states := map[string]loadState{}
	for i := range c.Loads {
		l := &c.Loads[i]
		if i == 0 || c.Loads[i-1].Several != l.Several {
			title := "One disk alone"
			if l.Several {
				title = "Several disks"
			}
			c.Groups = append(c.Groups, group{Title: title})
		}
		rows := &c.Groups[len(c.Groups)-1].Rows
		row := c.newRow(a.Scale, l, top)
		if *rows = append(*rows, row); l.Disk != "" {
			continue
		}
		wings := newButterfly(a, row, k)
		if c.First == nil || l.Lead {
			c.First = wings
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
	p.Chosen = c.First.Sides[0].ID
	return p.packLoads(states, nil)
}

// newRow is a load's in the table.
func (c *comparison) newRow(scale report.Scale, l *report.LoadPair, top float64) changeRow {
	r := l.Rate
	row := changeRow{
		LoadPair: l, Was: scale.Number(*r.Base), Now: scale.Number(*r.New),
		Change: report.Change(*r.Change),
		Bars:   [2]float64{tenth(perCent * *r.Base / top), tenth(perCent * *r.New / top)},
		Left:   c.Axis.At(*r.Change),
		Fell:   l.Changed() && *r.Change < 0,
	}
	if v := r.Interval; v != nil {
		row.Interval = report.ChangeSpan(v)
		row.Left = c.Axis.At(v[0])
		row.Width = tenth(c.Axis.At(v[1]) - row.Left)
	}
	return row
}

// newButterfly lays a load out on both sides.
func newButterfly(a *report.AnswerView, row changeRow, k float64) *butterfly {
	b := &butterfly{changeRow: row, Unit: a.Scale.Unit, Runs: a.Comparison.Runs}
	b.Left, b.Right = newHub(a.Scale, &row.Sides[0], k), newHub(a.Scale, &row.Sides[1], k)
	for i, left := range b.Left.Rows {
		right := b.Right.Rows[i]
		b.Cards = append(b.Cards, card{left, right.Now, report.Change(right.Rate/left.Rate - 1),
			left.Slowed})
	}
	return b
}
