package html

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/ledger"
	"github.com/hubbench/hubbench/pkg/limit"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/testdata/fixture"
)

// answers are documents of every kind of answer, by name.
func answers() map[string]*report.Document {
	failed := fixture.Triple()
	failed.Status, failed.Phases = trace.Partial, failed.Phases[:2]
	out := map[string]*report.Document{
		"study": reportOf(fixture.Triple()), "race": reportOf(race()),
		"twelve":  reportOf(twelve(12)),
		"hostile": reportOf(hostile()), "streams": reportOf(fixture.Streams()),
		"comparison": report.OfComparison(fixture.Comparison()),
		"failed": report.OfRun(report.RunData{
			Trace: failed, Analysis: analysis.Analyze(failed, analysis.Options{}),
			About: report.About{Failures: []trace.RunFailure{{
				Disk: "B", Cause: "write B/hubbench/file-17.bin: no space left on device"}}},
		}),
	}
	out["check"] = strict(fixture.Triple(), 1.06)
	out["checkup"] = report.OfDoctor(fixture.Checkup())
	var s fixture.Study
	s.Add("A alone", "A", trace.Write, 40, 2.3e9, fixture.Pace{FromS: 4, Rate: 0.6e9})
	s.Add("B alone", "B", trace.Write, 80, 2.8e9)
	caches := s.Run("caches", "A", "B")
	a := analysis.Analyze(caches, analysis.Options{})
	a.Saturations = []analysis.Saturation{
		{Of: "cache", Disk: "A", Alone: "A alone", WroteBytes: 40e9,
			Fall: &analysis.Fall{AtBytes: 9.2e9, FromRate: 2.3e9, ToRate: 0.6e9,
				Steps: []ledger.Step{{AtBytes: 9.2e9, FromRate: 2.3e9, ToRate: 0.6e9}}}},
		{Of: "cache", Disk: "B", Alone: "B alone", WroteBytes: 80e9},
	}
	out["saturation"] = report.OfRun(report.RunData{Trace: caches, Analysis: a})
	return out
}

// strict holds a run to its own speeds, times a factor.
func strict(run *trace.Run, factor float64) *report.Document {
	a := analysis.Analyze(run, analysis.Options{})
	limits := limit.FromRun(a)
	for i := range limits {
		if low := limits[i].Min; low != nil {
			*low *= factor
		}
	}
	return report.OfLimits([]report.Checked{{Run: "dock1", Analysis: a,
		Results: limit.Check(a, limits, limit.History{})}})
}

// twelve disks, or fewer, write, each alone and all together, and read together.
func twelve(count int) *trace.Run {
	var disks []string
	var s fixture.Study
	for i := range count {
		name := fmt.Sprintf("SSD-%02d", i+1)
		disks = append(disks, name)
		s.Add(name+" writes", name, trace.Write, 12, 1.4e9+1e8*float64(i))
	}
	for i, name := range disks {
		s.Add("all write", name, trace.Write, 6, 0.2e9+3e7*float64(i))
	}
	for _, name := range disks {
		s.Add("all read", name, trace.Read, 6, 0.28e9)
	}
	return s.Run("twelve", disks...)
}

// The first screen of every kind of document is its answer with what shows it, whole on a laptop;
// on a phone the headline, what to do and the figure's head.
func TestAnswerFillsTheFirstScreen(t *testing.T) {
	ctx := browserFor(t)
	for name, doc := range answers() {
		for _, s := range []screen{{width: 1280, height: 800}, {width: 390, height: 844}} {
			t.Run(fmt.Sprintf("%s %d", name, s.width), func(t *testing.T) {
				tab := openPage(t, ctx, pageOf(t, doc, nil, library()), s)
				ends := eval[[]float64](tab, `["h1", ".todo", "#hub, .hub, .hero .rows, .big, .card table", ".facts"].map((part) =>
					Math.max(0, ...[...document.querySelectorAll(part)].slice(0, 1).map((e) => e.getBoundingClientRect().bottom)))`)
				parts := ends
				if s.width < 820 {
					parts = ends[:2]
				}
				for i, end := range parts {
					if end > float64(s.height) && (name != "twelve" && name != "hostile" || i < 2) {
						t.Errorf("part %d of the answer ends at %.0f px of a screen of %d", i, end,
							s.height)
					}
				}
				if top := eval[float64](tab, `document.querySelector("main svg:not(.mark), main table, .hero .rows").getBoundingClientRect().top`); top > 0.8*float64(s.height) {
					t.Errorf("what shows the answer begins at %.0f px of a screen of %d", top,
						s.height)
				}
				tab.fits()
				if high := eval[int](tab, `document.documentElement.scrollHeight`); name == "study" && s.width == 1280 && high > 2200 {
					t.Errorf("the page is %d px high before anything is opened", high)
				}
				if n := eval[int](tab, `document.querySelectorAll(".fact").length`); n > 3 {
					t.Errorf("%d key numbers, want three at most", n)
				}
				if n := eval[int](tab, `document.querySelectorAll("details[open]").length`); n > 0 {
					t.Errorf("%d details are open", n)
				}
			})
		}
	}
}

// On paper is the first screen on the first page, and behind it the tables of what is folded, but
// no phase by itself. All is in light colours, nothing is cut, no chart is empty, nothing is there
// that can only be pressed, and afterwards the page is as it was.
func TestPrint(t *testing.T) {
	ctx, all := browserFor(t), answers()
	for _, test := range []struct {
		name  string
		pages int // at most
	}{{"study", 2}, {"race", 2}, {"twelve", 2}, {"streams", 2}, {"saturation", 2},
		{"comparison", 2}, {"failed", 2}, {"hostile", 3}} {
		t.Run(test.name, func(t *testing.T) {
			whole := pageOf(t, all[test.name], nil, library())
			tab := openPage(t, ctx, whole, screen{width: 1280, height: 900, dark: true})
			if name := `#more .chart`; eval[bool](tab, `document.querySelector("`+name+`") !== null`) {
				tab.chart(eval[string](tab, `document.querySelector("`+name+`").dataset.figure`)) // which is drawn before
			}
			const state = `[document.querySelectorAll("details[open]").length, getComputedStyle(document.querySelector("main")).color,
				...[...document.querySelectorAll("canvas")].map((c) => Math.round(c.getBoundingClientRect().width))]`
			before := eval[[]any](tab, state)
			paper, err := chromedp.Run(tab, chromedp.PrintToPDF())
			check.Must(t, err)
			if pages := bytes.Count(paper, []byte("/Type /Page\n")); pages > test.pages {
				t.Errorf("%d pages, want %d at most", pages, test.pages)
			}
			tab.settle()
			check.Same(t, "open details, colour and charts after printing, as before", before,
				eval[[]any](tab, state))
			// What is on paper, seen on a screen of its width.
			if _, err := chromedp.Call(tab, emulation.SetEmulatedMedia,
				emulation.SetEmulatedMediaParams{Media: "print"}); err != nil {
				t.Fatal(err)
			}
			const width, page = 703, 980 // of A4 and of Letter between their margins
			tab.do(chromedp.EmulateViewport(width, page))
			tab.settle()
			tab.do(chromedp.Evaluate[chromedp.Void](`dispatchEvent(new Event("beforeprint"))`))
			tab.settle()
			for _, wide := range eval[[]string](tab, fmt.Sprintf(`[...document.querySelectorAll("main *")].filter((e) => e.checkVisibility() && !e.closest(".sr, svg, .tip") && e.getBoundingClientRect().right > %d).map((e) => e.tagName + " " + e.className + " " + e.textContent.slice(0, 30))`, width+2)) {
				t.Errorf("wider than the page: %s", wide)
			}
			if end := eval[float64](tab, `document.querySelector("#hub, .hub, .hero .rows, .big, .card").getBoundingClientRect().bottom`); end > page {
				t.Errorf("the answer ends at %.0f px of a page of %d", end, page)
			}
			for _, chart := range eval[[]string](tab, `[...document.querySelectorAll(".chart")].filter((e) => e.checkVisibility() && !(e.querySelector("canvas")?.getBoundingClientRect().width > 300)).map((e) => e.dataset.figure)`) {
				t.Errorf("chart %s is missing on paper", chart)
			}
			if got := eval[[]string](tab, `[...document.querySelectorAll(".tools, button:not([data-load], .legend button), input, select, .phase")].filter((e) => e.checkVisibility()).map((e) => e.tagName + " " + e.className)`); len(got) > 0 {
				t.Errorf("on paper is what can only be pressed, or a phase: %s",
					strings.Join(got, ", "))
			}
			if n := eval[int](tab, `[...document.querySelectorAll("#sure > p, #methods > p")].filter((e) => e.checkVisibility()).length`); n > 1 {
				t.Errorf("%d paragraphs say how sure it is; want the first alone", n)
			}
			if got := eval[string](tab, `getComputedStyle(document.querySelector("main")).color`); got != "rgb(22, 24, 29)" {
				t.Errorf("the ink is %s", got)
			}
			for _, bad := range eval[[]string](tab, `[...document.querySelectorAll(".todo, .fact")].filter((e) => !e.checkVisibility()).map((e) => e.textContent)`) {
				t.Errorf("missing on paper: %s", bad)
			}
		})
	}
}
