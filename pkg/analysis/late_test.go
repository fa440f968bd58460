package analysis

import (
	"fmt"
	"os"
	"testing"

	"github.com/hubbench/hubbench/pkg/trace/tracetest"
)

// TestLateStartIsNoThrottle: a disk that has less from the moment on in which another one begins has not fallen by itself.
func TestLateStartIsNoThrottle(t *testing.T) {
	n := traces(t, 10, 3)
	hub := tracetest.Hub{Capacity: 2e9}
	for _, c := range classes() {
		if c.Sizes != nil || c.Noise.FlushS > 0 || c.Noise.PerFileS > 0 {
			continue // a hub plays none
		}
		fell := 0
		for trial := range n {
			rnd := seed(trial)
			a, b := steadyAt(c, 0, 0, 45, 1.5e9), steadyAt(c, 1, 8+15*rnd.Float64(), 45, 1.5e9)
			p := Analyze(tracetest.Run(tracetest.Phase("p", hub.Play(rnd, a, b)...)), Options{}).Phases[0]
			if p.Disks["A"].Throttle != nil || p.Disks["B"].Throttle != nil {
				fell++
			}
		}
		if os.Getenv(tuneClasses) != "" || *perKind > 0 {
			fmt.Printf("late start %-18s %d of %d\n", c.Name, fell, n)
		}
		if float64(fell) > 0.05*float64(n)+1 {
			t.Errorf("%s: %d of %d disks beside one that begins later are said to have fallen by themselves", c.Name, fell, n)
		}
	}
}
