package analysis

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hubbench/hubbench/internal/test/evidence"
	"github.com/hubbench/hubbench/internal/test/tracetest"
	"github.com/hubbench/hubbench/pkg/quantile"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/work"
)

// truthOf is the class's times in order, of a trace long enough to know its quantiles by.
func truthOf(c tracetest.LatencyClass) []float64 {
	var all []float64
	for s := range uint64(25) {
		c.Play(rand.New(rand.NewPCG(s, 99)), 200, func(_, ns float64) { all = append(all, ns) })
	}
	slices.Sort(all)
	return all
}

// TestLatencyCoverage: the intervals of quantiles that are given miss the truth in no more than 10
// % of traces, if noise lasts for 5 s in no more than 15 %; and most quiet traces have one.
func TestLatencyCoverage(t *testing.T) {
	n := traces(t, 6, 5)
	for _, c := range tracetest.LatencyClasses() {
		truth := truthOf(c)
		for _, endS := range []float64{30, 60, 240} {
			var given, missed [3]int
			for trial := range n {
				lines := quantile.Lines(&trace.DiskRecord{Op: trace.Write,
					Latencies: c.Play(seed(trial), endS, nil)}, nil)
				f, _ := quantile.Estimate(lines)
				for i, interval := range []*[2]int64{f.P50CI95, f.P99CI95, f.P999CI95} {
					if interval == nil {
						continue
					}
					given[i]++
					want := truth[int(math.Ceil([]float64{0.5, 0.99, 0.999}[i]*
						float64(len(truth))))-1]
					if want < 0.999*float64(interval[0]) || want > 1.001*float64(interval[1]) {
						missed[i]++
					}
				}
			}
			figures("%-18s %3.0f s of %d: p50 %d missed of %d, p99 %d of %d, p99.9 %d of %d\n",
				c.Name, endS, n, missed[0], given[0], missed[1], given[1], missed[2], given[2])
			for i, q := range []string{"p50", "p99", "p99.9"} {
				upper := 0.10
				if c.Latency.MemoryS >= 5 {
					upper = 0.15
				}
				evidence.Report(t, evidence.AtMost("coverage",
					fmt.Sprintf("intervals of %s that miss it, %s, %g s", q, c.Name, endS),
					missed[i], n, int(upper*float64(n)+1)))
				if quiet := c.Latency.Wave == 0 && !c.Bursts; quiet && i < 2 &&
					float64(given[i]) < 0.95*float64(n) {
					t.Errorf("%s, %g s: %d of %d traces have an interval of %s", c.Name, endS,
						given[i], n, q)
				}
			}
		}
	}
}

// probed is a run of a probe alone and beside a disk that writes, each of 30 s, and slower by a
// factor beside it.
func probed(c tracetest.LatencyClass, rnd *rand.Rand, factor float64) *trace.Run {
	probe := func(slower float64) *trace.DiskRecord {
		d := tracetest.Disk{Name: "C", Op: trace.Read,
			Levels: []tracetest.Level{{UntilS: 30, Rate: 0.4e6}},
			Sizes:  tracetest.Fixed(0.4e6)}.Play(rnd)
		own := c
		own.Latency.Op = trace.Read
		own.Latency.MedianNS *= slower
		own.Latency.SlowNS *= slower
		d.Latencies = own.Play(rnd, 30, nil)
		return d
	}
	alone := tracetest.Phase("C alone", probe(1))
	both := tracetest.Phase("both", steadyAt(tracetest.Class{}, 1, 0, 30, 1.1e9).Play(rnd),
		probe(factor))
	alone.Work = map[string]work.Work{"C": {Probe: 4096}}
	both.Work = alone.Work
	return tracetest.Run(alone, both)
}

// TestLongerLatency: of pairs of phases that do not differ no more than 5 % claim that requests
// take longer, and of those in which they take four times as long, 90 % are reported if noise is
// short.
func TestLongerLatency(t *testing.T) {
	n := traces(t, 10, 4)
	for _, c := range tracetest.LatencyClasses() {
		reported := func(factor float64) (claims int) {
			for trial := range n {
				l := Analyze(probed(c, seed(trial), factor), Options{}).Phases[1].Disks["C"].Latency
				if l.Alone == nil {
					t.Fatal("the probe alone is not known")
				}
				if l.Longer != nil {
					claims++
				}
			}
			return claims
		}
		same, longer := reported(1), reported(4)
		figures("%-18s alike: %d of %d claimed; four times as long: %d\n", c.Name, same, n, longer)
		if float64(same) > 0.05*float64(n)+1 {
			t.Errorf("%s: %d of %d pairs alike are claimed to differ", c.Name, same, n)
		}
		if c.Latency.MemoryS < 2 && c.Latency.Wave < 1 && float64(longer) < 0.9*float64(n)-1 {
			t.Errorf("%s: %d of %d pairs with requests that take four times as long are found",
				c.Name, longer, n)
		}
	}
}

// The ratio is reported with an interval that holds the truth.
func TestLatencyChange(t *testing.T) {
	c := tracetest.LatencyClasses()[1]
	got := Analyze(probed(c, seed(1), 8), Options{}).Phases[1].Disks["C"].Latency.Longer
	if got == nil || got.Quantile != 0.99 || got.CI95 == nil || got.CI95[0] > 8 ||
		got.CI95[1] < 8 || got.CI95[0] < 4 || got.CI95[1] > 16 {
		t.Errorf("got %+v, want about 8 times as long", got)
	}
}
