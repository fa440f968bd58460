package chart

import (
	"cmp"
	"math"
	"slices"
)

// Band is the files of a stretch in short: their mean rate and the middle nine tenths of them, each file
// weighted by how much of the stretch it takes.
type Band struct {
	From, To       float64 // seconds, or bytes so far
	Mean, P05, P95 float64 // bytes per second
}

const (
	maxBands    = 1200 // about the pixels of a screen
	maxOutliers = 200  // of a phase
)

// stretch is a file along the axis that is cut into bands.
type stretch struct{ from, to, rate float64 }

// bands cuts the axis from 0 to end into equal parts of some twenty files each, or more where that would make
// more parts than a screen can show. Parts without a file are left out.
func bands(files []stretch, end float64) []Band {
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
	var out []Band
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
		out = append(out, Band{
			From: float64(i) * width, To: float64(i+1) * width,
			Mean: sum / weight, P05: quantile(0.05), P95: quantile(0.95),
		})
	}
	return out
}

// condense puts bands, outliers and busy stretches in place of the files.
func (line *Timeline) condense() {
	type outlier struct {
		lane int
		file Segment
		far  float64 // how far from its band's mean, as a logarithm of the ratio
	}
	var candidates []outlier
	for i := range line.Disks {
		lane := &line.Disks[i]
		stretches := make([]stretch, len(lane.Files))
		for j, file := range lane.Files {
			stretches[j] = stretch{file.StartS, file.EndS, file.Rate}
		}
		lane.Bands = bands(stretches, line.EndS)
		lane.Busy = busy(lane.Files, line.EndS/(2*maxBands))
		for _, file := range lane.Files {
			at, found := slices.BinarySearchFunc(lane.Bands, (file.StartS+file.EndS)/2, func(b Band, t float64) int {
				switch {
				case b.To < t:
					return -1
				case b.From > t:
					return 1
				default:
					return 0
				}
			})
			if !found || file.Rate >= lane.Bands[at].P05 && file.Rate <= lane.Bands[at].P95 {
				continue
			}
			candidates = append(candidates, outlier{i, file, math.Abs(math.Log(file.Rate / lane.Bands[at].Mean))})
		}
		lane.Files = nil
	}
	slices.SortFunc(candidates, func(a, b outlier) int {
		return cmp.Or(cmp.Compare(b.far, a.far), cmp.Compare(a.file.StartS, b.file.StartS), cmp.Compare(a.lane, b.lane))
	})
	for _, c := range candidates[:min(len(candidates), maxOutliers)] {
		line.Disks[c.lane].Outliers = append(line.Disks[c.lane].Outliers, c.file)
	}
	for i := range line.Disks {
		slices.SortFunc(line.Disks[i].Outliers, func(a, b Segment) int { return cmp.Compare(a.StartS, b.StartS) })
	}
}

// busy joins the spans of files with gaps too small to see between them.
func busy(files []Segment, gap float64) []Span {
	var out []Span
	for _, file := range files {
		if n := len(out); n > 0 && file.StartS-out[n-1].EndS <= gap {
			out[n-1].EndS = max(out[n-1].EndS, file.EndS)
			continue
		}
		out = append(out, file.Span)
	}
	return out
}
