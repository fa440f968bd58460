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

// The live chart has every number of its series, by column, and after them a line for each band and mark.
func TestColumnsAreThePoints(t *testing.T) {
	t.Parallel()
	doc := reportOf(fixture.Triple())
	seen := 0
	for _, c := range chartsOf(doc) {
		l := newLive(doc, c)
		for i, s := range c.Series {
			var points [][]float64
			for _, column := range l.Columns[i] {
				for j, v := range column {
					if j == len(points) {
						points = append(points, nil)
					}
					points[j] = append(points[j], v)
				}
			}
			if diff := cmp.Diff(s.Points, points); diff != "" {
				t.Errorf("%s, series %d (-want +got):\n%s", c.ID, i, diff)
			}
			seen += len(points)
		}
		if want := len(c.Series) + len(c.Bands) + len(c.Marks); len(l.Columns) != want || len(l.View.Texts) != len(c.Bands)+len(c.Marks) {
			t.Errorf("%s: columns of %d series, want %d", c.ID, len(l.Columns), want)
		}
	}
	if seen < 1000 {
		t.Errorf("%d points in all charts of three phases, want their files at least", seen)
	}
}
