package say

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/trace/tracetest"
)

// What gauges find is told with its evidence, and a fall with its cause and what it left to the others in one sentence.
func TestGaugeFindings(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 3))
	sensor := func(at func(s float64) float64) tracetest.Warmth { return tracetest.Warmth{EveryS: 1, At: at} }
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
		late = append(late, trace.Gauge{Name: trace.CPU, TNS: int64(s) * 1e9, Value: map[bool]float64{true: 100, false: 20}[s > 20]})
	}
	hot := sensor(func(s float64) float64 { return min(41+1.5*s, 71) }).Play(rnd, "C", 40)
	cool := sensor(func(s float64) float64 { return 41 + float64(int(s/9)%2) }).Play(rnd, "G", 40)
	warm := sensor(func(s float64) float64 { return min(41+0.5*s, 51) }).Play(rnd, "E", 40)
	stuck := sensor(func(float64) float64 { return 40 }).Play(rnd, "F", 40)
	fall := func(name string) *trace.DiskTrace { return disk(name, "write", pace{20, 2}, pace{40, 0.5}) }
	together := tracetest.Hub{Capacity: 2.8e9}.Play(rnd,
		tracetest.Disk{Name: "C", Noise: tracetest.Noise{Sigma: 0.03}, Levels: []tracetest.Level{{UntilS: 20, Rate: 1.5e9}, {UntilS: 45, Rate: 0.5e9}}},
		tracetest.Disk{Name: "D", Noise: tracetest.Noise{Sigma: 0.03}, Levels: []tracetest.Level{{UntilS: 45, Rate: 1.9e9}}})
	a := told(
		with(tracetest.Phase("busy", busy), tracetest.Counters(busy, 10, 0, tracetest.Traffic{ToS: 10, Rate: 50e6})...),
		with(tracetest.Phase("busy again", busy), tracetest.Counters(busy, 10, 0, tracetest.Traffic{ToS: 10, Rate: 30e6})...),
		with(tracetest.Phase("brief", crowded), tracetest.Counters(crowded, 10, 0, tracetest.Traffic{FromS: 4, ToS: 8, Rate: 100e6})...),
		with(tracetest.Phase("lazy", lazy), tracetest.Counters(lazy, 10, 0, tracetest.Traffic{ToS: 10, Rate: -150e6})...),
		with(tracetest.Phase("cores", disk("A", "read", pace{10, 0.3})), cores...),
		with(tracetest.Phase("hot", fall("C")), hot...),
		with(tracetest.Phase("full", fall("G")), cool...),
		with(tracetest.Phase("warm", fall("E")), warm...),
		with(tracetest.Phase("stuck", fall("F")), stuck...),
		with(tracetest.Phase("relinked", fall("I")), trace.Gauge{Disk: "I", Name: trace.LinkState, Value: 10e9}, trace.Gauge{Disk: "I", Name: trace.LinkState, TNS: 21e9, Value: 480e6}),
		with(tracetest.Phase("crowded", fall("K")), late...),
		tracetest.Phase("soon", disk("L", "write", pace{10, 2}, pace{30, 0.5})), tracetest.Phase("later", fall("L")),
		tracetest.Phase("once", fall("H")), tracetest.Phase("never", disk("H", "write", pace{40, 2})),
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
		"busy: something else used A: by its own counters it moved 500 MB more than hubbench had it move, 50.0 MB/s from 0.0 s to 10.0 s (close backup, indexing and sync programs, and measure again); likewise in 1 more phase.",
		"brief: something else used M: by its own counters it moved 400 MB more than hubbench had it move, about 100 MB/s from about 4.0 s to 8.0 s (close",
		"lazy: 50 % of what B read came from a cache: 3 GB were read, and by its own counters the disk gave 1.5 GB; do not quote the rate as the disk's.",
		"cores: the computer's cores were 98 % busy while the disks worked: the rates may be its limit and not the disks' (close other programs, and measure again).",
		"hot: C fell from 2.00 GB/s to 0.500 GB/s after 40 GB and stayed there to its end, with no other disk involved: heat; quote 0.500 GB/s.",
		"hot: C fell because it was hot: it warmed up from 43 °C to 70 °C, and stayed at 71 °C or less after that.",
		"full: G fell because its write cache was full: 40 GB were written by then, and it was as cool as before (41 °C, at the start 41 °C).",
		"with no other disk involved: a full write cache; quote",
		"with no other disk involved: a full cache or heat (42 °C at the start, 51 °C when it fell: that does not tell); quote",
		"with no other disk involved: a full cache or heat (its temperature never moves, so it tells nothing); quote",
		"with no other disk involved: a full cache or heat (in another phase it wrote 80 GB without a fall); quote",
		"with no other disk involved: a full cache or heat (in an earlier phase it fell after 20 GB); quote",
		"with no other disk involved: a full cache, heat, or its link, which went from 10 Gb/s to 480 Mb/s; quote",
		"with no other disk involved: a full cache, heat, or the computer, whose cores had nothing to spare from about then on; quote",
		"disk I: its link went from 10 Gb/s to 480 Mb/s 21.0 s into the phase: what was measured before that does not compare with what came after (look at its cable and port)",
		"with no other disk involved: heat; that left more to D, which rose from 1.4",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("no finding %q", want)
		}
	}
	if got := a.Phases[len(a.Phases)-1].Verdict; !strings.Contains(got, "with no other disk involved; that left more to D, which rose from") {
		t.Errorf("verdict %q does not tell what the fall left to D", got)
	}
	if t.Failed() {
		t.Log(all)
	}
}
