package report

import (
	"cmp"
	"math"
	"slices"
)

const (
	maxBands    = 1200 // about the pixels of a screen
	maxOutliers = 200  // of a phase
)

// stretch is a file along an axis that is cut into bands.
type stretch struct{ from, to, rate float64 }

// band is the files of a part of the axis in short: their mean rate and the middle nine tenths of them, each file
// weighted by how much of the part it takes.
type band struct{ from, to, mean, p05, p95 float64 }

// bands cuts the axis from 0 to end into equal parts of some twenty files each, or more if that would make more
// parts than a screen can show. Parts without a file are left out.
func bands(files []stretch, end float64) []band {
	if end <= 0 || len(files) == 0 {
		return nil
	}
	count := min(maxBands, max(100, len(files)/20))
	width := end / float64(count)
	type share struct{ rate, weight float64 }
	parts := make([][]share, count)
	for _, file := range files {
		for i := max(0, int(file.from/width)); i < count; i++ {
			weight := min(file.to, float64(i+1)*width) - max(file.from, float64(i)*width)
			if weight <= 0 {
				break
			}
			parts[i] = append(parts[i], share{file.rate, weight})
		}
	}
	var out []band
	for i, part := range parts {
		if len(part) == 0 {
			continue
		}
		slices.SortFunc(part, func(a, b share) int { return cmp.Compare(a.rate, b.rate) })
		sum, weight := 0.0, 0.0
		for _, s := range part {
			sum, weight = sum+s.rate*s.weight, weight+s.weight
		}
		quantile := func(p float64) float64 {
			left := p * weight
			for _, s := range part {
				if left -= s.weight; left <= 0 {
					return s.rate
				}
			}
			return part[len(part)-1].rate
		}
		out = append(out, band{float64(i) * width, float64(i+1) * width, sum / weight, quantile(0.05), quantile(0.95)})
	}
	return out
}

// outliers are the files of all lanes that lie furthest from their disk's bands, by lane and in order.
func outliers(lanes []lane, all [][]band) [][]file {
	type outlier struct {
		lane int
		file file
		far  float64 // how far from its band's mean, as a logarithm of the ratio
	}
	var candidates []outlier
	for i, l := range lanes {
		for _, f := range l.files {
			at, found := slices.BinarySearchFunc(all[i], (f.startS+f.endS)/2, func(b band, t float64) int {
				return pick(b.to < t, -1, pick(b.from > t, 1, 0))
			})
			if b := all[i]; found && (f.rate < b[at].p05 || f.rate > b[at].p95) {
				candidates = append(candidates, outlier{i, f, math.Abs(math.Log(f.rate / b[at].mean))})
			}
		}
	}
	slices.SortFunc(candidates, func(a, b outlier) int {
		return cmp.Or(cmp.Compare(b.far, a.far), cmp.Compare(a.file.startS, b.file.startS), cmp.Compare(a.lane, b.lane))
	})
	out := make([][]file, len(lanes))
	for _, c := range candidates[:min(len(candidates), maxOutliers)] {
		out[c.lane] = append(out[c.lane], c.file)
	}
	for i := range out {
		slices.SortFunc(out[i], func(a, b file) int { return cmp.Compare(a.startS, b.startS) })
	}
	return out
}

// busy joins the spans of files with gaps too small to see between them.
func busy(files []file, gap float64) [][2]float64 {
	var out [][2]float64
	for _, f := range files {
		if n := len(out); n > 0 && f.startS-out[n-1][1] <= gap {
			out[n-1][1] = max(out[n-1][1], f.endS)
			continue
		}
		out = append(out, [2]float64{f.startS, f.endS})
	}
	return out
}
