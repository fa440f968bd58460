package analysis

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/hubbench/hubbench/internal/evidence"
	"github.com/hubbench/hubbench/pkg/latency"
	"github.com/hubbench/hubbench/pkg/level"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/trace/tracetest"
	"github.com/hubbench/hubbench/pkg/work"
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
				p := part{Disk: level.Disk{Trace: &trace.DiskTrace{Op: trace.Write, Latencies: c.play(seed(trial), endS, nil)}}}
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
	alone.Work = map[string]work.Work{"C": {Probe: 4096}}
	both.Work = alone.Work
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
	p := part{Disk: level.Disk{Trace: &trace.DiskTrace{Op: trace.Write, Latencies: latencyClasses()[0].play(seed(1), 30, nil)}}}
	lines := p.latencyLines()
	q := quantiles(lines, gatherRequests(lines), 2)[0]
	var none *quantile
	if q.longer(none, 0.01) != nil || none.longer(q, 0.01) != nil || q.longer(q, 0.01) != nil {
		t.Error("longer than nothing, or than itself")
	}
}

// quantileOf is the time that a share of requests exceeds, and how that share strays in each stretch.
func quantileOf(share float64, times, above []float64) *quantile {
	var all []int64
	for _, ns := range times {
		all = append(all, int64(ns))
	}
	r := gatherRequests([]LatencyLine{{span(0, 1), took(all...)}})
	return &quantile{Tail: latency.Tail{NS: r.Quantile(1 - share), Share: share, Above: above, Worth: 10}, all: r}
}

// strays are twenty stretches that stray now to one side and then to the other, by turns or for ten of them.
func strays(by float64, alike int) (above []float64) {
	for i := range 20 {
		above = append(above, by*float64(1-2*(i/alike%2)))
	}
	return above
}

func thousandTimes() (times []float64) {
	for i := range 1000 {
		times = append(times, float64(1000*(i+1)))
	}
	return times
}

// The interval's ends are the times that shares of other odds exceed: the odds of a tenth are one to nine.
func TestQuantileWithin(t *testing.T) {
	slowly := strays(0.01, 10) // and by turns, so that neighbours do not show it
	for i, turn := range strays(0.01, 1) {
		slowly[i] += turn
	}
	for _, tt := range []struct {
		name  string
		above []float64
		waves bool // by its slow waves the share is less sure
	}{
		{"by turns", strays(0.05, 1), false},
		{"slow", slowly, true},
	} {
		for _, tail := range []float64{0.025, 0.005} {
			q := quantileOf(0.1, thousandTimes(), tt.above)
			slow, _ := stats.NewSpectrum(tt.above, len(tt.above)).Error()
			byWaves, byNeighbours := -slow.Least(tail), stats.HalfOfShort(tt.above, tail)
			if math.Abs(slow.Mean) > 1e-12 || (byWaves > byNeighbours) != tt.waves {
				t.Fatalf("%s: %v by waves, %v by neighbours", tt.name, byWaves, byNeighbours)
			}
			half := max(byWaves, byNeighbours) / 0.09
			fewer, more := 1/(1+9*math.Exp(half)), 1/(1+9*math.Exp(-half))
			low, high, ok := q.within(tail)
			if wantLow, wantHigh := q.all.Quantile(1-more), q.all.Quantile(1-fewer); !ok || low != wantLow || high != wantHigh || low >= q.NS || high <= q.NS {
				t.Errorf("%s: %v to %v, %v; want %v to %v", tt.name, low, high, ok, wantLow, wantHigh)
			}
			if tail == 0.025 && *q.interval() != [2]int64{low, high} {
				t.Errorf("%s: interval %v", tt.name, q.interval())
			}
		}
	}
	// What shifts the middle shifts the slow ones as well, by as large a factor.
	q, median := quantileOf(0.1, thousandTimes(), strays(0.001, 1)), quantileOf(0.5, thousandTimes(), strays(0.2, 1))
	below, beyond, _ := median.within(0.025)
	ownLow, ownHigh, _ := q.within(0.025)
	q.median = median
	low, high, ok := q.within(0.025)
	scale := float64(q.NS) / float64(median.NS)
	if !ok || low != int64(scale*float64(below)) || high != int64(scale*float64(beyond)) || low >= ownLow || high <= ownHigh {
		t.Errorf("beside the median's %v to %v: %v to %v, by itself %v to %v", below, beyond, low, high, ownLow, ownHigh)
	}
	q = quantileOf(0.1, thousandTimes(), strays(0.05, 1))
	ownLow, ownHigh, _ = q.within(0.025)
	q.median = quantileOf(0.5, thousandTimes(), strays(0.001, 1))
	if low, high, _ := q.within(0.025); low != ownLow || high != ownHigh {
		t.Errorf("beside a median that is surer: %v to %v", low, high)
	}
	if q.median.Worth = 7.9; q.interval() != nil {
		t.Error("an interval without one of the median")
	}
	sure := make([]float64, 20)
	for _, tt := range []struct {
		name string
		q    *quantile
		want bool
	}{
		{"20 s", quantileOf(0.5, []float64{9, 9}, sure), true},
		{"19 s", quantileOf(0.5, []float64{9, 9}, sure[1:]), false},
		{"one request", quantileOf(0.5, []float64{9}, sure), false}, // half of it is slower
		{"no time", quantileOf(0.5, []float64{0, 0}, sure), false},
	} {
		if got := tt.q.interval(); (got != nil) != tt.want || got != nil && *got != [2]int64{9, 9} {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
	for worth, want := range map[float64]bool{7.99: false, 8: true, math.NaN(): false} {
		q := quantileOf(0.5, []float64{9, 9}, sure)
		if q.Worth = worth; (q.interval() != nil) != want {
			t.Errorf("worth %v s: %v", worth, q.interval())
		}
	}
}

// The logarithm of a ratio strays by those of both.
func TestQuantileLonger(t *testing.T) {
	twice := thousandTimes()
	for i := range twice {
		twice[i] *= 2
	}
	q, alone := quantileOf(0.1, twice, strays(0.05, 1)), quantileOf(0.1, thousandTimes(), strays(0.1, 1))
	got := q.longer(alone, 0.01)
	if got == nil {
		t.Fatal("twice as long is not told")
	}
	qAt, aloneAt := q.interval(), alone.interval()
	log := func(a, b int64) float64 { return math.Log(float64(a)) - math.Log(float64(b)) }
	times := float64(q.NS) / float64(alone.NS)
	within(t, "times", got.Times, times, 1e-12)
	within(t, "quantile", got.Quantile, 0.9, 1e-12)
	within(t, "at least", got.CI95[0], times/math.Exp(math.Hypot(log(q.NS, qAt[0]), log(aloneAt[1], alone.NS))), 1e-9)
	within(t, "at most", got.CI95[1], times*math.Exp(math.Hypot(log(qAt[1], q.NS), log(alone.NS, aloneAt[0]))), 1e-9)
	if got.FromNS != alone.NS || got.ToNS != q.NS || alone.longer(q, 0.01) != nil {
		t.Errorf("%+v", got)
	}
	if far := quantileOf(0.1, thousandTimes(), strays(2, 10)); q.longer(far, 0.01) != nil {
		t.Error("than what is hardly known")
	}
	sure := make([]float64, 20)
	constant := func(ns float64) *quantile { return quantileOf(0.5, slices.Repeat([]float64{ns}, 40), sure) }
	for ns, want := range map[float64]bool{124: false, 125: true} {
		got := constant(ns).longer(constant(100), 0.01)
		if (got != nil) != want || want && (*got.CI95 != [2]float64{1.25, 1.25} || got.Times != 1.25) {
			t.Errorf("%v ns instead of 100: %+v", ns, got)
		}
	}
	unknown := constant(100)
	unknown.Worth = 1
	if constant(200).longer(unknown, 0.01) != nil {
		t.Error("than what has no interval")
	}
	unknown = constant(200)
	if unknown.Worth = 1; unknown.longer(constant(100), 0.01) != nil {
		t.Error("what has no interval")
	}
}
