package html

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/testdata/fixture"
)

// figuresOf are those of all phases.
func figuresOf(doc *report.Document) (out []*report.Figure) {
	for _, phase := range doc.Phases() {
		out = append(out, report.Collect[*report.Figure](phase.Blocks)...)
	}
	return out
}

// The live chart of a figure has every number of its marks, by column, and a series for each.
func TestColumnsAreTheRows(t *testing.T) {
	t.Parallel()
	doc := reportOf(fixture.Triple())
	seen := 0
	for _, f := range figuresOf(doc) {
		l := newLive(doc, f)
		i := 0
		for _, panel := range f.Panels {
			for _, mark := range panel.Marks {
				var rows [][]float64
				for _, column := range l.Columns[i] {
					for j, v := range column {
						if j == len(rows) {
							rows = append(rows, nil)
						}
						rows[j] = append(rows[j], v)
					}
				}
				if diff := cmp.Diff(mark.Rows, rows); len(mark.Rows)+len(rows) > 0 && diff != "" {
					t.Errorf("%s, mark %d (-want +got):\n%s", f.ID, i, diff)
				}
				seen += len(rows)
				i++
			}
		}
		if want := i + len(f.Panels); len(l.Columns) != want || len(l.View.Marks) != want {
			t.Errorf("%s: columns of %d marks out of %d, want %d", f.ID, len(l.Columns), len(l.View.Marks), want)
		}
	}
	if seen < 1000 {
		t.Errorf("%d rows in all figures of three phases, want their files at least", seen)
	}
}
