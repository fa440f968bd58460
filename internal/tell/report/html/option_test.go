package html

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/testdata/fixture"
)

// chartsOf are those of all phases.
func chartsOf(doc *report.Document) (out []*report.Chart) {
	for _, phase := range doc.Phases() {
		out = append(out, report.Collect[*report.Chart](phase.Blocks)...)
	}
	return out
}

// The live chart has every number of its series, by column, and after them a line for each band,
// interval and mark.
func TestColumnsAreThePoints(t *testing.T) {
	t.Parallel()
	doc := reportOf(fixture.Triple())
	seen := 0
	unsure := &report.Chart{ID: "unsure", Keys: []report.LegendKey{{Name: "A"}},
		Rows: []string{"known", "not known"}, Series: []report.ChartSeries{
			{Kind: report.Bar, Points: [][]float64{{0, 5, 4, 6}, {1, 5}}},
			{Kind: report.Bar, Points: [][]float64{{0, 5}, {1, 5, 4, 6}}},
		}}
	for _, c := range append(chartsOf(doc), unsure) {
		l := newLive(doc, c)
		for i, s := range c.Series {
			var points [][]float64
			for _, column := range l.Columns[i] {
				for j, v := range column {
					if j == len(points) {
						points = append(points, nil)
					}
					if v != nil { // the point has less
						points[j] = append(points[j], *v)
					}
				}
			}
			if diff := cmp.Diff(s.Points, points); diff != "" {
				t.Errorf("%s, series %d (-want +got):\n%s", c.ID, i, diff)
			}
			seen += len(points)
		}
		lines := len(c.Bands) + len(c.Marks)
		if c == unsure { // its intervals
			lines = 2
		}
		if want := len(c.Series) + lines; len(l.Columns) != want || len(l.View.Texts) != lines {
			t.Errorf("%s: columns of %d series, want %d", c.ID, len(l.Columns), want)
		}
	}
	if seen < 1000 {
		t.Errorf("%d points in all charts of three phases, want their files at least", seen)
	}
}
