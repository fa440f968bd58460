package html

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/internal/test/check"
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
			lanes := eval[[]string](tab, `[...document.querySelectorAll(".hero .rows .r")].map((lane) =>
				[...lane.children].map((bar) => bar.className + " " + Math.round(16 * bar.offsetWidth / lane.offsetWidth)).join(" "))`)
			check.Same(t, "the lanes", []string{"bar tone good 3 bar tone bad 2",
				"bar tone good 9 bar tone bad 7"}, lanes)
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
	for _, want := range []string{"&lt;4", "the buffer is empty after", `class="bar tone bad"`,
		`class="huge bad"`, ">0 s</i>"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// What the hub costs is on the first screen: the bars on one scale, with what each could be, and
// each reason with its verdict.
func TestCosts(t *testing.T) {
	ctx := browserFor(t)
	doc := reportOf(fixture.Streams())
	key := report.LegendKey{Name: "A", Label: "A"}
	doc.Page = &report.Page{Headline: "Your hub costs A 33% of its write speed",
		Big: &report.Big{Number: "−33", Unit: "%", Tone: report.Bad,
			Text: "A writes 1.00 instead of 1.50 GB/s"},
		Hero: &report.Rows{Axis: report.Ruler{High: 2, Ticks: []report.RulerTick{{Text: "0"},
			{At: 1, Text: "USB 1.00", Strong: true}, {At: 2, Text: "2 lanes 2.00", Strong: true}}},
			Columns: []report.Column{{Head: "Change", Numbers: true}},
			Rows: []report.Row{{Label: "A writes", Key: &key,
				Bars:    []report.RowBar{{To: 1.5, Pale: true}, {To: 1}},
				Numbers: []report.Cell{{Text: "−33%", Strong: true, Tone: report.Bad}}}}},
	}
	doc.Blocks = []report.Block{&report.Details{Title: "Reasons", Open: true,
		Blocks: []report.Block{&report.Verdicts{List: []report.Judged{
			{What: "A falls back to USB", On: "ruled out", Why: "It does not."},
			{Sign: report.Doubt, What: "A itself", On: "possible", Why: "Perhaps."}}}}}}
	for _, s := range []screen{{width: 1280, height: 800}, {width: 900, height: 800},
		{width: 390, height: 844, dark: true}} {
		tab := openPage(t, ctx, pageOf(t, doc, nil, library()), s)
		shares := eval[[]int](tab, `[...document.querySelectorAll(".rows .bar")].map((e) =>
			Math.round(100 * e.offsetWidth / e.parentElement.offsetWidth))`)
		check.Same(t, "bars", []int{75, 50}, shares)
		check.Same(t, "verdicts", []string{"ruled out", "possible"},
			texts(tab, ".verdicts .soft"))
		check.Same(t, "changes", []string{"−33%"}, texts(tab, ".rows .n b"))
		check.Same(t, "labels", []string{}, eval[[]string](tab, findBadLabels))
		tab.fits()
	}
}
