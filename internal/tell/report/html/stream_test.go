package html

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/testdata/fixture"
)

// backup is the streams' run, the phase with the backup first: the one that is open.
func backup() *trace.Run {
	run := fixture.Streams()
	run.Phases[0], run.Phases[2] = run.Phases[2], run.Phases[0]
	return run
}

// Whether the streams survive the backup is read off the first screen, in words and by a sign, of a study and of a
// single phase.
func TestStreamsOnTheFirstScreen(t *testing.T) {
	ctx := browserFor(t)
	one := backup()
	one.Phases = one.Phases[:1]
	for name, run := range map[string]*trace.Run{"study": fixture.Streams(), "phase": one} {
		for _, s := range []screen{{width: 1280, height: 800}, {width: 390, height: 800}, {width: 1280, height: 800, dark: true}} {
			t.Run(fmt.Sprintf("%s %d %v", name, s.width, s.dark), func(t *testing.T) {
				tab := open(t, ctx, run, s)
				tab.shoot(fmt.Sprintf("streams-%s-%d-%v", name, s.width, s.dark))
				// What of the words and signs lies on the first screen, by what an eye would see there.
				seen := eval[[]string](tab, `[...document.querySelectorAll("svg.sign")].flatMap((sign) => {
					const word = sign.parentElement, box = sign.getBoundingClientRect(), top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
					return box.width > 5 && box.bottom < innerHeight && box.right < innerWidth && top && (word.contains(top) || top.contains(word)) ? [sign.classList[1] + " " + word.textContent.trim()] : [];
				})`)
				want := []string{"bad drops 382 frames"}
				if name == "study" {
					want = []string{"good clean", "bad drops 382 frames", "doubt strained"}
				}
				check.Same(t, "on the first screen", want, seen[:min(len(seen), len(want))])
				tab.fits()
			})
		}
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
	if words := read("buffer", "Home"); !strings.Contains(words, "A lowest buffer 0.99") && !strings.Contains(words, "A lowest buffer 1.00") {
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
		if words := read("dropped", "ArrowRight"); strings.Contains(words, "dropped frames 10.0 frames") {
			return
		}
	}
	t.Error("the chart of dropped frames never says 10")
}

// Tries of a search are chosen from a list of their own, and opened from the search's table; what is open first is
// none.
func TestTriesAreGrouped(t *testing.T) {
	run := fixture.Search()
	run.Phases = append(run.Phases, fixture.Streams().Phases[0])
	tab := open(t, browserFor(t), run, screen{width: 1280, height: 800})
	tab.shoot("search")
	shown := func() string { return eval[string](tab, `document.querySelector(".phase:not([hidden])").dataset.name`) }
	if got := shown(); got != "probe" {
		t.Errorf("%q is open first", got)
	}
	groups := eval[[]string](tab, `[...document.querySelectorAll(".tabs select > *")].map((e) => (e.label || e.text) + " " + e.querySelectorAll("option").length)`)
	check.Same(t, "the list", []string{"probe 0", "Tries of streams 19"}, groups)
	tab.do(chromedp.Click(chromedp.CSS("main .summary a[href='#phase-5']")))
	tab.wait(`document.querySelector(".phase:not([hidden])").dataset.name === "streams alone 16"`)
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
