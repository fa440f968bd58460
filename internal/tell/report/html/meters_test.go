package html

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/hubbench/hubbench/pkg/trace/tracetest"
	"github.com/hubbench/hubbench/testdata/fixture"
)

// Pointing at the disks' own meters says what each shows, in its unit, and nothing of all disks together.
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
	for chart, want := range map[string]string{"temperature": "41.0 °C", "device": "GB/s"} {
		tab.do(chromedp.Focus(chromedp.CSS(fmt.Sprintf(".phase:not([hidden]) [data-figure$='-%s']", chart))))
		tab.press("ArrowRight")
		tip := eval[string](tab, fmt.Sprintf(`[...document.querySelectorAll("[data-figure$='-%s'] .tip")].map((e) => e.textContent).join()`, chart))
		if !strings.Contains(tip, want) || !strings.Contains(tip, "–") || strings.Contains(tip, "together") {
			t.Errorf("the tooltip says %q, want A's %s, nothing of the others, and no more", tip, chart)
		}
	}
}
