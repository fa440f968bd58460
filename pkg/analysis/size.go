package analysis

import (
	"cmp"
	"slices"

	"github.com/hubbench/hubbench/pkg/stats"
)

// How effects of file size are told.
const (
	kneeP      = 0.01 // chance of a knee as clear among files whose size does not matter
	kneeEffect = 0.10 // relative change of the median rate below which a knee is of no interest
	kneeGroups = 400  // more files than this are put together by size
	smallBytes = 10_000_000
	sorted     = 0.7 // rank correlation of size with order, above which time and size cannot be told apart
	fewest     = 5   // files on either side of a knee, and in a fit
	fewestLow  = 3   // files in the low-latency region
)

// transfer is a usable file with a rate of its own.
type transfer struct {
	bytes, seconds float64
	startNS, endNS int64
}

func (t transfer) rate() float64 { return t.bytes / t.seconds }

// sameConditions returns the files of the level that holds most of them, so that a throttle, or other disks, are not
// taken for an effect of size. Files in order of size are all returned: there a level is a range of sizes.
func (p *part) sameConditions(files []transfer) (same []transfer, ordered bool) {
	var sizes, order []float64
	for i := 0; i < len(files); i += 1 + len(files)/maxPieces { // of a long trace, some will do
		sizes, order = append(sizes, files[i].bytes), append(order, float64(i))
	}
	if r := stats.Spearman(sizes, order); r > sorted || r < -sorted {
		return files, true
	}
	groups := make([][]transfer, len(p.levels))
	largest := 0
	for _, f := range files {
		i := levelAt(p.levels, (f.startNS+f.endNS)/2)
		groups[i] = append(groups[i], f)
		if len(groups[i]) > len(groups[largest]) {
			largest = i
		}
	}
	if len(groups) == 0 {
		return nil, false
	}
	return groups[largest], false
}

// sizeKnee looks for one file size at which the rate shifts (stats.RankShift).
func sizeKnee(files []transfer) *SizeKnee {
	files = slices.Clone(files)
	slices.SortFunc(files, func(a, b transfer) int {
		if a.bytes != b.bytes {
			return cmp.Compare(a.bytes, b.bytes)
		}
		return cmp.Compare(a.startNS, b.startNS)
	})
	sizes, rates := grouped(files)
	minLen := max(fewest, len(rates)/20)
	cut, p := stats.RankShift(rates, minLen, func(i int) bool { return sizes[i] != sizes[i-1] })
	if p > kneeP {
		return nil
	}
	below, above := stats.Median(rates[:cut]), stats.Median(rates[cut:])
	if change := above/below - 1; -kneeEffect < change && change < kneeEffect {
		return nil
	}
	return &SizeKnee{AtBytes: (sizes[cut-1] + sizes[cut]) / 2, BelowRate: below, AboveRate: above, P: p}
}

// grouped returns sizes and rates of files in order of size, medians of neighbours where there are many.
func grouped(files []transfer) (sizes, rates []float64) {
	n := len(files)
	groups := min(n, kneeGroups)
	for g := range groups {
		group := files[g*n/groups : (g+1)*n/groups]
		in := make([]float64, len(group))
		for i, f := range group {
			in[i] = f.rate()
		}
		sizes = append(sizes, group[len(group)/2].bytes)
		rates = append(rates, stats.Median(in))
	}
	return sizes, rates
}

// smallFiles fits time against size for the small ones, where latency shows: the slope is a rate's inverse, the
// intercept the latency.
func smallFiles(files []transfer) *SmallFiles {
	var sizes, times []float64
	for _, f := range files {
		if f.bytes <= smallBytes {
			sizes, times = append(sizes, f.bytes), append(times, f.seconds)
		}
	}
	if len(sizes) < fewest {
		return nil
	}
	s := SmallFiles{UpToBytes: smallBytes, Files: len(sizes)}
	s.OLSRate, s.OLSLatencyS = fit(stats.OLS, sizes, times)
	s.TheilSenRate, s.TheilSenLatencyS = fit(stats.TheilSen, sizes, times)
	return &s
}

// fit makes a rate and a latency of a line of time against size; nil where the times do not grow with size.
func fit(line func(x, y []float64) (stats.Line, bool), sizes, times []float64) (rate, latency *float64) {
	l, ok := line(sizes, times)
	if !ok || l.Slope <= 0 {
		return nil, nil
	}
	return number(1 / l.Slope), number(l.Intercept)
}

// lowLatency finds the region in which time hardly depends on size: below latency times rate, where a file takes no
// more than twice the time of an empty one (Hockney and Jesshope's n-half, "Parallel Computers", 1981). Nil unless
// files lie in it and bear it out.
func lowLatency(files []transfer, s *SmallFiles) *LowLatency {
	if s == nil || s.TheilSenRate == nil || *s.TheilSenLatencyS <= 0 {
		return nil
	}
	region := LowLatency{UpToBytes: *s.TheilSenLatencyS * *s.TheilSenRate}
	var times []float64
	for _, f := range files {
		if f.bytes <= region.UpToBytes {
			times = append(times, f.seconds)
		}
	}
	if len(times) < fewestLow {
		return nil
	}
	region.Files, region.MedianS = len(times), stats.Median(times)
	return &region
}
