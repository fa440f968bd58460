package analysis

import (
	"testing"

	"github.com/hubbench/hubbench/internal/test/tracetest"
	"github.com/hubbench/hubbench/pkg/trace"
)

// each makes a gauge's readings, one a second.
func each(disk, name string, endS float64, at func(s float64) float64) []trace.Gauge {
	var out []trace.Gauge
	for s := 0.0; s < endS; s++ {
		out = append(out, trace.Gauge{Disk: disk, Name: name, TNS: int64(s * 1e9), Value: at(s)})
	}
	return out
}

// A disk's own sensor may lag behind: its temperature goes on by a part of its rise once the disk
// has throttled.
func TestHeatOfLaggingSensor(t *testing.T) {
	f := fall{atS: 16, endS: 60, op: trace.Write, noise: tracetest.Noise{Sigma: 0.03}}
	for top, want := range map[float64]string{68: CauseHeat, 85: CauseUnknown} {
		warm := each("A", trace.Temperature, f.endS, func(s float64) float64 {
			if s < f.atS {
				return 36 + 27*s/f.atS
			}
			return min(63+s-f.atS, top)
		})
		a := Analyze(gauged(warm, f.play(seed(1))), Options{})
		if got := a.Phases[0].Disks["A"].Throttle; got == nil || got.Cause != want {
			t.Errorf("up to %g °C: got %+v, want %s", top, got, want)
		}
	}
}
