package chart

import (
	"math"
	"testing"

	"github.com/hubbench/hubbench/internal/render/fixture"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/trace"
)

func TestTotalHoldsEveryByte(t *testing.T) {
	run := fixture.Triple()
	found := analysis.Analyze(run, analysis.Options{})
	for i, phase := range run.Phases {
		want := 0.0
		for _, disk := range phase.Disks {
			for _, file := range disk.Files {
				want += float64(file.Bytes)
			}
		}
		got, end := 0.0, 0.0
		line := NewTimeline(run, phase, &found.Phases[i])
		for _, step := range line.Total {
			if step.StartS != end {
				t.Fatalf("phase %s: a hole before %g s", phase.Name, step.StartS)
			}
			got, end = got+step.Rate*(step.EndS-step.StartS), step.EndS
		}
		if math.Abs(got-want) > 1e-6*want || end != line.EndS {
			t.Errorf("phase %s: %g bytes until %g s, want %g until %g", phase.Name, got, end, want, line.EndS)
		}
	}
}

// Half of a file's bytes move in its last tenth; the steps show it.
func TestTotalFollowsProgress(t *testing.T) {
	phase := &trace.Phase{Disks: []*trace.DiskTrace{{Name: "A", Files: []trace.File{{
		Bytes: 1000, EndNS: 1e9, Samples: []trace.Sample{{TNS: 9e8, Bytes: 500}},
	}}}}}
	steps := total(phase, 1)
	for _, step := range steps {
		want := 500 / 0.9
		if step.StartS >= 0.9-1e-9 {
			want = 5000
		}
		if math.Abs(step.Rate-want) > 1e-6*want {
			t.Errorf("%g B/s at %g s, want %g", step.Rate, step.StartS, want)
		}
	}
	if len(steps) < 100 || len(steps) > maxSteps {
		t.Errorf("%d steps, want 100 to %d", len(steps), maxSteps)
	}
}

func TestFigures(t *testing.T) {
	for _, test := range []struct {
		x    float64
		want string
	}{
		{0, "0"}, {3.456, "3.46"}, {0.74249, "0.742"}, {9.996, "10.0"}, {99.96, "100"}, {2100, "2100"}, {0.00012345, "0.00012"}, {0.9996, "1.00"},
	} {
		if got := Figures(test.x); got != test.want {
			t.Errorf("Figures(%g) = %s, want %s", test.x, got, test.want)
		}
	}
}

func TestClock(t *testing.T) {
	for _, test := range []struct {
		at, length float64
		want       string
	}{
		{45.8e-6, 32.8, "0"}, {32.84, 32.84, "32.8"}, {3.2, 600, "3"}, {0.00123, 0.01, "0.0012"}, {0, 0, "0"},
	} {
		if got := Clock(test.at, test.length); got != test.want {
			t.Errorf("Clock(%g, %g) = %s, want %s", test.at, test.length, got, test.want)
		}
	}
}

func TestAloneRate(t *testing.T) {
	w := []fixture.Part{{Disk: "A", Op: "write", Files: 9, Pace: []fixture.Pace{{Rate: 1e9}}}}
	both := append(w[:1:1], fixture.Part{Disk: "B", Op: "write", Files: 9, Pace: []fixture.Pace{{Rate: 2e9}}})
	run := fixture.Run("solo", []string{"A", "B"}, map[string][]fixture.Part{"A alone": w, "WW": both}, "A alone", "WW")
	found := analysis.Analyze(run, analysis.Options{})
	got := AloneRate(found, &found.Phases[1], "A")
	if got == nil || got.From != "alone in A alone" || math.Abs(got.Rate-1e9) > 0.1e9 {
		t.Errorf("A alone: got %+v, want about 1 GB/s from its own phase", got)
	}
	if got := AloneRate(found, &found.Phases[0], "A"); got != nil {
		t.Errorf("A in its own phase: got %+v, want nothing to compare with", got)
	}
}
