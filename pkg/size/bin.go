package size

import (
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/stats"
)

// maxSizes is how many sizes have a bin of their own; of more, a bin holds those from one power of
// two to the next.
const maxSizes = 12

// Bin is the rate of files of one size, or of about one size. The fixed time per file is in it.
type Bin struct {
	FromBytes int64   `json:"from_bytes"` // the smallest file
	ToBytes   int64   `json:"to_bytes"`   // the largest file
	Files     int     `json:"files"`
	Median    float64 `json:"median"`
	P05       float64 `json:"p05"`
	P95       float64 `json:"p95"`
}

// Bins returns the rates of files by their size, the smallest first, and nil if all files are of
// one size.
func Bins(files []File) []Bin {
	files = slices.Clone(files)
	slices.SortFunc(files, bySize)
	sameSize := func(a, b File) bool { return bySize(a, b) == 0 }
	distinct := len(slices.CompactFunc(slices.Clone(files), sameSize))
	if distinct < 2 {
		return nil
	}
	if distinct > maxSizes {
		sameSize = func(a, b File) bool { return math.Ilogb(a.Bytes()) == math.Ilogb(b.Bytes()) }
	}
	var bins []Bin
	for len(files) > 0 {
		var rates []float64
		for len(rates) < len(files) && sameSize(files[0], files[len(rates)]) {
			rates = append(rates, files[len(rates)].Rate())
		}
		s := stats.Summarize(rates)
		bins = append(bins, Bin{
			FromBytes: files[0].Trace.Bytes,
			ToBytes:   files[len(rates)-1].Trace.Bytes,
			Files:     len(rates),
			Median:    s.Median,
			P05:       s.P05,
			P95:       s.P95,
		})
		files = files[len(rates):]
	}
	return bins
}
