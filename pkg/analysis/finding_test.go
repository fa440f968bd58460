package analysis

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/ledger"
	"github.com/hubbench/hubbench/pkg/meter"
	"github.com/hubbench/hubbench/pkg/quantile"
	"github.com/hubbench/hubbench/pkg/size"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
)

// toldOf are the findings of one phase of A, B, C and D.
func toldOf(p PhaseResult, saturations ...Saturation) []Finding {
	p.Name = "p"
	return findings(&Analysis{
		Phases: []PhaseResult{p}, Order: []string{"A", "B", "C", "D"}, Saturations: saturations,
	})
}

func sameFindings(t *testing.T, what string, got []Finding, want ...Finding) {
	t.Helper()
	for i := range want {
		want[i].Phase = "p"
	}
	check.Same(t, what, want, got, cmpopts.EquateApprox(1e-12, 0), cmpopts.EquateEmpty(),
		cmpopts.IgnoreUnexported(LinkUse{}), withoutTexts)
}

// windowOf is an overlap with a rate for each disk.
func windowOf(rates map[string]float64) *Overlap {
	o := &Overlap{Disks: map[string]OverlapDisk{}}
	for disk, rate := range rates {
		o.Rate += rate
		o.Disks[disk] = OverlapDisk{Rate: rate}
	}
	return o
}

// heldBackBy is a disk that has that much of its reference.
func heldBackBy(source string, rate, reference float64) DiskContention {
	kind := ReferenceSolo
	if len(source) == 1 {
		kind = ReferenceLater
	}
	return DiskContention{
		Rate: rate, Slowed: true, Reference: kind, ReferenceFrom: source,
		ReferenceRate: &reference, Retention: number(rate / reference),
	}
}

func TestHeldFindings(t *testing.T) {
	o := windowOf(map[string]float64{"A": 50, "B": 47, "C": 44.9, "D": 80})
	c := &Contention{Disks: map[string]DiskContention{
		"A": heldBackBy("A alone", 50, 100), "B": heldBackBy("B alone", 47, 94),
		"C": heldBackBy("C alone", 44.9, 100), "D": {Rate: 80},
	}}
	// 47 is within a tenth of 50, 44.9 is not.
	sameFindings(t, "alike together", toldOf(PhaseResult{Overlap: o, Contention: c}),
		Finding{
			Code: "held", Disk: "C", Disks: []string{"C"}, Other: "C alone",
			Values: ReferenceValues{Rate: 44.9, Reference: 100}, Weight: 0.2755,
		},
		Finding{
			Code: "held", Disks: []string{"A", "B"}, Other: "A alone, B alone",
			Values: ReferenceValues{Rate: 48.5, Reference: 97}, Weight: 0.25,
		})
	// What one disk's end shows is reported apart from what phases of their own do, and who was
	// stolen from is reported there.
	c.Disks["B"] = heldBackBy("D", 47, 94)
	c.Disks["C"] = DiskContention{
		Rate: 44.9, Slowed: true, ReferenceRate: number(100), Retention: number(0.449),
	}
	c.Disks["D"] = DiskContention{}
	c.Steals = []Steal{
		{From: "C", By: "D", Rate: 12}, {From: "A", By: "D", Rate: 12, Absent: []string{"B"}},
	}
	sameFindings(t, "by source", toldOf(PhaseResult{Overlap: o, Contention: c}),
		Finding{
			Code: "held", Disk: "A", Disks: []string{"A"}, Other: "A alone",
			Values: ReferenceValues{Rate: 50, Reference: 100}, Weight: 0.25,
		},
		Finding{
			Code: "held", Disk: "B", Disks: []string{"B"}, Other: "D",
			Values: ReferenceValues{Rate: 47, Reference: 94}, Weight: 0.25,
		},
		Finding{
			Code: "steal", Disk: "D", Disks: []string{"C"},
			Values: StealValues{Rate: 12, Had: 44.9, Without: 56.9}, Weight: 12 / 56.9,
		})
}

func TestEvenAndUneven(t *testing.T) {
	o := windowOf(map[string]float64{"A": 40, "B": 60})
	c := &Contention{
		Even: true,
		Disks: map[string]DiskContention{
			"A": heldBackBy("a", 40, 100), "B": heldBackBy("b", 60, 100),
		},
	}
	o.Jain = 0.98
	sameFindings(t, "even", toldOf(PhaseResult{Overlap: o, Contention: c}),
		Finding{
			Code: "even", Disks: []string{"A", "B"},
			Values: EvenValues{Jain: 0.98, Low: 0.4, High: 0.6}, Weight: 0.2,
		})
	o.Jain = 0.979
	if got := toldOf(PhaseResult{Overlap: o, Contention: c}); len(got) != 2 ||
		got[0].Code != "held" {
		t.Errorf("a fairness below 0.98: %+v", got)
	}
	o = windowOf(map[string]float64{"A": 100, "B": 95, "C": 60, "D": 145})
	c = &Contention{
		Disks:  map[string]DiskContention{"A": {Rate: 100}, "B": {}, "C": {Rate: 60}, "D": {}},
		Steals: []Steal{{From: "A", By: "D", Rate: 5}, {From: "C", By: "D", Rate: 12}},
	}
	sameFindings(t, "steal", toldOf(PhaseResult{Overlap: o, Contention: c}),
		Finding{
			Code: "steal", Disk: "D", Disks: []string{"A", "C"},
			Values: StealValues{Rate: 17, Had: 80, Without: 88.5}, Weight: 17. / 177,
		})
}

func TestDuplexFinding(t *testing.T) {
	for _, tt := range []struct {
		gain, low float64
		want      bool
	}{{1.1, 1.01, true}, {1.09, 1.01, false}, {1.3, 1, false}} {
		o := windowOf(map[string]float64{"A": 40})
		got := toldOf(PhaseResult{
			Overlap: o,
			Contention: &Contention{
				DuplexGain: &tt.gain, DuplexCI95: &stats.Interval{tt.low, 2},
				Disks: map[string]DiskContention{"A": {}},
			},
		})
		if tt.want {
			sameFindings(t, "duplex", got, Finding{
				Code: "duplex", Values: DuplexValues{Rate: 40, Gain: tt.gain - 1},
				Weight: tt.gain - 1,
			})
		} else if len(got) != 0 {
			t.Errorf("a gain of %v, at least %v: %+v", tt.gain, tt.low, got)
		}
	}
}

func TestRecoveryFindings(t *testing.T) {
	r := func(disk, after string, atS, lagS, from, to float64) Recovery {
		return Recovery{
			Disk: disk, After: after, AtS: atS, LagS: &lagS, FromRate: from, ToRate: &to,
		}
	}
	got := toldOf(PhaseResult{Recoveries: []Recovery{
		r("B", "D", 10, 4, 50, 95), r("A", "D", 10, 2, 70, 100), r("C", "D", 10, 30, 40, 60),
		{Disk: "C", After: "B", AtS: 20}, r("A", "C", 30, 12, 90, 120),
		r("B", "A", 40, 0.5, 50, 100),
	}})
	sameFindings(t, "recoveries", got,
		Finding{
			Code: "recovery", Disk: "C", Disks: []string{"C"}, Other: "D",
			Values: RecoveryValues{From: 40, To: 60, LagLow: 30, LagHigh: 30}, Weight: 1. / 3,
		},
		Finding{
			Code: "recovery", Disk: "A", Disks: []string{"A"}, Other: "C",
			Values: RecoveryValues{From: 90, To: 120, LagLow: 12, LagHigh: 12}, Weight: 0.25,
		},
		Finding{
			Code: "recovery", Disks: []string{"A", "B"}, Other: "D",
			Values: RecoveryValues{From: 60, To: 97.5, LagLow: 2, LagHigh: 4},
			Weight: 0.4 * (1 - 60/97.5),
		},
		Finding{
			Code: "recovery", Disk: "B", Disks: []string{"B"}, Other: "A",
			Values: RecoveryValues{From: 50, To: 100, LagLow: 0.5, LagHigh: 0.5}, Weight: 0.025,
		})
}

func TestDiskFindings(t *testing.T) {
	fell := func(cause string) *Throttle {
		step := ledger.Step{FromRate: 100, ToRate: 40}
		return &Throttle{Step: step, Steps: []ledger.Step{step}, Cause: cause}
	}
	for _, tt := range []struct {
		name string
		d    DiskResult
		want []Finding
	}{
		{"a throttle", DiskResult{Throttle: fell(CauseUnknown)},
			[]Finding{{Code: "throttle", Disk: "B", Weight: 1.6}}},
		{
			"of a cause", DiskResult{Throttle: fell(CauseHeat)},
			[]Finding{
				{Code: "throttle", Disk: "B", Weight: 1.6}, {Code: "heat", Disk: "B", Weight: 1.5},
			},
		},
		{"a knee", DiskResult{SizeKnee: &size.Knee{AboveRate: 130, BelowRate: 100}},
			[]Finding{{Code: "size_knee", Disk: "B", Weight: 0.15}}},
		{"downwards", DiskResult{SizeKnee: &size.Knee{AboveRate: 60, BelowRate: 100}},
			[]Finding{{Code: "size_knee", Disk: "B", Weight: 0.2}}},
		{"by more than all", DiskResult{SizeKnee: &size.Knee{AboveRate: 500, BelowRate: 100}},
			[]Finding{{Code: "size_knee", Disk: "B", Weight: 0.5}}},
		{"two modes", DiskResult{Modes: &[2]float64{60, 100}},
			[]Finding{{Code: "bimodal", Disk: "B", Weight: 0.12}}},
		{"of a throttle", DiskResult{Modes: &[2]float64{60, 100}, Throttle: fell(CauseUnknown)},
			[]Finding{{Code: "throttle", Disk: "B", Weight: 1.6}}},
		{"requests that take longer", DiskResult{Latency: &LatencyResult{AloneFrom: "b",
			Longer: &quantile.Slowdown{Quantile: 0.99, FromNS: 10, ToNS: 40, Times: 4}}},
			[]Finding{
				{Code: "latency", Disk: "B", Other: "b", Weight: 0.6,
					Values: LatencyValues{FromNS: 10, ToNS: 40, Times: 4, Quantile: 0.99}},
			}},
	} {
		tt.d.Quote = &Quote{Rate: 40}
		sameFindings(t, tt.name, toldOf(PhaseResult{Disks: map[string]DiskResult{"B": tt.d}}),
			tt.want...)
	}
	if got := toldOf(PhaseResult{Disks: map[string]DiskResult{"A": {},
		"B": {Modes: &[2]float64{60, 100}}}}); len(got) != 0 {
		t.Errorf("two modes beside another disk: %+v", got)
	}
	// What the preset saturation is for is reported once.
	step := Saturation{
		Disk: "B", Alone: "p", Fall: &Fall{AtBytes: 7, FromRate: 100, ToRate: 40},
		Back: &Back{RestS: new(30.0)},
	}
	got := toldOf(PhaseResult{Saturation: &trace.Saturation{},
		Disks: map[string]DiskResult{"B": {Throttle: fell(CauseHeat)}}}, step,
		Saturation{Disk: "A"})
	sameFindings(t, "a step of the preset", got,
		Finding{
			Code: "saturation", Disk: "B",
			Values: SaturationValues{AtBytes: 7, FromRate: 100, ToRate: 40, RestS: number(30)},
			Weight: 1.6,
		})
	if got := toldOf(PhaseResult{Disks: map[string]DiskResult{"B": {Throttle: fell(CauseUnknown),
		Quote: &Quote{}}}}, step); len(got) != 2 {
		t.Errorf("a throttle in another phase is not reported: %+v", got)
	}
}

// Late frames are reported of each disk that had any; of a try of a search nothing is, but that it
// failed.
func TestStreamFindings(t *testing.T) {
	p := PhaseResult{
		StreamTotals: []StreamTotal{
			{Disk: "A", Due: 50},
			{Disk: "B", Due: 40, Late: 1, LongestStallS: 0.25, LateOnlyWhile: []string{"C"}},
			{Disk: "D", Due: 8, Late: 4},
		},
	}
	sameFindings(t, "late frames", toldOf(p),
		Finding{
			Code: "drops", Disk: "D", Values: DropsValues{Late: 4, Due: 8, LongestStallS: 0},
			Weight: 3,
		},
		Finding{
			Code: "drops", Disk: "B", Disks: []string{"C"},
			Values: DropsValues{Late: 1, Due: 40, LongestStallS: 0.25}, Weight: 2.525,
		})
	p.Search = &trace.Try{}
	p.Warnings = []Warning{
		{Code: "partial", Disk: "B", Other: "gone", Values: PartialValues{AtS: 3}}, {Code: "edges"},
	}
	sameFindings(t, "a try", toldOf(p), Finding{
		Code: "partial", Disk: "B", Other: "gone", Values: PartialValues{AtS: 3}, Weight: 2,
	})
	// The next phase is reported again; of one weight, the phase and then the disk come first in
	// their order.
	partial := []Warning{{Code: "partial", Disk: "B"}, {Code: "partial", Disk: "A"}}
	var got []string
	for _, f := range findings(&Analysis{
		Phases: []PhaseResult{
			{Name: "q", Search: &trace.Try{}}, {Name: "r", Warnings: partial},
			{Name: "p", Warnings: partial},
		},
	}) {
		got = append(got, f.Phase+f.Disk)
	}
	check.Same(t, "findings of", []string{"pA", "pB", "rA", "rB"}, got)
}

func TestAlike(t *testing.T) {
	values := map[string]float64{"A": 90, "B": 100, "C": 81, "D": 89.9}
	got := WithinTenth([]string{"A", "B", "C", "D"}, func(n string) float64 { return values[n] })
	if diff := cmp.Diff([][]string{{"A", "B"}, {"C", "D"}}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got := WithinTenth(nil, nil); len(got) != 0 {
		t.Errorf("of none: %v", got)
	}
}

func TestGaugeFindings(t *testing.T) {
	bytes := int64(600)
	for percent, want := range map[float64]int{94.9: 0, 95: 1} {
		got := toldOf(PhaseResult{CPUPercent: &percent})
		if len(got) != want || want == 1 &&
			(got[0].Code != "host_bound" || got[0].Weight != 0.8 ||
				got[0].Values != (PercentValues{percent})) {
			t.Errorf("%v %% busy: %+v", percent, got)
		}
	}
	shared := &meter.Device{
		Disks: []string{"A", "B"}, CountedReadBytes: 300, CountedWriteBytes: 100,
		ReadBytes: &bytes, Foreign: &meter.Foreign{Bytes: 100, Rate: 10, FromS: 1, ToS: 11},
	}
	cached := &meter.Device{
		Disks: []string{"C"}, CountedReadBytes: 800, ReadBytes: &bytes, CachedBytes: 200,
	}
	heavy := &meter.Device{
		Disks: []string{"D"}, CountedWriteBytes: 100, Foreign: &meter.Foreign{Bytes: 300},
	}
	sameFindings(t, "devices",
		toldOf(PhaseResult{Disks: map[string]DiskResult{"A": {Device: shared},
			"B": {Device: shared}, "C": {Device: cached}, "D": {Device: heavy}}}),
		Finding{
			Code: "foreign_traffic", Disk: "D", Disks: []string{"D"}, Weight: 2,
			Values: ForeignValues{Bytes: 300, Rate: 0, FromS: 0, ToS: 0, Share: 3},
		},
		Finding{
			Code: "foreign_traffic", Disks: []string{"A", "B"}, Weight: 1.25,
			Values: ForeignValues{Bytes: 100, Rate: 10, FromS: 1, ToS: 11, Share: 0.25},
		},
		Finding{
			Code: "cached", Disk: "C", Disks: []string{"C"}, Weight: 1.25,
			Values: CachedValues{Bytes: 200, Share: 0.25, Counted: 800, Device: 600},
		})
}

func TestLinkFindings(t *testing.T) {
	use := func(id string, share float64, could string, disks ...string) LinkUse {
		return LinkUse{
			id: id, Share: share, Could: could, Disks: disks, Op: "read", Rate: 100 * share,
			Capacity: 100,
		}
	}
	for _, tt := range []struct {
		name   string
		links  []LinkUse
		weight []float64
	}{
		{"near its limit, and beyond", []LinkUse{use("1", 0.85, "", "A"), use("2", 1.15, "", "B")},
			[]float64{0.2, 0.2}},
		{"not quite, and too far", []LinkUse{use("1", 0.849, "", "A"), use("2", 1.151, "", "B")},
			nil},
		{"could be better", []LinkUse{use("1", 0.9, "40 Gb/s", "A")}, []float64{0.5}},
		{
			"the fullest of the same disks",
			[]LinkUse{
				use("1", 0.9, "40 Gb/s", "A"), use("2", 0.9, "", "A"), use("3", 0.88, "x", "A"),
			},
			[]float64{0.2},
		},
	} {
		var weights []float64
		got := toldOf(PhaseResult{Links: tt.links})
		for _, f := range got {
			weights = append(weights, f.Weight)
			if f.Link == nil || f.Values != (BottleneckValues{Capacity: 100, Rate: f.Link.Rate}) ||
				f.Other != "read" {
				t.Errorf("%s: %+v", tt.name, f)
			}
		}
		check.Same(t, tt.name+": weights", tt.weight, weights)
	}
	phases := []PhaseResult{
		{Name: "1", Links: []LinkUse{use("1", 0.9, "", "A")}},
		{Name: "2", Links: []LinkUse{use("1", 1, "", "A")}},
		{Name: "3", Links: []LinkUse{use("1", 1, "", "A"), use("2", 1, "", "B")}},
	}
	got := findings(&Analysis{Phases: phases, Order: []string{"A", "B"}})
	if len(got) != 2 || got[0].Phase != "1" || got[0].MorePhases != 2 || got[1].Phase != "3" ||
		got[1].MorePhases != 0 {
		t.Errorf("in three phases: %+v", got)
	}
}

// What holds in phase after phase is reported once: of the first, or of the one that shows it most.
func TestOnceAndStrongest(t *testing.T) {
	f := finder{phase: &PhaseResult{}}
	for i, weight := range []float64{1, 3, 2, 3} {
		f.phase.Name = string(rune('a' + i))
		f.dedupe(Finding{Code: "x", Weight: weight}, "")
		f.dedupe(Finding{Code: "y", Disks: []string{"A"}, Weight: weight}, "")
		f.dedupe(Finding{Code: "y", Disks: []string{"B"}, Weight: -weight}, "")
	}
	want := []Finding{
		{Code: "x", Phase: "a", Weight: 1, MorePhases: 3},
		{Code: "y", Phase: "b", Disk: "A", Disks: []string{"A"}, Weight: 3, MorePhases: 3},
		{Code: "y", Phase: "a", Disk: "B", Disks: []string{"B"}, Weight: -1, MorePhases: 3},
	}
	if diff := cmp.Diff(want, f.found); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestHubCostByNoise(t *testing.T) {
	for _, tt := range []struct {
		hub, direct ledger.Measured
		want        bool
	}{
		{ledger.Measured{Rate: 90, Error: 0.001, DegreesOfFreedom: 9},
			ledger.Measured{Rate: 100, Error: 0.001, DegreesOfFreedom: 9}, true},
		{ledger.Measured{Rate: 90.1, Error: 0.001, DegreesOfFreedom: 9},
			ledger.Measured{Rate: 100, Error: 0.001, DegreesOfFreedom: 9}, false},
		// noise may have made it
		{ledger.Measured{Rate: 80, Error: 0.2, DegreesOfFreedom: 9},
			ledger.Measured{Rate: 100, Error: 0.2, DegreesOfFreedom: 9}, false},
	} {
		s := soloRates{
			{disk: partOn("A", trace.OnHub), Measured: tt.hub, phases: []string{"hub"}},
			{disk: partOn("A", trace.Direct), Measured: tt.direct, phases: []string{"own"}},
		}
		got := findings(&Analysis{HubCosts: hubCosts(nil, s, 0.01)})
		if (len(got) > 0) != tt.want {
			t.Errorf("%v on the hub, %v by itself: %+v", tt.hub, tt.direct, got)
		}
		if tt.want && (math.Abs(got[0].Weight-0.1) > 1e-9 || got[0].Phase != "hub" ||
			got[0].Other != "own" || got[0].Values != (ReferenceValues{90, 100})) {
			t.Errorf("%+v", got[0])
		}
	}
}

func TestOneWay(t *testing.T) {
	o := &Overlap{ReadRate: 30, WriteRate: 70, CI95: &stats.Interval{90, 120},
		Disks: map[string]OverlapDisk{
			"A": {Op: "write", CI95: &stats.Interval{20, 26}},
			"B": {Op: "write", CI95: &stats.Interval{40, 48}}, "C": {Op: "read"},
		}}
	if rate, half, ok := o.oneWay(trace.Write); rate != 70 || half != 5 || !ok { // 3 and 4
		t.Errorf("writes: %v, %v, %v", rate, half, ok)
	}
	if rate, half, ok := o.oneWay(trace.Read); rate != 30 || half != 0 || ok { // C has none
		t.Errorf("reads: %v, %v, %v", rate, half, ok)
	}
	delete(o.Disks, "C")
	if rate, half, ok := o.oneWay(trace.Write); rate != 70 || half != 15 || !ok {
		t.Errorf("writes alone: %v, %v, %v", rate, half, ok)
	}
	o.WriteRate = 0
	if _, _, ok := o.oneWay(trace.Write); ok {
		t.Error("nothing written has a rate")
	}
}

func TestTotalsFinding(t *testing.T) {
	two := func(rate, half float64) *Overlap {
		ci := &stats.Interval{rate - half, rate + half}
		return &Overlap{
			Rate: rate, WriteRate: rate, CI95: ci,
			Disks: map[string]OverlapDisk{
				"A": {Op: "write", CI95: ci}, "B": {Op: "write", CI95: ci},
			},
		}
	}
	fio := func(rate float64) *OtherToolRates { return &OtherToolRates{FioRate: &rate} }
	sameFindings(t, "less", toldOf(PhaseResult{Overlap: two(100, 5), OtherToolRates: fio(80)}),
		Finding{
			Code: "others", Other: "moved", Values: OthersValues{Rate: 80, Overlap: 100},
			Weight: 0.05,
		})
	for _, tt := range []struct {
		half, fio float64
		want      int
	}{{5, 89.9, 1}, {5, 90.1, 0}, {5, 111, 1}, {20, 80, 0}, {20, 79.9, 1}} {
		if got := toldOf(PhaseResult{Overlap: two(100, tt.half),
			OtherToolRates: fio(tt.fio)}); len(got) != tt.want {
			t.Errorf("fio's %v of 100 ± %v: %+v", tt.fio, tt.half, got)
		}
	}
	// Reads and writes apart: the one that is further off.
	mixed := two(100, 5)
	mixed.ReadRate = 50
	mixed.Disks["C"] = OverlapDisk{Op: "read", CI95: &stats.Interval{48, 52}}
	for _, tt := range []struct {
		read, write float64
		verb        string
	}{{40, 85, "read"}, {44, 70, "wrote"}, {46, 91, ""}} {
		got := toldOf(PhaseResult{
			Overlap:        mixed,
			OtherToolRates: &OtherToolRates{FioReadRate: &tt.read, FioWriteRate: &tt.write},
		})
		if tt.verb == "" && len(got) > 0 || tt.verb != "" &&
			(len(got) != 1 || got[0].Other != tt.verb) {
			t.Errorf("reads %v of 50, writes %v of 100: %+v", tt.read, tt.write, got)
		}
	}
	one := two(100, 5)
	delete(one.Disks, "B")
	if got := toldOf(PhaseResult{Overlap: one, OtherToolRates: fio(50)}); len(got) > 0 {
		t.Errorf("of a single disk: %+v", got)
	}
}

func TestCeilingFinding(t *testing.T) {
	o := windowOf(map[string]float64{"A": 40, "B": 60, "C": 30})
	for name, op := range map[string]trace.Role{
		"A": "write", "B": "write", "C": "write", "D": "read",
	} {
		d := o.Disks[name]
		d.Op = op
		o.Disks[name] = d
	}
	c := &Contention{
		Ceiling: &Ceiling{Without: "AB", WithoutRate: 128, AloneRate: 300, Added: []string{"C"}},
		Disks:   map[string]DiskContention{},
	}
	sameFindings(t, "a ceiling", toldOf(PhaseResult{Overlap: o, Contention: c}),
		Finding{
			Code: "ceiling", Disks: []string{"A", "B"}, Added: []string{"C"}, Other: "AB",
			Weight: 0.1, Values: CeilingValues{Without: 128, Rate: 130, Alone: 300},
		})
	c.Ceiling.Without = ""
	sameFindings(t, "of the smaller set", toldOf(PhaseResult{Overlap: o, Contention: c}))
}
