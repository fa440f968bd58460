package change

import (
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/stats"
)

// allowForSizes takes out of the disk's series what the sizes of its files explain: each costs a
// fixed time and one over a rate for its bytes. It is one more hypothesis, scored against the
// levels that the series shows without it.
func (p *phase) allowForSizes(d *disk) {
	cost, ok := d.fileCost()
	if !ok {
		return
	}
	took := p.predicted(d, cost)
	x := make([]float64, len(d.x))
	for i, bin := range d.bins {
		if took[bin] <= 0 {
			return
		}
		x[i] = math.Log(took[bin] / p.binS)
	}
	off := mean(d.x) - mean(x)
	for i := range x {
		x[i] += off
	}
	score, cuts, candidates := row{x, d.file}.choose(candidatePrice)
	if score+math.Log(float64(len(x))) < d.score {
		d.x, d.score, d.cuts, d.candidates = x, score, cuts, candidates
	}
}

// fileCost fits the time of a file by its size; not ok unless that matters, and files come one
// after another.
func (d *disk) fileCost() (stats.Line, bool) {
	files := d.Trace.Files
	if !d.HasFiles() || len(files) < minCostFiles {
		return stats.Line{}, false
	}
	smallest, largest := files[0].Bytes, files[0].Bytes
	for i := range files {
		f := &files[i]
		if !f.Usable() || i > 0 && f.StartNS < files[i-1].EndNS {
			return stats.Line{}, false
		}
		smallest, largest = min(smallest, f.Bytes), max(largest, f.Bytes)
	}
	if smallest == largest {
		return stats.Line{}, false
	}
	sizes, times := make([]float64, len(files)), make([]float64, len(files))
	for i := range files {
		sizes[i] = float64(files[i].Bytes)
		times[i] = float64(files[i].EndNS-files[i].StartNS) / 1e9
	}
	line, ok := stats.FitCost(sizes, times)
	slices.Sort(sizes)
	small, large := stats.Quantile(sizes, 0.1), stats.Quantile(sizes, 0.9)
	matters := line.At(small)/small > minCostRatio*line.At(large)/large
	return line, ok && matters
}

// predicted returns how long what the disk moved in each bin should have taken by the sizes of its
// files.
func (p *phase) predicted(d *disk, cost stats.Line) []float64 {
	files := d.Trace.Files
	took := make([]float64, p.n)
	var sum, last float64 // seconds
	var bytes int64
	k := 0
	for i := range p.n + 1 {
		at := p.ns(float64(i))
		for k < len(files) && files[k].EndNS <= at {
			sum += cost.At(float64(files[k].Bytes))
			bytes += files[k].Bytes
			k++
		}
		now := sum
		if k < len(files) {
			size := float64(files[k].Bytes)
			now += cost.At(size) * float64(d.Curve.At(at)-bytes) / size
		}
		if i > 0 {
			took[i-1] = now - last
		}
		last = now
	}
	return took
}
