package ledger

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/internal/test/tracetest"
	"github.com/hubbench/hubbench/pkg/work"
)

// A series of bins of 0.1 s of active time, by the logarithm of their rates.
func TestSeriesOfADisk(t *testing.T) {
	d := tracetest.Sampled(tracetest.FilesOf(
		[][2]float64{{1, 1e6}, {1, 2e6}, {1, 1e3}, {1, 4e6}, {1, 2e6}}...))
	for i := 3; i < 5; i++ { // a pause of two seconds
		d.Files[i].StartNS += 2e9
		d.Files[i].EndNS += 2e9
		for k := range d.Files[i].Samples() {
			d.Files[i].Samples()[k].TNS += 2e9
		}
	}
	p := New(d, work.Work{}, 1e9)
	q := p.rates
	if len(q.y) != 50 || q.time.binNS != 1e8 || !slices.Equal(q.time.starts, []float64{0, 3e9}) {
		t.Fatalf("%d bins of %v ns, active before %v", len(q.y), q.time.binNS, q.time.starts)
	}
	// The slow second counts as a hundredth of the mean rate, 1.8 MB/s.
	for i, want := range map[int]float64{0: 1e6, 9: 1e6, 10: 2e6, 25: 1.8002e4, 30: 4e6, 49: 2e6} {
		check.Near(t, "the bin's rate", want, math.Exp(q.raw[i]), 1)
	}
	check.Near(t, "the mean of the first two seconds", math.Log(math.Sqrt2*1e6), q.mean(0, 20),
		1e-9)
	for at, want := range map[float64]int{
		-1: 0, 0: 0, 0.04: 0, 0.06: 1, 2: 20, 3: 30, 4: 30, 5: 30, 5.5: 35, 7: 50, 9: 50,
	} {
		check.Same(t, fmt.Sprintf("%v s is in bin", at), want, q.time.bin(ns(at)))
	}
	levels := levelsOf([2]float64{1, 1}, [2]float64{2, 1}, [2]float64{4, 1})
	check.Same(t, "edges", []int{0, 10, 30, 50}, q.edgesOf(levels))
	check.Same(t, "edges of no level", []int{0, 50}, q.edgesOf(nil))
	short := New(tracetest.FilesOf([2]float64{0.19, 5}), work.Work{}, 1e9)
	check.Same(t, "bins of 0.19 s", 1, len(short.rates.y))
}

// Noise of 1 % in bins of 0.1 s dates a fall by a half within 11 times its variance over the
// squared change, in seconds.
func TestMisdated(t *testing.T) {
	p := New(tracetest.Sampled(tracetest.FilesOf(slices.Repeat([][2]float64{{1, 1e6}}, 20)...)),
		work.Work{}, 1e9)
	p.noise = noise{variance: 1e-4}
	fast, slow := 1e6, 0.5e6
	for _, tt := range [][2]float64{{fast, slow}, {slow, fast}} {
		check.Near(t, "the date", 11*1e-5/0.25, seconds(p.DateErrorNS(tt[0], tt[1])), 1e-6)
	}
	p.noise.variance = 9
	check.Near(t, "the date in much noise", 10, seconds(p.DateErrorNS(fast, slow)), 1e-6)
}
