package report_test

import (
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/report"
	"github.com/hubbench/hubbench/internal/report/fixture"
	"github.com/hubbench/hubbench/pkg/trace"
)

// A checkup says first what failed and what is doubtful, then everything.
func TestOfDoctor(t *testing.T) {
	doc := report.OfDoctor(fixture.Checkup())
	var lead string
	var warnings []string
	var table *report.Table
	for _, block := range doc.Blocks {
		switch block := block.(type) {
		case report.Sentence:
			if block.Lead {
				lead = block.Text
			}
		case report.Warning:
			warnings = append(warnings, block.Text)
		case *report.Table:
			table = block
		}
	}
	if want := "2 of 5 checks passed, 1 failed, 1 with a warning, 1 skipped."; lead != want {
		t.Errorf("got %q, want %q", lead, want)
	}
	if len(warnings) != 2 || !strings.HasPrefix(warnings[0], "Failed: direct on /Volumes/B. ") || !strings.HasPrefix(warnings[1], "Warning: power. ") {
		t.Errorf("got %q, want the failure, then the warning", warnings)
	}
	if len(table.Rows) != 5 || table.Rows[3][5].Text != "use a folder on a disk" {
		t.Errorf("got %+v", table.Rows)
	}
	if doc.Data.(*trace.Checkup).Checks[3].Verdict != trace.Fail {
		t.Error("the checkup is not the document's data")
	}
}
