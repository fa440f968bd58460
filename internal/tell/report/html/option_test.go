package html

import (
	"testing"

	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/internal/test/check"
)

// The live chart has every number of its series, by column, and after them a line for each band,
// interval and mark.
func TestColumnsAreThePoints(t *testing.T) {
	c := &report.Chart{Keys: []report.LegendKey{{Name: "A"}}, Rows: []string{"known", "unknown"},
		Series: []report.ChartSeries{
			{Kind: report.Bar, Points: [][]float64{{0, 5, 4, 6}, {1, 5}}},
			{Kind: report.Dots, Points: [][]float64{{0, 7, 3}}},
		},
		Bands: []report.Band{{To: 1, Text: "band"}}, Marks: []report.Mark{{At: 1, Text: "mark"}}}
	n := func(v float64) *float64 { return &v }
	l := newLive(&report.Document{}, c)
	check.Same(t, "bars", [][]*float64{{n(0), n(1)}, {n(5), n(5)}, {n(4), nil}, {n(6), nil}},
		l.Columns[0])
	check.Same(t, "dots", [][]*float64{{n(0)}, {n(7)}, {n(3)}}, l.Columns[1])
	check.Same(t, "texts of a band, an interval and a mark", []string{"band", "", "mark"},
		l.View.Texts)
	check.Same(t, "series and lines", 2+3, len(l.Columns))
}
