package analysis

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hubbench/hubbench/pkg/latency"
	"github.com/hubbench/hubbench/pkg/level"
	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/work"
)

// took counts requests of these times.
func took(times ...int64) latency.Counts {
	h := latency.New()
	for _, ns := range times {
		h.Record(ns)
	}
	return h.Counts()
}

func TestLatencyLines(t *testing.T) {
	d := &trace.DiskTrace{Op: trace.Read}
	line := func(s float64, op trace.Role) {
		d.Latencies = append(d.Latencies, trace.Latency{TNS: ns(s), Op: op, Hist: took(int64(s * 100))})
	}
	for _, s := range []float64{2.3, 3.4, 4.8999, 6.3999} {
		line(s, trace.Read)
	}
	line(6.5, trace.Write)
	line(9, trace.Read)
	for _, tt := range []struct {
		name   string
		active []overlap.Interval
		firstS float64
	}{
		{"active long since", []overlap.Interval{span(0, 10)}, 1.3},
		{"active since shortly", []overlap.Interval{span(2, 10)}, 2},
		{"active later", []overlap.Interval{span(2.3, 10)}, 1.3},
		{"never", nil, 1.3},
	} {
		var got []overlap.Interval
		lines := LatencyLines(d, tt.active)
		for _, l := range lines {
			got = append(got, l.Interval)
		}
		// A line is of the time since the one before, but for one that comes 1.5 s after it.
		want := []overlap.Interval{span(tt.firstS, 2.3), span(2.3, 3.4), span(3.4, 4.8999), span(5.3999, 6.3999), span(8, 9)}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
	if got := gatherRequests(LatencyLines(d, nil)); got.N() != 5 || math.Abs(got.seconds-(1+1.1+1.4999+1+1)) > 1e-9 {
		t.Errorf("%d requests in %v s", got.N(), got.seconds)
	}
}

func TestLinesWithin(t *testing.T) {
	lines := []LatencyLine{{Interval: span(1, 2)}, {Interval: span(2, 3)}, {Interval: span(3, 4)}, {Interval: span(4.5, 5.5)}, {Interval: span(7, 8)}}
	for _, tt := range []struct {
		name string
		in   []overlap.Interval
		want []int
	}{
		{"all", []overlap.Interval{span(0, 9)}, []int{0, 1, 2, 3, 4}},
		{"by a hundredth of a second", []overlap.Interval{span(1.01, 2.99), span(4.51, 5.49)}, []int{0, 1, 3}},
		{"by more", []overlap.Interval{span(1.011, 2.989), span(4.511, 5.5), span(7, 7.989)}, nil},
		{"only the first's end", []overlap.Interval{span(1, 2.989)}, []int{0}},
		{"none", nil, nil},
		{"one of several", []overlap.Interval{span(0, 1), span(2.5, 4), span(6, 9)}, []int{2, 4}},
	} {
		var got []int
		for _, l := range LinesWithin(lines, tt.in) {
			got = append(got, slices.IndexFunc(lines, func(o LatencyLine) bool { return o.Interval == l.Interval }))
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: lines %v, want %v", tt.name, got, tt.want)
		}
	}
}

// A heat map's rows and counts by hand: rows are 10^(k/8) ns high, steps whole seconds from the first line on.
func TestHeat(t *testing.T) {
	lines := []LatencyLine{
		{span(-2, -1), took(5)}, // before the release
		{span(0.5, 1.5), took(100, 100, 150)},
		{span(1.5, 2.5), took(1000)},
		{span(2.5, 2.6), took(99)},
	}
	got := latencySeries(lines)
	// Rows from 75 ns: 75, 100, 133, 178, ... to 1334.
	want := &LatencySeries{StartS: 0.5, StepS: 1, BoundsNS: []int64{75, 100, 133, 178, 237, 316, 422, 562, 750, 1000, 1334}, Counts: [][]int64{
		{0, 2, 1, 0, 0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, {1, 0, 0, 0, 0, 0, 0, 0, 0, 0},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got := latencySeries(lines[:1]); got != nil {
		t.Errorf("of what ended before the release: %+v", got)
	}
	if got := latencySeries([]LatencyLine{{overlap.Interval{StartNS: -9, EndNS: 0}, took(5)}}); got != nil {
		t.Errorf("of what ended at the release: %+v", got)
	}
	if got := latencySeries([]LatencyLine{{overlap.Interval{StartNS: -9, EndNS: 1}, took(5)}}); got == nil {
		t.Error("nothing of what ended just after it")
	}
	if got := latencySeries([]LatencyLine{{span(0, 1), took()}}); got != nil {
		t.Errorf("of no request: %+v", got)
	}
	// Of 301 s a step is two; a span of more than five decades has rows of two.
	var long []LatencyLine
	for s := range 301 {
		long = append(long, LatencyLine{span(float64(s), float64(s+1)), took(10, int64(math.Pow(10, 6.2)))})
	}
	got = latencySeries(long)
	if got.StepS != 2 || len(got.Counts) != 151 || len(got.BoundsNS) != 22 || got.BoundsNS[0] != 10 || got.BoundsNS[1] != 18 || got.BoundsNS[21] != 1778279 {
		t.Errorf("%d steps of %v s, bounds %v", len(got.Counts), got.StepS, got.BoundsNS)
	}
	if got.Counts[0][0] != 2 || got.Counts[0][20] != 2 || got.Counts[150][0] != 1 {
		t.Errorf("counts %v and %v", got.Counts[0], got.Counts[150])
	}
	if got := latencySeries(long[:300]); got.StepS != 1 || len(got.Counts) != 300 {
		t.Errorf("300 s in %d steps of %v s", len(got.Counts), got.StepS)
	}
	// Just forty rows stay as they are.
	if got := latencySeries([]LatencyLine{{span(0, 1), took(1, int64(math.Pow(10, 5.05)))}}); len(got.BoundsNS) != 41 || got.BoundsNS[0] != 1 {
		t.Errorf("bounds %v", got.BoundsNS)
	}
	if got := latencySeries([]LatencyLine{{span(0, 1), took(1, int64(math.Pow(10, 5.15)))}}); len(got.BoundsNS) != 22 || got.BoundsNS[1] != 2 {
		t.Errorf("bounds %v", got.BoundsNS)
	}
}

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
	// Frames were due without B until 3 s, and from 12 to 13 s; without C but for 3 to 4 s.
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
			d.Latencies = []trace.Latency{{TNS: ns(1), Op: trace.Read, Hist: took(times...)}}
		}
		paced := map[string]work.Work{"A": {Pace: rate}}
		return &phase{
			trace: &trace.Phase{Work: paced}, hangs: map[string]string{"A": connection}, out: &Phase{Phase: name, Disks: map[string]Disk{}, Paced: paced}, figures: map[string]toldFigures{},
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
