package analysis

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/trace/tracetest"
)

// windowed is a phase of parts that share these intervals.
func windowed(window []overlap.Interval, disks ...*trace.DiskTrace) *phase {
	p := &phase{trace: &trace.Phase{}, window: window, out: &Phase{}}
	for i, d := range disks {
		d.Name = string(rune('A' + i))
		p.parts = append(p.parts, newPart(d, 5e8))
	}
	return p
}

func warned(p *phase, code string) bool {
	return slices.ContainsFunc(p.out.Warnings, func(w Warning) bool { return w.Code == code })
}

// A writes 100 bytes a second and B reads 300, in files of a second; the window is of two spans, 4 s in all.
func TestFillOverlap(t *testing.T) {
	a, b := tracetest.FilesOf(slices.Repeat([][2]float64{{1, 100}}, 10)...), tracetest.FilesOf(slices.Repeat([][2]float64{{1, 300}}, 10)...)
	b.Op = trace.Read
	p := windowed([]overlap.Interval{span(1, 4), span(6, 7)}, a, b)
	p.fillOverlap()
	want := &Overlap{StartS: 1, EndS: 7, DurationS: 4, Spans: [][2]float64{{1, 4}, {6, 7}}, Bytes: 1600, BytesLow: 1600, BytesHigh: 1600, Rate: 400, ReadRate: 300, WriteRate: 100,
		Jain: 400. * 400 / (2 * (100*100 + 300*300)), Disks: map[string]OverlapDisk{
			"A": {Op: trace.Write, Bytes: 400, BytesLow: 400, BytesHigh: 400, Rate: 100, Share: 0.25},
			"B": {Op: trace.Read, Bytes: 1200, BytesLow: 1200, BytesHigh: 1200, Rate: 300, Share: 0.75},
		}}
	if diff := cmp.Diff(want, p.out.Overlap, cmpopts.EquateApprox(1e-12, 0)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if warned(p, "thin_window") || warned(p, "edges") || warned(p, "no_overlap") {
		t.Errorf("warnings %+v", p.out.Warnings)
	}
	// If one of two has a pace there is nothing to be fair about.
	p.parts[0].Work.Pace = 100
	if p.fillOverlap(); p.out.Overlap.Jain != 0 {
		t.Errorf("fairness of one: %v", p.out.Overlap.Jain)
	}
	one := windowed([]overlap.Interval{span(1, 4)}, a)
	if one.fillOverlap(); one.out.Overlap.Jain != 1 {
		t.Errorf("fairness of a disk alone: %v", one.out.Overlap.Jain)
	}
	idle := windowed([]overlap.Interval{span(20, 24)}, a, b)
	if idle.fillOverlap(); idle.out.Overlap.Jain != 0 || idle.out.Overlap.Disks["A"].Share != 0 || warned(idle, "edges") {
		t.Errorf("of a window in which nothing moved: %+v", idle.out.Overlap)
	}
	none := windowed(nil, a)
	if none.fillOverlap(); none.out.Overlap != nil || none.out.NoOverlap == nil || !warned(none, "no_overlap") {
		t.Errorf("without a window: %+v", none.out)
	}
	for length, want := range map[float64]bool{1.9: true, 2: false} {
		p := windowed([]overlap.Interval{span(1, 1+length)}, a, b)
		if p.fillOverlap(); warned(p, "thin_window") != want {
			t.Errorf("a window of %v s: %+v", length, p.out.Warnings)
		}
	}
}

// A file of that many bytes of which only 2 s lie in the window, beside 1000 bytes that lie in it whole: 50 or 52 may have moved
// at any time, which is half of that more or less.
func TestEdgesOfTheWindow(t *testing.T) {
	for _, tt := range []struct {
		bytes  float64
		warned bool
	}{{60, true}, {40, false}} {
		p := windowed([]overlap.Interval{span(0, 4)}, tracetest.FilesOf([2]float64{2, 1000}, [2]float64{4, tt.bytes}))
		p.fillOverlap()
		o := p.out.Overlap
		if o.Bytes != 1000+int64(tt.bytes)/2 || o.BytesLow != 1000 || o.BytesHigh != 1000+int64(tt.bytes) || warned(p, "edges") != tt.warned {
			t.Errorf("%v bytes: %+v, warned of %v", tt.bytes, o, p.out.Warnings)
		}
		if tt.warned {
			within(t, "the share in doubt", p.out.Warnings[len(p.out.Warnings)-1].Values.(ShareValues).Share, 30./1030, 1e-12)
		}
	}
	// Of 1000 bytes in the window just 20 are in doubt.
	p := windowed([]overlap.Interval{span(0, 4)}, tracetest.FilesOf([2]float64{2, 980}, [2]float64{4, 40}))
	if p.fillOverlap(); p.out.Overlap.Bytes != 1000 || warned(p, "edges") {
		t.Errorf("just 2 %% in doubt: %+v", p.out.Warnings)
	}
}

func TestFillStages(t *testing.T) {
	p := windowed(nil, tracetest.FilesOf(slices.Repeat([][2]float64{{1, 100}}, 4)...), tracetest.FilesOf(slices.Repeat([][2]float64{{1, 300}}, 4)...))
	p.stages = []overlap.Stage{stageOf(0, 2, 0, 1), stageOf(2, 4, 1)}
	p.fillStages()
	want := []Stage{
		{StartS: 0, EndS: 2, Active: []string{"A", "B"}, Rate: 400, Disks: map[string]StageDisk{"A": {Bytes: 200, Rate: 100}, "B": {Bytes: 600, Rate: 300}}},
		{StartS: 2, EndS: 4, Active: []string{"B"}, Rate: 300, Disks: map[string]StageDisk{"B": {Bytes: 600, Rate: 300}}},
	}
	if diff := cmp.Diff(want, p.out.Stages, cmpopts.EquateApprox(1e-12, 0)); diff != "" || len(p.out.Warnings) > 0 {
		t.Errorf("-want +got:\n%s\nwarnings %v", diff, p.out.Warnings)
	}
	for n, want := range map[int]bool{10_000: false, 10_001: true} {
		p := &phase{stages: slices.Repeat([]overlap.Stage{stageOf(0, 1)}, n), out: &Phase{}}
		if p.fillStages(); len(p.out.Stages) != 10_000 || warned(p, "many_stages") != want {
			t.Errorf("%d of %d stages, warnings %v", len(p.out.Stages), n, p.out.Warnings)
		}
		if want && p.out.Warnings[0].Values != (StagesValues{Listed: 10_000, Stages: 10_001}) {
			t.Errorf("%+v", p.out.Warnings)
		}
	}
}

func stageOf(fromS, toS float64, active ...int) overlap.Stage {
	return overlap.Stage{Interval: span(fromS, toS), Active: active}
}
