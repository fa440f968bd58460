package size

import (
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
)

func TestBins(t *testing.T) {
	check.Same(t, "files of one size", []Bin(nil),
		Bins(filesOf([2]float64{1, 8}, [2]float64{2, 8})))
	few := filesOf([2]float64{1, 10}, [2]float64{1, 30}, [2]float64{2, 10}, [2]float64{4, 10})
	check.Same(t, "few sizes", []Bin{
		{FromBytes: 10, ToBytes: 10, Files: 3, Median: 5, P05: 2.75, P95: 9.5},
		{FromBytes: 30, ToBytes: 30, Files: 1, Median: 30, P05: 30, P95: 30},
	}, Bins(few))
	var each [][2]float64
	for bytes := 3.; bytes <= 17; bytes++ {
		each = append(each, [2]float64{bytes, bytes * 2})
	}
	var got [][3]int64
	for _, b := range Bins(filesOf(each...)) {
		got = append(got, [3]int64{b.FromBytes, b.ToBytes, int64(b.Files)})
		check.Near(t, "rate", 2, b.Median, 1e-9)
	}
	check.Same(t, "many sizes", [][3]int64{{6, 6, 1}, {8, 14, 4}, {16, 30, 8}, {32, 34, 2}}, got)
}
