package analysis

import (
	"math"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
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

// A throttle explains its own fall, not each fall of the disk: one that ended long before it was
// hot has an entry and a finding of its own, and no cause.
func TestCauseOfAnotherFall(t *testing.T) {
	a := diskOf("A", trace.Write, 20e6, pace{15, 2e9}, pace{22, 1.2e9}, pace{50, 2e9},
		pace{90, 0.8e9})
	warm := each("A", trace.Temperature, 90, func(s float64) float64 { return min(40+s/2, 66) })
	got := Analyze(gauged(warm, a), Options{})
	throttle := got.Phases[0].Disks["A"].Throttle
	if throttle == nil || throttle.Cause != CauseHeat || throttle.AtS < 49 {
		t.Fatalf("throttle %+v, want heat at 50 s", throttle)
	}
	causes := map[string]float64{}
	for _, c := range got.Phases[0].Changes {
		if c.Kind == KindOwnFall {
			causes[c.Cause] = math.Round(c.StartS)
		}
	}
	check.Same(t, "own falls by cause", map[string]float64{CauseUnknown: 15, CauseHeat: 50}, causes)
	found := 0
	for _, f := range got.Findings {
		if f.Code == KindOwnFall {
			found++
		}
	}
	check.Same(t, "findings of own falls", 1, found)
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

// A cool disk's fall is no full cache if something else changed with it, or if it fell sooner
// before.
func TestCauseRuledOut(t *testing.T) {
	flat := func(s float64) float64 { return 41 + float64(int(s/7)%2) }
	fallAt := func(name string, atS float64, more ...trace.Gauge) *trace.Phase {
		f := fall{atS: atS, endS: atS + 30, op: trace.Write, noise: tracetest.Noise{Sigma: 0.03}}
		p := tracetest.Phase(name, f.play(seed(int(atS))))
		p.Gauges = append(each("A", trace.Temperature, f.endS, flat), more...)
		return p
	}
	from := func(atS, before, after float64) func(float64) float64 {
		return func(s float64) float64 {
			if s > atS {
				return after
			}
			return before
		}
	}
	link := func(before, after float64) []trace.Gauge {
		return each("A", trace.LinkState, 50, from(20, before, after))
	}
	for name, tc := range map[string]struct {
		phases []*trace.Phase
		want   string // of the last phase
	}{
		"nothing else": {[]*trace.Phase{fallAt("p", 20)}, CauseCacheFull},
		"its link fell": {
			[]*trace.Phase{fallAt("p", 20, link(10e9, 480e6)...)}, CauseUnknown,
		},
		"its link as before": {
			[]*trace.Phase{fallAt("p", 20, link(10e9, 10e9)...)}, CauseCacheFull,
		},
		"the cores got busy": {
			[]*trace.Phase{fallAt("p", 20, each("", trace.CPU, 50, from(20, 30, 100))...)},
			CauseUnknown,
		},
		"the cores were busy": {
			[]*trace.Phase{fallAt("p", 20, each("", trace.CPU, 50, from(20, 100, 100))...)},
			CauseCacheFull,
		},
		"it fell sooner before": {[]*trace.Phase{fallAt("p", 20), fallAt("q", 40)}, CauseUnknown},
		"sooner, and as late": {
			[]*trace.Phase{fallAt("p", 41), fallAt("q", 20), fallAt("r", 40)}, CauseCacheFull,
		},
		"it falls sooner later": {[]*trace.Phase{fallAt("p", 40), fallAt("q", 20)}, CauseUnknown},
		"as before on both ends": {
			[]*trace.Phase{fallAt("p", 20), fallAt("q", 21)}, CauseCacheFull,
		},
	} {
		a := Analyze(tracetest.Run(tc.phases...), Options{})
		last := a.Phases[len(a.Phases)-1].Disks["A"].Throttle
		if last == nil || last.Cause != tc.want {
			t.Errorf("%s: got %+v, want %s", name, last, tc.want)
		}
	}
}

// A link that negotiates another speed is warned of, in a phase and from one to the next, but not
// if the disk was plugged in elsewhere by intent.
func TestLinkChange(t *testing.T) {
	phase := func(name string, speed func(float64) float64) *trace.Phase {
		p := tracetest.Phase(name, evenDisk("A", trace.Write, 10, 1e8))
		p.Gauges = each("A", trace.LinkState, 10, speed)
		return p
	}
	fast, slow := func(float64) float64 { return 10e9 }, func(float64) float64 { return 480e6 }
	moved := phase("q", slow)
	moved.Connections = map[string]string{"A": trace.Direct}
	for name, tc := range map[string]struct {
		run  *trace.Run
		want *LinkChange // of the last phase
	}{
		"none": {tracetest.Run(phase("p", fast), phase("q", fast)), nil},
		"in a phase": {
			tracetest.Run(phase("p", func(s float64) float64 {
				return map[bool]float64{true: 10e9, false: 480e6}[s < 5]
			})),
			&LinkChange{AtS: 5, FromBps: 10e9, ToBps: 480e6},
		},
		"between": {
			tracetest.Run(phase("p", fast), phase("q", slow)),
			&LinkChange{FromBps: 10e9, ToBps: 480e6},
		},
		"moved": {tracetest.Run(phase("p", fast), moved), nil},
	} {
		a := Analyze(tc.run, Options{})
		last := a.Phases[len(a.Phases)-1]
		got, warned := last.Disks["A"].LinkChange, false
		for _, w := range last.Warnings {
			warned = warned || w.Code == "link_changed" && w.Disk == "A"
		}
		if (got == nil) != (tc.want == nil) || got != nil && *got != *tc.want ||
			warned != (tc.want != nil) {
			t.Errorf("%s: got %+v, warned %v, want %+v", name, got, warned, tc.want)
		}
	}
}
