package analysis

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/work"
)

// sampledAt is a disk whose files of a second have progress each tenth, at a rate that depends on the second.
func sampledAt(rate func(second int) float64, seconds int) *trace.DiskTrace {
	var each [][2]float64
	for s := range seconds {
		each = append(each, [2]float64{1, rate(s)})
	}
	d := filesOf(each...)
	for i := range d.Files {
		f := &d.Files[i]
		for k := int64(1); k < 10; k++ {
			f.Samples = append(f.Samples, trace.Sample{TNS: f.StartNS + k*1e8, Bytes: f.Bytes * k / 10})
		}
	}
	return d
}

// A series of bins of 0.1 s of active time, by the logarithm of their rates.
func TestSeriesOfADisk(t *testing.T) {
	d := sampledAt(func(s int) float64 { return []float64{1e6, 2e6, 1e3, 4e6, 2e6}[s] }, 5)
	for i := 3; i < 5; i++ { // a pause of two seconds
		d.Files[i].StartNS += 2e9
		d.Files[i].EndNS += 2e9
		for k := range d.Files[i].Samples {
			d.Files[i].Samples[k].TNS += 2e9
		}
	}
	p := part{trace: d, active: overlap.Active(d, 1e9), curve: overlap.NewCurve(d)}
	s := newSeries(&p)
	if len(s.log) != 50 || s.binNS != 1e8 || !slices.Equal(s.starts, []float64{0, 3e9}) {
		t.Fatalf("%d bins of %v ns, active before %v", len(s.log), s.binNS, s.starts)
	}
	// The slow second counts as three tenths of the middle rate, 2 MB/s.
	for i, want := range map[int]float64{0: 1e6, 9: 1e6, 10: 2e6, 25: 0.6e6, 30: 4e6, 49: 2e6} {
		within(t, "the bin's rate", math.Exp(s.log[i]), want, 1)
	}
	within(t, "the mean of the first two seconds", s.mean(0, 20), math.Log(math.Sqrt2*1e6), 1e-9)
	for at, want := range map[float64]int{-1: 0, 0: 0, 0.04: 0, 0.06: 1, 2: 20, 3: 30, 4: 30, 5: 30, 5.5: 35, 7: 50, 9: 50} {
		if got := s.bin(ns(at)); got != want {
			t.Errorf("%v s is in bin %d, want %d", at, got, want)
		}
	}
	levels, _ := levelsOf([2]float64{1, 1}, [2]float64{2, 1}, [2]float64{4, 1})
	if got := s.edges(levels); !slices.Equal(got, []int{0, 10, 30, 50}) {
		t.Errorf("edges %v", got)
	}
	if got := s.edges(nil); !slices.Equal(got, []int{0, 50}) {
		t.Errorf("edges of no level %v", got)
	}
	// The noise is of stretches at least a fifth as long as the longest, but for those that are left out.
	stretches := func(list ...[2]int) stats.Noise {
		var in [][]float64
		for _, v := range list {
			in = append(in, s.log[v[0]:v[1]])
		}
		n := stats.EstimateNoise(in)
		n.Nugget = max(n.Nugget, 0.0001)
		return n
	}
	for _, tt := range []struct {
		edges []int
		out   [2]int
		want  stats.Noise
	}{
		{[]int{0, 25, 30, 50}, [2]int{}, stretches([2]int{0, 25}, [2]int{25, 30}, [2]int{30, 50})},
		{[]int{0, 26, 31, 50}, [2]int{}, stretches([2]int{0, 26}, [2]int{31, 50})},
		{[]int{0, 15, 35, 50}, [2]int{15, 35}, stretches([2]int{0, 15}, [2]int{35, 50})},
		{[]int{0, 15, 15, 50}, [2]int{}, stretches([2]int{0, 15}, [2]int{15, 50})},
	} {
		if got := s.estimate(tt.edges, tt.out); got != tt.want {
			t.Errorf("%v without %v: %+v, want %+v", tt.edges, tt.out, got, tt.want)
		}
	}
	short := part{trace: filesOf([2]float64{0.19, 5}), active: []overlap.Interval{span(0, 0.19)}}
	short.curve = overlap.NewCurve(short.trace)
	if s := newSeries(&short); s.log != nil {
		t.Errorf("0.19 s make %d bins", len(s.log))
	}
}

func TestFreeOf(t *testing.T) {
	for _, tt := range []struct {
		bins int
		n    stats.Noise
		want float64
	}{
		{100, stats.Noise{Nugget: 1, Sill: 0.1, Memory: 12}, 99},
		{100, stats.Noise{Nugget: 1, Sill: 0.11, Memory: 12}, 3},
		{100, stats.Noise{Sill: 1, Memory: 60}, 1},
		{100, stats.Noise{}, 99},
	} {
		within(t, "freedom", freeOf(tt.bins, tt.n), tt.want, 1e-12)
	}
}

// The variance of a mean over a second, from bins of a quarter: rates of 1 and 3, two seconds each, go together by four bins.
func TestVarianceIn(t *testing.T) {
	d := sampledAt(func(s int) float64 { return float64(1e6 + 2e6*(s/2%2)) }, 20)
	p := part{trace: d, curve: overlap.NewCurve(d)}
	rates := p.curve.Rates([]overlap.Interval{span(0, 20)}, 80)
	want := stats.Summarize(rates).SD * stats.Summarize(rates).SD * stats.Memory(rates) * 0.25
	within(t, "the variance", p.varianceIn(span(0, 20)), want, 1e-6*want)
	if got := p.varianceIn(span(0, 0.4)); got != 0 {
		t.Errorf("of a single bin: %v", got)
	}
	if got := p.varianceIn(span(0, 0.5)); got != 0 { // two bins alike
		t.Errorf("of two bins: %v", got)
	}
	// 25 times the variance over the squared change, in seconds.
	a, b := level{span(0, 20), 1e6}, level{span(20, 21), 9e6}
	within(t, "the date", float64(p.misdated(a, b)), 1e9*25*want/(8e6*8e6), 1000)
	within(t, "the date, the other way", float64(p.misdated(b, a)), 1e9*25*want/(8e6*8e6), 1000)
	if got := p.misdated(a, level{span(20, 21), 1.1e6}); got != 10e9 {
		t.Errorf("a small change is misdated by %d ns at most", got)
	}
}

func TestQuantileParts(t *testing.T) {
	for n, want := range map[int64]int64{2: 20, 100: 1000, 1000: 10_000} {
		if got := LeastRequests(n); got != want {
			t.Errorf("one in %d needs %d requests, want %d", n, got, want)
		}
	}
	within(t, "twice the odds of a third", oddsTimes(1./3, 2), 0.5, 1e-12)
	within(t, "half the odds of a half", oddsTimes(0.5, 0.5), 1./3, 1e-12)
	for n, want := range map[int][]int{1: {1}, 300: {1, 300}, 301: {2, 151}, 600: {2, 300}, 601: {3, 201}} {
		lines := make([]LatencyLine, n)
		got := stretches(lines)
		if each := want[0]; len(want) > 1 && (len(got) != want[1] || len(got[0]) != each) {
			t.Errorf("%d lines in %d stretches of %d", n, len(got), len(got[0]))
		}
	}
	// Of 999 requests no p99 is told, of 19 none at all.
	many := func(n int) []*quantile {
		lines := make([]LatencyLine, 10)
		for i := range lines {
			var times []int64
			for k := i; k < n; k += len(lines) {
				times = append(times, int64(k+1))
			}
			lines[i] = LatencyLine{span(float64(i), float64(i+1)), took(times...)}
		}
		return quantiles(lines, gatherRequests(lines), 2, 100, 1000)
	}
	for n, want := range map[int][3]bool{19: {}, 20: {true}, 999: {true}, 1000: {true, true}, 10_000: {true, true, true}} {
		for i, q := range many(n) {
			if (q != nil) != want[i] || i > 0 && q != nil && q.median == nil || i == 0 && q != nil && q.median != nil {
				t.Errorf("of %d requests quantile %d: %v", n, i, q)
			}
		}
	}
}

func TestStreamSeries(t *testing.T) {
	at := func(s float64, bufferMS int64, late int) trace.StreamSample {
		return trace.StreamSample{TNS: ns(s), Sample: stream.Sample{BufferNS: bufferMS * 1e6, Late: late}}
	}
	got := streamSeries(&trace.Stream{Samples: []trace.StreamSample{at(-1, 900, 0), at(0.05, 700, 0), at(0.1, 500, 2), at(0.32, 800, 2), at(0.35, 600, 1), at(0.45, 650, 5)}})
	want := &StreamSeries{StepS: 0.1, BufferS: []float64{0.5, 0.5, 0.5, 0.6, 0.65}, Late: []int{2, 0, 0, 0, 3}}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(1e-12, 0)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for endS, want := range map[float64][2]float64{30: {0.1, 300}, 30.1: {0.2, 151}, 90: {0.3, 300}} {
		if got := streamSeries(&trace.Stream{Samples: []trace.StreamSample{at(endS, 1, 0)}}); math.Abs(got.StepS-want[0]) > 1e-12 || len(got.Late) != int(want[1]) {
			t.Errorf("%v s in %d steps of %v s", endS, len(got.Late), got.StepS)
		}
	}
	if got := streamSeries(&trace.Stream{Samples: []trace.StreamSample{at(0.05, 0, 3), at(0.15, 0, 4)}}); !slices.Equal(got.Late, []int{3, 1}) {
		t.Errorf("late from the first sample on: %v, want 3 and 1", got.Late)
	}
	for _, samples := range [][]trace.StreamSample{nil, {at(0, 1, 1)}} {
		if got := streamSeries(&trace.Stream{Samples: samples}); got != nil {
			t.Errorf("of %v: %+v", samples, got)
		}
	}
	if got := bufferSeconds(1_499_999); got != 0.001 {
		t.Errorf("1.499999 ms are %v s", got)
	}
	var total StreamTotal
	for _, s := range []Stream{
		{Verdict: stream.Clean, Due: 10, LowestBufferS: 0.8, BufferS: 1, LongestStallS: 0.1}, {Verdict: stream.Drops, Due: 20, Late: 3, LowestBufferS: 0.2, BufferS: 2, LongestStallS: 0.5},
		{Verdict: stream.Strained, Due: 30, LowestBufferS: 0.4, BufferS: 3, LongestStallS: 0.3},
	} {
		total.add(&s)
	}
	wantTotal := StreamTotal{Streams: 3, Clean: 1, Strained: 1, Drops: 1, Due: 60, Late: 3, LongestStallS: 0.5, LowestBufferS: 0.2, BufferS: 2, Verdict: stream.Drops}
	if diff := cmp.Diff(wantTotal, total); diff != "" {
		t.Errorf("the sum (-want +got):\n%s", diff)
	}
}

func TestNoOverlapIsSaid(t *testing.T) {
	d := func(name string, active ...overlap.Interval) part {
		return part{trace: &trace.DiskTrace{Name: name}, active: active}
	}
	for _, tt := range []struct {
		name  string
		parts []part
		want  NoOverlap
	}{
		{"one moved nothing", []part{d("A", span(0, 1)), d("B"), d("C")}, NoOverlap{Disks: []string{"B", "C"}}},
		{"one after another", []part{d("A", span(5, 9)), d("B", span(1, 3)), d("C", span(0, 4))}, NoOverlap{Disks: []string{"B", "A"}, EndedS: 3, BeganS: 5}},
		{"just then", []part{d("A", span(0, 3)), d("B", span(3, 4))}, NoOverlap{Disks: []string{"A", "B"}, EndedS: 3, BeganS: 3}},
		{"pauses", []part{d("A", span(0, 1), span(2, 3)), d("B", span(1, 2), span(3, 4))}, NoOverlap{}},
		{"nobody", nil, NoOverlap{}},
	} {
		if diff := cmp.Diff(tt.want, *(&phase{parts: tt.parts}).noOverlap()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
	for _, tt := range []struct {
		d           OverlapDisk
		read, write float64
	}{{OverlapDisk{Op: "read", Rate: 5}, 5, 0}, {OverlapDisk{Op: "write", Rate: 5}, 0, 5}, {OverlapDisk{Op: "read", Rate: 5, ReadRate: 3}, 3, 2}, {OverlapDisk{Op: "write", Rate: 5, ReadRate: 3}, 3, 2}} {
		if r, w := tt.d.rateOf(trace.Read), tt.d.rateOf(trace.Write); r != tt.read || w != tt.write {
			t.Errorf("%+v reads %v and writes %v", tt.d, r, w)
		}
	}
}

func TestStopsAndSkew(t *testing.T) {
	p := &phase{trace: &trace.Phase{Gauges: []trace.Gauge{
		{Name: trace.Stopped, TNS: ns(9), Value: 0}, {Name: trace.Stopped, TNS: ns(10), Value: 4}, {Name: "other", TNS: ns(11), Value: 9}, {Name: trace.Stopped, TNS: ns(20), Value: 1.5},
	}}, out: &Phase{}}
	p.stops()
	if diff := cmp.Diff([]Warning{{Code: "stopped", Values: map[string]float64{"seconds": 5.5, "times": 2, "at_s": 6}}}, p.out.Warnings); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	late := func(s float64) *int64 { v := ns(s); return &v }
	d := func(startS float64, lateNS *int64) part {
		t := &trace.DiskTrace{LateNS: lateNS}
		if startS >= 0 {
			t.Files = []trace.File{{StartNS: ns(startS)}}
		}
		return part{trace: t}
	}
	for _, tt := range []struct {
		name      string
		parts     []part
		simulated bool
		skew      float64 // none below zero
		warned    bool
	}{
		{"by first requests", []part{d(0.003, late(0.1)), d(0.001, late(0.5)), d(0.002, late(0))}, false, 0.002, true},
		{"within a millisecond", []part{d(0.001, nil), d(0.002, nil)}, false, 0.001, false},
		{"by the workers' starts, of the model", []part{d(0, late(0.1)), d(0, late(0.5))}, true, 0.4, false},
		{"where one made no request", []part{d(-1, late(0.1)), d(0, late(0.5))}, false, 0.4, true},
		{"not known", []part{d(-1, nil), d(0, late(0.5))}, false, -1, false},
		{"alone", []part{d(0.5, late(0.5))}, false, -1, false},
	} {
		p := &phase{parts: tt.parts, simulated: tt.simulated, out: &Phase{}}
		p.startSkew()
		if got := p.out.StartSkewS; (got != nil) != (tt.skew >= 0) || got != nil && math.Abs(*got-tt.skew) > 1e-12 {
			t.Errorf("%s: skew %v, want %v", tt.name, got, tt.skew)
		}
		if (len(p.out.Warnings) > 0) != tt.warned {
			t.Errorf("%s: warnings %v", tt.name, p.out.Warnings)
		}
	}
}

func TestFailures(t *testing.T) {
	open := []trace.Sample{{TNS: 1}}
	partial := Warning{Code: "partial", Disk: "A"}
	failed := Warning{Code: "partial", Disk: "A", Other: "x", Values: map[string]float64{"at_s": 2, "seq": 7}}
	for _, tt := range []struct {
		name         string
		d            trace.DiskTrace
		paced        work.Work
		stop, status string
		want         []Warning
	}{
		{name: "none"},
		{name: "a disk's", d: trace.DiskTrace{Errors: []trace.Failure{{TNS: ns(2), Seq: 7, Error: "x"}, {TNS: ns(3)}}, Open: open}, status: trace.Partial, want: []Warning{failed}},
		{name: "a file cut off", d: trace.DiskTrace{Open: open}, want: []Warning{partial}},
		{name: "by the clock", d: trace.DiskTrace{Open: open}, stop: scenario.StopTime},
		{name: "by the others' end", d: trace.DiskTrace{Open: open}, stop: scenario.StopHold},
		{name: "of a stream", d: trace.DiskTrace{Open: open}, paced: work.Work{Streams: []stream.Spec{{}}}},
		{name: "the phase's", status: trace.Partial, want: []Warning{{Code: "partial"}}},
	} {
		tt.d.Name = "A"
		p := &phase{trace: &trace.Phase{Stop: tt.stop, Status: tt.status}, parts: []part{{trace: &tt.d, work: tt.paced}}, out: &Phase{}}
		p.failures()
		if diff := cmp.Diff(tt.want, p.out.Warnings); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}
