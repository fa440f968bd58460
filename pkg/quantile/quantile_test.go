package quantile

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/internal/test/tracetest"
	"github.com/hubbench/hubbench/pkg/latency"
	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
)

func ns(s float64) int64 { return int64(math.Round(s * 1e9)) }

// span is from one second to another.
func span(fromS, toS float64) overlap.Span {
	return overlap.Span{StartNS: ns(fromS), EndNS: ns(toS)}
}

// quantileOf is the time that a share of requests exceeds, and how that share deviates in each
// stretch.
func quantileOf(share float64, times, above []float64) *Quantile {
	var all []int64
	for _, ns := range times {
		all = append(all, int64(ns))
	}
	r := latency.NewSum(tracetest.Took(all...))
	return &Quantile{Tail: latency.Tail{NS: r.ValueAtQuantile(100 * (1 - share)), Share: share,
		Above: above, Worth: 10}, all: r}
}

// deviations are twenty stretches that deviate now to one side and then to the other, by turns or
// for ten of them.
func deviations(by float64, alike int) (above []float64) {
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

// The logarithm of a ratio deviates by those of both.
func TestQuantileLonger(t *testing.T) {
	twice := thousandTimes()
	for i := range twice {
		twice[i] *= 2
	}
	q, alone := quantileOf(0.1, twice, deviations(0.05, 1)),
		quantileOf(0.1, thousandTimes(), deviations(0.1, 1))
	got := q.Longer(alone, 0.01)
	if got == nil {
		t.Fatal("twice as long is not found")
	}
	qAt, aloneAt := q.within(0.025), alone.within(0.025)
	log := func(a, b int64) float64 { return math.Log(float64(a)) - math.Log(float64(b)) }
	times := float64(q.NS) / float64(alone.NS)
	check.Near(t, "times", times, got.Times, 1e-12)
	check.Near(t, "quantile", 0.9, got.Quantile, 1e-12)
	check.Near(t, "at least",
		times/math.Exp(math.Hypot(log(q.NS, qAt[0]), log(aloneAt[1], alone.NS))), got.CI95[0], 1e-9)
	check.Near(t, "at most",
		times*math.Exp(math.Hypot(log(qAt[1], q.NS), log(alone.NS, aloneAt[0]))), got.CI95[1], 1e-9)
	if got.FromNS != alone.NS || got.ToNS != q.NS || alone.Longer(q, 0.01) != nil {
		t.Errorf("%+v", got)
	}
	if far := quantileOf(0.1, thousandTimes(), deviations(2, 10)); q.Longer(far, 0.01) != nil {
		t.Error("than what is hardly known")
	}
	sure := make([]float64, 20)
	constant := func(ns float64) *Quantile {
		return quantileOf(0.5, slices.Repeat([]float64{ns}, 40), sure)
	}
	for ns, want := range map[float64]bool{124: false, 125: true} {
		got := constant(ns).Longer(constant(100), 0.01)
		if (got != nil) != want || want &&
			(*got.CI95 != [2]float64{1.25, 1.25} || got.Times != 1.25) {
			t.Errorf("%v ns instead of 100: %+v", ns, got)
		}
	}
	unknown := constant(100)
	unknown.Worth = 1
	if constant(200).Longer(unknown, 0.01) != nil {
		t.Error("than what has no interval")
	}
	unknown = constant(200)
	if unknown.Worth = 1; unknown.Longer(constant(100), 0.01) != nil {
		t.Error("what has no interval")
	}
}

func TestLatencyLines(t *testing.T) {
	d := &trace.DiskRecord{Op: trace.Read}
	line := func(s float64, op trace.Role) {
		d.Latencies = append(d.Latencies,
			trace.Latency{TNS: ns(s), Op: op, Hist: tracetest.Took(int64(s * 100))})
	}
	for _, s := range []float64{2.3, 3.4, 4.8999, 6.3999} {
		line(s, trace.Read)
	}
	line(6.5, trace.Write)
	line(9, trace.Read)
	for _, tt := range []struct {
		name   string
		active []overlap.Span
		firstS float64
	}{
		{"active long since", []overlap.Span{span(0, 10)}, 1.3},
		{"active since shortly", []overlap.Span{span(2, 10)}, 2},
		{"active later", []overlap.Span{span(2.3, 10)}, 1.3},
		{"never", nil, 1.3},
	} {
		var got []overlap.Span
		lines := Lines(d, tt.active)
		for _, l := range lines {
			got = append(got, l.Span)
		}
		// A line is of the time since the one before, except for one that comes 1.5 s after it.
		want := []overlap.Span{span(tt.firstS, 2.3), span(2.3, 3.4), span(3.4, 4.8999),
			span(5.3999, 6.3999), span(8, 9)}
		check.Same(t, tt.name, want, got)
	}
	if got, _ := Estimate(Lines(d, nil)); got.Requests != 5 ||
		math.Abs(got.Seconds-(1+1.1+1.4999+1+1)) > 1e-9 {
		t.Errorf("%d requests in %v s", got.Requests, got.Seconds)
	}
}

func TestLinesWithin(t *testing.T) {
	lines := []Line{{Span: span(1, 2)}, {Span: span(2, 3)}, {Span: span(3, 4)},
		{Span: span(4.5, 5.5)}, {Span: span(7, 8)}}
	for _, tt := range []struct {
		name string
		in   []overlap.Span
		want []int
	}{
		{"all", []overlap.Span{span(0, 9)}, []int{0, 1, 2, 3, 4}},
		{"by a hundredth of a second", []overlap.Span{span(1.01, 2.99), span(4.51, 5.49)},
			[]int{0, 1, 3}},
		{"by more", []overlap.Span{span(1.011, 2.989), span(4.511, 5.5), span(7, 7.989)}, nil},
		{"only the first's end", []overlap.Span{span(1, 2.989)}, []int{0}},
		{"none", nil, nil},
		{"one of several", []overlap.Span{span(0, 1), span(2.5, 4), span(6, 9)}, []int{2, 4}},
	} {
		var got []int
		for _, l := range Within(lines, tt.in) {
			got = append(got, slices.IndexFunc(lines, func(o Line) bool {
				return o.Span == l.Span
			}))
		}
		check.Same(t, tt.name, tt.want, got)
	}
}

// A disk's own pause in a line's time leaves no request out: all ended while the disk worked. What
// another disk's end cuts stays out.
func TestLinesOfPauses(t *testing.T) {
	d := &trace.DiskRecord{Op: trace.Read}
	for _, s := range []float64{1, 2, 3, 6, 7} {
		d.Latencies = append(d.Latencies,
			trace.Latency{TNS: ns(s), Op: trace.Read, Hist: tracetest.Took(int64(s))})
	}
	active := []overlap.Span{span(0, 1.2), span(1.9, 2.6), span(5.3, 7)}
	for _, tt := range []struct {
		name string
		in   []overlap.Span
		want []float64
	}{
		{"alone", active, []float64{1, 2, 3, 6, 7}},
		{"another works all the time", overlap.Clip(active, span(0, 9)), []float64{1, 2, 3, 6, 7}},
		{"another from 1.5 s on", overlap.Clip(active, span(1.5, 9)), []float64{3, 6, 7}},
		{"another to 2.3 s", overlap.Clip(active, span(0, 2.3)), []float64{1, 2}},
		{"another to 1.2 s", overlap.Clip(active, span(0, 1.2)), []float64{1}},
	} {
		var got []float64
		for _, l := range Within(Lines(d, active), tt.in) {
			got = append(got, float64(l.EndNS)/1e9)
		}
		check.Same(t, tt.name, tt.want, got)
	}
}

func TestQuantileParts(t *testing.T) {
	for n, want := range map[int64]int64{2: 20, 100: 1000, 1000: 10_000} {
		check.Same(t, fmt.Sprintf("requests for one in %d", n), want, MinRequests(n))
	}
	check.Near(t, "twice the odds of a third", 0.5, oddsTimes(1./3, 2), 1e-12)
	check.Near(t, "half the odds of a half", 1./3, oddsTimes(0.5, 0.5), 1e-12)
	// Stretches of so many lines.
	for n, want := range map[int]int{300: 300, 301: 151, 600: 300, 601: 201} {
		lines := make([]Line, n)
		for i := range lines {
			lines[i].Hist = tracetest.Took(1)
		}
		_, found := Estimate(lines)
		check.Same(t, fmt.Sprintf("stretches of %d lines", n), want, len(found[0].Above))
	}
	// Of 999 requests no p99 is reported, of 19 none at all.
	many := func(n int) [3]*Quantile {
		lines := make([]Line, 10)
		for i := range lines {
			var times []int64
			for k := i; k < n; k += len(lines) {
				times = append(times, int64(k+1))
			}
			lines[i] = Line{Span: span(float64(i), float64(i+1)), Hist: tracetest.Took(times...)}
		}
		_, found := Estimate(lines)
		return found
	}
	for n, want := range map[int][3]bool{19: {}, 20: {true}, 999: {true}, 1000: {true, true},
		10_000: {true, true, true}} {
		for i, q := range many(n) {
			if (q != nil) != want[i] || i > 0 && q != nil && q.median == nil || i == 0 &&
				q != nil && q.median != nil {
				t.Errorf("of %d requests quantile %d: %v", n, i, q)
			}
		}
	}
}

// The interval's ends are the times that shares of other odds exceed: the odds of a tenth are one
// to nine. Its width is by the slow waves of the seconds' shares or by their neighbours, whichever
// is wider, and by the median's, for what shifts the middle shifts the slow ones as well.
func TestQuantileWithin(t *testing.T) {
	slowly := deviations(0.01, 10) // and by turns, so that neighbours do not show it
	for i, turn := range deviations(0.01, 1) {
		slowly[i] += turn
	}
	for name, above := range map[string][]float64{"by turns": deviations(0.05, 1), "slow": slowly} {
		slow, _ := stats.MeanOf(above, len(above))
		byWaves, byNeighbours := -slow.LowerBound(0.025), stats.HalfOfShort(above, 0.025)
		if (byWaves > byNeighbours) != (name == "slow") {
			t.Fatalf("%s: %v by waves, %v by neighbours", name, byWaves, byNeighbours)
		}
		q := quantileOf(0.1, thousandTimes(), above)
		half := max(byWaves, byNeighbours) / 0.09
		fewer, more := 1/(1+9*math.Exp(half)), 1/(1+9*math.Exp(-half))
		want := [2]int64{q.all.ValueAtQuantile(100 * (1 - more)),
			q.all.ValueAtQuantile(100 * (1 - fewer))}
		check.Same(t, name, &want, q.within(0.025))
	}
	q, median := quantileOf(0.1, thousandTimes(), deviations(0.001, 1)),
		quantileOf(0.5, thousandTimes(), deviations(0.2, 1))
	q.median = median
	middle, scale := median.within(0.025), float64(q.NS)/float64(median.NS)
	want := [2]int64{int64(scale * float64(middle[0])), int64(scale * float64(middle[1]))}
	check.Same(t, "by the median's", &want, q.within(0.025))
	if median.Worth = 7.9; q.within(0.025) != nil {
		t.Error("an interval without one of the median")
	}
	for seconds, wanted := range map[int]bool{19: false, 20: true} {
		got := quantileOf(0.5, []float64{9, 9}, make([]float64, seconds)).within(0.025)
		if (got != nil) != wanted {
			t.Errorf("of %d seconds: %v", seconds, got)
		}
	}
}
