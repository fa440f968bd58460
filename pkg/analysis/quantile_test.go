package analysis

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/hubbench/hubbench/internal/evidence"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/trace/tracetest"
)

// latencyClass is a kind of noise that requests' times show.
type latencyClass struct {
	name    string
	latency tracetest.Latency
	bursts  bool // every 8 s or so, all take 20 times as long for 0.3 s
}

func latencyClasses() []latencyClass {
	return []latencyClass{
		{"independent", tracetest.Latency{PerS: 100, MedianNS: 120e3, Sigma: 0.5}, false},
		{"one in 50 is slow", tracetest.Latency{PerS: 200, MedianNS: 120e3, Sigma: 0.3, Slow: 0.02, SlowNS: 10e6}, false},
		{"wave 30 %, 1 s", tracetest.Latency{PerS: 200, MedianNS: 120e3, Sigma: 0.5, Wave: 0.3, MemoryS: 1}, false},
		{"wave 30 %, 2 s", tracetest.Latency{PerS: 200, MedianNS: 120e3, Sigma: 0.5, Wave: 0.3, MemoryS: 2}, false},
		{"wave 30 %, 5 s", tracetest.Latency{PerS: 200, MedianNS: 120e3, Sigma: 0.5, Wave: 0.3, MemoryS: 5}, false},
		{"wave 100 %, 1 s", tracetest.Latency{PerS: 200, MedianNS: 120e3, Sigma: 0.5, Wave: 1, MemoryS: 1}, false},
		{"bursts", tracetest.Latency{PerS: 200, MedianNS: 120e3, Sigma: 0.3}, true},
	}
}

// play makes the lines of a class, and notes each request's time.
func (c latencyClass) play(rnd *rand.Rand, endS float64, each func(s, ns float64)) []trace.Latency {
	l := c.latency
	if c.bursts {
		var at []float64
		for s := 8 * rnd.Float64(); s < endS; s += 4 + 8*rnd.Float64() {
			at = append(at, s)
		}
		l.By = func(s float64) float64 {
			if i, _ := slices.BinarySearch(at, s); i > 0 && s-at[i-1] < 0.3 {
				return 20
			}
			return 1
		}
	}
	return l.Play(rnd, endS, each)
}

// truth is the class's times in order, of a trace long enough to know its quantiles by.
func (c latencyClass) truth() []float64 {
	var all []float64
	for s := range uint64(25) {
		c.play(rand.New(rand.NewPCG(s, 99)), 200, func(_, ns float64) { all = append(all, ns) })
	}
	slices.Sort(all)
	return all
}

// TestLatencyCoverage: the intervals of quantiles that are given miss the truth in no more than 10 % of traces, where
// noise lasts for 5 s in no more than 15 %; and most quiet traces have one.
func TestLatencyCoverage(t *testing.T) {
	n := traces(t, 12, 5)
	for _, c := range latencyClasses() {
		truth := c.truth()
		for _, endS := range []float64{30, 60, 240} {
			var given, missed [3]int
			for trial := range n {
				p := part{trace: &trace.DiskTrace{Op: trace.Write, Latencies: c.play(seed(trial), endS, nil)}}
				lines := p.latencyLines()
				for i, q := range quantiles(lines, gatherRequests(lines), 2, 100, 1000) {
					if q == nil {
						continue
					}
					if low, high, ok := q.within(0.025); ok {
						given[i]++
						want := truth[int(math.Ceil((1-q.Share)*float64(len(truth))))-1]
						if want < 0.999*float64(low) || want > 1.001*float64(high) {
							missed[i]++
						}
					}
				}
			}
			if os.Getenv(tuneClasses) != "" || *perKind > 0 {
				fmt.Printf("%-18s %3.0f s of %d: p50 %d missed of %d, p99 %d of %d, p99.9 %d of %d\n", c.name, endS, n, missed[0], given[0], missed[1], given[1], missed[2], given[2])
			}
			for i, q := range []string{"p50", "p99", "p99.9"} {
				most := 0.10
				if c.latency.MemoryS >= 5 {
					most = 0.15
				}
				evidence.Report(t, evidence.AtMost("coverage", fmt.Sprintf("intervals of %s that miss it, %s, %g s", q, c.name, endS), missed[i], n, int(most*float64(n)+1)))
				if quiet := c.latency.Wave == 0 && !c.bursts; quiet && i < 2 && float64(given[i]) < 0.95*float64(n) {
					t.Errorf("%s, %g s: %d of %d traces have an interval of %s", c.name, endS, given[i], n, q)
				}
			}
		}
	}
}

// probed is a run of a probe alone and beside a disk that writes, each of 30 s, and slower by a factor beside it.
func probed(c latencyClass, rnd *rand.Rand, factor float64) *trace.Run {
	probe := func(slower float64) *trace.DiskTrace {
		d := tracetest.Disk{Name: "C", Op: trace.Read, Levels: []tracetest.Level{{UntilS: 30, Rate: 0.4e6}}, Sizes: tracetest.Fixed(0.4e6)}.Play(rnd)
		own := c
		own.latency.Op = trace.Read
		own.latency.MedianNS *= slower
		own.latency.SlowNS *= slower
		d.Latencies = own.play(rnd, 30, nil)
		return d
	}
	alone := tracetest.Phase("C alone", probe(1))
	both := tracetest.Phase("both", steadyAt(tracetest.Class{}, 1, 0, 30, 1.1e9).Play(rnd), probe(factor))
	alone.Paced = map[string]trace.Paced{"C": {Probe: 4096}}
	both.Paced = alone.Paced
	return tracetest.Run(alone, both)
}

// TestLongerLatency: of pairs of phases that do not differ no more than 5 % claim that requests take longer, and of those in
// which they take four times as long, 90 % are told where noise is short.
func TestLongerLatency(t *testing.T) {
	n := traces(t, 10, 4)
	for _, c := range latencyClasses() {
		told := func(factor float64) (claims int) {
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
		same, longer := told(1), told(4)
		if os.Getenv(tuneClasses) != "" || *perKind > 0 {
			fmt.Printf("%-18s alike: %d of %d claimed; four times as long: %d\n", c.name, same, n, longer)
		}
		if float64(same) > 0.05*float64(n)+1 {
			t.Errorf("%s: %d of %d pairs alike are claimed to differ", c.name, same, n)
		}
		if c.latency.MemoryS < 2 && c.latency.Wave < 1 && float64(longer) < 0.9*float64(n)-1 {
			t.Errorf("%s: %d of %d pairs with requests that take four times as long are told", c.name, longer, n)
		}
	}
}

// The ratio is told with an interval that holds the truth.
func TestLatencyChange(t *testing.T) {
	c := latencyClasses()[1]
	got := Analyze(probed(c, seed(1), 8), Options{}).Phases[1].Disks["C"].Latency.Longer
	if got == nil || got.Quantile != 0.99 || got.CI95 == nil || got.CI95[0] > 8 || got.CI95[1] < 8 || got.CI95[0] < 4 || got.CI95[1] > 16 {
		t.Errorf("got %+v, want about 8 times as long", got)
	}
}

// Where either is not known, nothing is longer; nor where it is not by a quarter.
func TestLongerThanUnknown(t *testing.T) {
	p := part{trace: &trace.DiskTrace{Op: trace.Write, Latencies: latencyClasses()[0].play(seed(1), 30, nil)}}
	lines := p.latencyLines()
	q := quantiles(lines, gatherRequests(lines), 2)[0]
	var none *quantile
	if q.longer(none, 0.01) != nil || none.longer(q, 0.01) != nil || q.longer(q, 0.01) != nil {
		t.Error("longer than nothing, or than itself")
	}
}
