package analysis

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/pkg/level"
	"github.com/hubbench/hubbench/pkg/meter"
	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/trace/tracetest"
)

func warmed(start, at, after float64) *Evidence {
	return &Evidence{StartC: &start, AtC: &at, AfterC: &after}
}

func TestHotAndFlat(t *testing.T) {
	for _, tt := range []struct {
		start, at, after float64
		hot, flat        bool
	}{
		{47, 55, 60, true, false},
		{46, 54, 54, false, false},
		{48, 55, 55, false, false}, // by 7 °C
		{62, 65, 70, true, false},  // of a hot one 3 will do
		{62, 64, 64, false, true},
		{62, 65, 65, true, true},
		{63, 65, 65, false, true},
		{47, 55, 60.1, false, false},
		{40, 60, 66, true, false}, // 0.3 of the rise
		{40, 60, 66.1, false, false},
		{40, 43, 43, false, true},
		{40, 43.1, 43, false, false},
		{43, 40, 40, false, true},
		{40, 40, 43.1, false, false},
		{69, 69.9, 69, false, true},
		{69, 70, 69, false, false},
	} {
		e := warmed(tt.start, tt.at, tt.after)
		if e.hot() != tt.hot || e.flat() != tt.flat {
			t.Errorf("from %v to %v, then %v: hot %v, flat %v", tt.start, tt.at, tt.after, e.hot(), e.flat())
		}
	}
	if e := (&Evidence{}); e.hot() || e.flat() {
		t.Error("no temperature is hot or flat")
	}
	for _, tt := range []struct {
		e    Evidence
		want bool
	}{{Evidence{}, true}, {Evidence{PassedBytes: 1}, false}, {Evidence{SoonerBytes: 1}, false}, {Evidence{SoonerBytes: 1, SameBudget: 1}, true}, {Evidence{SameBudget: 1, PassedBytes: 1}, false}} {
		if tt.e.aBudget() != tt.want {
			t.Errorf("%+v a budget: %v", tt.e, !tt.want)
		}
	}
}

func TestWarmth(t *testing.T) {
	heat := func(values ...float64) *phase {
		return &phase{meters: meter.New(&trace.Phase{Gauges: tracetest.Readings("A", trace.Temperature, values...)})}
	}
	a := &part{Disk: level.Disk{Trace: &trace.DiskTrace{Name: "A"}, Active: []overlap.Interval{span(0, 8)}}}
	// Read at 1 to 9 s; it falls at 5 s, and ends at 8.
	e := heat(30, 40, 32, 50, 60, 52, 70, 58, 99).warmth(a, ns(5))
	// The middle of 30, 40 and 32; of 50, 60 and 52; and the highest of three: 52, 70 and 58, then 70 and 58.
	if e.AtC == nil || *e.StartC != 32 || *e.AtC != 52 || *e.AfterC != 64 {
		t.Fatalf("%v, %v, %v", *e.StartC, *e.AtC, *e.AfterC)
	}
	if e := heat(30, 40).warmth(a, ns(2)); e.AtC != nil {
		t.Error("two readings before it fell are enough")
	}
	if e := heat(30, 40, 50).warmth(a, ns(5)); e.AtC != nil {
		t.Error("none after it fell is enough")
	}
	// About the fall: no more than 15 s away.
	at := func(times ...float64) *phase {
		var list []trace.Gauge
		for _, s := range times {
			list = append(list, trace.Gauge{Disk: "A", Name: trace.Temperature, TNS: ns(s), Value: 40})
		}
		return &phase{meters: meter.New(&trace.Phase{Gauges: list})}
	}
	long := &part{Disk: level.Disk{Trace: a.Trace, Active: []overlap.Interval{span(0, 99)}}}
	for _, tt := range []struct {
		times []float64
		want  bool
	}{{[]float64{1, 2, 25, 55}, true}, {[]float64{1, 2, 24.9, 55}, false}, {[]float64{1, 2, 25, 55.1}, false}} {
		if e := at(tt.times...).warmth(long, ns(40)); (e.AtC != nil) != tt.want {
			t.Errorf("read at %v s, fell at 40: %v", tt.times, e.AtC)
		}
	}
	if got := newEvents([]meter.Reading{{NS: ns(29), Value: 1}, {NS: ns(30), Value: 5}, {NS: ns(40), Value: 7}, {NS: ns(50), Value: 11}, {NS: ns(51), Value: 99}}, ns(40)); got != 6 {
		t.Errorf("%v events from 30 to 50 s, want 6", got)
	}
	if got := newEvents([]meter.Reading{{NS: ns(40), Value: 7}}, ns(40)); got != 0 {
		t.Errorf("%v events of one reading", got)
	}
	if got := newEvents([]meter.Reading{{NS: ns(40), Value: 7}, {NS: ns(41), Value: 3}}, ns(40)); got != 0 {
		t.Errorf("%v events of a count that falls", got)
	}
	temperature := heat(30, 40, 32, 50).temperature("A", true)
	if *temperature != (Temperature{FirstC: 30, MedianC: 36, MaxC: 50, LastC: 50}) {
		t.Errorf("%+v", temperature)
	}
	ten := slices.Repeat([]float64{40}, 10)
	for _, tt := range []struct {
		values  []float64
		isStuck bool
		want    bool
	}{{ten, true, true}, {ten[:9], true, false}, {ten, false, false}} {
		if got := heat(tt.values...).temperature("A", tt.isStuck); got.Stuck != tt.want {
			t.Errorf("%d readings alike: stuck %v", len(tt.values), got.Stuck)
		}
	}
}

func TestCoresBusy(t *testing.T) {
	a := &part{Disk: level.Disk{Trace: &trace.DiskTrace{Name: "A"}, Active: []overlap.Interval{span(0, 6)}}}
	for _, tt := range []struct {
		values []float64
		want   bool
	}{
		{[]float64{10, 10, 10, 96, 95, 95, 10, 10, 10}, true},
		{[]float64{10, 10, 10, 94, 94, 94, 99, 99, 99}, false},
		{[]float64{96, 96, 96, 96, 96, 96}, false},
		{[]float64{94, 94, 94, 96, 96, 96}, true},
		{nil, false},
	} {
		p := &phase{meters: meter.New(&trace.Phase{Gauges: tracetest.Readings("", trace.CPU, tt.values...)})}
		if got := p.coresBusy(a, &Throttle{AtS: 3.5}); got != tt.want {
			t.Errorf("%v: %v", tt.values, got)
		}
	}
}

func TestBudget(t *testing.T) {
	rate := 1e9
	other := func(d Disk) *phase {
		d.Rate = cmpOr(d.Rate, &rate)
		return &phase{trace: &trace.Phase{}, out: &Phase{Disks: map[string]Disk{"A": d}}}
	}
	a := &part{Disk: level.Disk{Trace: &trace.DiskTrace{Name: "A"}}}
	here := &phase{trace: &trace.Phase{Disks: []*trace.DiskTrace{a.Trace}}, out: &Phase{Disks: map[string]Disk{"A": {Rate: &rate}}}}
	d := &Disk{Throttle: &Throttle{AtBytes: 100, FromRate: 1e9}}
	fell := func(at float64) Disk { return Disk{Bytes: 999, Throttle: &Throttle{AtBytes: at}} }
	slow, fast := 0.79e9, 0.81e9
	for _, tt := range []struct {
		name          string
		before, after []Disk
		want          Evidence
	}{
		{"no other", nil, nil, Evidence{}},
		{"as many bytes", []Disk{fell(129), fell(78)}, []Disk{fell(100)}, Evidence{SameBudget: 3}},
		{"sooner and later", []Disk{fell(76), fell(50), fell(131)}, nil, Evidence{SoonerBytes: 76, PassedBytes: 131}},
		{"sooner afterwards", nil, []Disk{fell(76), fell(140)}, Evidence{PassedBytes: 140}},
		{"by three tenths more", nil, []Disk{fell(130)}, Evidence{}},
		{"went past it", []Disk{{Bytes: 131}, {Bytes: 150}, {Bytes: 120}}, nil, Evidence{PassedBytes: 150}},
		{"not clearly", []Disk{{Bytes: 130}}, nil, Evidence{}},
		{"never as fast", []Disk{{Bytes: 500, Rate: &slow}}, []Disk{{Bytes: 400, Rate: &fast}}, Evidence{PassedBytes: 400}},
		{"the other way", []Disk{{Op: trace.Read, Bytes: 500}}, nil, Evidence{}},
	} {
		var phases []*phase
		for _, d := range tt.before {
			phases = append(phases, other(d))
		}
		phases = append(phases, here)
		for _, d := range tt.after {
			phases = append(phases, other(d))
		}
		e := &Evidence{}
		budget(a, d, e, phases)
		if diff := cmp.Diff(&tt.want, e); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func cmpOr(v, other *float64) *float64 {
	if v != nil {
		return v
	}
	return other
}

// The second disk starts at 10 s, pauses from 20 to 25 s and ends at 30 s.
func TestEventsIn(t *testing.T) {
	p := &phase{parts: []part{{Disk: level.Disk{Active: []overlap.Interval{span(0, 50)}}}, {Disk: level.Disk{Active: []overlap.Interval{span(10, 20), span(25, 30)}}}}}
	for _, tt := range []struct {
		v    overlap.Interval
		want bool
	}{{span(1, 10), false}, {span(1, 10.1), true}, {span(10, 20), false}, {span(15, 20.1), true}, {span(20, 25), false}, {span(21, 26), true}, {span(30, 50), false}, {span(29, 31), true}} {
		if got := p.eventsIn(tt.v.StartNS, tt.v.EndNS); got != tt.want {
			t.Errorf("in %v: %v", tt.v, got)
		}
	}
	pauses := part{Disk: level.Disk{Active: p.parts[1].Active}}
	for s, want := range map[float64]bool{19.4: false, 19.5: true, 22: true, 25.5: true, 25.6: false, 10: false, 30: false} {
		if got, ok := pauses.pauseAt(ns(s)); ok != want || ok && got != span(20, 25) {
			t.Errorf("at %v s: %v, %v", s, got, ok)
		}
	}
	levels := levelsOf([2]float64{14, 100}, [2]float64{6, 50}, [2]float64{5, 80})
	for _, tt := range []struct {
		name    string
		next    float64 // rate after the pause
		atS     float64
		until   float64
		rebound *Rebound
	}{
		{"it stays low", 90, 25, 30, nil},
		{"it is back after the pause", 91, 25, 20, &Rebound{AtS: 25, PauseS: 5, Rate: 91}},
		{"it comes back without one", 91, 28, 14, nil},
	} {
		list := append(slices.Clone(levels[:2]), level.Level{Interval: span(tt.atS, 30), Rate: tt.next})
		until, rebound := pauses.lasts(list, 1, 100)
		if until != ns(tt.until) || !cmp.Equal(rebound, tt.rebound) {
			t.Errorf("%s: until %v, %+v", tt.name, seconds(until), rebound)
		}
	}
}

func TestCut(t *testing.T) {
	named := func(name string, active ...overlap.Interval) part {
		return part{Disk: level.Disk{Trace: &trace.DiskTrace{Name: name}, Active: active}}
	}
	p := &phase{parts: []part{named("A", span(0, 40)), named("B", span(0, 20), span(25, 30)), named("C"), named("D", span(10, 35))}}
	for s, want := range map[float64]Cut{
		40: {Why: "ended", Disk: "A"}, 30: {Why: "ended", Disk: "B"}, 35: {Why: "ended", Disk: "D"},
		25: {Why: "started", Disk: "B"}, 10: {Why: "started", Disk: "D"}, 20: {Why: "paused"},
	} {
		want.Rose, want.S = true, 3
		if got := p.cut(&p.parts[0], ns(s), 3, true); *got != want {
			t.Errorf("at %v s: %+v, want %+v", s, *got, want)
		}
	}
	p.stages = overlap.Stages([][]overlap.Interval{p.parts[0].Active, p.parts[1].Active, nil, p.parts[3].Active})
	for _, tt := range []struct {
		disk int
		s    float64
		want float64
	}{{0, 20, 10}, {0, 10, 0}, {1, 25, 25}, {1, 30, 25}, {0, 0, 0}, {3, 10, 10}, {3, 25, 10}} {
		if got := p.worksSince(tt.disk, ns(tt.s)); got != ns(tt.want) {
			t.Errorf("disk %d before %v s: works since %v s, want %v", tt.disk, tt.s, seconds(got), tt.want)
		}
	}
	short := &phase{stages: []overlap.Stage{{Interval: span(0, 5), Active: []int{0}}, {Interval: span(5, 5.4), Active: []int{0, 1}}, {Interval: span(5.4, 5.9), Active: []int{1}}}}
	if got := short.worksSince(0, ns(5.4)); got != 0 {
		t.Errorf("another began 0.4 s before: works since %v s", seconds(got))
	}
	if got := short.worksSince(1, ns(5.9)); got != ns(5) {
		t.Errorf("another ended 0.5 s before: works since %v s", seconds(got))
	}
	if got := p.lastToEnd(0); got != "D" {
		t.Errorf("the last of the others to end is %s", got)
	}
	both := &phase{parts: []part{named("A", span(0, 5)), named("B", span(0, 9)), named("C", span(0, 9))}}
	if got := both.lastToEnd(0); got != "B" {
		t.Errorf("of two that end at once %s is named", got)
	}
	if got := p.lastToEnd(3); got != "A" {
		t.Errorf("the last of D's others to end is %s", got)
	}
}
