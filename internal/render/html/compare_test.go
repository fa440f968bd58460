package html

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/internal/render/fixture"
	"github.com/hubbench/hubbench/internal/say"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/compare"
	"github.com/hubbench/hubbench/pkg/trace"
)

// pairOf is two runs of two disks in which the second has A slower, and the disks, phases and runs have the given names.
func pairOf(a, b, phase, before, after string) []compare.Run {
	made := func(label string, rate float64) compare.Run {
		run := fixture.Run("pair", []string{a, b}, map[string][]fixture.Part{
			phase: {
				{Disk: a, Op: "write", Files: 30, Pace: []fixture.Pace{{Rate: rate}}},
				{Disk: b, Op: "read", Files: 60, Pace: []fixture.Pace{{Rate: 2.5e9}}},
			},
			"alone": {{Disk: a, Op: "write", Files: 30, Pace: []fixture.Pace{{Rate: rate}}}},
		}, phase, "alone")
		return compare.Run{Label: label, Trace: run, Analysis: say.Analyze(run, analysis.Options{})}
	}
	return []compare.Run{made(before, 1e9), made(after, 0.8e9), made(after, 1.3e9)}
}

func compared(t *testing.T, runs []compare.Run, charts []byte) string {
	t.Helper()
	var out bytes.Buffer
	if err := writeComparison(&out, compare.Compare(runs[0], runs[1:]...), runs, charts); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestComparisonPage(t *testing.T) {
	runs := pairOf("A", "C", "WR", "before", "after")[:2]
	runs[1].Trace.Phases[0].Connections = map[string]string{"A": "direct"}
	text := compared(t, runs, standIn)
	for _, want := range []string{
		"<title>after beside before – hubbench</title>", "connection, A in WR: hub → direct",
		"Of 7 rates, ", "<strong>slower</strong>", "A: by file size", "How sure this is", "-50 % to &#43;50 %", "before: there is no run.json",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in the page", want)
		}
	}
	var got compare.Comparison
	if err := json.Unmarshal([]byte(between(t, text, `id="hubbench-comparison">`, "</script>")), &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(compare.Compare(runs[0], runs[1]), &got); diff != "" {
		t.Errorf("the page's data are not the comparison (-want +got):\n%s", diff)
	}
}

// Without the chart library there are pictures, and with several runs a table for each.
func TestComparisonPageWithoutLibrary(t *testing.T) {
	text := compared(t, pairOf("A", "C", "WR", "before", "after"), nil)
	for want, n := range map[string]int{
		`xml;base64,`:                 6, // size and spread of A, C, and A alone
		"make build":                  1,
		"<title>2 runs beside before": 1,
		`<table class="changes`:       4,
		`class="plot"`:                0,
	} {
		if got := strings.Count(text, want); got != n {
			t.Errorf("%q stands %d times in the page, want %d", want, got, n)
		}
	}
}

// Whatever a name holds, the page has the same elements: the name stays text.
func TestHostileNamesInComparison(t *testing.T) {
	tag := regexp.MustCompile(`<(/?[a-zA-Z]+)`)
	names := fixture.HostileNames()
	want := tag.FindAllString(compared(t, pairOf("A", "B", "phase", "x", "y"), standIn), -1)
	for i := range names {
		at := func(k int) string { return names[(i+k)%len(names)] }
		got := tag.FindAllString(compared(t, pairOf(at(0), at(1), at(2), at(3), at(4)), standIn), -1)
		if !slices.Equal(got, want) {
			t.Errorf("with names from the %dth on, the page has %d tags, want %d", i, len(got), len(want))
		}
	}
}

// The overlay has the files of the window alone, and a run that does something else in a phase is not in it.
func TestOverlay(t *testing.T) {
	runs := pairOf("A", "C", "WR", "run", "run")
	for _, d := range runs[2].Trace.Phases[0].Disks {
		d.Op = "read"
	}
	over := newOverlay(runs)
	if diff := cmp.Diff([]trace.Disk{{Name: "run"}, {Name: "run (2)"}, {Name: "run (3)"}}, over.run.Disks); diff != "" {
		t.Errorf("runs (-want +got):\n%s", diff)
	}
	for i, label := range []string{"results/before", `C:\runs\after`, "third"} {
		runs[i].Label = label
	}
	if diff := cmp.Diff([]string{"before", "after", "third"}, labels(runs)); diff != "" {
		t.Errorf("short labels (-want +got):\n%s", diff)
	}
	window := runs[0].Analysis.Phases[0].Overlap
	within := 0
	for _, f := range runs[0].Trace.Phases[0].Disks[0].Files {
		if float64(f.StartNS)/1e9 >= window.StartS && float64(f.EndNS)/1e9 <= window.EndS {
			within++
		}
	}
	first := over.run.Phases[0]
	if within == 0 || within == 30 || len(first.Disks) != 2 || len(first.Disks[0].Files) != within {
		t.Errorf("A in WR: %d runs, %d files of the first; want 2 runs, and the %d of 30 files that lie in the window", len(first.Disks), len(first.Disks[0].Files), within)
	}
	if alone := over.run.Phases[2]; len(alone.Disks) != 3 || len(alone.Disks[2].Files) != 30 {
		t.Errorf("A alone: want all files of 3 runs, got %d runs", len(alone.Disks))
	}
}

func TestComparisonInBrowser(t *testing.T) {
	ctx := browserFor(t)
	runs := pairOf("A", "C", "WR", "results/before", "results/after")
	runs[2].Label = "results/later"
	for _, width := range []int64{390, 1280} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			tab := openPage(t, ctx, []byte(compared(t, runs, library())), screen{width: width, height: 900, dark: width < 500})
			tab.shoot(fmt.Sprintf("comparison-%d", width))
			for i, pixels := range painted(tab, 3) {
				if pixels < 100 {
					t.Errorf("run %d: %d pixels in its colour, want its files to be painted", i, pixels)
				}
			}
			if wide := eval[int](tab, `document.documentElement.scrollWidth`); int64(wide) > width {
				t.Errorf("the page is %d px wide in a window of %d", wide, width)
			}
			tab.do(focusPlot)
			tab.press("ArrowRight")
			if told := eval[string](tab, `document.querySelector(".phase:not([hidden]) [aria-live]").textContent`); !strings.HasPrefix(told, "before: ") {
				t.Errorf("the first file is read out as %q, want its run's name first", told)
			}
			if tabs := eval[int](tab, `document.querySelectorAll("[role=tab]").length`); tabs != 2 {
				t.Errorf("%d tabs, want one for each phase", tabs)
			}
		})
	}
}
