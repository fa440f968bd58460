package html

import (
	"math"

	"github.com/hubbench/hubbench/internal/tell/report"
)

// costs are the routes of the first disk at one scale, and all rates on a ruler.
type costs struct {
	Own, Hub float64 // thickness of the routes in pixels
	Links    []costPlace
	Rows     []costRow
}

// costPlace is a place on the ruler in per cent from the left, and from the right.
type costPlace struct {
	At, Right  float64
	Text, Name string
	Left       bool // the text stands left of it
}

type costRow struct {
	*report.Cost
	Own, Hub costPlace
}

// The routes' measures in pixels.
const (
	maxRoute     = 60
	routePerRate = 22 // for each GB/s, or whatever the unit of the rates is
)

func newCosts(a *report.AnswerView) *costs {
	first := &a.Costs[0]
	links := a.Ruler()
	k := min(routePerRate/a.Scale.Size, maxRoute/max(first.Rate, first.DirectRate))
	c := &costs{
		Own: tenth(k * first.DirectRate), Hub: tenth(k * first.Rate),
	}
	end := links[len(links)-1].Rate
	for _, o := range a.Costs {
		end = max(end, o.Rate, o.DirectRate)
	}
	place := func(rate float64, name string) costPlace {
		at := tenth(perCent * rate / end)
		return costPlace{At: at, Right: tenth(perCent - at), Text: a.Scale.Number(rate), Name: name}
	}
	for i, l := range links {
		at := place(l.Rate, l.Name)
		at.Left = i == 0 || i == len(links)-1
		c.Links = append(c.Links, at)
	}
	for i := range a.Costs {
		o := &a.Costs[i]
		c.Rows = append(c.Rows, costRow{o, place(o.DirectRate, ""), place(o.Rate, "")})
	}
	return c
}

// tenth is fine enough for a place or a width.
func tenth(x float64) float64 { return math.Round(10*x) / 10 }
