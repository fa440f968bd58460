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
	if alike(files) {
		return nil
	}
	distinct := map[int64]bool{}
	for i := range files {
		if distinct[files[i].Bytes] = true; len(distinct) > maxSizes {
			break
		}
	}
	type group struct {
		Bin
		rates []float64
	}
	groups := map[int64]*group{}
	for i := range files {
		f := &files[i]
		from := f.Bytes
		if len(distinct) > maxSizes {
			from = 1 << math.Ilogb(float64(f.Bytes))
		}
		g := groups[from]
		if g == nil {
			g = &group{Bin: Bin{FromBytes: f.Bytes}}
			groups[from] = g
		}
		g.FromBytes = min(g.FromBytes, f.Bytes)
		g.ToBytes = max(g.ToBytes, f.Bytes)
		g.rates = append(g.rates, Rate(f))
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
