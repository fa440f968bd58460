package analysis

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/internal/test/tracetest"
	"github.com/hubbench/hubbench/pkg/quantile"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/work"
)

// probing is a phase of 30 s in which C is probed a hundred times a second, beside others.
func probing(name string, medianNS float64, others ...*trace.DiskRecord) *trace.Phase {
	c := disk("C", "read", pace{30, 0.0004})
	c.Latencies = tracetest.Latency{Op: trace.Read, PerS: 100, MedianNS: medianNS,
		Sigma: 0.2}.Play(rand.New(rand.NewPCG(3, uint64(medianNS))), 30, nil)
	p := tracetest.Phase(name, append(others, c)...)
	p.Work = map[string]work.Work{"C": {Probe: 4096}}
	return p
}

// cut leaves so many of a phase's latency lines.
func cut(p *trace.Phase, lines int) *trace.Phase {
	c := p.Disk("C")
	c.Latencies = c.Latencies[:lines]
	return p
}

// How long a probe's requests took is said beside what they take alone, and called longer only if
// noise would hardly make it so.
func TestProbe(t *testing.T) {
	write := func() *trace.DiskRecord { return disk("B", "write", pace{30, 1}) }
	for _, c := range []struct {
		name     string
		phases   []*trace.Phase
		verdict  string // how it begins
		headline string
		finding  string
	}{
		{"longer", []*trace.Phase{probing("alone", 80e3), probing("both", 6e6, write())},
			"C answered 4 KiB reads in 9.6 ms while B wrote and in 127 µs alone (p99; 75 times " +
				"as long, 73 to 78 with 95% confidence). C probed 4 KiB at a time, B writing: " +
				"1.00 GB/s together for 30 s; B ran at 1.00 GB/s.",
			"C answers 4 KiB reads in 9.6 ms instead of 127 µs when B writes",
			"both: C answered 4 KiB reads in 9.6 ms while B wrote and in 127 µs alone (p99; 75 times"},
		{"alike", []*trace.Phase{probing("alone", 80e3), probing("both", 81e3, write())},
			"C answered 4 KiB reads in 131 µs while B wrote and in 127 µs alone (p99; the " +
				"difference is within noise). ", "", ""},
		{"too few for p99", []*trace.Phase{probing("alone", 80e3),
			cut(probing("both", 6e6, write()), 5)},
			"C answered 4 KiB reads in 6.05 ms while B wrote and in 80 µs alone (median; too few " +
				"requests to rule out noise). ", "", ""},
		{"not alone", []*trace.Phase{probing("both", 6e6, write()), steady("W", writes("B", 1))},
			"", "B writes at 1.00 GB/s", ""},
	} {
		a := told(c.phases...)
		if got := a.Phases[1].Verdict; !strings.HasPrefix(got, c.verdict) {
			t.Errorf("%s\n got %s\nwant %s", c.name, got, c.verdict)
		}
		if headline := ideas(t, a); headline != c.headline {
			t.Errorf("%s\n got %s\nwant %s", c.name, headline, c.headline)
		}
		found := ""
		for _, f := range a.Findings {
			if f.Code == "latency" {
				found = f.Text
			}
		}
		if !strings.HasPrefix(found, c.finding) || c.finding == "" && found != "" {
			t.Errorf("%s: finding %q, want %q", c.name, found, c.finding)
		}
	}
}

// A note says which figures are missing, and why.
func TestNote(t *testing.T) {
	ns, interval := new(int64), &[2]int64{}
	for _, c := range []struct {
		figures quantile.Figures
		want    string
	}{
		{quantile.Figures{}, "no whole second of its requests lies within the overlap"},
		{
			quantile.Figures{
				Requests: 3000, P50NS: ns, P50CI95: interval, P99NS: ns, P99CI95: interval,
			},
			"only 3,000 requests: p99.9 needs 10,000",
		},
		{quantile.Figures{Requests: 12, P99NS: nil},
			"only 12 requests: p50 needs 20, p99 needs 1,000 and p99.9 needs 10,000"},
		{quantile.Figures{Requests: 12_000, Seconds: 19.5, P50NS: ns, P99NS: ns, P999NS: ns},
			"no error bars: they need 20 s of requests"},
		{
			quantile.Figures{
				Requests: 12_000, Seconds: 30, P50NS: ns, P50CI95: interval, P99NS: ns, P999NS: ns,
			},
			"no error bars for p99 and p99.9: the slow requests come from too few seconds",
		},
		{
			quantile.Figures{
				Requests: 12_000, P50NS: ns, P50CI95: interval, P99NS: ns, P99CI95: interval,
				P999NS: ns, P999CI95: interval,
			},
			"",
		},
	} {
		check.Same(t, "note", c.want, note(&LatencyResult{Figures: c.figures}))
	}
}
