package html

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/internal/tell/report"
)

func TestUsed(t *testing.T) {
	table := &report.Table{
		Columns: []report.Column{{Head: "Disk"}, {Head: "Kept"}, {Head: ""}, {Head: "Rate"}},
		Rows:    [][]report.Cell{{{Text: "A"}, {}, {}, {Text: "1"}}, {{Text: "B"}, {}, {}, {}}},
	}
	want := []report.Column{{Head: "Disk"}, {Head: "Rate"}}
	got := used(table)
	if diff := cmp.Diff(want, got.Columns); diff != "" || len(got.Rows[1]) != 2 || got.Rows[0][1].Text != "1" {
		t.Errorf("columns (-want +got):\n%s\nrows %v", diff, got.Rows)
	}
}
