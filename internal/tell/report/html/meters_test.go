package html

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/pkg/trace/tracetest"
	"github.com/hubbench/hubbench/testdata/fixture"
)

// Pointing at the disks' own meters says what each shows, in its unit, and nothing of all disks
// together.
func TestMetersTip(t *testing.T) {
	run := fixture.Triple()
	phase := run.Phases[0]
	a := phase.Disk("A")
	endS := float64(a.Files[len(a.Files)-1].EndNS) / 1e9
	phase.Gauges = append(tracetest.Warmth{EveryS: 1, At: func(float64) float64 {
		return 41
	}}.Play(rand.New(rand.NewPCG(1, 1)), "A", endS), tracetest.Counters(a, endS, 0)...)
	tab := open(t, browserFor(t), run, screen{width: 1280, height: 900})
	for chart, want := range map[string]string{"temperature": "41.0 °C", "device": "GB/s"} {
		tab.chart("phase-1-" + chart)
		tab.focus("phase-1-" + chart)
		tab.press("ArrowRight")
		tip := eval[string](tab, fmt.Sprintf(`document.querySelector("[data-figure='phase-1-%s'] .tip").textContent`, chart))
		if !strings.Contains(tip, want) || !strings.Contains(tip, "–") ||
			strings.Contains(tip, "together") {
			t.Errorf("the tooltip says %q, want A's %s, nothing of the others, and no more", tip,
				chart)
		}
	}
}
