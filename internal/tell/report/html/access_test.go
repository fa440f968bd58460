package html

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/testdata/fixture"
)

// TestAccessibility holds the page to axe-core's rules: no violation that it calls serious or
// critical, contrast of text among them.
func TestAccessibility(t *testing.T) {
	ctx := browserFor(t)
	axe := axeCore(t)
	for _, test := range []struct {
		name   string
		run    func() *trace.Run
		screen screen
	}{
		{"light", fixture.Triple, screen{width: 1280, height: 900}},
		{"dark", fixture.Triple, screen{width: 1280, height: 900, dark: true}},
		{"phone", fixture.Triple, screen{width: 390, height: 800}},
		{"phone, dark", fixture.Triple, screen{width: 390, height: 800, dark: true}},
		{"static", fixture.Triple, screen{width: 1280, height: 900, static: true}},
		{"streams", backup, screen{width: 1280, height: 900}},
		{"streams, phone", backup, screen{width: 390, height: 800}},
		{"search", fixture.Search, screen{width: 1280, height: 900, dark: true}},
		{"study", twoByTwo, screen{width: 1280, height: 900}},
		{"study, phone, dark", twoByTwo, screen{width: 390, height: 800, dark: true}},
		{"race", race, screen{width: 1280, height: 900}},
		{"race, phone, dark", race, screen{width: 390, height: 800, dark: true}},
		{"list", func() *trace.Run { return twelve(12) }, screen{width: 1280, height: 900}},
	} {
		t.Run(test.name, func(t *testing.T) {
			tab := open(t, ctx, test.run(), test.screen)
			tab.drawAll()
			tab.hold(axe)
		})
	}
}

// axeCore is the script of axe-core.
func axeCore(t *testing.T) string {
	t.Helper()
	axe, err := os.ReadFile(filepath.Join("node_modules", "axe-core", "axe.min.js"))
	if errors.Is(err, fs.ErrNotExist) {
		missing(t, "axe-core is not installed: run make build with Node")
	}
	check.Must(t, err)
	return string(axe)
}

// hold opens all details and reports what axe-core has against the page.
func (tab *tab) hold(axe string) {
	tab.t.Helper()
	tab.do(chromedp.Evaluate[chromedp.Void](`document.querySelectorAll("details").forEach((d) => (d.open = true))`))
	tab.do(chromedp.Evaluate[chromedp.Void](axe))
	type violation struct {
		ID, Impact, Help string
		Nodes            []struct {
			HTML           string `json:"html"`
			FailureSummary string `json:"failureSummary"`
		}
	}
	found, err := chromedp.Run(tab, chromedp.Evaluate[[]violation](
		`axe.run(document, { resultTypes: ["violations"] }).then((result) => result.violations)`, chromedp.EvalAwaitPromise))
	check.Must(tab.t, err)
	for _, v := range found {
		report := tab.t.Logf
		if v.Impact == "serious" || v.Impact == "critical" {
			report = tab.t.Errorf
		}
		report("%s: %s (%s), %d places, the first: %s\n%s", v.Impact, v.Help, v.ID, len(v.Nodes),
			v.Nodes[0].HTML, v.Nodes[0].FailureSummary)
	}
}
