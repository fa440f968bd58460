package html

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/testdata/fixture"
)

// backup is the streams' run, the phase with the backup first.
func backup() *trace.Run {
	run := fixture.Streams()
	run.Phases[0], run.Phases[2] = run.Phases[2], run.Phases[0]
	return run
}

// The answer of a search is on the first screen as a number, and behind it a cell for each number
// of streams.
func TestGauges(t *testing.T) {
	ctx := browserFor(t)
	for _, s := range []screen{{width: 1280, height: 800}, {width: 390, height: 844},
		{width: 1280, height: 800, dark: true}} {
		t.Run(fmt.Sprintf("%d %v", s.width, s.dark), func(t *testing.T) {
			tab := open(t, ctx, fixture.Search(), s)
			big := eval[string](tab, `(() => {
				const e = document.querySelector(".huge"), box = e.getBoundingClientRect();
				return box.bottom < innerHeight ? e.textContent : "below the first screen";
			})()`)
			check.Same(t, "the number", "3", big)
			lanes := eval[[]string](tab, `[...document.querySelectorAll(".lanes [role=img]")].map((lane) =>
				[...lane.children].map((cell) => ({ clean: "=", strained: "!", drops: "x" })[cell.className] ?? ".").join(""))`)
			check.Same(t, "the lanes", []string{"===xx...........", "=========xxxxxxx"}, lanes)
			check.Same(t, "labels", []string{}, eval[[]string](tab, findBadLabels))
			tab.fits()
		})
	}
}

// Pointing at the charts of streams says how full the buffer was and how many frames were dropped.
func TestStreamsTip(t *testing.T) {
	tab := open(t, browserFor(t), backup(), screen{width: 1280, height: 900})
	tab.drawAll()
	for chart, want := range map[string]string{"buffer": "A lowest buffer 0.0", // of the worst
		"dropped": "dropped frames 10.0 frames"} {
		figure := fmt.Sprintf("[data-figure$='-%s']", chart)
		tab.do(chromedp.Focus(chromedp.CSS(figure)))
		words := ""
		for n := 0; n < 400 && !strings.Contains(words, want); n++ {
			tab.press("ArrowRight")
			words = eval[string](tab, `document.querySelector("`+figure+
				`").parentElement.querySelector("[aria-live]").textContent`)
		}
		if !strings.Contains(words, want) {
			t.Errorf("the chart of %s never says %q, and last %q", chart, want, words)
		}
	}
}

// Without scripts the answer is there, and the page asks for nothing that its policy forbids.
func TestGaugesWithoutScripts(t *testing.T) {
	page := render(t, fixture.Streams(), nil)
	for _, want := range []string{"&lt;4", "the buffer is empty after", `class="cells" role="img"`,
		`class="huge bad"`, ">0 s</i>"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// What the hub costs is on the first screen, both routes as thick as they are fast, and each reason
// with its verdict.
func TestCosts(t *testing.T) {
	ctx := browserFor(t)
	doc := reportOf(fixture.Streams())
	interval := &stats.Interval{0.3, 0.36}
	key := report.LegendKey{Name: "A", Label: "A"}
	doc.Answer = &report.AnswerView{
		Layout: report.LayoutCost, Headline: "Your hub costs A 33% of its write speed",
		Scale: doc.Answer.Scale,
		Loads: doc.Answer.Loads, Table: &report.Table{Title: "All numbers"},
		Big: &report.Big{Number: "−33", Unit: "%", Tone: report.Bad,
			Text: "A writes 1.00 instead of 1.50 GB/s"},
		Costs: []report.Cost{
			{HubCost: analysis.HubCost{Disk: "A", Rate: 1e9, DirectRate: 1.5e9, Loss: 0.33,
				CI95: interval, Lost: true}, Key: key, Verb: "writes"},
			{HubCost: analysis.HubCost{Disk: "A", Rate: 1.5e9, DirectRate: 1.5e9,
				CI95: &stats.Interval{-0.01, 0.01}, Nothing: true}, Key: key, Verb: "reads"},
		},
		Reasons: []report.Reason{{Text: "A falls back to USB", Why: "It does not.", RuledOut: true},
			{Text: "A itself", Why: "Perhaps."}},
	}
	for _, s := range []screen{{width: 1280, height: 800}, {width: 900, height: 800},
		{width: 390, height: 844, dark: true}} {
		tab := openPage(t, ctx, pageOf(t, doc, nil, library()), s)
		thick := eval[[]int](tab, `[...document.querySelectorAll(".cable")].map((e) => Math.round(parseFloat(getComputedStyle(e, "::after").height)))`)
		check.Same(t, "thickness", []int{33, 22}, thick)
		check.Same(t, "verdicts", []string{"✗ ruled out", "? possible"},
			texts(tab, ".why td:nth-child(2)"))
		check.Same(t, "changes", []string{"−33%", "none"}, texts(tab, ".chg b"))
		check.Same(t, "labels", []string{}, eval[[]string](tab, findBadLabels))
		tab.fits()
	}
}
