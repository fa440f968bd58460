package ledger

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace/tracetest"
)

// A series of bins of 0.1 s of active time, by the logarithm of their rates.
func TestSeriesOfADisk(t *testing.T) {
	d := tracetest.Sampled(tracetest.FilesOf([][2]float64{{1, 1e6}, {1, 2e6}, {1, 1e3}, {1, 4e6}, {1, 2e6}}...))
	for i := 3; i < 5; i++ { // a pause of two seconds
		d.Files[i].StartNS += 2e9
		d.Files[i].EndNS += 2e9
		for k := range d.Files[i].Samples() {
			d.Files[i].Samples()[k].TNS += 2e9
		}
	}
	p := Disk{Trace: d, Active: overlap.Active(d, 1e9), Curve: overlap.NewCurve(d)}
	s := newSeries(&p)
	if len(s.log) != 50 || s.binNS != 1e8 || !slices.Equal(s.starts, []float64{0, 3e9}) {
		t.Fatalf("%d bins of %v ns, active before %v", len(s.log), s.binNS, s.starts)
	}
	// The slow second counts as three tenths of the middle rate, 2 MB/s.
	for i, want := range map[int]float64{0: 1e6, 9: 1e6, 10: 2e6, 25: 0.6e6, 30: 4e6, 49: 2e6} {
		check.Near(t, "the bin's rate", want, math.Exp(s.log[i]), 1)
	}
	check.Near(t, "the mean of the first two seconds", math.Log(math.Sqrt2*1e6), s.mean(0, 20), 1e-9)
	for at, want := range map[float64]int{-1: 0, 0: 0, 0.04: 0, 0.06: 1, 2: 20, 3: 30, 4: 30, 5: 30, 5.5: 35, 7: 50, 9: 50} {
		check.Same(t, fmt.Sprintf("%v s is in bin", at), want, s.bin(ns(at)))
	}
	levels := levelsOf([2]float64{1, 1}, [2]float64{2, 1}, [2]float64{4, 1})
	check.Same(t, "edges", []int{0, 10, 30, 50}, s.edges(levels))
	check.Same(t, "edges of no level", []int{0, 50}, s.edges(nil))
	// The noise is of stretches at least a fifth as long as the longest, except for those that are left out.
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
		check.Same(t, fmt.Sprintf("%v without %v", tt.edges, tt.out), tt.want, s.estimate(tt.edges, tt.out))
	}
	short := Disk{Trace: tracetest.FilesOf([2]float64{0.19, 5}), Active: []overlap.Span{span(0, 0.19)}}
	short.Curve = overlap.NewCurve(short.Trace)
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
		check.Near(t, "freedom", tt.want, freeOf(tt.bins, tt.n), 1e-12)
	}
}

// The variance of a mean over a second, from bins of a quarter: rates of 1 and 3, two seconds each, go together by four bins.
func TestVarianceIn(t *testing.T) {
	d := tracetest.Sampled(tracetest.FilesOf(slices.Repeat([][2]float64{{1, 1e6}, {1, 1e6}, {1, 3e6}, {1, 3e6}}, 5)...))
	p := Disk{Trace: d, Curve: overlap.NewCurve(d)}
	rates := p.Curve.Rates([]overlap.Span{span(0, 20)}, 80)
	want := stats.Summarize(rates).SD * stats.Summarize(rates).SD * stats.Memory(rates) * 0.25
	check.Near(t, "the variance", want, p.varianceIn(span(0, 20)), 1e-6*want)
	check.Same(t, "of a single bin", 0.0, p.varianceIn(span(0, 0.4)))
	if got := p.varianceIn(span(0, 0.5)); got != 0 { // two bins alike
		t.Errorf("of two bins: %v", got)
	}
	// 25 times the variance over the squared change, in seconds.
	a, b := flatLevel(span(0, 20), 1e6), flatLevel(span(20, 21), 9e6)
	check.Near(t, "the date", 1e9*25*want/(8e6*8e6), float64(p.Misdated(a, b)), 1000)
	check.Near(t, "the date, the other way", 1e9*25*want/(8e6*8e6), float64(p.Misdated(b, a)), 1000)
	if got := p.Misdated(a, flatLevel(span(20, 21), 1.1e6)); got != 10e9 {
		t.Errorf("a small change is misdated by %d ns at most", got)
	}
}
