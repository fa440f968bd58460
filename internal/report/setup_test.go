package report_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/report"
	"github.com/hubbench/hubbench/internal/report/fixture"
	"github.com/hubbench/hubbench/internal/report/md"
	"github.com/hubbench/hubbench/internal/report/text"
	"github.com/hubbench/hubbench/internal/say"
	"github.com/hubbench/hubbench/pkg/analysis"
)

// What the hardware is and what its links carried stands in every output; without it, nothing is said of either.
func TestSetup(t *testing.T) {
	run := fixture.Triple()
	for _, known := range []bool{false, true} {
		if known {
			run.Hardware = fixture.Dock()
		}
		doc := report.OfRun(report.Run{Trace: run, Analysis: say.Analyze(run, analysis.Options{})})
		var page, terminal bytes.Buffer
		if err := md.Write(&page, doc); err != nil {
			t.Fatal(err)
		}
		if err := text.Write(&terminal, doc, text.Options{Width: 120, All: true}); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{
			"CalDigit Element Hub, firmware 30.2", "Samsung X5", "Thunderbolt 4, PCIe 3.0 x4", "apfs, encrypted", "75 %", "the cable from its box",
			"left port, 0.8 m cable", "Thunderbolt port 2", "hub uplink, Thunderbolt 4", "fell back from 40 Gb/s", "Studio Display is a display on the same hub",
			"can carry one way",
		} {
			if got := strings.Contains(page.String(), want); got != known {
				t.Errorf("hardware known: %v: Markdown has %q: %v", known, want, got)
			}
		}
		if got := strings.Contains(terminal.String(), "CalDigit Element Hub"); got != known {
			t.Errorf("hardware known: %v: terminal names the hub: %v", known, got)
		}
	}
}
