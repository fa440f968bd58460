package analysis

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hubbench/hubbench/pkg/level"
	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/work"
)

func TestStreamSeries(t *testing.T) {
	at := func(s float64, bufferMS int64, late int) trace.StreamSample {
		return trace.StreamSample{TNS: ns(s), Sample: stream.Sample{BufferNS: bufferMS * 1e6, Late: late}}
	}
	got := streamSeries(&trace.Stream{Samples: []trace.StreamSample{at(-1, 900, 0), at(0.05, 700, 0), at(0.1, 500, 2), at(0.32, 800, 2), at(0.35, 600, 1), at(0.45, 650, 5)}})
	want := &StreamSeries{StepS: 0.1, BufferS: []float64{0.5, 0.5, 0.5, 0.6, 0.65}, Late: []int{2, 0, 0, 0, 3}}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(1e-12, 0)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for endS, want := range map[float64][2]float64{30: {0.1, 300}, 30.1: {0.2, 151}, 90: {0.3, 300}} {
		if got := streamSeries(&trace.Stream{Samples: []trace.StreamSample{at(endS, 1, 0)}}); math.Abs(got.StepS-want[0]) > 1e-12 || len(got.Late) != int(want[1]) {
			t.Errorf("%v s in %d steps of %v s", endS, len(got.Late), got.StepS)
		}
	}
	if got := streamSeries(&trace.Stream{Samples: []trace.StreamSample{at(0.05, 0, 3), at(0.15, 0, 4)}}); !slices.Equal(got.Late, []int{3, 1}) {
		t.Errorf("late from the first sample on: %v, want 3 and 1", got.Late)
	}
	for _, samples := range [][]trace.StreamSample{nil, {at(0, 1, 1)}} {
		if got := streamSeries(&trace.Stream{Samples: samples}); got != nil {
			t.Errorf("of %v: %+v", samples, got)
		}
	}
	if got := bufferSeconds(1_499_999); got != 0.001 {
		t.Errorf("1.499999 ms are %v s", got)
	}
	var total StreamTotal
	for _, s := range []Stream{
		{Verdict: stream.Clean, Due: 10, LowestBufferS: 0.8, BufferS: 1, LongestStallS: 0.1}, {Verdict: stream.Drops, Due: 20, Late: 3, LowestBufferS: 0.2, BufferS: 2, LongestStallS: 0.5},
		{Verdict: stream.Strained, Due: 30, LowestBufferS: 0.4, BufferS: 3, LongestStallS: 0.3},
	} {
		total.add(&s)
	}
	wantTotal := StreamTotal{Streams: 3, Clean: 1, Strained: 1, Drops: 1, Due: 60, Late: 3, LongestStallS: 0.5, LowestBufferS: 0.2, BufferS: 2, Verdict: stream.Drops}
	if diff := cmp.Diff(wantTotal, total); diff != "" {
		t.Errorf("the sum (-want +got):\n%s", diff)
	}
}

func TestNoOverlapIsSaid(t *testing.T) {
	d := func(name string, active ...overlap.Interval) part {
		return part{Disk: level.Disk{Trace: &trace.DiskTrace{Name: name}, Active: active}}
	}
	for _, tt := range []struct {
		name  string
		parts []part
		want  NoOverlap
	}{
		{"one moved nothing", []part{d("A", span(0, 1)), d("B"), d("C")}, NoOverlap{Disks: []string{"B", "C"}}},
		{"one after another", []part{d("A", span(5, 9)), d("B", span(1, 3)), d("C", span(0, 4))}, NoOverlap{Disks: []string{"B", "A"}, EndedS: 3, BeganS: 5}},
		{"just then", []part{d("A", span(0, 3)), d("B", span(3, 4))}, NoOverlap{Disks: []string{"A", "B"}, EndedS: 3, BeganS: 3}},
		{"pauses", []part{d("A", span(0, 1), span(2, 3)), d("B", span(1, 2), span(3, 4))}, NoOverlap{}},
		{"nobody", nil, NoOverlap{}},
	} {
		if diff := cmp.Diff(tt.want, *(&phase{parts: tt.parts}).noOverlap()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
	for _, tt := range []struct {
		d           OverlapDisk
		read, write float64
	}{{OverlapDisk{Op: "read", Rate: 5}, 5, 0}, {OverlapDisk{Op: "write", Rate: 5}, 0, 5}, {OverlapDisk{Op: "read", Rate: 5, ReadRate: 3}, 3, 2}, {OverlapDisk{Op: "write", Rate: 5, ReadRate: 3}, 3, 2}} {
		if r, w := tt.d.rateOf(trace.Read), tt.d.rateOf(trace.Write); r != tt.read || w != tt.write {
			t.Errorf("%+v reads %v and writes %v", tt.d, r, w)
		}
	}
}

func TestStopsAndSkew(t *testing.T) {
	p := &phase{trace: &trace.Phase{Gauges: []trace.Gauge{
		{Name: trace.Stopped, TNS: ns(9), Value: 0}, {Name: trace.Stopped, TNS: ns(10), Value: 4}, {Name: "other", TNS: ns(11), Value: 9}, {Name: trace.Stopped, TNS: ns(20), Value: 1.5},
	}}, out: &Phase{}}
	p.stops()
	if diff := cmp.Diff([]Warning{{Code: "stopped", Values: StoppedValues{Seconds: 5.5, Times: 2, AtS: 6}}}, p.out.Warnings); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	late := func(s float64) *int64 { v := ns(s); return &v }
	d := func(startS float64, lateNS *int64) part {
		t := &trace.DiskTrace{LateNS: lateNS}
		if startS >= 0 {
			t.Files = []trace.File{{StartNS: ns(startS)}}
		}
		return part{Disk: level.Disk{Trace: t}}
	}
	for _, tt := range []struct {
		name      string
		parts     []part
		simulated bool
		skew      float64 // none below zero
		warned    bool
	}{
		{"by first requests", []part{d(0.003, late(0.1)), d(0.001, late(0.5)), d(0.002, late(0))}, false, 0.002, true},
		{"within a millisecond", []part{d(0.001, nil), d(0.002, nil)}, false, 0.001, false},
		{"by the workers' starts, of the model", []part{d(0, late(0.1)), d(0, late(0.5))}, true, 0.4, false},
		{"where one made no request", []part{d(-1, late(0.1)), d(0, late(0.5))}, false, 0.4, true},
		{"not known", []part{d(-1, nil), d(0, late(0.5))}, false, -1, false},
		{"alone", []part{d(0.5, late(0.5))}, false, -1, false},
	} {
		p := &phase{parts: tt.parts, simulated: tt.simulated, out: &Phase{}}
		p.startSkew()
		if got := p.out.StartSkewS; (got != nil) != (tt.skew >= 0) || got != nil && math.Abs(*got-tt.skew) > 1e-12 {
			t.Errorf("%s: skew %v, want %v", tt.name, got, tt.skew)
		}
		if (len(p.out.Warnings) > 0) != tt.warned {
			t.Errorf("%s: warnings %v", tt.name, p.out.Warnings)
		}
	}
}

func TestFailures(t *testing.T) {
	open := []trace.Sample{{TNS: 1}}
	partial := Warning{Code: "partial", Disk: "A"}
	failed := Warning{Code: "partial", Disk: "A", Other: "x", Values: PartialValues{AtS: 2, Seq: 7}}
	for _, tt := range []struct {
		name         string
		d            trace.DiskTrace
		paced        work.Work
		stop, status string
		want         []Warning
	}{
		{name: "none"},
		{name: "a disk's", d: trace.DiskTrace{Errors: []trace.Failure{{TNS: ns(2), Seq: 7, Error: "x"}, {TNS: ns(3)}}, Open: open}, status: trace.Partial, want: []Warning{failed}},
		{name: "a file cut off", d: trace.DiskTrace{Open: open}, want: []Warning{partial}},
		{name: "by the clock", d: trace.DiskTrace{Open: open}, stop: scenario.StopTime},
		{name: "by the others' end", d: trace.DiskTrace{Open: open}, stop: scenario.StopHold},
		{name: "of a stream", d: trace.DiskTrace{Open: open}, paced: work.Work{Streams: []stream.Spec{{}}}},
		{name: "the phase's", status: trace.Partial, want: []Warning{{Code: "partial"}}},
	} {
		tt.d.Name = "A"
		p := &phase{trace: &trace.Phase{Stop: tt.stop, Status: tt.status}, parts: []part{{Disk: level.Disk{Trace: &tt.d, Work: tt.paced}}}, out: &Phase{}}
		p.failures()
		if diff := cmp.Diff(tt.want, p.out.Warnings); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}
