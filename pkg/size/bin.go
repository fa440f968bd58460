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
	FromBytes int64   `json:"from_bytes"` // FromBytes is the smallest file.
	ToBytes   int64   `json:"to_bytes"`   // ToBytes is the largest file.
	Files     int     `json:"files"`
	Median    float64 `json:"median"`
	P05       float64 `json:"p05"`
	P95       float64 `json:"p95"`
}

// Bins returns the rates of files by their size, the smallest first, and nil if all files are of
// one size.
func Bins(files []Transfer) []Bin {
	distinct := map[int64]bool{}
	for _, f := range files {
		if distinct[f.Trace.Bytes] = true; len(distinct) > maxSizes {
			break
		}
	}
	if len(distinct) < 2 {
		return nil
	}
	type group struct {
		Bin
		rates []float64
	}
	groups := map[int64]*group{}
	for _, f := range files {
		from := f.Trace.Bytes
		if len(distinct) > maxSizes {
			from = 1 << math.Ilogb(f.Bytes())
		}
		g := groups[from]
		if g == nil {
			g = &group{Bin: Bin{FromBytes: f.Trace.Bytes}}
			groups[from] = g
		}
		g.FromBytes = min(g.FromBytes, f.Trace.Bytes)
		g.ToBytes = max(g.ToBytes, f.Trace.Bytes)
		g.rates = append(g.rates, f.Rate())
	}
	bins := make([]Bin, 0, len(groups))
	for _, from := range slices.Sorted(maps.Keys(groups)) {
		g := groups[from]
		s := stats.Summarize(g.rates)
		g.Files = len(g.rates)
		g.Median = s.Median
		g.P05 = s.P05
		g.P95 = s.P95
		bins = append(bins, g.Bin)
	}
	return bins
}
