package report

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/level"
)

// Of every phase of the preset there is one figure and one table, of the disks that fell, in the disks' own colours.
func TestSaturations(t *testing.T) {
	rest := 150.0
	fall := &analysis.Fall{AtBytes: 24e9}
	a := &analysis.Analysis{Saturations: []analysis.Saturation{
		{Of: "WW", Disk: "A"}, // it did not fall
		{Of: "WW", Disk: "B", Fall: fall, Back: &analysis.Back{RestS: &rest}, Bursts: []level.Burst{{RestS: 10, FastBytes: 1.6e9, SEBytes: 0.1e9}, {RestS: 20, FastBytes: 3.2e9, SEBytes: 0.1e9}}},
		{Of: "W-", Disk: "A", Fall: fall, Bursts: []level.Burst{{RestS: 10, FastBytes: 0.05e9, SEBytes: 0.1e9}}},
	}}
	a.Order = []string{"A", "B"}
	doc := newRunDoc(Run{Analysis: a})
	doc.addSaturations()
	if len(doc.Blocks) != 4 {
		t.Fatalf("%d blocks, want a figure and a table of each", len(doc.Blocks))
	}
	first, second := doc.Blocks[0].(*Figure), doc.Blocks[2].(*Figure)
	if first.ID == second.ID || len(first.Keys) != 1 || first.Keys[0].Index != 1 || second.Keys[0].Index != 0 {
		t.Errorf("figures %s of %v and %s of %v", first.ID, first.Keys, second.ID, second.Keys)
	}
	want := []Mark{
		{Shape: Segment, Style: Line, Name: interval, Rows: [][]float64{{10, 10, 1.4e9, 1.8e9}, {20, 20, 3e9, 3.4e9}}},
		{Shape: Point, Name: "burst", Rows: [][]float64{{10, 1.6e9}, {20, 3.2e9}}},
		{Shape: Segment, Style: Dashed, Name: "as it grows", Rows: [][]float64{{0, 150, 0, 24e9}}},
		{Shape: Rule, Style: Limit, Text: "24 GB at first", Rows: [][]float64{{0, 21, 24e9}}},
	}
	if diff := cmp.Diff(want, first.Panels[0].Marks); diff != "" {
		t.Errorf("marks (-want +got):\n%s", diff)
	}
	if got := second.Panels[0].Marks[0].Rows[0]; got[2] != 0 {
		t.Errorf("less than nothing was written: %v", got)
	}
	rows := doc.Blocks[1].(*Table).Rows
	if len(rows) != 2 || rows[1][0].Words() != "20 s" || rows[1][1].Words() != "3.2 GB ± 200 MB, 13 %" {
		t.Errorf("rows %v", rows)
	}
}
