package analysis

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/pkg/level"
	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/trace/tracetest"
	"github.com/hubbench/hubbench/pkg/work"
)

// besides is a phase of disks that are sampled finely, each with a rate by the second, MB/s; zero is a pause.
func besides(seconds int, rates ...func(second int) float64) *phase {
	var disks []*trace.DiskTrace
	for _, rate := range rates {
		disks = append(disks, tracetest.FilesAt(func(s int) float64 { return 1e6 * rate(s) }, seconds))
	}
	return together(disks...)
}

// partOf is a disk's part without levels, and newPart the same with them.
func partOf(d *trace.DiskTrace) part {
	return part{Disk: level.Disk{Trace: d, Active: overlap.Active(d, 5e8), Curve: overlap.NewCurve(d)}}
}

func newPart(d *trace.DiskTrace, gapNS int64) part {
	return part{Disk: level.New(d, work.Work{}, gapNS)}
}

// together is a phase of disks that are named A, B and so on.
func together(disks ...*trace.DiskTrace) *phase {
	p := &phase{trace: &trace.Phase{}, connections: map[string]string{}, out: &Phase{Disks: map[string]Disk{}}, alpha: alphas{looks: 1, own: 0.01, shared: 0.01, after: 0.01}}
	var active [][]overlap.Interval
	for i, d := range disks {
		d.Name = string(rune('A' + i))
		p.parts = append(p.parts, newPart(d, 5e8))
		p.parts[i].Settle(nil, 0.01)
		active = append(active, p.parts[i].Active)
	}
	p.stages = overlap.Stages(active)
	p.window = overlap.Window(p.stages, len(p.parts))
	return p
}

// A falls at 20 s; what the others do then explains it, or does not.
func TestWhatExplainsAFall(t *testing.T) {
	falls := tracetest.Steps(100, [2]float64{20, 50})
	for _, tt := range []struct {
		name  string
		other func(int) float64
		kind  string
	}{
		{"nothing happens", tracetest.Steps(100), KindOwnFall},
		{"B begins then", tracetest.Steps(0, [2]float64{20, 50}), KindStart},
		{"B began before", tracetest.Steps(0, [2]float64{10, 50}), KindOwnFall},
		{"B ends a second before", tracetest.Steps(100, [2]float64{19, 0}), KindUnknown},
		{"B ends three seconds before", tracetest.Steps(100, [2]float64{17, 0}), KindOwnFall},
		{"B ends a second later", tracetest.Steps(100, [2]float64{21, 0}), KindOwnFall},
		{"B gains half of it", tracetest.Steps(100, [2]float64{20, 127}), KindUnknown},
		{"B gains all of it", tracetest.Steps(100, [2]float64{20, 150}), KindRedistribution},
		{"B gains less than half", tracetest.Steps(100, [2]float64{20, 120}), KindOwnFall},
		{"B gains what A left", tracetest.Steps(100, [2]float64{21, 150}), KindOwnFall},
		{"B falls by the same factor", tracetest.Steps(80, [2]float64{20, 40}), KindSharedFall},
		{"B falls by another factor", tracetest.Steps(100, [2]float64{20, 75}), KindUnknown},
	} {
		p := besides(60, falls, tt.other)
		a := &p.parts[0]
		if len(a.Solid) != 2 || math.Abs(seconds(a.Solid[1].StartNS)-20) > 0.2 {
			t.Fatalf("%s: levels %v", tt.name, a.Solid)
		}
		p.fillChanges()
		if got := a.kinds[1]; got != tt.kind {
			t.Errorf("%s: reported as %q, want %q", tt.name, got, tt.kind)
		}
		got := p.throttle(a)
		if (got != nil) != (tt.kind == KindOwnFall) {
			t.Errorf("%s: %+v", tt.name, got)
		}
		if got == nil {
			continue
		}
		within(t, tt.name+": at", got.AtS, 20, 0.1)
		within(t, tt.name+": after", got.AtBytes, 2000e6, 20e6)
		within(t, tt.name+": from", got.FromRate, 100e6, 1e6)
		within(t, tt.name+": to", got.ToRate, 50e6, 1e6)
		within(t, tt.name+": held", got.HeldS, 20, 0.1)
		within(t, tt.name+": lasts", got.LastsS, 40, 0.1)
	}
	// Another's recovery then explains it, a second away or nearer.
	p := besides(60, falls, tracetest.Steps(100))
	lag := 5.0
	for at, want := range map[float64]bool{14.2: true, 15.8: true, 13.8: false, 16.2: false} {
		p.out.Recoveries, p.reached = []Recovery{{Disk: "B", AtS: at, LagS: &lag, ToRate: &lag}}, make([]level.Measured, 1)
		p.fillChanges()
		if got := p.parts[0].kinds[1]; (got == KindRedistribution) != want {
			t.Errorf("B recovers at %v s: A's fall is reported as %q", at+lag, got)
		}
		p.out.Recoveries, p.reached = []Recovery{{Disk: "A", AtS: at, LagS: &lag, ToRate: &lag}, {Disk: "B", AtS: at}}, make([]level.Measured, 2)
		p.fillChanges()
		if got := p.parts[0].kinds[1]; got != KindOwnFall {
			t.Errorf("A's own recovery explains its fall: %q", got)
		}
	}
}

// In two steps down, the deeper of which dates the fall; up again without a pause it is none.
func TestThrottleInSteps(t *testing.T) {
	p := besides(80, tracetest.Steps(100, [2]float64{20, 70}, [2]float64{40, 30}))
	p.fillChanges()
	got := p.throttle(&p.parts[0])
	if got == nil || len(got.Steps) != 2 {
		t.Fatalf("%+v", got)
	}
	within(t, "at", got.AtS, 40, 0.1)
	within(t, "from", got.FromRate, 70e6, 1e6)
	within(t, "to", got.ToRate, 30e6, 1e6)
	within(t, "first step at", got.Steps[0].AtS, 20, 0.1)
	within(t, "first step to", got.Steps[0].ToRate, 70e6, 1e6)
	within(t, "held", got.HeldS, 20, 0.1)
	within(t, "lasts", got.LastsS, 40, 0.1)
	for name, rate := range map[string]func(int) float64{
		"by less than a fifth": tracetest.Steps(100, [2]float64{20, 82}),
		"back without a pause": tracetest.Steps(100, [2]float64{20, 50}, [2]float64{40, 95}),
		"upwards":              tracetest.Steps(50, [2]float64{20, 100}),
		"for a second":         tracetest.Steps(100, [2]float64{59, 50}),
	} {
		p := besides(60, rate)
		p.fillChanges()
		if got := p.throttle(&p.parts[0]); got != nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
	p = besides(80, tracetest.Steps(100, [2]float64{20, 50}, [2]float64{40, 0}, [2]float64{50, 100}))
	p.fillChanges()
	got = p.throttle(&p.parts[0])
	if got == nil || got.Recovered == nil {
		t.Fatalf("back after a pause: %+v", got)
	}
	within(t, "back at", got.Recovered.AtS, 50, 0.1)
	within(t, "after a pause of", got.Recovered.PauseS, 10, 0.1)
	within(t, "at the rate", got.Recovered.Rate, 100e6, 1e6)
	within(t, "low for", got.LastsS, 20, 0.1)
}

func TestFellInside(t *testing.T) {
	falls := tracetest.Steps(100, [2]float64{20, 50})
	for _, tt := range []struct {
		name  string
		other func(int) float64
		want  bool
	}{
		{"in the window", tracetest.Steps(100), true},
		{"before it", tracetest.Steps(0, [2]float64{30, 100}), false},
		{"where another began", tracetest.Steps(0, [2]float64{20, 100}), false},
		{"by less", nil, false},
	} {
		own := falls
		if tt.other == nil {
			own, tt.other = tracetest.Steps(100, [2]float64{20, 81}), tracetest.Steps(100)
		}
		p := besides(60, own, tt.other)
		p.fillChanges()
		if got := p.fellInside(&p.parts[0]); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
	// Alone at the end, from 40 s on, it has as little as beside B, or more.
	for after, want := range map[float64]bool{50: true, 89: true, 92: false} {
		p := besides(60, tracetest.Steps(100, [2]float64{20, 50}, [2]float64{40, after}), tracetest.Steps(100, [2]float64{40, 0}))
		if got := p.lowAlone(&p.parts[0], 100e6, ns(20)); got != want {
			t.Errorf("alone it has %v: low %v", after, got)
		}
		if p.lowAlone(&p.parts[1], 100e6, ns(20)) {
			t.Error("B never works alone")
		}
	}
	// It is looked at for three seconds or more.
	for end, want := range map[float64]bool{57: true, 58: false} {
		p := besides(60, tracetest.Steps(50), tracetest.Steps(100, [2]float64{end, 0}))
		if got := p.lowAlone(&p.parts[0], 100e6, 0); got != want {
			t.Errorf("alone from %v s on: %v", end, got)
		}
	}
}

// Who fell or rose first, in the two seconds about the fall.
func TestFellFirst(t *testing.T) {
	for at, want := range map[float64]bool{20: false, 21: true, 19: false} {
		p := besides(40, tracetest.Steps(100, [2]float64{20, 50}), tracetest.Steps(100, [2]float64{at, 150}), tracetest.Steps(30))
		if got := p.fellFirst(&p.parts[0], ns(20)); got != want {
			t.Errorf("B rises at %v s, A falls at 20: first %v", at, got)
		}
		if got := p.parts[1].roseBefore(ns(22), ns(10), ns(30)); !got {
			t.Errorf("a rise at %v s is not before 22", at)
		}
		if got := p.parts[1].roseBefore(ns(20), ns(10), ns(30)); got != (at == 19) {
			t.Errorf("a rise at %v s before 20: %v", at, got)
		}
	}
	p := besides(40, tracetest.Steps(100), tracetest.Steps(100, [2]float64{20, 60}))
	for _, tt := range []struct {
		v    overlap.Interval
		want bool
	}{{span(15, 25), true}, {span(21, 30), false}, {span(10, 19), false}} {
		if got := p.othersFall(&p.parts[0], tt.v.StartNS, tt.v.EndNS); got != tt.want {
			t.Errorf("another falls in %v: %v", tt.v, got)
		}
		if p.othersFall(&p.parts[1], tt.v.StartNS, tt.v.EndNS) {
			t.Errorf("B's own fall is another's")
		}
	}
	// Faster by more than a tenth in each of five stretches of two seconds.
	for rate, want := range map[float64]bool{115: true, 108: false} {
		d := besides(40, tracetest.Steps(100, [2]float64{20, rate})).parts[0]
		if got := d.apart(span(10, 20), span(20, 30)); got != want {
			t.Errorf("100 and then %v apart: %v", rate, got)
		}
		if d.apart(span(12, 20), span(20, 30)) || d.apart(span(10, 20), span(20, 28)) {
			t.Error("four stretches are enough")
		}
	}
}

// The deepest step dates a fall, and of two as deep the first.
func TestToThrottle(t *testing.T) {
	for _, tt := range []struct {
		name   string
		files  [][2]float64
		levels [][2]float64
		untilS float64
		want   Throttle
	}{
		{"as deep", [][2]float64{{10, 1000}, {10, 500}, {10, 250}}, [][2]float64{{10, 100}, {10, 50}, {10, 25}}, 30,
			Throttle{AtBytes: 1000, AtS: 10, FromRate: 100, ToRate: 50, HeldS: 10, LastsS: 10, Steps: []level.Step{{AtBytes: 1000, AtS: 10, FromRate: 100, ToRate: 50}, {AtBytes: 1500, AtS: 20, FromRate: 50, ToRate: 25}}}},
		{"the second", [][2]float64{{10, 1000}, {10, 800}, {10, 200}}, [][2]float64{{10, 100}, {10, 80}, {10, 20}}, 30,
			Throttle{AtBytes: 1800, AtS: 20, FromRate: 80, ToRate: 20, HeldS: 10, LastsS: 10, Steps: []level.Step{{AtBytes: 1000, AtS: 10, FromRate: 100, ToRate: 80}, {AtBytes: 1800, AtS: 20, FromRate: 80, ToRate: 20}}}},
		{"low until 15 s", [][2]float64{{10, 1000}, {5, 250}, {5, 150}}, [][2]float64{{10, 100}, {10, 40}}, 15,
			Throttle{AtBytes: 1000, AtS: 10, FromRate: 100, ToRate: 50, HeldS: 10, LastsS: 5, Steps: []level.Step{{AtBytes: 1000, AtS: 10, FromRate: 100, ToRate: 50}}}},
	} {
		p := partOf(tracetest.FilesOf(tt.files...))
		levels := levelsOf(tt.levels...)
		tt.want.Recovered = &Rebound{AtS: 99}
		if diff := cmp.Diff(&tt.want, p.toThrottle(levels, ns(tt.untilS), tt.want.Recovered)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// A falls at 20 s, which is not dated wrongly; what another does from two seconds before to half a second after explains it.
func TestEventNear(t *testing.T) {
	for _, tt := range []struct {
		atS  float64
		want bool
	}{{17.99, false}, {18, true}, {20, true}, {20.5, true}, {20.51, false}} {
		for _, active := range [][]overlap.Interval{{span(0, tt.atS)}, {span(tt.atS, 40)}, {span(0, 5), span(9, tt.atS), span(30, 40)}} {
			a := partOf(tracetest.FilesOf([2]float64{20, 2000e6}, [2]float64{20, 1000e6}))
			a.Active = []overlap.Interval{span(0, 19), span(20, 40)} // its own pause explains nothing
			a.Solid = levelsOf([2]float64{20, 100e6}, [2]float64{20, 50e6})
			p := &phase{parts: []part{a, {Disk: level.Disk{Trace: &trace.DiskTrace{Name: "B"}, Active: active}}}, out: &Phase{}}
			e := event{at: ns(20), edges: []edge{{disk: 0}}}
			if got := p.begunNear(&e) != nil || p.endedNear(&e) != nil; got != tt.want {
				t.Errorf("another is active in %v: %v", active, got)
			}
		}
	}
}

// Of 17 values a date is off if it costs more than twice as much as the best: here 90 against 45.
func TestDateIsOff(t *testing.T) {
	x := []float64{4, 3, -3, 2, -2, 1, -1, 1, -1, 0, 0, 0, 0, 0, 0, 0, 8}
	if dateIsOff(x, 1, 16) || dateIsOff(x, 16, 1) {
		t.Error("a date that costs twice as much is off")
	}
	x[16] = 8.01
	if !dateIsOff(x, 1, 16) {
		t.Error("a date that costs more than twice as much is not off")
	}
}

// To four fifths, within the window, and with no event of another near.
func TestFellInsideByHand(t *testing.T) {
	for _, tt := range []struct {
		name   string
		bytes  float64 // after 20 s
		window []overlap.Interval
		other  overlap.Interval
		want   bool
	}{
		{"to four fifths", 1600e6, []overlap.Interval{span(0, 40)}, span(0, 40), true},
		{"to more", 1601e6, []overlap.Interval{span(0, 40)}, span(0, 40), false},
		{"where the window ends", 1600e6, []overlap.Interval{span(0, 20)}, span(0, 40), false},
		{"where it begins", 1600e6, []overlap.Interval{span(20, 40)}, span(0, 40), false},
		{"in its second part", 1600e6, []overlap.Interval{span(0, 10), span(15, 40)}, span(0, 40), true},
		{"between", 1600e6, []overlap.Interval{span(0, 19), span(21, 40)}, span(0, 40), false},
		{"where another begins", 1600e6, []overlap.Interval{span(0, 40)}, span(20, 40), false},
	} {
		kind := map[bool]string{false: KindUnknown, true: KindStart}[tt.other.StartNS > 0]
		a := partOf(tracetest.FilesOf([2]float64{20, 2000e6}, [2]float64{20, tt.bytes}))
		a.Solid, a.kinds = []level.Level{a.LevelOver(span(0, 20)), a.LevelOver(span(20, 40))}, []string{"", kind}
		p := &phase{parts: []part{a, {Disk: level.Disk{Trace: &trace.DiskTrace{Name: "B"}, Active: []overlap.Interval{tt.other}}}}, window: tt.window, out: &Phase{}}
		if got := p.fellInside(&p.parts[0]); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}
