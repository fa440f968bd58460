package analysis

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hubbench/hubbench/pkg/level"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/trace/tracetest"
)

// Beside B, A falls after as many bytes as alone, and B gains what it leaves.
func TestFallTogetherGains(t *testing.T) {
	alone := &Fall{AtBytes: 3000e6}
	p := besides(70, tracetest.Steps(100, [2]float64{30, 50}), tracetest.Steps(80, [2]float64{30, 120}), tracetest.Steps(40))
	got := p.fallTogether(&p.parts[0], alone)
	if got == nil || !got.Told || len(got.Gains) != 1 || got.Gains[0].Disk != "B" {
		t.Fatalf("%+v", got)
	}
	within(t, "at", got.AtS, 30, 0.1)
	within(t, "after", got.AtBytes, 3000e6, 30e6)
	within(t, "from", got.FromRate, 100e6, 1e6)
	within(t, "to", got.ToRate, 50e6, 1e6)
	g := got.Gains[0]
	within(t, "B from", g.FromRate, 80e6, 1e6)
	within(t, "B to", g.ToRate, 120e6, 1e6)
	within(t, "gain", g.Gain, g.ToRate-g.FromRate, 1)
	within(t, "interval's middle", (g.CI95[0]+g.CI95[1])/2, g.Gain, 1)
	if g.CI95[0] >= g.Gain || g.CI95[0] < 0 {
		t.Errorf("interval %v of %v", g.CI95, g.Gain)
	}
	for bytes, want := range map[float64]bool{3850e6: true, 3950e6: false, 2340e6: true, 2280e6: false} {
		if got := p.fallTogether(&p.parts[0], &Fall{AtBytes: bytes}); (got != nil) != want {
			t.Errorf("alone after %v bytes: %+v", bytes, got)
		}
	}
	// If another begins meanwhile, it is not known who gained from what.
	p = besides(70, tracetest.Steps(100, [2]float64{30, 50}), tracetest.Steps(80, [2]float64{30, 120}), tracetest.Steps(0, [2]float64{36, 40}))
	if got := p.fallTogether(&p.parts[0], alone); got == nil || got.Told || len(got.Gains) != 0 {
		t.Errorf("another begins: %+v", got)
	}
}

// Two bursts too short a rest after, and one long enough.
func TestBackAfter(t *testing.T) {
	c := threeLevels()
	burst := func(restS, bytes float64) level.Burst { return level.Burst{RestS: restS, FastBytes: bytes, SEBytes: 1} }
	for _, tt := range []struct {
		name   string
		bursts []level.Burst
		want   *Back
	}{
		{"none", nil, nil},
		{"never", []level.Burst{burst(1, 10), burst(2, 20)}, &Back{AfterS: 2, Regained: 0.2}},
		{"at once", []level.Burst{burst(1, 96)}, &Back{WithinS: number(1), Bytes: 96, Whole: true, Regained: 1}},
		{"in time", []level.Burst{burst(1, 10), burst(2, 20), burst(11, 130)},
			&Back{RestS: number(10), CI95: &Interval{100 / (10 + 2/math.Sqrt(5)), 100 / (10 - 2/math.Sqrt(5))}, AfterS: 2, WithinS: number(11), Bytes: 100, Whole: true, Regained: 1}},
	} {
		s := Saturation{Bursts: tt.bursts}
		if diff := cmp.Diff(tt.want, s.back(c), cmpopts.EquateApprox(1e-9, 0)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
	s := Saturation{Bursts: []level.Burst{{RestS: 1, FastBytes: 50, Throughout: true}}}
	if b := s.back(c); b.Whole || b.Bytes != 50 {
		t.Errorf("a burst too short to judge: %+v", b)
	}
}

// A falls at 20 s. Another has gained by it that rises by a tenth, works from 2.5 s before it to 3.5 s after it, and beside
// which nothing else happens.
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
		{"it begins three seconds before", tracetest.Steps(0, [2]float64{17, 80}, rises), tracetest.Steps(40), true, 80e6},
		{"two", tracetest.Steps(0, [2]float64{18, 80}, rises), tracetest.Steps(40), false, 0},
		{"a second later", tracetest.Steps(0, [2]float64{21, 80}, [2]float64{22, 120}), tracetest.Steps(40), false, 0},
		{"it ends four seconds later", tracetest.Steps(80, rises, [2]float64{24, 0}), tracetest.Steps(40), true, 80e6},
		{"three", tracetest.Steps(80, rises, [2]float64{23, 0}), tracetest.Steps(40), false, 0},
		{"another ends then", tracetest.Steps(80, rises), tracetest.Steps(40, [2]float64{25, 0}), false, 0},
		{"another begins long after", tracetest.Steps(80, rises), tracetest.Steps(0, [2]float64{32, 40}), true, 80e6},
	} {
		p := besides(60, tracetest.Steps(100, [2]float64{20, 50}), tt.b, tt.c)
		p.parts = append(p.parts, part{Disk: level.Disk{Trace: &trace.DiskTrace{Name: "D"}}}) // which does nothing
		fell := &Throttle{AtS: 20}
		p.freed(&p.parts[0], fell)
		if (len(fell.Freed) == 1) != tt.gains || tt.gains && fell.Freed[0].Disk != "B" {
			t.Errorf("%s: %+v", tt.name, fell.Freed)
			continue
		}
		if tt.gains {
			within(t, tt.name+": from", fell.Freed[0].FromRate, tt.fromRate, 1e6)
			within(t, tt.name+": to", fell.Freed[0].ToRate, 120e6, 1e6)
		}
		p.alpha.after, fell.Freed = 0, nil
		if p.freed(&p.parts[0], fell); len(fell.Freed) != 0 {
			t.Errorf("%s: %+v, which may be chance", tt.name, fell.Freed)
		}
	}
}

// Of all phases, those of the same scenario's phase and step, and of the disk, are looked at.
func TestStepsOfSaturation(t *testing.T) {
	alone := func() *Fall { return &Fall{AtBytes: 3000e6} }
	p := besides(70, tracetest.Steps(100, [2]float64{30, 50}), tracetest.Steps(80))
	for _, tt := range []struct {
		name string
		step *trace.Saturation
		disk string
		want bool
	}{
		{"together", &trace.Saturation{Step: trace.SaturationTogether, Of: "W"}, "A", true},
		{"of another", &trace.Saturation{Step: trace.SaturationTogether, Of: "X"}, "A", false},
		{"alone", &trace.Saturation{Step: trace.SaturationAlone, Of: "W"}, "A", false},
		{"of no preset", nil, "A", false},
		{"of a disk that did not fall", &trace.Saturation{Step: trace.SaturationTogether, Of: "W"}, "B", false},
	} {
		p.trace.Saturation = tt.step
		s := Saturation{Of: "W", Disk: tt.disk, Fall: alone()}
		if s.together([]*phase{p}); (s.Together != nil) != tt.want {
			t.Errorf("%s: %+v", tt.name, s.Together)
		}
	}
	burst := func(name string, restS float64, change func(p *phase)) *phase {
		p := besides(5, tracetest.Steps(100))
		p.out.Phase, p.trace.Saturation = name, &trace.Saturation{Step: trace.SaturationBurst, Of: "W", Disk: "A", RestNS: ns(restS)}
		if change != nil {
			change(p)
		}
		return p
	}
	s := Saturation{Of: "W", Disk: "A"}
	s.bursts([]*phase{
		burst("second", 20, nil), burst("first", 10, nil),
		burst("none", 1, func(p *phase) { p.trace.Saturation = nil }),
		burst("alone", 1, func(p *phase) { p.trace.Saturation.Step = trace.SaturationAlone }),
		burst("of another", 1, func(p *phase) { p.trace.Saturation.Of = "X" }),
		burst("of another disk", 1, func(p *phase) { p.trace.Saturation.Disk = "B" }),
		burst("of two disks", 1, func(p *phase) { p.parts = append(p.parts, p.parts[0]) }),
		burst("in which nothing moved", 1, func(p *phase) { p.parts[0].Active = nil }),
	}, threeLevels())
	if len(s.Bursts) != 2 || s.Bursts[0].Phase != "first" || s.Bursts[0].RestS != 10 || s.Bursts[1].Phase != "second" || s.Bursts[1].RestS != 20 {
		t.Errorf("%+v", s.Bursts)
	}
	steps := []level.Step{{AtBytes: 1, AtS: 2, FromRate: 9, ToRate: 7}, {AtBytes: 3, AtS: 4, FromRate: 7, ToRate: 5}}
	for _, tt := range []struct {
		fell *Throttle
		want *Fall
	}{
		{nil, nil},
		{&Throttle{Steps: steps, Recovered: &Rebound{}}, nil},
		{&Throttle{Steps: steps, Cause: CauseHeat}, &Fall{AtBytes: 3, AtS: 4, FromRate: 9, ToRate: 5, Steps: steps, Cause: CauseHeat}},
	} {
		p.out.Disks["A"] = Disk{Throttle: tt.fell}
		got := fallOf(p, &p.parts[0])
		if got != nil {
			got.CI95 = Interval{} // of the noise of the disk that is there
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", tt.fell, diff)
		}
	}
}

// Just a tenth is enough to be reported.
func TestFreedByATenth(t *testing.T) {
	for rate, want := range map[float64]bool{88e6: true, 87.9e6: false} {
		p := besides(60, tracetest.Steps(100, [2]float64{20, 50}), tracetest.Steps(80))
		b := tracetest.FilesOf(slices.Concat(slices.Repeat([][2]float64{{0.5, 40e6}}, 40), slices.Repeat([][2]float64{{0.5, rate / 2}}, 80))...)
		b.Name = "B"
		p.parts[1] = newPart(b, 0)
		fell := &Throttle{AtS: 20}
		if p.freed(&p.parts[0], fell); (len(fell.Freed) > 0) != want {
			t.Errorf("from 80 to %v MB/s: %+v", rate/1e6, fell.Freed)
		}
	}
}

// A disk with a pace gains nothing, nor does one that does nothing; what is gained is known as well as both rates are.
func TestGainsByHand(t *testing.T) {
	p := besides(70, tracetest.Steps(100, [2]float64{30, 50}), tracetest.Steps(80, [2]float64{30, 120}), tracetest.Steps(80, [2]float64{30, 120}))
	p.parts[2].Work.Pace = 200e6
	p.parts = append(p.parts, part{Disk: level.Disk{Trace: &trace.DiskTrace{Name: "D"}}})
	before, after := span(20, 30), span(31, 41)
	var f FallTogether
	p.gains(&p.parts[0], &f, before, after)
	if len(f.Gains) != 1 || f.Gains[0].Disk != "B" {
		t.Fatalf("%+v", f.Gains)
	}
	was, is := p.parts[1].Differ(before, after)
	within(t, "B from", was.Rate, 80e6, 1e6)
	within(t, "B to", is.Rate, 120e6, 1e6)
	if was.Free != is.Free {
		t.Errorf("%v and %v degrees of freedom", was.Free, is.Free)
	}
	half := stats.StudentQuantile(0.975, was.Free) * math.Hypot(was.Rate*was.Error, is.Rate*is.Error)
	want := Gain{Disk: "B", FromRate: was.Rate, ToRate: is.Rate, Gain: is.Rate - was.Rate, CI95: Interval{is.Rate - was.Rate - half, is.Rate - was.Rate + half}}
	if diff := cmp.Diff(want, f.Gains[0], cmpopts.EquateApprox(1e-9, 0)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	// One that fell by as much has not gained either, nor one that was not at work before.
	for name, rate := range map[string]func(int) float64{"falls": tracetest.Steps(120, [2]float64{30, 80}), "begins": tracetest.Steps(0, [2]float64{30, 80}), "rose before": tracetest.Steps(80, [2]float64{26, 120})} {
		p := besides(70, tracetest.Steps(100, [2]float64{30, 50}), rate)
		var f FallTogether
		if p.gains(&p.parts[0], &f, before, after); len(f.Gains) != 0 {
			t.Errorf("it %s: %+v", name, f.Gains)
		}
	}
}

// Another that falls to four fifths or less between two times.
func TestOthersFall(t *testing.T) {
	other := part{Disk: level.Disk{Trace: &trace.DiskTrace{Name: "B"}}}
	for _, tt := range []struct {
		rate, from, to float64
		want           bool
	}{{80, 0, 30, true}, {80.1, 0, 30, false}, {80, 10, 30, false}, {80, 0, 10, false}, {80, 9, 11, true}, {120, 0, 30, false}} {
		other.Solid = levelsOf([2]float64{10, 100}, [2]float64{10, tt.rate}, [2]float64{10, tt.rate})
		p := &phase{parts: []part{{Disk: level.Disk{Trace: &trace.DiskTrace{Name: "A"}}}, other}}
		if got := p.othersFall(&p.parts[0], ns(tt.from), ns(tt.to)); got != tt.want {
			t.Errorf("to %v at 10 s, from %v to %v s: %v", tt.rate, tt.from, tt.to, got)
		}
		if p.othersFall(&p.parts[1], ns(tt.from), ns(tt.to)) {
			t.Error("B's own fall is another's")
		}
	}
}

// To four fifths of the rate before, after as many bytes as alone except for three tenths, and dated as it is reported.
func TestFallTogetherByHand(t *testing.T) {
	more := float64(sameBudget) // as a variable: constants are divided exactly
	for _, tt := range []struct {
		name       string
		rate, with float64 // after 10 s; bytes alone
		want       bool
	}{
		{"to four fifths", 80e6, 1000e6, true},
		{"to more", 80.1e6, 1000e6, false},
		{"nearly three tenths later", 50e6, 770e6, true},
		{"later than that", 50e6, 769e6, false},
		{"nearly three tenths sooner", 50e6, 1299e6, true},
		{"sooner than that", 50e6, 1301e6, false},
		{"just three tenths", 50e6, 1000e6 / more, false},
	} {
		a := partOf(tracetest.FilesOf([2]float64{10, 1000e6}, [2]float64{20, 20 * tt.rate}))
		a.Solid = []level.Level{a.LevelOver(span(0, 10)), a.LevelOver(span(10, 30))}
		p := &phase{parts: []part{a}, out: &Phase{Phase: "p"}}
		got := p.fallTogether(&p.parts[0], &Fall{AtBytes: tt.with})
		if (got != nil) != tt.want {
			t.Errorf("%s: %+v", tt.name, got)
		}
		want := &FallTogether{Phase: "p", AtBytes: 1000e6, AtS: 10, FromRate: 100e6, ToRate: tt.rate, Told: true, Gains: []Gain{}}
		if got != nil && !cmp.Equal(got, want, cmpopts.EquateApprox(1e-9, 0)) {
			t.Errorf("%s: %+v", tt.name, got)
		}
	}
}

// threeLevels is a cache of 100 bytes, 60 at 10 a second and 40 at 5, beyond which the disk writes 2 a second.
func threeLevels() level.Cache {
	return level.Cache{Bytes: 100, Levels: []level.CacheLevel{
		{Measured: level.Measured{Rate: 10, Error: 0.05}, Bytes: 60, SeenS: 6},
		{Measured: level.Measured{Rate: 5, Error: 0.1}, Bytes: 40, SeenS: 8},
		{Measured: level.Measured{Rate: 2, Error: 0.02}, Bytes: math.Inf(1), SeenS: 20},
	}}
}
