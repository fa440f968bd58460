package change

import (
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/stats"
)

// noise is what levels leave.
type noise struct {
	variance float64 // of one bin
	longRun  float64 // of a mean, times its number of bins
	fileSD   float64 // of what is new in each file
}

// estimateNoise finds the noise about levels between cuts of x, whichever order they have.
func (d *disk) estimateNoise(cuts []int) {
	cuts = slices.Clone(cuts)
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	for len(cuts) > 0 && cuts[0] == 0 {
		cuts = cuts[1:]
	}
	for len(cuts) > 0 && cuts[len(cuts)-1] == len(d.x) {
		cuts = cuts[:len(cuts)-1]
	}
	left := residuals(d.x, cuts)
	_, memory := autoregression(left, cuts)
	d.variance = max(variance(left), minVariance)
	d.longRun = d.variance * (1 + memory) / (1 - memory)
	d.fileSD = d.fileDeviation()
	for _, bins := range []int{shortBlock, longBlock} {
		var blocks []float64
		for from := 0; from+bins <= len(left); from += bins {
			blocks = append(blocks, mean(left[from:from+bins]))
		}
		if len(blocks) < minBlocks {
			continue
		}
		robust := square(medianDeviation(blocks)) * blockMargin
		d.longRun = max(d.longRun, float64(bins)*min(variance(blocks), robust))
	}
}

// medianDeviation returns a robust standard deviation.
func medianDeviation(x []float64) float64 {
	middle := stats.Median(x)
	off := make([]float64, len(x))
	for i, v := range x {
		off[i] = math.Abs(v - middle)
	}
	return stats.NormalMAD * stats.Median(off)
}

// fileDeviation returns how much the means of files scatter, by the differences of successive
// files, so that a level does not count.
func (d *disk) fileDeviation() float64 {
	var means []float64
	for _, part := range (row{d.x, d.file}).parts() {
		if len(part) >= minFileBins {
			means = append(means, mean(part))
		}
	}
	if len(means) < minFiles {
		return 0
	}
	steps := differences(means)
	for i, s := range steps {
		steps[i] = math.Abs(s)
	}
	return stats.NormalMAD * stats.Median(steps) / math.Sqrt2
}

// fileEffects returns the negative log likelihood of residuals of which a part is new in each file
// and the rest in each bin (a random-effects model: Searle, Casella and McCulloch, "Variance
// Components", 1992).
func (r row) fileEffects(left []float64, cuts []int) float64 {
	var files []block
	var within, ofBins float64
	for from, to := range between(cuts, len(left)) {
		for first := from; first < to; {
			end := first + 1
			for end < to && r.file[end] == r.file[first] {
				end++
			}
			b := block{float64(end - first), mean(left[first:end])}
			for _, v := range left[first:end] {
				within += square(v - b.mean)
			}
			ofBins += math.Log(b.bins)
			files = append(files, b)
			first = end
		}
	}
	n := float64(len(left))
	free := n - float64(len(files))
	ofBin := max(within/max(free, 1), minVariance)
	rest := free*math.Log(ofBin) + within/ofBin - n + ofBins
	cost := func(ofFile float64) float64 {
		sum := rest
		for _, b := range files {
			spread := ofFile + ofBin/b.bins
			sum += math.Log(spread) + b.mean*b.mean/spread
		}
		return sum / 2
	}
	least, best := cost(0), 0.0
	for ofFile := 1e-5; ofFile < 10; ofFile *= 10 {
		if c := cost(ofFile); c < least {
			least, best = c, ofFile
		}
	}
	for step := 3.0; step > 1.2 && best > 0; step = math.Sqrt(step) {
		for _, ofFile := range []float64{best / step, best * step} {
			if c := cost(ofFile); c < least {
				least, best = c, ofFile
			}
		}
	}
	return least
}

// block is the bins of one file within a level.
type block struct{ bins, mean float64 }
