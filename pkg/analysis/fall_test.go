package analysis

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/ledger"
	"github.com/hubbench/hubbench/pkg/meter"
	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/trace/tracetest"
	"github.com/hubbench/hubbench/pkg/work"
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
			t.Errorf("from %v to %v, then %v: hot %v, flat %v", tt.start, tt.at, tt.after, e.hot(),
				e.flat())
		}
	}
	if e := (&Evidence{}); e.hot() || e.flat() {
		t.Error("no temperature is hot or flat")
	}
}

// Two bursts too short a rest after, and one long enough.
func TestBackAfter(t *testing.T) {
	c := threeLevels()
	burst := func(restS, bytes float64) ledger.Burst {
		return ledger.Burst{RestS: restS, FastBytes: bytes, SEBytes: 1}
	}
	for _, tt := range []struct {
		name   string
		bursts []ledger.Burst
		want   *Back
	}{
		{"none", nil, nil},
		{"never", []ledger.Burst{burst(1, 10), burst(2, 20)}, &Back{AfterS: 2, Regained: 0.2}},
		{"at once", []ledger.Burst{burst(1, 96)},
			&Back{WithinS: number(1), Bytes: 96, Whole: true, Regained: 1}},
		{"in time", []ledger.Burst{burst(1, 10), burst(2, 20), burst(11, 130)},
			&Back{
				RestS:  number(10),
				CI95:   &stats.Interval{100 / (10 + 2/math.Sqrt(5)), 100 / (10 - 2/math.Sqrt(5))},
				AfterS: 2, WithinS: number(11), Bytes: 100, Whole: true, Regained: 1,
			}},
	} {
		s := Saturation{Bursts: tt.bursts}
		check.Same(t, tt.name, tt.want, s.back(c), cmpopts.EquateApprox(1e-9, 0))
	}
	s := Saturation{Bursts: []ledger.Burst{{RestS: 1, FastBytes: 50, Throughout: true}}}
	if b := s.back(c); b.Whole || b.Bytes != 50 {
		t.Errorf("a burst too short to judge: %+v", b)
	}
}

// threeLevels is a cache of 100 bytes, 60 at 10 a second and 40 at 5, beyond which the disk writes
// 2 a second.
func threeLevels() ledger.Cache {
	return ledger.Cache{Bytes: 100, Levels: []ledger.CacheRate{
		{Measured: ledger.Measured{Rate: 10, Error: 0.05}, Bytes: 60, SeenS: 6},
		{Measured: ledger.Measured{Rate: 5, Error: 0.1}, Bytes: 40, SeenS: 8},
		{Measured: ledger.Measured{Rate: 2, Error: 0.02}, Bytes: math.Inf(1), SeenS: 20},
	}}
}

func TestWarmth(t *testing.T) {
	heat := func(values ...float64) *phase {
		return &phase{
			meters: meter.New(&trace.Phase{
				Gauges: tracetest.Readings("A", trace.Temperature, values...),
			}),
		}
	}
	a := &diskPart{
		History: ledger.History{Trace: &trace.DiskRecord{Name: "A"},
			Active: []overlap.Span{span(0, 8)}},
	}
	// Read at 1 to 9 s; it falls at 5 s, and ends at 8.
	e := heat(30, 40, 32, 50, 60, 52, 70, 58, 99).warmth(a, ns(5))
	// The middle of 30, 40 and 32; of 50, 60 and 52; and the highest of three: 52, 70 and 58, then
	// 70 and 58.
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
			list = append(list, trace.Gauge{Disk: "A", Name: trace.Temperature, TNS: ns(s),
				Value: 40})
		}
		return &phase{meters: meter.New(&trace.Phase{Gauges: list})}
	}
	long := &diskPart{History: ledger.History{Trace: a.Trace, Active: []overlap.Span{span(0, 99)}}}
	for _, tt := range []struct {
		times []float64
		want  bool
	}{
		{[]float64{1, 2, 25, 55}, true}, {[]float64{1, 2, 24.9, 55}, false},
		{[]float64{1, 2, 25, 55.1}, false},
	} {
		if e := at(tt.times...).warmth(long, ns(40)); (e.AtC != nil) != tt.want {
			t.Errorf("read at %v s, fell at 40: %v", tt.times, e.AtC)
		}
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

func span(fromS, toS float64) overlap.Span {
	return overlap.Span{StartNS: ns(fromS), EndNS: ns(toS)}
}

// Of 17 values a date is off if it costs more than twice as much as the best: here about 90 against
// 45.
func TestDateIsOff(t *testing.T) {
	x := []float64{4, 3, -3, 2, -2, 1, -1, 1, -1, 0, 0, 0, 0, 0, 0, 0, 7.99}
	if dateIsOff(x, 1, 16) || dateIsOff(x, 16, 1) {
		t.Error("a date that costs less than twice as much is off")
	}
	x[16] = 8.01
	if !dateIsOff(x, 1, 16) {
		t.Error("a date that costs more than twice as much is not off")
	}
}

// Who fell or rose first, in the two seconds about the fall.
func TestFellFirst(t *testing.T) {
	for at, want := range map[float64]bool{20: false, 21: true, 19: false} {
		p := besides(40, tracetest.Steps(100, [2]float64{20, 50}),
			tracetest.Steps(100, [2]float64{at, 150}), tracetest.Steps(30))
		check.Same(t, fmt.Sprintf("B rises at %v s, A falls at 20: first", at), want,
			p.fellFirst(p.parts[0], ns(20)))
		if got := p.parts[1].roseBefore(ns(22), ns(10), ns(30)); !got {
			t.Errorf("a rise at %v s is not before 22", at)
		}
		check.Same(t, fmt.Sprintf("a rise at %v s before 20", at), at == 19,
			p.parts[1].roseBefore(ns(20), ns(10), ns(30)))
	}
	p := besides(40, tracetest.Steps(100), tracetest.Steps(100, [2]float64{20, 60}))
	for _, tt := range []struct {
		v    overlap.Span
		want bool
	}{{span(15, 25), true}, {span(21, 30), false}, {span(10, 19), false}} {
		check.Same(t, fmt.Sprintf("another falls in %v", tt.v), tt.want,
			p.othersFall(p.parts[0], tt.v.StartNS, tt.v.EndNS))
		if p.othersFall(p.parts[1], tt.v.StartNS, tt.v.EndNS) {
			t.Errorf("B's own fall is another's")
		}
	}
	// Faster by more than a tenth in each of five stretches of two seconds.
	for rate, want := range map[float64]bool{115: true, 108: false} {
		d := besides(40, tracetest.Steps(100, [2]float64{20, rate})).parts[0]
		check.Same(t, fmt.Sprintf("100 and then %v apart", rate), want,
			d.apart(span(10, 20), span(20, 30)))
		if d.apart(span(12, 20), span(20, 30)) || d.apart(span(10, 20), span(20, 28)) {
			t.Error("four stretches are enough")
		}
	}
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
		a := p.parts[0]
		if len(a.Levels) != 2 || math.Abs(seconds(a.Levels[1].StartNS)-20) > 0.2 {
			t.Fatalf("%s: levels %v", tt.name, a.Levels)
		}
		p.fillChanges()
		check.Same(t, tt.name+": reported as", tt.kind, a.kinds[1])
		got := p.throttle(a)
		if (got != nil) != (tt.kind == KindOwnFall) {
			t.Errorf("%s: %+v", tt.name, got)
		}
		if got == nil {
			continue
		}
		check.Near(t, tt.name+": at", 20, got.AtS, 0.1)
		check.Near(t, tt.name+": after", 2000e6, got.AtBytes, 20e6)
		check.Near(t, tt.name+": from", 100e6, got.FromRate, 1e6)
		check.Near(t, tt.name+": to", 50e6, got.ToRate, 1e6)
		check.Near(t, tt.name+": held", 20, got.FirstLevelS, 0.1)
		check.Near(t, tt.name+": lasts", 40, got.LastLevelS, 0.1)
	}
	// Another's recovery then explains it, a second away or nearer.
	p := besides(60, falls, tracetest.Steps(100))
	lag := 5.0
	for at, want := range map[float64]bool{14.2: true, 15.8: true, 13.8: false, 16.2: false} {
		p.out.Recoveries = []Recovery{{Disk: "B", AtS: at, LagS: &lag, ToRate: &lag}}
		p.fillChanges()
		if got := p.parts[0].kinds[1]; (got == KindRedistribution) != want {
			t.Errorf("B recovers at %v s: A's fall is reported as %q", at+lag, got)
		}
		p.out.Recoveries = []Recovery{
			{Disk: "A", AtS: at, LagS: &lag, ToRate: &lag}, {Disk: "B", AtS: at},
		}
		p.fillChanges()
		check.Same(t, "A's own recovery explains its fall", KindOwnFall, p.parts[0].kinds[1])
	}
}

func newPart(d *trace.DiskRecord, gapNS int64) *diskPart {
	return &diskPart{History: ledger.New(d, work.Work{}, gapNS)}
}

// together is a phase of disks that are named A, B and so on.
func together(disks ...*trace.DiskRecord) *phase {
	p := &phase{
		trace: &trace.Phase{}, out: &PhaseResult{Disks: map[string]DiskResult{}},
		run: &run{alpha: alphas{comparisons: 1, perDisk: 0.01, perPhase: 0.01, perRecovery: 0.01}},
	}
	var active [][]overlap.Span
	for i, d := range disks {
		d.Name = string(rune('A' + i))
		p.parts = append(p.parts, newPart(d, 5e8))
		p.parts[i].Settle(1)
		active = append(active, p.parts[i].Active)
	}
	p.stages = overlap.Stages(active)
	p.window = overlap.Window(p.stages, len(p.parts))
	return p
}

// besides is a phase of disks that are sampled finely, each with a rate by the second, MB/s; zero
// is a pause.
func besides(seconds int, rates ...func(second int) float64) *phase {
	var disks []*trace.DiskRecord
	for _, rate := range rates {
		disks = append(disks, tracetest.FilesAt(func(s int) float64 {
			return 1e6 * rate(s)
		}, seconds))
	}
	return together(disks...)
}

// A falls at 20 s. Another has gained by it that rises by a tenth, works from 2.5 s before it to
// 3.5 s after it, and beside which nothing else happens.
func TestFreedByHand(t *testing.T) {
	rises := [2]float64{20, 120}
	for _, tt := range []struct {
		name     string
		b, c     func(int) float64
		gains    bool
		fromRate float64
	}{
		{"it rises", tracetest.Steps(80, rises), tracetest.Steps(40), true, 80e6},
		{"by less than a tenth", tracetest.Steps(112, rises), tracetest.Steps(40), false, 0},
		{"it begins three seconds before", tracetest.Steps(0, [2]float64{17, 80}, rises),
			tracetest.Steps(40), true, 80e6},
		{"two", tracetest.Steps(0, [2]float64{18, 80}, rises), tracetest.Steps(40), false, 0},
		{"a second later", tracetest.Steps(0, [2]float64{21, 80}, [2]float64{22, 120}),
			tracetest.Steps(40), false, 0},
		{"it ends four seconds later", tracetest.Steps(80, rises, [2]float64{24, 0}),
			tracetest.Steps(40), true, 80e6},
		{"three", tracetest.Steps(80, rises, [2]float64{23, 0}), tracetest.Steps(40), false, 0},
		{"another ends then", tracetest.Steps(80, rises), tracetest.Steps(40, [2]float64{25, 0}),
			false, 0},
		{"another begins long after", tracetest.Steps(80, rises),
			tracetest.Steps(0, [2]float64{32, 40}), true, 80e6},
	} {
		p := besides(60, tracetest.Steps(100, [2]float64{20, 50}), tt.b, tt.c)
		// which does nothing
		p.parts = append(p.parts,
			&diskPart{History: ledger.History{Trace: &trace.DiskRecord{Name: "D"}}})
		fell := &Throttle{Step: ledger.Step{AtS: 20}}
		p.neighbourGains(p.parts[0], fell)
		if (len(fell.NeighbourGains) == 1) != tt.gains || tt.gains &&
			fell.NeighbourGains[0].Disk != "B" {
			t.Errorf("%s: %+v", tt.name, fell.NeighbourGains)
			continue
		}
		if tt.gains {
			check.Near(t, tt.name+": from", tt.fromRate, fell.NeighbourGains[0].FromRate, 1e6)
			check.Near(t, tt.name+": to", 120e6, fell.NeighbourGains[0].ToRate, 1e6)
		}
		p.alpha.perRecovery, fell.NeighbourGains = 0, nil
		if p.neighbourGains(p.parts[0], fell); len(fell.NeighbourGains) != 0 {
			t.Errorf("%s: %+v, which may be chance", tt.name, fell.NeighbourGains)
		}
	}
}
