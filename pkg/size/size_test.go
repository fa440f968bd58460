package size

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/trace/tracetest"
)

func ns(s float64) int64 { return int64(math.Round(s * 1e9)) }

// filesOf are files one after another: seconds and bytes.
func filesOf(each ...[2]float64) []Transfer {
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
		file(0, 2, 1), file(2, 5, 2), file(4, 6, 3), file(5, 5.5, 4), file(5.9, 8, 5),
		file(8, 9, 6), file(9, 9, 7), filler, file(10, 12, 8),
	})
	var alone []float64
	for _, f := range apart {
		alone = append(alone, f.Bytes())
	}
	if !slices.Equal(alone, []float64{1, 6, 8}) ||
		all != (Totals{Work: 8, Usable: 7, Bytes: 29, BusyS: 2 + 3 + 1 + 2 + 1 + 2}) {
		t.Errorf("alone %v; %+v", alone, all)
	}
	if f := apart[2]; f.Seconds() != 2 || f.Rate() != 4 {
		t.Errorf("%+v", f)
	}
}

func TestThinned(t *testing.T) {
	for n, want := range map[int][3]int{
		3: {0, 1, 2}, maxFiles: {0, 1, 2}, 2 * maxFiles: {0, 2, 4}, maxFiles * 5 / 2: {0, 2, 5},
	} {
		files := filesOf(slices.Repeat([][2]float64{{1, 1}}, n)...)
		some := thinned(files)
		first := [3]Transfer{files[want[0]], files[want[1]], files[want[2]]}
		if len(some) != min(n, maxFiles) || [3]Transfer(some) != first {
			t.Errorf("%d of %d files, the first not those at %v", len(some), n, want)
		}
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
	check.Near(t, "the cost", 1, line.Intercept, 0.05)
	all, _ := stats.FitCost(sizesAndTimes(files))
	_, rates := ratesWithoutCost(files, all, 0)
	for _, r := range rates {
		check.Near(t, "rate", 10, math.Exp(r), 0.5)
	}
	// The first takes 1.5 s, of which the cost is two thirds; the second's is about half of it.
	if n := len(rates); n != 18 && n != 19 {
		t.Errorf("%d of 20 files have a rate", n)
	}
}

func TestBySize(t *testing.T) {
	for _, tt := range []struct {
		sizes []float64
		want  bool
	}{
		{[]float64{1, 2, 3, 4, 5}, true}, {[]float64{5, 4, 3, 2, 1}, true},
		{[]float64{1, 3, 2, 5, 4}, true}, {[]float64{2, 3, 1, 5, 4}, false}, // 0.8 and 0.6
		{[]float64{4, 3, 5, 1, 2}, false}, {[]float64{5, 3, 4, 1, 2}, true},
		{[]float64{3, 3, 3, 3, 3}, false},
	} {
		var each [][2]float64
		for _, s := range tt.sizes {
			each = append(each, [2]float64{1, s})
		}
		check.Same(t, fmt.Sprint(tt.sizes), tt.want, Ordered(filesOf(each...)))
	}
}

func TestFit(t *testing.T) {
	// Half a second and a second for a megabyte each.
	var each [][2]float64
	for _, mb := range []float64{1, 2, 4, 10, 0.2} {
		each = append(each, [2]float64{0.5 + mb, 1e6 * mb})
	}
	s := Fit(filesOf(each...))
	for _, v := range [][2]float64{
		{*s.OLSRate, 1e6}, {*s.TheilSenRate, 1e6}, {*s.OLSLatencyS * 1e6, 0.5e6},
		{*s.TheilSenLatencyS * 1e6, 0.5e6},
	} {
		check.Near(t, "the line", v[1], v[0], 1)
	}
	down := filesOf([2]float64{5, 1e6}, [2]float64{4, 2e6}, [2]float64{3, 3e6}, [2]float64{2, 4e6},
		[2]float64{1, 5e6})
	if s := Fit(down); s.OLSRate != nil || s.TheilSenLatencyS != nil {
		t.Errorf("larger files that take less: %+v", s)
	}
}

// A step counts if it explains more than a line over the logarithm of size, between two sizes and
// with enough files on either side.
func TestKnee(t *testing.T) {
	const n = 60
	sizes, noise := make([]float64, n), make([]float64, n)
	for i := range n {
		sizes[i] = math.Exp(float64(i) / 10)
		noise[i] = 0.1 * math.Sin(float64(i*i))
	}
	with := func(change func(i int) float64) []float64 {
		values := slices.Clone(noise)
		for i := range values {
			values[i] += change(i)
		}
		return values
	}
	stepAt := func(at int) []float64 {
		return with(func(i int) float64 {
			if i < at {
				return 0
			}
			return 0.5
		})
	}
	twoValues := make([]float64, n)
	for i := 20; i < n; i++ {
		twoValues[i] = 1
	}
	paired := slices.Clone(sizes)
	paired[20] = paired[19]
	for _, tt := range []struct {
		name          string
		sizes, values []float64
		memory        float64
		cut           int // 0: any
		minP, maxP    float64
	}{
		{"a step", sizes, stepAt(20), 1, 20, 0, 1e-6},
		{"a step of values that go together", sizes, stepAt(20), 6, 20, 0.01, 1},
		{"a step among the smallest", sizes, stepAt(MinFiles), 1, MinFiles, 0, 0.1},
		{"between files of one size", paired, stepAt(20), 1, 21, 0, 1e-5},
		{"a line", sizes, with(func(i int) float64 { return 0.02 * float64(i) }), 1, 0, 1, 1},
		{"noise", sizes, noise, 1, 0, 0.1, 1},
		{"too few", sizes[:2*MinFiles-1], stepAt(5)[:2*MinFiles-1], 1, 0, 1, 1},
		{"two values", sizes, twoValues, 1, 20, 0, 1e-9},
		{"values that are the same", sizes, make([]float64, n), 1, 0, 1, 1},
		{"one size", slices.Repeat([]float64{7}, n), stepAt(20), 1, 0, 1, 1},
	} {
		at, p := knee(tt.sizes, tt.values, tt.memory)
		if p < tt.minP || p > tt.maxP || tt.cut > 0 && at != tt.cut {
			t.Errorf("%s: a step at %d, chance %g; want %d, %g to %g", tt.name, at, p, tt.cut,
				tt.minP, tt.maxP)
		}
	}
}

// A knee is found, with its rates, beside a fixed cost that is fitted across it at first.
func TestFindKnee(t *testing.T) {
	const at, cost = 500e6, 0.1
	for _, above := range []float64{0.6e9, 1e9, 1.8e9} {
		rnd := rand.New(rand.NewPCG(1, 2))
		var each [][2]float64
		for range 200 {
			bytes, rate := 2e9*rnd.Float64()+10e6, 1e9
			if bytes > at {
				rate = above
			}
			noise := math.Exp(0.03 * rnd.NormFloat64())
			each = append(each, [2]float64{cost + bytes/rate*noise, bytes})
		}
		k := FindKnee(filesOf(each...), 1)
		if above == 1e9 {
			if k != nil {
				t.Errorf("%+v without a step", *k)
			}
			continue
		}
		if k == nil {
			t.Errorf("no knee between 1 and %g GB/s", above/1e9)
			continue
		}
		check.Near(t, "size", at, k.AtBytes, 50e6)
		check.Near(t, "rate below", 1e9, k.BelowRate, 0.05e9)
		check.Near(t, "rate above", above, k.AboveRate, 0.05*above)
	}
}
