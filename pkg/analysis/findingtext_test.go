package analysis

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/internal/test/tracetest"
	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/ledger"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// What gauges find is told with its evidence, and a fall with its cause and what it left to the
// others in one sentence.
func TestGaugeFindingTexts(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 3))
	sensor := func(at func(s float64) float64) tracetest.Warmth {
		return tracetest.Warmth{EveryS: 1, At: at}
	}
	with := func(p *trace.Phase, gauges ...trace.Gauge) *trace.Phase {
		p.Gauges = gauges
		return p
	}
	busy := disk("A", "write", pace{10, 0.3})
	crowded := disk("M", "write", pace{10, 0.3})
	lazy := disk("B", "read", pace{10, 0.3})
	var cores []trace.Gauge
	for s := range 10 {
		cores = append(cores, trace.Gauge{Name: trace.CPU, TNS: int64(s) * 1e9, Value: 98})
	}
	var late []trace.Gauge
	for s := range 40 {
		late = append(late, trace.Gauge{
			Name: trace.CPU, TNS: int64(s) * 1e9,
			Value: map[bool]float64{true: 100, false: 20}[s > 20],
		})
	}
	hot := sensor(func(s float64) float64 { return min(41+1.5*s, 71) }).Play(rnd, "C", 40)
	cool := sensor(func(s float64) float64 { return 41 + float64(int(s/9)%2) }).Play(rnd, "G", 40)
	warm := sensor(func(s float64) float64 { return min(41+0.5*s, 51) }).Play(rnd, "E", 40)
	stuck := sensor(func(float64) float64 { return 40 }).Play(rnd, "F", 40)
	fall := func(name string) *trace.DiskRecord {
		return disk(name, "write", pace{20, 2}, pace{40, 0.5})
	}
	together := tracetest.Hub{Capacity: 2.8e9}.Play(rnd,
		tracetest.Disk{
			Name: "C", Noise: tracetest.Noise{Sigma: 0.03},
			Levels: []tracetest.Level{{UntilS: 20, Rate: 1.5e9}, {UntilS: 45, Rate: 0.5e9}},
		},
		tracetest.Disk{
			Name: "D", Noise: tracetest.Noise{Sigma: 0.03},
			Levels: []tracetest.Level{{UntilS: 45, Rate: 1.9e9}},
		})
	a := told(
		with(tracetest.Phase("busy", busy),
			tracetest.Counters(busy, 10, 0, tracetest.Traffic{ToS: 10, Rate: 50e6})...),
		with(tracetest.Phase("busy again", busy),
			tracetest.Counters(busy, 10, 0, tracetest.Traffic{ToS: 10, Rate: 30e6})...),
		with(tracetest.Phase("brief", crowded),
			tracetest.Counters(crowded, 10, 0,
				tracetest.Traffic{FromS: 4, ToS: 8, Rate: 100e6})...),
		with(tracetest.Phase("lazy", lazy),
			tracetest.Counters(lazy, 10, 0, tracetest.Traffic{ToS: 10, Rate: -150e6})...),
		with(tracetest.Phase("cores", disk("A", "read", pace{10, 0.3})), cores...),
		with(tracetest.Phase("hot", fall("C")), hot...),
		with(tracetest.Phase("full", fall("G")), cool...),
		with(tracetest.Phase("warm", fall("E")), warm...),
		with(tracetest.Phase("stuck", fall("F")), stuck...),
		with(tracetest.Phase("relinked", fall("I")),
			trace.Gauge{Disk: "I", Name: trace.LinkState, Value: 10e9},
			trace.Gauge{Disk: "I", Name: trace.LinkState, TNS: 21e9, Value: 480e6}),
		with(tracetest.Phase("crowded", fall("K")), late...),
		tracetest.Phase("soon", disk("L", "write", pace{10, 2}, pace{30, 0.5})),
		tracetest.Phase("later", fall("L")),
		tracetest.Phase("once", fall("H")),
		tracetest.Phase("never", disk("H", "write", pace{40, 2})),
		with(tracetest.Phase("pair", together...), hot...))
	var texts []string
	for _, f := range a.Findings {
		texts = append(texts, f.Text)
	}
	for i := range a.Phases {
		for _, w := range a.Phases[i].Warnings {
			texts = append(texts, w.Text)
		}
	}
	all := strings.Join(texts, "\n")
	for _, want := range []string{
		"busy: something else used A: its own counters show 500 MB more than hubbench moved, " +
			"50.0 MB/s from 0.0 s to 10.0 s (close backup, indexing and sync programs, and " +
			"measure again); likewise in 1 more phase.",
		"brief: something else used M: its own counters show 400 MB more than hubbench moved, " +
			"about 100 MB/s from about 4.0 s to 8.0 s (close",
		"lazy: 50% of what B read came from a cache: 3 GB were read, but the disk's own " +
			"counters show 1.5 GB; do not quote this rate as the disk's.",
		"cores: your CPU may be the bottleneck, not the disks: its cores were 98% busy (close " +
			"other programs, and measure again).",
		"hot: C fell from 2.00 GB/s to 0.500 GB/s after 40 GB and stayed there to the end, with " +
			"no other disk involved: heat; quote 0.500 GB/s.",
		"hot: C fell because it was hot: it warmed up from 43 °C to 70 °C, and stayed at 71 °C " +
			"or less after that.",
		"full: G fell because its write cache was full: 40 GB were written by then, and it was " +
			"as cool as before (41 °C, at the start 41 °C).",
		"with no other disk involved: a full write cache; quote",
		"with no other disk involved: a full cache or heat (42 °C at the start, 51 °C when it " +
			"fell: not conclusive); quote",
		"with no other disk involved: a full cache or heat (its temperature sensor is stuck); quote",
		"with no other disk involved: a full cache or heat (in another phase it wrote 80 GB " +
			"without a fall); quote",
		"with no other disk involved: a full cache or heat (in an earlier phase it fell after 20 " +
			"GB); quote",
		"with no other disk involved: a full cache, heat, or its link, which went from 10 Gb/s " +
			"to 480 Mb/s; quote",
		"with no other disk involved: a full cache, heat, or the CPU, which was fully busy from " +
			"about then on; quote",
		"disk I: its link went from 10 Gb/s to 480 Mb/s 21.0 s into the phase: rates before and " +
			"after that do not compare (check its cable and port)",
		"with no other disk involved: heat; that freed bandwidth for D, which rose from 1.4",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("no finding %q", want)
		}
	}
	if got := a.Phases[len(a.Phases)-1].Verdict; !strings.Contains(got,
		"with no other disk involved; that freed bandwidth for D, which rose from") {
		t.Errorf("verdict %q does not tell what the fall left to D", got)
	}
	if t.Failed() {
		t.Log(all)
	}
}

func TestBottleneck(t *testing.T) {
	run := tracetest.Run(
		tracetest.Phase("RRR", disk("A", "read", pace{20, 1.2}), disk("B", "read", pace{20, 1.3}),
			disk("C", "read", pace{20, 0.85})),
		tracetest.Phase("C", disk("C", "read", pace{20, 1.02})),
		tracetest.Phase("D", disk("D", "read", pace{20, 1.70})),
	)
	uplink := hardware.Link{
		Segment: hardware.Uplink, Hub: "0-1", Kind: hardware.Thunderbolt, Generation: "4",
		RxBps: 40e9,
	}
	usb := hardware.Link{
		Segment: hardware.Enclosure, Kind: hardware.USBLink, RxBps: 10e9, MaxBps: 40e9,
	}
	lanes := hardware.Link{
		Segment: hardware.Lanes, Kind: hardware.PCIe, Generation: "3", Lanes: 2, RxBps: 16e9,
		MaxBps: 32e9,
	}
	on := func(links ...hardware.Link) hardware.Unit {
		return hardware.Unit{Drive: hardware.Drive{Path: hardware.Path{Links: links}}}
	}
	run.Hardware = &hardware.Setup{
		Disks: map[string]hardware.Unit{
			"A": on(uplink), "B": on(uplink), "C": on(uplink, usb), "D": on(lanes),
		},
		Competitors: []hardware.Attached{
			{Kind: hardware.DisplayKind, Name: "Studio Display"}, {Kind: hardware.DisplayKind},
		},
	}
	a := Analyze(run, Options{})
	var got []string
	for _, f := range a.Findings {
		if f.Code == "bottleneck" {
			got = append(got, f.Text)
		}
	}
	for _, w := range a.Warnings {
		got = append(got, w.Text)
	}
	want := []string{
		"C: C reads 1.02 GB/s, 96% of what the link to its enclosure (USB 10 Gb/s) can carry " +
			"one way, about 1.06 GB/s; the link fell back from the 40 Gb/s that both its ends " +
			"support: try another cable or port.",
		"D: D reads 1.70 GB/s, 97% of what the disk's own link (PCIe 3.0 x2) can carry one way, " +
			"about 1.76 GB/s; the link fell back from the 32 Gb/s that both its ends support.",
		"A, B and C read: A, B and C together read 3.35 GB/s, 99% of what the hub's uplink " +
			"(Thunderbolt 4) can carry one way, about 3.40 GB/s.",
		"Studio Display is a display on the same hub: its picture has priority over the disks' " +
			"data on the hub's uplink",
		"a display is on the same hub: its picture has priority over the disks' data on the " +
			"hub's uplink",
	}
	for i := range want {
		if i >= len(got) || got[i] != want[i] {
			t.Errorf("line %d of %q\nwant %q", i, got, want[i])
		}
	}
}

func TestChangeLabel(t *testing.T) {
	each := func(a, aTo, b, bTo float64) []Shift {
		return []Shift{{Disk: "A", FromRate: a, ToRate: aTo}, {Disk: "B", FromRate: b, ToRate: bTo}}
	}
	for _, test := range []struct {
		kind, cause, disks, by string
		from, to               float64
		each                   []Shift
		want, because          string
	}{
		{KindStart, "unknown", "C", "", 0, 2, nil, "C starts", ""},
		{KindStart, "neighbour", "A B", "C", 0, 0, each(1.5, 0.7, 1.5, 0.7), "A and B fall",
			"C started"},
		{KindEnd, "unknown", "C", "", 2, 0, nil, "C ends", ""},
		{KindRecovery, "neighbour", "A B", "C", 0.7, 1.4, nil, "A and B recover", "C ended"},
		{KindOwnFall, "cache_full", "A", "", 2, 1, nil, "A falls", "full write cache"},
		{KindSharedFall, "link", "A B C", "", 3, 1.5, nil, "all fall to 50%",
			"the link changed its speed"},
		{KindSharedFall, "unknown", "A B", "", 3, 1.5, nil, "A and B fall to 50%", "unknown"},
		{KindRedistribution, "unknown", "A B", "", 0, 0, each(1.8, 0.8, 0.8, 1.8),
			"A and B swap rates", "unknown"},
		{KindRedistribution, "unknown", "A B", "", 0, 0, each(1.8, 1.2, 0.8, 1.4),
			"A falls, B rises", "unknown"},
		{KindRedistribution, "neighbour", "A", "C", 0.8, 1.4, nil, "A rises", "C changed"},
		{KindStall, "unknown", "A", "", 1.5, 0, nil, "A stalls", "unknown"},
		{KindStall, "host", "A B C", "", 4.5, 0, nil, "all stall", "the computer"},
		{KindWarmUp, "unknown", "A", "", 1, 2, nil, "A warms up", "unknown"},
		{KindSwing, "unknown", "A B", "", 2, 1, nil, "A and B swing", "unknown"},
		{KindDrift, "heat", "A", "", 2, 1, nil, "A slows steadily", "heat"},
		{KindUnknown, "unknown", "A", "", 1, 2, nil, "A rises", "unknown"},
	} {
		c := Change{
			Kind: test.kind, Cause: test.cause, Disks: strings.Fields(test.disks),
			FromRate: test.from, ToRate: test.to, Each: test.each,
		}
		if test.by != "" {
			c.By = &test.by
		}
		check.Same(t, c.Kind+" is called", test.want, ChangeLabel(&c, 3, strings.Clone))
		check.Same(t, test.want+" has the cause", test.because, ChangeCause(&c, strings.Clone))
	}
}

func TestSaturation(t *testing.T) {
	rest, within := 150.0, 160.0
	one := ledger.Step{AtBytes: 24e9, FromRate: 2.3e9, ToRate: 0.65e9}
	fall := &Fall{
		AtBytes: 24e9, CI95: stats.Interval{23.7e9, 24.3e9}, FromRate: 2.3e9, ToRate: 0.65e9,
		Steps: []ledger.Step{one},
	}
	twice := &Fall{
		AtBytes: 40e9, FromRate: 2.3e9, ToRate: 0.2e9,
		Steps: []ledger.Step{one, {AtBytes: 40e9, FromRate: 0.65e9, ToRate: 0.2e9}},
	}
	hot := &Fall{
		AtBytes: 24e9, FromRate: 2.3e9, ToRate: 0.65e9, Steps: []ledger.Step{one}, Cause: "heat",
	}
	gain := func(disk string, by float64) Gain {
		return Gain{Disk: disk, Difference: by, CI95: stats.Interval{by - 0.05e9, by + 0.05e9}}
	}
	together := func(gains ...Gain) *FallTogether {
		return &FallTogether{Reported: true, Gains: gains}
	}
	known := &Back{
		RestS: &rest, CI95: &stats.Interval{144, 161}, AfterS: 80, WithinS: &within, Whole: true,
		Bytes: 24e9,
	}
	const (
		fell     = "A's fast cache holds 24.0 ± 0.3 GB: 2.30 GB/s falls to 0.650 GB/s"
		fellSure = "A's fast cache holds 24.0 ± 0.3 GB (95% confidence): 2.30 GB/s falls to " +
			"0.650 GB/s"
	)
	for _, tt := range []struct {
		name   string
		found  Saturation
		surely bool
		want   string
	}{
		{"all of it", Saturation{Fall: fall,
			Together: together(gain("B", 0.5e9), gain("C", 0.48e9)), Back: known}, false,
			fell + "; it recovered after 2 min 30 s of rest; B and C gained 0.490 GB/s each"},
		{"how surely", Saturation{Fall: fall, Together: together(gain("B", 0.5e9)), Back: known},
			true,
			fellSure + "; it recovered after 2 min 30 s of rest (95% confidence: 2 min 24 s to " +
				"2 min 41 s); B gained 0.500 GB/s (95% confidence: 0.450 GB/s to 0.550 GB/s)"},
		{"one gained more", Saturation{Fall: fall,
			Together: together(gain("B", 0.5e9), gain("C", 0.2e9))}, false,
			fell + "; B gained 0.500 GB/s, C gained 0.200 GB/s"},
		{"nobody gained", Saturation{Fall: fall, Together: together()}, false,
			fell + "; no other disk measurably gained from it"},
		{"something else happened then", Saturation{Fall: fall, Together: &FallTogether{}}, false,
			fell},
		{"between two rests", Saturation{Fall: fall,
			Back: &Back{AfterS: 80, WithinS: &within, Whole: true}}, true,
			fellSure + "; it recovered after 2 min 40 s of rest but not after 1 min 20 s"},
		{"at once", Saturation{Fall: fall, Back: &Back{WithinS: &within, Whole: true}}, true,
			fellSure + "; it recovered after 2 min 40 s of rest or less"},
		{"the burst was too short", Saturation{Fall: fall,
			Back: &Back{AfterS: 80, WithinS: &within, Bytes: 46e9}}, true,
			fellSure + "; it recovered after 2 min 40 s of rest but not after 1 min 20 s, at " +
				"least for 46 GB"},
		{"never", Saturation{Fall: fall, Back: &Back{AfterS: 320, Regained: 0.12}}, true,
			fellSure + "; after 5 min 20 s of rest 12% of the cache was back"},
		{"the last burst was too short",
			Saturation{Fall: fall, Back: &Back{AfterS: 320, Regained: 0.12, AtLeast: true}}, true,
			fellSure + "; after 5 min 20 s of rest at least 12% of the cache was back"},
		{
			"two falls", Saturation{Fall: twice}, false,
			"A's fast cache holds 40.0 GB: 2.30 GB/s falls to 0.650 GB/s after 24 GB and to " +
				"0.200 GB/s after 40 GB",
		},
		{"no fall", Saturation{WroteBytes: 450e9}, true, "A wrote 450 GB without slowing down"},
		{"by heat", Saturation{Fall: hot}, false,
			"A slows down as it heats up after 24.0 GB: 2.30 GB/s falls to 0.650 GB/s"},
	} {
		tt.found.Disk = "A"
		check.Same(t, tt.name, tt.want,
			strings.Join((writer{Scale: unit.ScaleFor(2e9)}).saturation(tt.found, tt.surely), "; "))
	}
}
