package report_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/testdata/fixture"
)

// A checkup says first what failed and what is doubtful, then everything.
func TestOfDoctor(t *testing.T) {
	doc := report.OfDoctor(fixture.Checkup())
	var table *report.Table
	for _, block := range doc.Blocks {
		if t, ok := block.(*report.Table); ok {
			table = t
		}
	}
	if want := "2 of 5 checks passed, 1 failed, 1 with a warning, 1 skipped."; doc.Answer.Headline != want {
		t.Errorf("got %q, want %q", doc.Answer.Headline, want)
	}
	want := []string{
		"fail: direct on /Volumes/B: 100 % of 256 MB are in the system's cache after a direct write. Requests that claim to be direct pass through memory: a rate may be that of memory. Try: use a folder on a disk.",
		"warn: power: on battery. The processor and the ports may be slowed down to save power. Try: plug the computer in.",
	}
	if diff := cmp.Diff(want, doc.Answer.Findings); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(table.Rows) != 5 || table.Rows[3][5].Text != "use a folder on a disk" {
		t.Errorf("got %+v", table.Rows)
	}
	if doc.Data.(*trace.Checkup).Checks[3].Verdict != trace.Fail {
		t.Error("the checkup is not the document's data")
	}
}
