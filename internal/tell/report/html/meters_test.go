package html

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/hubbench/hubbench/pkg/trace/tracetest"
	"github.com/hubbench/hubbench/testdata/fixture"
)

// Pointing at the disks' own meters says what each shows, each in its unit, and nothing of all disks together.
func TestMetersTip(t *testing.T) {
	run := fixture.Triple()
	phase := run.Phases[0]
	a := phase.Disk("A")
	endS := float64(a.Files[len(a.Files)-1].EndNS) / 1e9
	phase.Gauges = append(tracetest.Warmth{EveryS: 1, At: func(float64) float64 { return 41 }}.Play(rand.New(rand.NewPCG(1, 1)), "A", endS), tracetest.Counters(a, endS, 0)...)
	tab := open(t, browserFor(t), run, screen{width: 1280, height: 900})
	tab.click(`main a[href="#phase-1"]`) // whatever phase the page opens with
	tab.wait(`!document.querySelector("#phase-1").hidden`)
	tab.drawAll()
	tab.do(chromedp.Focus(chromedp.CSS(".phase:not([hidden]) [data-figure$='-gauges']")))
	tab.press("ArrowRight")
	tip := eval[string](tab, `[...document.querySelectorAll("[data-figure$='-gauges'] .tip")].map((e) => e.textContent).join()`)
	if !strings.Contains(tip, "41.0 °C, 0.") || !strings.Contains(tip, "GB/s") || !strings.Contains(tip, "no reading") || strings.Contains(tip, "together") {
		t.Errorf("the tooltip says %q, want A's temperature and rate, and no more", tip)
	}
}
