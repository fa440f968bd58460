package size

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/internal/test/tracetest"
	"github.com/hubbench/hubbench/pkg/trace"
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
		alone = append(alone, float64(f.Bytes))
	}
	if !slices.Equal(alone, []float64{1, 6, 8}) ||
		all != (Totals{Work: 8, Usable: 7, Bytes: 29, BusyS: 2 + 3 + 1 + 2 + 1 + 2}) {
		t.Errorf("alone %v; %+v", alone, all)
	}
	if f := &apart[2]; secondsOf(f) != 2 || Rate(f) != 4 {
		t.Errorf("%+v", f)
	}
	// Millions of files that all count take no more memory.
	some := []trace.File{file(0, 2, 1), file(2, 5, 2)}
	if list, _ := Apart(some); len(list) != 2 || &list[0] != &some[0] {
		t.Errorf("%+v are a copy", list)
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

// A knee is found, with its rates, beside a fixed cost that is fitted across it at first.
func TestFindKnee(t *testing.T) {
	const at, cost = 500e6, 0.1
	for _, above := range []float64{0.6e9, 0.9e9, 1e9, 1.8e9} {
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
		if math.Abs(above-1e9) < 0.2e9 { // It is of no interest, though noise makes no such step.
			if k != nil {
				t.Errorf("%g GB/s: %+v without a step", above/1e9, *k)
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
