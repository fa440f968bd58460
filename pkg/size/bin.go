package size

import (
	"maps"
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
	distinct := map[int64]bool{}
	for _, f := range files {
		if distinct[f.Trace.Bytes] = true; len(distinct) > maxSizes {
			break
		}
	}
	if len(distinct) < 2 {
		return nil
	}
	groups := map[int64][]File{}
	for _, f := range files {
		from := f.Trace.Bytes
		if len(distinct) > maxSizes {
			from = 1 << math.Ilogb(f.Bytes())
		}
		groups[from] = append(groups[from], f)
	}
	bins := make([]Bin, 0, len(groups))
	for _, from := range slices.Sorted(maps.Keys(groups)) {
		group := groups[from]
		bin := Bin{FromBytes: group[0].Trace.Bytes, Files: len(group)}
		rates := make([]float64, len(group))
		for i, f := range group {
			bin.FromBytes = min(bin.FromBytes, f.Trace.Bytes)
			bin.ToBytes = max(bin.ToBytes, f.Trace.Bytes)
			rates[i] = f.Rate()
		}
		slices.Sort(rates)
		bin.Median = stats.Quantile(rates, 0.5)
		bin.P05 = stats.Quantile(rates, 0.05)
		bin.P95 = stats.Quantile(rates, 0.95)
		bins = append(bins, bin)
	}
	return bins
}
