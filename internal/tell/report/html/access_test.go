package html

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/testdata/fixture"
)

// TestAccessibility holds the page to axe-core's rules: no violation that it calls serious or critical, contrast
// of text among them.
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
	} {
		t.Run(test.name, func(t *testing.T) {
			tab := open(t, ctx, test.run(), test.screen)
			tab.drawAll()
			tab.hold(axe)
		})
	}
}

var pageFile = flag.String("page", "", "a page that TestPageOfAFile looks at, such as bin/proof.html of make proof")

// TestPageOfAFile holds a page that something else has made to the same rules, and to the width of the window.
func TestPageOfAFile(t *testing.T) {
	if *pageFile == "" {
		t.Skip("-page says which")
	}
	text, err := os.ReadFile(*pageFile)
	check.Must(t, err)
	ctx := browserFor(t)
	axe := axeCore(t)
	for _, width := range []int64{390, 1280} {
		for _, dark := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d px, dark %v", width, dark), func(t *testing.T) {
				tab := openPage(t, ctx, text, screen{width: width, height: 900, dark: dark})
				tab.shoot(fmt.Sprintf("page-%d-%v", width, dark))
				tab.hold(axe)
				tab.fits()
				for _, link := range eval[[]string](tab, `[...document.querySelectorAll("main a[href^='#']")].map((a) => a.hash).filter((hash) => !document.getElementById(hash.slice(1)))`) {
					t.Errorf("%s leads nowhere", link)
				}
			})
		}
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
		report("%s: %s (%s), %d places, the first: %s\n%s", v.Impact, v.Help, v.ID, len(v.Nodes), v.Nodes[0].HTML, v.Nodes[0].FailureSummary)
	}
}
