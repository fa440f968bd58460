package analysis

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hubbench/hubbench/pkg/level"
	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/trace/tracetest"
	"github.com/hubbench/hubbench/pkg/work"
)

// During a stream's late frames one other disk works always, one now and then, one never.
func TestLateness(t *testing.T) {
	d := func(name string, active ...overlap.Interval) part {
		return part{Disk: level.Disk{Trace: &trace.DiskTrace{Name: name}, Active: active}}
	}
	p := &phase{parts: []part{d("A", span(0, 20)), d("B", span(3, 12)), d("C", span(3.5, 4)), d("D"), d("E", span(3, 12.5))}}
	sample := func(s float64, due, late int) trace.StreamSample {
		return trace.StreamSample{TNS: ns(s), Sample: stream.Sample{Due: due, Late: late}}
	}
	s := &trace.Stream{Samples: []trace.StreamSample{
		sample(1, 10, 0), sample(2, 20, 0), sample(3, 30, 0), sample(4, 40, 3), sample(5, 50, 3), sample(10, 60, 8), sample(12, 60, 8), sample(13, 70, 8), sample(14, 70, 8),
	}}
	// Frames were due without B until 3 s, and from 12 to 13 s; without C except for 3 to 4 s.
	for buffer, quiet := range map[time.Duration][]bool{
		0:                       {false, true, true, true, true},
		3500 * time.Millisecond: {false, true, true, true, false},
		4001 * time.Millisecond: {false, false, true, true, false},
	} {
		got := p.lateness(0, s, stream.Spec{Buffer: buffer})
		want := lateness{late: true, always: []bool{false, true, false, false, true}, quiet: quiet}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(lateness{})); diff != "" {
			t.Errorf("buffer %v (-want +got):\n%s", buffer, diff)
		}
	}
	always, only := lateness{late: true, always: []bool{false, true, true, false, true}, quiet: []bool{true, true, false, true, true}}.while(p)
	if !slices.Equal(always, []string{"B", "C", "E"}) || !slices.Equal(only, []string{"B", "E"}) {
		t.Errorf("late while %v worked, never without %v", always, only)
	}
	if always, only := (lateness{always: []bool{true}, quiet: []bool{true}}).while(p); always != nil || only != nil {
		t.Errorf("nothing was late: %v, %v", always, only)
	}
	one := lateness{late: true, always: []bool{true, true, false}, quiet: []bool{true, false, true}}
	two := lateness{late: true, always: []bool{true, false, true}, quiet: []bool{true, true, false}}
	sum := lateness{late: true, always: []bool{true, false, false}, quiet: []bool{true, false, false}}
	none := lateness{always: []bool{false, false, false}, quiet: []bool{false, false, false}}
	for _, tt := range []struct{ a, b, want lateness }{{one, two, sum}, {one, none, one}, {none, two, two}, {none, none, none}} {
		if diff := cmp.Diff(tt.want, tt.a.with(tt.b), cmp.AllowUnexported(lateness{}), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("together (-want +got):\n%s", diff)
		}
	}
}

// The phases of a disk alone at the same work are one, and only those count that have latencies and one disk.
func TestLatenciesAlone(t *testing.T) {
	made := func(name, connection string, rate float64, times []int64, more ...part) *phase {
		d := &trace.DiskTrace{Name: "A", Op: trace.Read}
		if len(times) > 0 {
			d.Latencies = []trace.Latency{{TNS: ns(1), Op: trace.Read, Hist: tracetest.Took(times...)}}
		}
		paced := map[string]work.Work{"A": {Pace: rate}}
		return &phase{
			trace: &trace.Phase{Work: paced}, connections: map[string]string{"A": connection}, out: &Phase{Phase: name, Disks: map[string]Disk{}, Paced: paced}, figures: map[string]knownFigures{},
			parts: append([]part{{Disk: level.Disk{Trace: d, Work: paced["A"]}}}, more...),
		}
	}
	b := part{Disk: level.Disk{Trace: &trace.DiskTrace{Name: "B"}}}
	phases := []*phase{
		made("first", "hub", 5, []int64{100, 200}), made("second", "hub", 5, []int64{300}), made("elsewhere", "direct", 5, []int64{1, 2, 3, 4}),
		made("none", "hub", 5, nil), made("beside B", "hub", 5, []int64{900}, b), made("of no pace", "hub", 0, []int64{9, 9, 9, 9, 9}),
	}
	all := latenciesAlone(phases)
	if len(all) != 3 {
		t.Fatalf("%d kinds of work", len(all))
	}
	if s := all.find(phases[4].job(&phases[4].parts[0])); s == nil || s.phases != "first, second" || s.Requests != 3 || len(s.lines) != 2 || s.Seconds != 2 {
		t.Errorf("%+v", s)
	}
	phases[4].latencies(all, 0.01)
	phases[1].latencies(all, 0.01)
	if l := phases[4].out.Disks["A"].Latency; l == nil || l.AloneFrom != "first, second" || l.Alone.Requests != 3 || l.Requests != 1 {
		t.Errorf("beside B: %+v", l)
	}
	if l := phases[1].out.Disks["A"].Latency; l == nil || l.Alone != nil || l.Requests != 1 {
		t.Errorf("alone: %+v", l)
	}
}
