package size

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/trace/tracetest"
)

func ns(s float64) int64 { return int64(math.Round(s * 1e9)) }

// filesOf are files one after another: seconds and bytes.
func filesOf(each ...[2]float64) []File {
	list, _ := Apart(tracetest.FilesOf(each...).Files)
	return list
}

// Files that share time with another count, and have no rate of their own; filler counts nowhere.
func TestTransfers(t *testing.T) {
	file := func(fromS, toS float64, bytes int64) trace.File {
		return trace.File{StartNS: ns(fromS), EndNS: ns(toS), Bytes: bytes}
	}
	filler := file(40, 50, 9)
	filler.Filler = true
	apart, all := Apart([]trace.File{
		file(0, 2, 1), file(2, 5, 2), file(4, 6, 3), file(5, 5.5, 4), file(5.9, 8, 5), file(8, 9, 6), file(9, 9, 7), filler, file(10, 12, 8),
	})
	var alone []float64
	for _, f := range apart {
		alone = append(alone, f.Bytes())
	}
	if !slices.Equal(alone, []float64{1, 6, 8}) || all != (Totals{Work: 8, Usable: 7, Bytes: 29, BusyS: 2 + 3 + 1 + 2 + 1 + 2}) {
		t.Errorf("alone %v; %+v", alone, all)
	}
	if f := apart[2]; f.Seconds() != 2 || f.Rate() != 4 {
		t.Errorf("%+v", f)
	}
}

func TestThinned(t *testing.T) {
	files := filesOf(slices.Repeat([][2]float64{{1, 1}}, 10)...)
	for i := range files {
		files[i].Trace.Bytes = int64(i)
	}
	for limit, want := range map[int][]float64{20: {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, 10: {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, 4: {0, 2, 5, 7}, 1: {0}} {
		var got []float64
		for _, f := range thinned(files, limit) {
			got = append(got, f.Bytes())
		}
		check.Same(t, fmt.Sprintf("%d of ten", limit), want, got)
	}
}

// Files whose fixed cost took half of the time have no rate.
func TestRatesWithoutCost(t *testing.T) {
	// Each takes 1 s, and a second for 10 bytes.
	var each [][2]float64
	for i := range 20 {
		bytes := float64(5 * (i + 1))
		each = append(each, [2]float64{1 + bytes/10, bytes})
	}
	files := filesOf(each...)
	line, _ := stats.FitCost([]float64{5, 10, 15, 20, 25}, []float64{1.5, 2, 2.5, 3, 3.5})
	check.Near(t, "the cost", 1, line.Cost, 0.05)
	for _, r := range ratesWithoutCost(files) {
		check.Near(t, "rate", 10, math.Exp(r), 0.5)
	}
	// The first takes 1.5 s, of which the cost is two thirds; the second's is about half of it.
	if n := len(ratesWithoutCost(files)); n != 18 && n != 19 {
		t.Errorf("%d of 20 files have a rate", n)
	}
}

func TestSummedRate(t *testing.T) {
	files := filesOf([2]float64{2, 10}, [2]float64{3, 20}, [2]float64{5, 30})
	check.Near(t, "of the lower", 30./(1+2), summedRate(files, 1, 10, 30), 1e-12)
	check.Near(t, "of the upper", 30./4, summedRate(files, 1, 30, math.Inf(1)), 1e-12)
}

func TestBySize(t *testing.T) {
	for _, tt := range []struct {
		sizes []float64
		want  bool
	}{
		{[]float64{1, 2, 3, 4, 5}, true}, {[]float64{5, 4, 3, 2, 1}, true},
		{[]float64{1, 3, 2, 5, 4}, true}, {[]float64{2, 3, 1, 5, 4}, false}, // 0.8 and 0.6
		{[]float64{4, 3, 5, 1, 2}, false}, {[]float64{5, 3, 4, 1, 2}, true}, {[]float64{3, 3, 3, 3, 3}, false},
	} {
		var each [][2]float64
		for _, s := range tt.sizes {
			each = append(each, [2]float64{1, s})
		}
		check.Same(t, fmt.Sprint(tt.sizes), tt.want, Ordered(filesOf(each...)))
	}
}

// Values that vary by 1 among the smaller and by 4 among the larger: in between by a power of the size.
func TestDeviations(t *testing.T) {
	const n = 20
	bytes, values := make([]float64, n), make([]float64, n)
	for i := range n {
		bytes[i] = math.Exp(float64(i))
		if i > 0 {
			step := 1.0
			if i > n/2 {
				step = 4
			}
			values[i] = values[i-1] + step*(1-2*float64(i%2))
		}
	}
	got := deviations(bytes, values)
	// From the fifth size, e^5, to the fifth from the end, e^14.
	for i, v := range got {
		share := min(max((float64(i)-5)/9, 0), 1)
		check.Near(t, "deviation", math.Pow(4, share), v, 1e-9)
	}
	for i := range bytes {
		bytes[i] = 7
	}
	for _, v := range deviations(bytes, values) {
		check.Near(t, "of one size", 2, v, 1e-9)
	}
	// No less than a third of the middle of all: here 1 and 0 in the halves.
	for i := n / 2; i < n; i++ {
		values[i] = values[n/2-1]
	}
	values[n-1], values[n/2] = 5, 3
	for i := range bytes {
		bytes[i] = math.Exp(float64(i))
	}
	if got := deviations(bytes, values); math.Abs(got[0]-1) > 1e-9 || math.Abs(got[n-1]-1./3) > 1e-9 {
		t.Errorf("deviations %v", got)
	}
}

// Alternating values have nothing in common with those next to them. Of values that change with every fifth memory is 4.9 of
// them, and a block is of twice as many, rounded up, but of no more than an eighth of all.
func TestBlockOf(t *testing.T) {
	for _, tt := range []struct{ alike, n, want int }{{1, 160, 0}, {2, 400, 4}, {5, 160, 10}, {5, 40, 5}, {4, 80, 9}} {
		var values []float64
		for i := range tt.n {
			values = append(values, float64(i/tt.alike*7%31))
		}
		check.Same(t, fmt.Sprintf("blocks of %d, %d alike", tt.n, tt.alike), tt.want, blockOf(values))
	}
}

// A knee lies between two sizes, with five files that show a rate on either side, or a twentieth of many.
func TestDivides(t *testing.T) {
	counted := func(n, before int) []int { // that many of n files show a rate, the first after some
		telling := make([]int, n+1)
		for i := range n {
			telling[i+1] = telling[i]
			if i >= before {
				telling[i+1]++
			}
		}
		return telling
	}
	sizes := func(n int) *kneeSample {
		s := &kneeSample{}
		for i := range n {
			s.bytes = append(s.bytes, float64(i+1))
		}
		return s
	}
	of20, of200, alike := sizes(20), sizes(200), sizes(20)
	alike.bytes[10] = alike.bytes[9]
	for _, tt := range []struct {
		name    string
		s       *kneeSample
		i       int
		telling []int
		want    bool
	}{
		{"five before", of20, 5, counted(20, 0), true},
		{"four before", of20, 4, counted(20, 0), false},
		{"five after", of20, 15, counted(20, 0), true},
		{"four after", of20, 16, counted(20, 0), false},
		{"five that tell before", of20, 8, counted(20, 3), true},
		{"four that tell before", of20, 7, counted(20, 3), false},
		{"between files of one size", alike, 10, counted(20, 0), false},
		{"beside them", alike, 11, counted(20, 0), true},
		{"ten of 200", of200, 10, counted(200, 0), true},
		{"nine of 200", of200, 9, counted(200, 0), false},
		{"ten of 200 after", of200, 190, counted(200, 0), true},
		{"nine of 200 after", of200, 191, counted(200, 0), false},
	} {
		check.Same(t, tt.name, tt.want, tt.s.divides(tt.i, tt.telling))
	}
}

func TestFit(t *testing.T) {
	// Half a second and a second for a megabyte each.
	var each [][2]float64
	for _, mb := range []float64{1, 2, 4, 10, 0.2} {
		each = append(each, [2]float64{0.5 + mb, 1e6 * mb})
	}
	s := Fit(filesOf(each...))
	for _, v := range [][2]float64{{*s.OLSRate, 1e6}, {*s.TheilSenRate, 1e6}, {*s.OLSLatencyS * 1e6, 0.5e6}, {*s.TheilSenLatencyS * 1e6, 0.5e6}} {
		check.Near(t, "the line", v[1], v[0], 1)
	}
	down := filesOf([2]float64{5, 1e6}, [2]float64{4, 2e6}, [2]float64{3, 3e6}, [2]float64{2, 4e6}, [2]float64{1, 5e6})
	if s := Fit(down); s.OLSRate != nil || s.TheilSenLatencyS != nil {
		t.Errorf("larger files that take less: %+v", s)
	}
}

func TestKneeSample(t *testing.T) {
	// Later files are smaller; of two of a size the earlier one comes first.
	s := newKneeSample(filesOf([2]float64{3, 30}, [2]float64{2, 20}, [2]float64{4, 20}, [2]float64{1, 10}))
	want := kneeSample{bytes: []float64{10, 20, 20, 30}, seconds: []float64{1, 2, 4, 3}, byTime: []int{3, 1, 2, 0}}
	check.Same(t, "sample", want, s, cmp.AllowUnexported(kneeSample{}), cmpopts.EquateApprox(1e-12, 0))
	// Eight hundred make four hundred groups of two, each with the middle time for a byte.
	var each [][2]float64
	for i := range 800 {
		each = append(each, [2]float64{float64(i+1) * (1 + float64(i%2)), float64(i + 1)})
	}
	s = newKneeSample(filesOf(each...))
	if len(s.bytes) != 400 || s.bytes[0] != 2 || math.Abs(s.seconds[0]-3) > 1e-9 || s.bytes[399] != 800 || math.Abs(s.seconds[399]-1200) > 1e-6 {
		t.Errorf("%d groups, from %v to %v bytes in %v to %v s", len(s.bytes), s.bytes[0], s.bytes[399], s.seconds[0], s.seconds[399])
	}
}

// What is the same for all sizes is distinguished from what goes with the time; a knee is neither.
func TestConstantNoise(t *testing.T) {
	for _, tt := range []struct {
		name     string
		disk     tracetest.Disk
		off      float64
		ticks    bool
		low, top float64
	}{
		{"none", tracetest.Disk{Files: 400, Noise: tracetest.Noise{Sigma: 0.1}}, 1e-9, false, 0, 0.002},
		{"none, and few files", tracetest.Disk{Files: 15, Noise: tracetest.Noise{Sigma: 0.3}}, 1e-9, false, 0, 0.01},
		{"none, and a knee among the smallest", tracetest.Disk{Files: 400, Noise: tracetest.Noise{Sigma: 0.02}, KneeBytes: 100e6, KneeFactor: 0.75}, 1e-9, false, 0, 0.002},
		{"2 ms at either end", tracetest.Disk{Files: 400, Sizes: tracetest.Between(4e6, 80e6), Noise: tracetest.Noise{Sigma: 0.03}}, 0.002, false, 0.0022, 0.0034},
		{"a tick of 5 ms", tracetest.Disk{Files: 20, Sizes: tracetest.Between(40e6, 80e6), Noise: tracetest.Noise{Sigma: 0.1}}, 0.005, true, 0.005, 0.005},
	} {
		outside := 0
		for seed := range uint64(20) {
			rnd := rand.New(rand.NewPCG(seed, 406))
			tt.disk.Levels = []tracetest.Level{{UntilS: 3000, Rate: 1e9}}
			files, _ := Apart(tracetest.Blurred(tt.disk.Play(rnd), rnd, tt.off, tt.ticks).Files)
			s := newKneeSample(files)
			line, _ := stats.FitCost(s.bytes, s.seconds)
			if got := constantNoise(files, line); got < tt.low-1e-12 || got > tt.top+1e-12 {
				outside++
				t.Logf("%s: %g s", tt.name, got)
			}
		}
		if outside > 2 {
			t.Errorf("%s: %d of 20 are not within %g to %g s", tt.name, outside, tt.low, tt.top)
		}
	}
}
