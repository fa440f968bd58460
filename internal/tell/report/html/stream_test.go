package html

import (
	"fmt"
	"slices"
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
			tab.shoot(fmt.Sprintf("streams-%d-%v", s.width, s.dark))
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
	const said = `document.querySelector("[data-figure$='-%s']").parentElement.querySelector("[aria-live]").textContent`
	read := func(chart string, keys ...string) string {
		tab.do(chromedp.Focus(chromedp.CSS(fmt.Sprintf("[data-figure$='-%s']", chart))))
		tab.press(keys...)
		return eval[string](tab, fmt.Sprintf(said, chart))
	}
	if words := read("buffer", "Home"); !strings.Contains(words, "A lowest buffer 0.99") &&
		!strings.Contains(words, "A lowest buffer 1.00") {
		t.Errorf("before the backup takes its share the chart says %q", words)
	}
	for range 400 {
		tab.do(chromedp.KeyEvent(keyCodes["ArrowRight"]))
		words := eval[string](tab, fmt.Sprintf(said, "buffer"))
		var at float64
		if _, err := fmt.Sscanf(words, "%f s", &at); err != nil {
			t.Fatalf("%q: %v", words, err)
		}
		if at > 9 {
			if !strings.Contains(words, "lowest buffer 0") {
				t.Errorf("while frames are dropped the chart says %q", words)
			}
			break
		}
	}
	for range 400 {
		if words := read("dropped", "ArrowRight"); strings.Contains(words,
			"dropped frames 10.0 frames") {
			return
		}
	}
	t.Error("the chart of dropped frames never says 10")
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
		Layout: report.LayoutCost, Headline: "Your hub costs A 33 % of its write speed",
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
		tab.shoot(fmt.Sprintf("cost-%d", s.width))
		thick := eval[[]int](tab, `[...document.querySelectorAll(".cable")].map((e) => Math.round(parseFloat(getComputedStyle(e, "::after").height)))`)
		check.Same(t, "thickness", []int{33, 22}, thick)
		check.Same(t, "verdicts", []string{"✗ ruled out", "? possible"}, eval[[]string](tab, `[...document.querySelectorAll(".why td:nth-child(2)")].map((e) => e.textContent)`))
		check.Same(t, "changes", []string{"−33 %", "none"}, eval[[]string](tab, `[...document.querySelectorAll(".chg b")].map((e) => e.textContent)`))
		check.Same(t, "labels", []string{}, eval[[]string](tab, findBadLabels))
		tab.fits()
	}
}

// A page of thirty phases with latencies of three disks stays within a megabyte of one without.
func TestLatenciesMakeASmallPage(t *testing.T) {
	t.Parallel()
	sizes := map[bool]int{}
	for _, with := range []bool{false, true} {
		run := &trace.Run{Name: "latencies", Status: trace.Complete, Disks: fixture.Streams().Disks}
		for i := range 30 {
			p := *fixture.Streams().Phases[2]
			p.Name = fmt.Sprintf("phase %d", i+1)
			p.Disks = slices.Clone(p.Disks)
			for k, d := range p.Disks {
				one := *d
				if !with {
					one.Latencies = nil
				}
				p.Disks[k] = &one
			}
			run.Phases = append(run.Phases, &p)
		}
		sizes[with] = len(render(t, run, standIn))
	}
	t.Logf("%d bytes with latencies, %d without", sizes[true], sizes[false])
	if more := sizes[true] - sizes[false]; more <= 0 || more > 1_000_000 {
		t.Errorf("latencies take %d bytes", more)
	}
}
