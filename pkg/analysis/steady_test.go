package analysis

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/internal/test/tracetest"
	"github.com/hubbench/hubbench/pkg/policy"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// untilSteady is a phase that was to go on until A is steady, in windows of 4 s.
func untilSteady(paces ...pace) *Analysis {
	p := tracetest.Phase("W", diskOf("A", "write", 4e8, paces...))
	p.Stop, p.SteadyNS = "time", 4e9
	return Analyze(tracetest.Run(p), Options{})
}

func TestSteady(t *testing.T) {
	for _, tt := range []struct {
		name   string
		paces  []pace
		sinceS float64
		rate   float64 // 0: not steady
	}{
		{"flat", []pace{{30, 1e9}}, 0, 1e9},
		// the window of the fall is none of them
		{"after a fall", []pace{{13, 2.3e9}, {50, 0.65e9}}, 16, 0.65e9},
		{"steady long before a fall, and again after it", []pace{{60, 2.3e9}, {100, 0.65e9}}, 60,
			0.65e9},
		{"steady, and fallen since", []pace{{30, 2.3e9}, {38, 0.65e9}}, 0, 0},
		{"too short", []pace{{18, 1e9}}, 0, 0},
	} {
		a := untilSteady(tt.paces...)
		d := a.Phases[0].Disks["A"]
		warned := slices.ContainsFunc(a.Phases[0].Warnings, func(w Warning) bool {
			return w.Code == "not_steady"
		})
		check.Same(t, tt.name+": warned of a cache that may not be full", tt.name == "flat",
			slices.ContainsFunc(a.Phases[0].Warnings, func(w Warning) bool {
				return w.Code == "steady_unfallen"
			}))
		switch {
		case tt.rate == 0:
			if d.Steady != nil || !warned {
				t.Errorf("%s: %+v, warned %v; want no rate, and a warning", tt.name, d.Steady,
					warned)
			}
		case d.Steady == nil || warned || d.Steady.SinceS != tt.sinceS || d.Steady.WindowS != 4 ||
			!agrees(d.Steady.Rate, tt.rate):
			t.Errorf("%s: %+v, want since %v s at %v", tt.name, d.Steady, tt.sinceS, tt.rate)
		case d.Steady.CI95 == nil || d.Steady.CI95[0] > tt.rate || d.Steady.CI95[1] < tt.rate:
			t.Errorf("%s: interval %v does not hold %v", tt.name, d.Steady.CI95, tt.rate)
		}
	}
	early := tracetest.Phase("W", &trace.DiskRecord{
		Name: "A", Op: trace.Write, Files: []trace.File{{Bytes: 4e9, StartNS: -9e9, EndNS: -5e9}},
	})
	early.Stop, early.SteadyNS = "time", 1e9
	if d := Analyze(tracetest.Run(early), Options{}).Phases[0].Disks["A"]; d.Steady != nil {
		t.Errorf("steady after all ended before the release: %+v", d.Steady)
	}
	p := tracetest.Phase("W", diskOf("A", "write", 4e8, pace{30, 1e9}))
	if d := Analyze(tracetest.Run(p), Options{}).Phases[0].Disks["A"]; d.Steady != nil {
		t.Errorf("nobody waited for a steady rate: %+v", d.Steady)
	}
}

// What the machine that ends a phase calls steady, the analysis of its trace does too, noise and
// all.
func TestSteadyAgreesWithThePolicy(t *testing.T) {
	steady := 0
	for seed := range uint64(20) {
		rnd := rand.New(rand.NewPCG(seed, 3))
		var paces []pace
		for s := range 60 {
			paces = append(paces, pace{float64(s + 1), 1e9 * (1 + 0.2*rnd.NormFloat64())})
		}
		disk := diskOf("A", "write", 4e8, paces...)
		got := untilSteady(paces...).Phases[0].Disks["A"].Steady != nil
		if want := settledAtEnd(disk, 4e9); got != want {
			t.Errorf("seed %d: steady %v, by the policy %v", seed, got, want)
		}
		if got {
			steady++
		}
	}
	if steady == 0 || steady == 20 {
		t.Errorf("%d of 20 series are steady: the others would show more", steady)
	}
}

// settledAtEnd reports whether the policy finds a job steady at the end of its last window.
func settledAtEnd(d *trace.DiskRecord, windowNS int64) bool {
	j := policy.NewJobState("W", policy.Policy{Steady: time.Duration(windowNS)},
		&scenario.Job{Role: d.Op, Sizes: []int64{1}})
	last, endNS := 0, int64(0)
	for _, f := range d.Files {
		for _, sample := range f.Samples() {
			j.Progress(sample.Bytes, sample.TNS)
		}
		j.File(f.Bytes, f.StartNS, f.EndNS)
		endNS = f.EndNS
	}
	for w, ok := j.Settled(); ok; w, ok = j.Settled() {
		last = w
	}
	return last > 0 && int64(last) == endNS/windowNS
}
