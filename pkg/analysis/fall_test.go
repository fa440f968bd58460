package analysis

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/internal/test/tracetest"
	"github.com/hubbench/hubbench/pkg/change"
	"github.com/hubbench/hubbench/pkg/ledger"
	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/work"
)

// together is a phase of disks that are named A, B and so on.
func together(disks ...*trace.DiskRecord) *phase {
	p := &phase{
		trace: &trace.Phase{},
		run:   &run{alpha: alphas{comparisons: 1, perDisk: 0.01, perPhase: 0.01, perRecovery: 0.01}},
	}
	var active [][]overlap.Span
	for i, d := range disks {
		d.Name = string(rune('A' + i))
		p.parts = append(p.parts, &diskPart{History: ledger.New(d, work.Work{}, 5e8)})
		p.parts[i].Settle(1)
		active = append(active, p.parts[i].Active)
	}
	p.stages = overlap.Stages(active)
	p.window = overlap.Window(p.stages, len(p.parts))
	events, histories := change.Explain(p.histories())
	for i, part := range p.parts {
		part.History = histories[i]
	}
	p.events = p.ownFalls(events)
	p.happened = p.changesOf(p.seenRecoveries())
	return p
}

// sampled is a phase of disks that are sampled finely, each with a rate by the second, MB/s; zero
// is a pause.
func sampled(seconds int, rates ...func(second int) float64) *phase {
	var disks []*trace.DiskRecord
	for _, rate := range rates {
		disks = append(disks, tracetest.FilesAt(func(s int) float64 {
			return 1e6 * rate(s)
		}, seconds))
	}
	return together(disks...)
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
		{"B ends a second before", tracetest.Steps(100, [2]float64{19, 0}), KindOwnFall},
		{"B ends three seconds before", tracetest.Steps(100, [2]float64{17, 0}), KindOwnFall},
		{"B ends a second later", tracetest.Steps(100, [2]float64{21, 0}), KindOwnFall},
		{"B gains half of it", tracetest.Steps(100, [2]float64{20, 127}), KindOwnFall},
		{"B gains all of it", tracetest.Steps(100, [2]float64{20, 150}), KindRedistribution},
		{"B gains less than half", tracetest.Steps(100, [2]float64{20, 120}), KindOwnFall},
		{"B gains what A left", tracetest.Steps(100, [2]float64{21, 150}), KindOwnFall},
		{"B falls by the same factor", tracetest.Steps(80, [2]float64{20, 40}), KindSharedFall},
		{"B falls by another factor", tracetest.Steps(100, [2]float64{20, 75}), KindOwnFall},
	} {
		p := sampled(60, falls, tt.other)
		a := p.parts[0]
		if len(a.Levels) != 2 || math.Abs(seconds(a.Levels[1].StartNS)-20) > 0.2 {
			t.Fatalf("%s: levels %v", tt.name, a.Levels)
		}
		kind := ""
		for _, c := range p.happened {
			if c.concerns(a.Name()) && kind == "" {
				kind = c.Kind
			}
		}
		check.Same(t, tt.name+": reported as", tt.kind, kind)
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
}

// TestThrottleComesBack: after a pause the disk is fast again, which a full cache and heat do after
// different times.
func TestThrottleComesBack(t *testing.T) {
	s := script{
		name: "X", op: trace.Write, paces: []pace{{10, 2.3e9}, {30, 0.65e9}, {70, 2.2e9}},
		pauses: []pause{{30, 60}}, sizes: tracetest.Fixed(0.5e9),
	}
	got := Analyze(runOf(s.play(rand.New(rand.NewPCG(33, 34)), noise{fast: 0.05, samples: true})),
		Options{}).Phases[0].Disks["X"].Throttle
	if got == nil || got.Recovered == nil {
		t.Fatalf("throttle %+v, want one with a recovery", got)
	}
	check.Near(t, "onset", 10, got.AtS, 0.3)
	check.Near(t, "low rate", 0.65e9, got.ToRate, 0.03e9)
	check.Near(t, "back at", 60, got.Recovered.AtS, 0.1)
	check.Near(t, "pause", 30, got.Recovered.PauseS, 0.1)
	check.Near(t, "rate then", 2.2e9, got.Recovered.Rate, 0.05e9)
}

// What cuts off the view of a disk is that it ends, or that another ends or starts, or a pause.
func TestCut(t *testing.T) {
	named := func(name string, active ...overlap.Span) *diskPart {
		return &diskPart{History: ledger.History{
			Trace: &trace.DiskRecord{Name: name}, Active: active}}
	}
	span := func(fromS, toS float64) overlap.Span { return overlap.Between(ns(fromS), ns(toS)) }
	p := &phase{parts: []*diskPart{
		named("A", span(0, 40)), named("B", span(0, 20), span(25, 30)), named("C"),
		named("D", span(10, 35)),
	}}
	for s, want := range map[float64]Cut{
		40: {Why: "ended", Disk: "A"}, 30: {Why: "ended", Disk: "B"}, 35: {Why: "ended", Disk: "D"},
		25: {Why: "started", Disk: "B"}, 10: {Why: "started", Disk: "D"}, 20: {Why: "paused"},
	} {
		want.Rose, want.AfterS = true, 3
		if got := p.cut(p.parts[0], ns(s), 3, true); *got != want {
			t.Errorf("at %v s: %+v, want %+v", s, *got, want)
		}
	}
}

// A cache is back as a whole if a burst had nearly all of it, and how much a shorter rest gave back
// is told of the longest of these.
func TestBackAfter(t *testing.T) {
	cache := ledger.Cache{Bytes: 100}
	burst := func(restS, bytes float64) ledger.Burst {
		return ledger.Burst{RestS: restS, FastBytes: bytes, SEBytes: 1}
	}
	short := ledger.Burst{RestS: 1, FastBytes: 50, Throughout: true}
	for _, tt := range []struct {
		bursts []ledger.Burst
		want   *Back
	}{
		{nil, nil},
		{[]ledger.Burst{burst(1, 10), burst(2, 20)}, &Back{AfterS: 2, Regained: 0.2}},
		{[]ledger.Burst{burst(1, 96)},
			&Back{WithinS: number(1), Bytes: 96, Whole: true, Regained: 1}},
		{[]ledger.Burst{short}, &Back{WithinS: number(1), Bytes: 50, Regained: 1}},
	} {
		s := Saturation{Bursts: tt.bursts}
		check.Same(t, "back", tt.want, s.back(cache))
	}
}

// A gauge is stuck from ten readings on that are alike.
func TestStuckGauge(t *testing.T) {
	for readings, want := range map[float64]bool{9: false, 10: true} {
		p := tracetest.Phase("p", evenDisk("A", trace.Write, readings, 1e8))
		p.Gauges = each("A", trace.Temperature, readings,
			func(float64) float64 { return 40 })
		got := Analyze(tracetest.Run(p), Options{}).Phases[0].Disks["A"].Temperature
		if got == nil || got.Stuck != want {
			t.Errorf("%g readings alike: %+v", readings, got)
		}
	}
}

// TestFallOrSize: a disk that falls while its files grow keeps its fall, and one warning says that
// their size may be why.
func TestFallOrSize(t *testing.T) {
	d := &trace.DiskRecord{Name: "A", Op: trace.Write}
	at := 0.0
	for i := 0; at < 60; i++ {
		rate := 2e9
		if at >= 20 {
			rate = 0.6e9
		}
		bytes := 10e6 * float64(i+1)
		end := at + bytes/rate
		d.Files = append(d.Files, trace.File{Seq: i, Bytes: int64(bytes), StartNS: int64(at * 1e9),
			EndNS: int64(end * 1e9)})
		at = end
	}
	p := Analyze(tracetest.Run(tracetest.Phase("W", d)), Options{}).Phases[0]
	if f := p.Disks["A"].Throttle; f == nil || len(p.Changes) != 1 || p.Changes[0].Kind != KindOwnFall {
		t.Errorf("throttle %+v, changes %+v; want one fall, and a throttle", f, p.Changes)
	}
	var sizes []float64
	for _, w := range p.Warnings {
		if v, ok := w.Values.(SizeValues); ok {
			sizes = append(sizes, v.AtBytes)
		}
	}
	check.Same(t, "warned of a fall at files of", []float64{900e6}, sizes)
}
