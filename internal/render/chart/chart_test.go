package chart

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hubbench/hubbench/internal/render/fixture"
	"github.com/hubbench/hubbench/internal/say"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/trace"
)

func TestTotalHoldsEveryByte(t *testing.T) {
	run := fixture.Triple()
	found := say.Analyze(run, analysis.Options{})
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
	w := []fixture.Part{{Disk: "A", Op: "write", Files: 20, Pace: []fixture.Pace{{Rate: 1e9}}}}
	both := append(w[:1:1], fixture.Part{Disk: "B", Op: "write", Files: 20, Pace: []fixture.Pace{{Rate: 2e9}}})
	run := fixture.Run("solo", []string{"A", "B"}, map[string][]fixture.Part{"A alone": w, "WW": both}, "A alone", "WW")
	found := say.Analyze(run, analysis.Options{})
	got := AloneRate(&found.Phases[1], "A")
	if got == nil || got.From != "alone in A alone" || math.Abs(got.Rate-1e9) > 0.1e9 {
		t.Errorf("A alone: got %+v, want about 1 GB/s from its own phase", got)
	}
	if got := AloneRate(&found.Phases[0], "A"); got != nil {
		t.Errorf("A in its own phase: got %+v, want nothing to compare with", got)
	}
}

func TestSteps(t *testing.T) {
	for _, test := range []struct {
		low, high float64
		most      int
		want      []float64
	}{
		{0, 2.6, 6, []float64{0, 0.5, 1, 1.5, 2, 2.5}},
		{-0.5, 1, 3, []float64{-0.5, 0, 0.5, 1}},
		{3, 3, 5, nil},
	} {
		if diff := cmp.Diff(test.want, Steps(test.low, test.high, test.most), cmpopts.EquateApprox(0, 1e-12)); diff != "" {
			t.Errorf("Steps(%g, %g, %d) (-want +got):\n%s", test.low, test.high, test.most, diff)
		}
	}
}

// Bands keep what they stand for: means lie between the percentiles, and a stall among many files is an outlier.
func TestManyFiles(t *testing.T) {
	run := fixture.Many(20000)
	found := say.Analyze(run, analysis.Options{})
	line := NewTimeline(run, run.Phases[0], &found.Phases[0])
	for _, lane := range line.Disks {
		if lane.N != 10000 || lane.Files != nil || len(lane.Bands) < 100 || len(lane.Bands) > maxBands {
			t.Fatalf("disk %s: %d files, %d drawn, %d bands; want 10000 in bands", lane.Disk, lane.N, len(lane.Files), len(lane.Bands))
		}
		for _, band := range lane.Bands {
			if band.Mean <= 0 || band.P05 > band.P95 || band.To <= band.From {
				t.Fatalf("disk %s: impossible band %+v", lane.Disk, band)
			}
		}
		if len(lane.Busy) > 2*maxBands {
			t.Errorf("disk %s: %d busy stretches, want them joined", lane.Disk, len(lane.Busy))
		}
	}
	outliers := append(line.Disks[0].Outliers, line.Disks[1].Outliers...)
	if len(outliers) == 0 || len(outliers) > maxOutliers {
		t.Errorf("%d outliers, want some and at most %d", len(outliers), maxOutliers)
	}
	files := NewFiles(run, run.Phases[0], &found.Phases[0])
	for _, lane := range files.Disks {
		inCells, inBins := 0, 0
		for _, cell := range lane.Cells {
			inCells += cell.N
		}
		for _, bin := range lane.Bins {
			inBins += bin.N
		}
		if inCells != 10000 || inBins != 10000 {
			t.Errorf("disk %s: %d files in cells and %d in bins, want 10000", lane.Disk, inCells, inBins)
		}
	}
}

func TestBandWeighsByTime(t *testing.T) {
	got := bands([]stretch{{0, 1, 10}, {1, 4, 30}}, 400)
	want := []Band{{From: 0, To: 4, Mean: 25, P05: 10, P95: 30}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestFindings(t *testing.T) {
	a := &analysis.Analysis{Order: []string{"ssd a"}, Findings: []analysis.Finding{
		{Phase: "WW", Text: "WW: after it ended, all rose"}, {Phase: "WW", Text: "ssd a took more"}, {Phase: "RR", Text: "RR: no"}, {Phase: "WW", Text: "the verdict"},
	}}
	got := Findings(a, &analysis.Phase{Phase: "WW", Verdict: "the verdict"})
	if diff := cmp.Diff([]string{"After it ended, all rose", "ssd a took more"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
