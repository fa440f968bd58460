package analysis

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hubbench/hubbench/pkg/level"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/trace/tracetest"
	"github.com/hubbench/hubbench/pkg/work"
)

// alone are rates of disks by themselves, known to a thousandth.
func alone(p *phase, rates ...float64) solos {
	var s solos
	for i, rate := range rates {
		if rate > 0 {
			s = append(s, solo{job: p.job(&p.parts[i]), Measured: level.Measured{Rate: 1e6 * rate, Error: 0.001, Free: 50, LastsS: 30}, phase: p.parts[i].Name() + " alone"})
		}
	}
	return s
}

// Three disks of 150 alone share 300 MB/s: C has 160 of it, B and A have 70 each.
func TestStealsByHand(t *testing.T) {
	p := besides(60, tracetest.Steps(70), tracetest.Steps(70), tracetest.Steps(160))
	p.fillOverlap()
	p.fillContention(alone(p, 150, 150, 160))
	c := p.out.Contention
	total := p.out.Overlap.Rate
	within(t, "together", total, 300e6, 1e6)
	for name, want := range map[string]struct {
		retention, above float64
		held, kept       bool
	}{"A": {70. / 150, 0, true, false}, "B": {70. / 150, 0, true, false}, "C": {1, 60e6, false, true}} {
		d := c.Disks[name]
		within(t, name+": retention", *d.Retention, want.retention, 0.01)
		within(t, name+": fair", d.FairRate, total/3, 1)
		within(t, name+": above even", d.AboveEven, want.above, 0.01*want.above)
		if d.Held != want.held || d.Kept != want.kept || d.Reference != ReferenceSolo || d.ReferenceFrom != name+" alone" {
			t.Errorf("%s: %+v", name, d)
		}
	}
	if len(c.Steals) != 2 {
		t.Fatalf("%+v", c.Steals)
	}
	for i, from := range []string{"A", "B"} {
		s := c.Steals[i]
		if s.From != from || s.By != "C" {
			t.Errorf("%+v", s)
		}
		within(t, "taken", s.Rate, c.Disks[from].FairRate-p.out.Overlap.Disks[from].Rate, 1)
		within(t, "share", s.Share, s.Rate/c.Disks[from].FairRate, 1e-9)
	}
	for _, tt := range []struct {
		name  string
		solos solos
		want  int
	}{
		{"nobody knows what they have alone", solos{}, 0},
		{"they have no more alone", alone(p, 71, 71, 160), 0},
		{"C keeps little more of its own", alone(p, 150, 150, 290), 0}, // 0.55 against 0.47
		{"C keeps more", alone(p, 150, 150, 280), 2},
	} {
		p.fillContention(tt.solos)
		if got := p.out.Contention.Steals; len(got) != tt.want {
			t.Errorf("%s: %+v", tt.name, got)
		}
	}
	// Two that have more share the blame by how much more: 40 and 20 above their fair parts of 80.
	p = besides(60, tracetest.Steps(20), tracetest.Steps(120), tracetest.Steps(100))
	p.fillOverlap()
	p.fillContention(alone(p, 150, 150, 150))
	got := p.out.Contention.Steals
	if len(got) != 2 || got[0].By != "B" || got[1].By != "C" {
		t.Fatalf("%+v", got)
	}
	within(t, "B's part", got[0].Rate, 40e6, 1e6)
	within(t, "C's part", got[1].Rate, 20e6, 1e6)
	// Nobody takes from one that goes the other way.
	p.parts[0].Trace.Op = trace.Read
	p.fillContention(alone(p, 150, 150, 150))
	if got := p.out.Contention; len(got.Steals) != 0 || got.Disks["B"].AboveEven != 0 {
		t.Errorf("of a reader: %+v", got)
	}
}

// C ends at 30 s, and A has its new level at 36 s, B at 30 s.
func TestRecoveriesByHand(t *testing.T) {
	p := besides(60, tracetest.Steps(70, [2]float64{36, 120}), tracetest.Steps(70, [2]float64{30, 120}), tracetest.Steps(160, [2]float64{30, 0}))
	p.recoveries(solos{})
	if n := len(p.out.Recoveries); n != 2 {
		t.Fatalf("%+v", p.out.Recoveries)
	}
	for i, lag := range []float64{6, 0} {
		r := p.out.Recoveries[i]
		if r.Disk != []string{"A", "B"}[i] || r.After != "C" || r.AtS != 30 || r.LagS == nil || r.Cut != nil {
			t.Fatalf("%+v", r)
		}
		within(t, "lag", *r.LagS, lag, 0.1)
		within(t, "from", r.FromRate, 70e6, 1e6)
		within(t, "to", *r.ToRate, 120e6, 1e6)
	}
	for _, tt := range []struct {
		name string
		a, c func(int) float64
		want int
	}{
		{"it rises by less than a tenth", tracetest.Steps(70, [2]float64{32, 75}), tracetest.Steps(160, [2]float64{30, 0}), 0},
		{"C goes on", tracetest.Steps(70, [2]float64{32, 120}), tracetest.Steps(160), 0},
		{"C had just begun", tracetest.Steps(70, [2]float64{32, 120}), tracetest.Steps(0, [2]float64{29, 160}, [2]float64{30, 0}), 0},
		{"it falls", tracetest.Steps(120, [2]float64{32, 70}), tracetest.Steps(160, [2]float64{30, 0}), 0},
		{"its rise is seen too shortly", tracetest.Steps(70, [2]float64{58, 110}), tracetest.Steps(160, [2]float64{30, 0}), 0},
		{"it rises", tracetest.Steps(70, [2]float64{32, 120}), tracetest.Steps(160, [2]float64{30, 0}), 1},
	} {
		p := besides(60, tt.a, tracetest.Steps(50), tt.c)
		p.recoveries(solos{})
		if got := p.out.Recoveries; len(got) != tt.want {
			t.Errorf("%s: %+v", tt.name, got)
		}
	}
	// Known to have more alone, it was still waiting when the trace ended.
	p = besides(40, tracetest.Steps(70), tracetest.Steps(160, [2]float64{30, 0}))
	p.recoveries(alone(p, 150, 0))
	if got := p.out.Recoveries; len(got) != 1 || got[0].LagS != nil || *got[0].Cut != (Cut{S: 10, Why: "ended", Disk: "A"}) {
		t.Errorf("it waits: %+v", got)
	}
	p.out.Recoveries = nil
	p.recoveries(alone(p, 80, 0)) // 70 is not below 0.8 of it
	if got := p.out.Recoveries; len(got) != 0 {
		t.Errorf("it had nothing to wait for: %+v", got)
	}
}

// What a disk has when all others have ended, for a second or more.
func TestAloneAfterwards(t *testing.T) {
	for _, tt := range []struct {
		name string
		end  float64
		want bool
	}{{"for ten seconds", 30, true}, {"for one", 39, true}, {"at no time", 40, false}} {
		p := besides(40, tracetest.Steps(70, [2]float64{30, 120}), tracetest.Steps(160, [2]float64{tt.end, 0}))
		m, _, ok := p.aloneAfterwards(0)
		if ok != tt.want || ok && math.Abs(m.Rate-120e6) > 1e6 {
			t.Errorf("%s: %+v, %v", tt.name, m, ok)
		}
		if _, _, ok := p.aloneAfterwards(1); ok {
			t.Errorf("%s: B is alone", tt.name)
		}
		if r, ok := p.reference(0, solos{}, p.window); ok != tt.want || ok && (r.kind != ReferenceLater || r.from != "B") {
			t.Errorf("%s: %+v, %v", tt.name, r, ok)
		}
	}
	// A file of which nothing is known has no rate.
	p := besides(40, tracetest.Steps(100), tracetest.Steps(160, [2]float64{30, 0}))
	long := tracetest.FilesOf([2]float64{29, 29e6}, [2]float64{11, 11e6})
	p.parts[0] = newPart(long, 0)
	if m, _, ok := p.aloneAfterwards(0); ok {
		t.Errorf("by a file that began before: %+v", m)
	}
}

// gains has duplexGains go over rows made by hand.
func gains(rows []Phase) {
	phases := make([]*phase, len(rows))
	for i := range rows {
		phases[i] = &phase{trace: &trace.Phase{Test: rows[i].Test}, out: &rows[i]}
		for disk := range rows[i].Disks {
			phases[i].parts = append(phases[i].parts, part{Disk: level.Disk{Trace: &trace.DiskTrace{Name: disk}, Work: rows[i].Paced[disk]}})
		}
	}
	duplexGains(phases)
}

func TestMatrixRows(t *testing.T) {
	row := func(name string, retention map[string]float64, disks ...string) Phase {
		p := Phase{Phase: name, Disks: map[string]Disk{}, Overlap: &Overlap{Rate: 9, ReadRate: 4, WriteRate: 5, Disks: map[string]OverlapDisk{}}, Contention: &Contention{Disks: map[string]DiskContention{}}}
		for i, d := range disks {
			p.Disks[d] = Disk{}
			p.Overlap.Disks[d] = OverlapDisk{Rate: float64(i + 1)}
		}
		for d, r := range retention {
			p.Contention.Disks[d] = DiskContention{Retention: &r}
		}
		return p
	}
	got := matrix([]Phase{row("three", map[string]float64{"A": 0.89, "B": 0.91, "C": 1.11, "D": 1.09}, "A", "B", "C"), row("one", nil, "B"), {Phase: "none"}, row("another", nil, "A"), row("just", map[string]float64{"A": 0.9, "B": 1.1}, "A", "B")})
	var names []string
	for _, r := range got {
		names = append(names, r.Phase)
	}
	if !slices.Equal(names, []string{"none", "one", "another", "just", "three"}) {
		t.Errorf("rows %v", names)
	}
	if diff := cmp.Diff(map[string]float64{"A": 0.89, "C": 1.11}, got[4].Departures); diff != "" || got[4].Total != 9 || got[4].ReadRate != 4 || got[4].WriteRate != 5 || got[4].Rates["B"] != 2 || got[4].Working != 3 {
		t.Errorf("%+v", got[4])
	}
	if len(got[3].Departures) != 0 {
		t.Errorf("a tenth departs: %v", got[3].Departures)
	}
	// The gain of mixed traffic is over the best of the same disks one way.
	oneWay := func(name string, rate float64, disks ...string) Phase {
		p := row(name, nil, disks...)
		p.Overlap.Rate, p.Overlap.ReadRate, p.Overlap.WriteRate, p.Overlap.CI95 = rate, 0, rate, &Interval{rate - 1, rate + 1}
		return p
	}
	mixedPhase := row("mixed", nil, "A", "B")
	mixedPhase.Overlap.CI95 = &Interval{8.5, 9.5}
	otherTest := oneWay("other test", 8, "A", "B")
	otherTest.Test = "x"
	paced, readsToo := oneWay("with a pace", 8, "A", "B"), row("mixed too", nil, "A", "B")
	paced.Paced = work.Paced{"A": {Pace: 4}}
	readsToo.Overlap.Rate = 8
	phases := []Phase{mixedPhase, oneWay("w", 5, "A", "B"), oneWay("r", 6, "A", "B"), oneWay("w again", 5.5, "A", "B"), oneWay("of others", 7, "A", "C"), oneWay("of more", 8, "A", "B", "C"), otherTest, paced, readsToo, {Phase: "no overlap", Disks: mixedPhase.Disks}}
	gains(phases)
	c := phases[0].Contention
	within(t, "gain", *c.DuplexGain, 1.5, 1e-12)
	if diff := cmp.Diff(&Interval{8.5 / 7, 9.5 / 5}, c.DuplexCI95, cmpopts.EquateApprox(1e-12, 0)); diff != "" {
		t.Errorf("interval (-want +got):\n%s", diff)
	}
	if phases[1].Contention.DuplexGain != nil {
		t.Error("one way is no mixed traffic")
	}
	// Without an interval of both totals, or with one that begins at nothing, the gain has none.
	for _, best := range []*Interval{nil, {0, 7}, {-1, 7}} {
		again := []Phase{mixedPhase, oneWay("r", 6, "A", "B")}
		again[0].Contention, again[1].Overlap.CI95 = &Contention{}, best
		if gains(again); again[0].Contention.DuplexGain == nil || again[0].Contention.DuplexCI95 != nil {
			t.Errorf("over %v: %+v", best, again[0].Contention)
		}
	}
	slow := []Phase{mixedPhase, oneWay("r", 6, "A", "B")}
	slow[0].Contention, slow[0].Paced = &Contention{}, paced.Paced
	if gains(slow); slow[0].Contention.DuplexGain != nil {
		t.Error("a gain of a disk with a pace")
	}
	still := []Phase{mixedPhase, oneWay("r", 0, "A", "B")}
	still[0].Contention = &Contention{}
	if gains(still); still[0].Contention.DuplexGain != nil {
		t.Error("a gain over what moved nothing")
	}
	only := []Phase{mixedPhase}
	only[0].Contention = &Contention{}
	if gains(only); only[0].Contention.DuplexGain != nil {
		t.Error("a gain over nothing")
	}
}

func TestQuote(t *testing.T) {
	p := besides(60, tracetest.Steps(100, [2]float64{20, 50}))
	p.fillOverlap()
	rate, mean := 66e6, &p.parts[0]
	for _, tt := range []struct {
		name string
		d    Disk
		want *Quote
	}{
		{"the mean", Disk{Rate: &rate}, &Quote{Rate: rate, Kind: QuoteMean}},
		{"after a fall", Disk{Rate: &rate, Throttle: &Throttle{Steps: []level.Step{{ToRate: 70e6}, {ToRate: 50e6}}}}, &Quote{Rate: 50e6, Kind: QuoteLater}},
		{"nothing", Disk{}, nil},
	} {
		if diff := cmp.Diff(tt.want, p.quote(mean, &tt.d)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
	// Beside another disk the window counts: from 30 s on, at the last level.
	p = besides(60, tracetest.Steps(100, [2]float64{20, 50}), tracetest.Steps(0, [2]float64{10, 50}, [2]float64{40, 0}))
	p.fillOverlap()
	fall := &Throttle{Steps: []level.Step{{AtS: 20}}}
	within(t, "in the window", p.laterInWindow(&p.parts[0], fall), 50e6, 1e6)
	if q := p.quote(&p.parts[0], &Disk{}); q.Kind != QuoteOverlap || q.Rate != p.out.Overlap.Disks["A"].Rate {
		t.Errorf("%+v", q)
	}
	// The rate in the window if the last level lies in it; else that of the whole window.
	fall.Steps[0].ToRate = 40e6
	within(t, "the later level", p.quote(&p.parts[0], &Disk{Throttle: fall}).Rate, 50e6, 1e6)
	if q := p.quote(&p.parts[0], &Disk{Throttle: &Throttle{Steps: []level.Step{{AtS: 39, ToRate: 40e6}}}}); q.Kind != QuoteOverlap {
		t.Errorf("at its last level for one second of the window: %+v", q)
	}
	if q := p.quote(&p.parts[0], &Disk{Throttle: &Throttle{Steps: []level.Step{{AtS: 39}, {AtS: 15}}}}); q.Kind != QuoteLater {
		t.Errorf("the last step counts: %+v", q)
	}
	within(t, "before it was back", p.laterInWindow(&p.parts[0], &Throttle{Steps: []level.Step{{AtS: 5}}, Recovered: &Rebound{AtS: 32, PauseS: 2}}), (10*100e6+10*50e6)/20, 1e6)
	for at, want := range map[float64]bool{38: true, 38.1: false} {
		if got := p.laterInWindow(&p.parts[0], &Throttle{Steps: []level.Step{{AtS: at}}}); (got > 0) != want {
			t.Errorf("at its last level from %v to 40 s: %v", at, got)
		}
	}
	if got := p.laterInWindow(&p.parts[0], &Throttle{Steps: []level.Step{{AtS: 20}}, Recovered: &Rebound{AtS: 31, PauseS: 10}}); got != 0 {
		t.Errorf("back after a second: %v", got)
	}
}

// sharing is a phase of disks that write, which got that much in the window, known to some error.
func sharing(window ...level.Measured) (*phase, []level.Measured) {
	p := &phase{alpha: alphas{shared: 0.01}}
	for i := range window {
		p.parts = append(p.parts, part{Disk: level.Disk{Trace: &trace.DiskTrace{Name: string(rune('A' + i)), Op: trace.Write}}})
	}
	return p, window
}

// A's and B's fair parts are 100. A has 50 of them, and half of what it has alone; B has 150.
func TestWhoTakes(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(p *phase, window []level.Measured, a, b *DiskContention)
		want   []Steal
	}{
		{"B", nil, []Steal{{"A", "B", 50, 0.5}}},
		{"B, though A lost more", func(_ *phase, w []level.Measured, _, _ *DiskContention) { w[0].Rate = 20 }, []Steal{{"A", "B", 50, 0.5}}},
		{"no more than A lost", func(_ *phase, w []level.Measured, _, _ *DiskContention) { w[0].Rate = 90 }, []Steal{{"A", "B", 10, 0.1}}},
		{"A lost little", func(_ *phase, w []level.Measured, _, _ *DiskContention) { w[0].Rate, w[0].Error = 90.1, 0.001 }, nil},
		{"A was not held", func(_ *phase, _ []level.Measured, a, _ *DiskContention) { a.Held = false }, nil},
		{"A has a pace", func(p *phase, _ []level.Measured, _, _ *DiskContention) { p.parts[0].Work.Pace = 50 }, nil},
		{"A goes both ways", func(p *phase, _ []level.Measured, _, _ *DiskContention) { p.parts[0].Work.Reads = 0.5 }, nil},
		{"A's rate may be chance", func(_ *phase, w []level.Measured, _, _ *DiskContention) { w[0].Error = 0.5 }, nil},
		{"B's rate may be chance", func(_ *phase, w []level.Measured, _, _ *DiskContention) { w[1].Error = 0.3 }, nil},
		{"that they differ may be chance", func(_ *phase, w []level.Measured, _, _ *DiskContention) {
			w[0], w[1] = level.Measured{Rate: 89, Error: 1e-4, Free: 3}, level.Measured{Rate: 150, Error: 0.15, Free: 50}
		}, nil},
		{"B has a pace", func(p *phase, _ []level.Measured, _, _ *DiskContention) { p.parts[1].Work.Pace = 150 }, nil},
		{"B reads", func(p *phase, _ []level.Measured, _, _ *DiskContention) { p.parts[1].Trace.Op = trace.Read }, nil},
		{"B has its part", func(_ *phase, _ []level.Measured, _, b *DiskContention) { b.FairRate = 150 }, nil},
		{"B has less than its part", func(_ *phase, _ []level.Measured, _, b *DiskContention) { b.FairRate = 160 }, nil},
		{"B kept a fifth more", func(_ *phase, _ []level.Measured, _, b *DiskContention) { b.Retention = number(0.6) }, []Steal{{"A", "B", 50, 0.5}}},
		{"B kept less", func(_ *phase, _ []level.Measured, _, b *DiskContention) { b.Retention = number(0.599) }, nil},
	} {
		p, window := sharing(level.Measured{Rate: 50, Error: 0.01, Free: 50}, level.Measured{Rate: 150, Error: 0.01, Free: 50})
		a, b := DiskContention{Held: true, FairRate: 100, Retention: number(0.5)}, DiskContention{FairRate: 100}
		if tt.change != nil {
			tt.change(p, window, &a, &b)
		}
		got := p.steals(map[string]DiskContention{"A": a, "B": b}, window)
		if diff := cmp.Diff(tt.want, got, cmpopts.EquateApprox(1e-9, 0), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
	// By how much each has more than its part: 50 and 25.
	p, window := sharing(level.Measured{Rate: 150, Error: 0.01, Free: 50}, level.Measured{Rate: 40, Error: 0.01, Free: 50}, level.Measured{Rate: 125, Error: 0.01, Free: 50})
	got := p.steals(map[string]DiskContention{"A": {FairRate: 100}, "B": {Held: true, FairRate: 100, Retention: number(0.5)}, "C": {FairRate: 100}}, window)
	if diff := cmp.Diff([]Steal{{"B", "A", 40, 0.4}, {"B", "C", 20, 0.2}}, got, cmpopts.EquateApprox(1e-9, 0)); diff != "" {
		t.Errorf("of two (-want +got):\n%s", diff)
	}
}

// A tenth more than the even part of those of one direction that want all they can get.
func TestAboveEven(t *testing.T) {
	at := func(rate, err float64) level.Measured { return level.Measured{Rate: rate, Error: err, Free: 50} }
	for _, tt := range []struct {
		name   string
		window []level.Measured
		change func(p *phase)
		want   []float64
	}{
		{"a fifth", []level.Measured{at(120, 0.01), at(90, 0.01), at(90, 0.01)}, nil, []float64{20, 0, 0}},
		{"a tenth", []level.Measured{at(95, 0.01), at(110, 0.01), at(95, 0.01)}, nil, []float64{0, 10, 0}},
		{"less", []level.Measured{at(95.5, 0.001), at(109, 0.001), at(95.5, 0.001)}, nil, []float64{0, 0, 0}},
		{"chance", []level.Measured{at(120, 0.1), at(90, 0.01), at(90, 0.01)}, nil, []float64{0, 0, 0}},
		// The even part of 100 is known to 19 % of it.
		{"chance by the others", []level.Measured{at(120, 0.01), at(90, 0.5), at(90, 0.4)}, nil, []float64{0, 0, 0}},
		{"beside one with a pace", []level.Measured{at(120, 0.01), at(80, 0.01), at(10, 0.01)}, func(p *phase) { p.parts[2].Work.Pace = 10 }, []float64{20, 0, 0}},
		{"that has one itself", []level.Measured{at(120, 0.01), at(90, 0.01), at(90, 0.01)}, func(p *phase) { p.parts[0].Work.Pace = 120 }, []float64{0, 0, 0}},
		{"beside a reader", []level.Measured{at(120, 0.01), at(80, 0.01), at(10, 0.01)}, func(p *phase) { p.parts[2].Trace.Op = trace.Read }, []float64{20, 0, 0}},
		{"little is known of another", []level.Measured{at(120, 0.05), at(90, 0.01), {Rate: 90, Error: 0.01, Free: 1}}, nil, []float64{0, 0, 0}},
	} {
		p, window := sharing(tt.window...)
		if tt.change != nil {
			tt.change(p)
		}
		disks := map[string]DiskContention{"A": {FairRate: 1}, "B": {FairRate: 1}, "C": {FairRate: 1}}
		p.aboveEven(disks, window)
		for i, name := range []string{"A", "B", "C"} {
			within(t, tt.name+": "+name, disks[name].AboveEven, tt.want[i], 1e-9)
			if disks[name].FairRate != 1 {
				t.Errorf("%s: %+v", tt.name, disks[name])
			}
		}
	}
}

// A has 70 MB/s beside B. Alone it has a little more, known well or not.
func TestHeldAndKept(t *testing.T) {
	for _, tt := range []struct {
		name       string
		a          func(int) float64
		alone, err float64
		held, kept bool
		fell       bool
	}{
		{"nine tenths and more", tracetest.Steps(70), 77, 0.001, false, true, false},
		{"less", tracetest.Steps(70), 79, 0.001, true, false, false},
		{"less, by chance", tracetest.Steps(70), 79, 0.5, false, false, false},
		{"more, by chance", tracetest.Steps(70), 77, 0.5, false, false, false},
		{"half, as it fell amid the window", tracetest.Steps(100, [2]float64{30, 70}), 140, 0.001, false, false, true},
	} {
		p := besides(60, tt.a, tracetest.Steps(160))
		p.fillOverlap()
		p.fillChanges()
		p.fillContention(solos{{job: p.job(&p.parts[0]), Measured: level.Measured{Rate: 1e6 * tt.alone, Error: tt.err, Free: 50, LastsS: 30}, phase: "A alone"}})
		c := p.out.Contention
		if d := c.Disks["A"]; d.Held != tt.held || d.Kept != tt.kept || (d.Retention == nil) != tt.fell || !tt.fell && (math.Abs(*d.Retention-70/tt.alone) > 0.01 || *d.ReferenceRate != 1e6*tt.alone) {
			t.Errorf("%s: %+v", tt.name, d)
		}
		if d := c.Disks["B"]; d.Held || d.Kept || d.Retention != nil || d.Reference != "" {
			t.Errorf("%s: B, of which nothing is known: %+v", tt.name, d)
		}
	}
	// One with a pace needs no more than it asks for, or than it has.
	for asks, fair := range map[float64]float64{80: 80, 60: 70} {
		p := besides(60, tracetest.Steps(70), tracetest.Steps(160))
		p.parts[0].Work.Pace = 1e6 * asks
		p.fillOverlap()
		p.fillContention(alone(p, 150, 0))
		d := p.out.Contention.Disks["A"]
		within(t, "its part", d.FairRate, 1e6*fair, 1e6)
		if d.Reference != "" {
			t.Errorf("of a disk with a pace: %+v", d)
		}
	}
	for _, p := range []*phase{besides(20, tracetest.Steps(70)), besides(20, tracetest.Steps(70), tracetest.Steps(0))} {
		if p.fillOverlap(); len(p.parts) > 1 {
			p.out.Overlap = nil
		}
		if p.fillContention(solos{}); p.out.Contention != nil {
			t.Errorf("of %d disks: %+v", len(p.parts), p.out.Contention)
		}
	}
}

// The last level that the disk rose to, as others ended.
func TestReferenceAfterRecovery(t *testing.T) {
	p := besides(20, tracetest.Steps(70), tracetest.Steps(160))
	rate := 1.0
	p.out.Recoveries = []Recovery{{Disk: "A", After: "B", ToRate: &rate}, {Disk: "A", After: "C", ToRate: &rate}, {Disk: "A", After: "D"}, {Disk: "B", After: "E", ToRate: &rate}}
	p.reached = []level.Measured{{Rate: 1}, {Rate: 2}, {Rate: 3}, {Rate: 4}}
	for disk, want := range []reference{{level.Measured{Rate: 2}, ReferenceLater, "C"}, {level.Measured{Rate: 4}, ReferenceLater, "E"}} {
		if got, ok := p.reference(disk, solos{}, p.window); !ok || got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	p.parts[0].Work.Pace = 5
	if got, ok := p.reference(0, alone(p, 150, 150), p.window); ok {
		t.Errorf("of a disk with a pace: %+v", got)
	}
}
