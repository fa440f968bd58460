package ledger

import (
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/stats"
)

// noise is what levels leave of a series: it has a memory, or a part of it is new in each file.
type noise struct {
	cost            float64 // cost is the negative log likelihood.
	variance        float64 // variance is that of what is new in each bin.
	memory          float64 // memory is the correlation of neighbouring bins.
	fileVariance    float64 // fileVariance is that of what is new in each file.
	fileCorrelation float64 // fileCorrelation is that of a file with the next.
}

// ofMean returns the variance of the mean over ranges of bins, and about how many independent
// values these are worth.
func (n noise) ofMean(q *sequence, in ...[2]int) (variance, samples float64) {
	var bins float64
	for _, v := range in {
		bins += float64(v[1] - v[0])
	}
	if n.memory > 0 {
		samples = max(1, bins*(1-n.memory)/(1+n.memory))
		return n.variance / (1 - n.memory*n.memory) / samples, samples
	}
	if n.fileVariance > 0 {
		samples = q.filesIn(in...) * (1 - n.fileCorrelation) / (1 + n.fileCorrelation)
		return n.fileVariance/samples + n.variance/bins, samples
	}
	return n.variance / bins, bins
}

// noiseOf returns the noise about levels, those at either end that are too short to count among
// them. The bins of a jump are left out, for it takes some, and so are the very last bins, for no
// level is as short as that.
func (q *sequence) noiseOf(edges []int) noise {
	end := max(len(q.y)-q.bins(q.minS), min(len(q.y), q.bins(q.minS)))
	cuts := slices.Concat([]int{-jumpBins, end + jumpBins}, edges[1:max(1, len(edges)-1)],
		q.shortEnds)
	slices.Sort(cuts)
	rest := *q
	rest.file = nil
	levels := []int{0}
	var y []float64
	for i := range len(cuts) - 1 {
		from := cuts[i] + jumpBins
		to := min(cuts[i+1]-jumpBins, end)
		if from < to {
			y = append(y, q.y[from:to]...)
			rest.file = append(rest.file, q.file[from:to]...)
			levels = append(levels, len(y))
		}
	}
	rest.fileEnd = fileEnds(rest.file)
	return rest.withValues(y).noise(levels)
}

// noise returns the one of the two that explains more of what the levels leave.
func (q *sequence) noise(edges []int) noise {
	autoregressive, fileEffects := q.autoregressive(edges), q.fileEffects(edges)
	if autoregressive.cost <= fileEffects.cost {
		return autoregressive
	}
	if r, pairs := q.fileCorrelation(edges); pairs > minLevelFiles {
		fileEffects.fileCorrelation = min(max(r, 0), 0.9)
	}
	return fileEffects
}

// autoregressive returns the score of levels under noise that is a first-order autoregression.
func (q *sequence) autoregressive(edges []int) noise {
	n := float64(len(q.y))
	means := make([]float64, len(edges)-1)
	for i := range means {
		means[i] = q.mean(edges[i], edges[i+1])
	}
	var sum, phi float64
	for range 4 { // The means depend on the correlation, and the correlation on the means.
		var products, before, after float64
		for i, m := range means {
			from := edges[i]
			to := edges[i+1]
			length := float64(to - from - 1)
			first := q.sums[to-1] - q.sums[from]
			second := q.sums[to] - q.sums[from+1]
			products += q.products[to] - q.products[from+1] - m*(first+second) + length*m*m
			before += q.squares[to-1] - q.squares[from] - 2*m*first + length*m*m
			after += q.squares[to] - q.squares[from+1] - 2*m*second + length*m*m
		}
		phi = min(max(products/max(before, 1e-12), 0), 0.98)
		sum = after - 2*phi*products + phi*phi*before
		if phi > 0.97 {
			break
		}
		for i := range means {
			from := edges[i]
			to := edges[i+1]
			if to-from > 2 {
				first := q.sums[to-1] - q.sums[from]
				second := q.sums[to] - q.sums[from+1]
				means[i] = (second - phi*first) / float64(to-from-1) / (1 - phi)
			}
		}
	}
	variance := max(sum/n, minBinNoise*minBinNoise)
	// The correlation that short series show is too low (Kendall, "Note on Bias in the Estimation
	// of Autocorrelation", Biometrika 41, 1954).
	memory := min(phi+(1+3*phi)*float64(len(means))/n, 0.99)
	return noise{cost: n / 2 * math.Log(variance), variance: variance, memory: memory}
}

// fileEffects returns the noise of which a part is new in each file and the rest in each bin (a
// random-effects model: Searle, Casella and McCulloch, "Variance Components", 1992).
func (q *sequence) fileEffects(edges []int) noise {
	try := q.fileEffectsFit(edges)
	best := try(0)
	for files := 1e-5; files < 10; files *= 10 {
		if tried := try(files); tried.cost < best.cost {
			best = tried
		}
	}
	for step := 3.0; step > 1.2 && best.fileVariance > 0; step = math.Sqrt(step) {
		for _, files := range []float64{best.fileVariance / step, best.fileVariance * step} {
			if tried := try(files); tried.cost < best.cost {
				best = tried
			}
		}
	}
	return best
}

// fileEffectsFit gives that noise for a variance of files.
func (q *sequence) fileEffectsFit(edges []int) func(files float64) noise {
	type block struct{ bins, mean float64 }
	blocks := make([][]block, len(edges)-1)
	var within, ofBins float64
	count, longest := 0, 0
	for i := range blocks {
		for from, to := range q.files(edges[i], edges[i+1]) {
			b := block{float64(to - from), q.mean(from, to)}
			within += q.squares[to] - q.squares[from] - b.bins*b.mean*b.mean
			ofBins += math.Log(b.bins)
			longest = max(longest, to-from)
			count++
			blocks[i] = append(blocks[i], b)
		}
	}
	left := float64(len(q.y) - count)
	variance := max(within/max(left, 1), minBinNoise*minBinNoise)
	rest := left*math.Log(variance) + within/variance - float64(len(q.y)) + ofBins
	logs := make([]float64, longest+1) // Many files are of few lengths, so these are computed once.
	return func(files float64) noise {
		clear(logs)
		cost := rest
		for _, level := range blocks {
			var weights, weighed float64
			for _, b := range level {
				w := 1 / (files + variance/b.bins)
				weights += w
				weighed += w * b.mean
				known := &logs[int(b.bins)]
				if *known == 0 {
					*known = math.Log(w)
				}
				cost -= *known
			}
			m := weighed / weights
			for _, b := range level {
				cost += square(b.mean-m) / (files + variance/b.bins)
			}
		}
		return noise{cost: cost / 2, variance: variance, fileVariance: files}
	}
}

// outlastsFiles reports whether what levels leave shows inside files, or goes on from one file to
// the next: files that are draws do neither.
func (q *sequence) outlastsFiles(edges []int) bool {
	var within, all float64
	for i := range len(edges) - 1 {
		level := q.mean(edges[i], edges[i+1])
		for first, end := range q.files(edges[i], edges[i+1]) {
			mean := q.mean(first, end)
			for _, v := range q.y[first:end] {
				within += square(v - mean)
				all += square(v - level)
			}
		}
	}
	follows, files := q.fileCorrelation(edges)
	minCorrelation := max(minFileCorrelation, minLevelFiles/math.Sqrt(files))
	return within > minShown*all || follows > minCorrelation
}

// fileCorrelation returns the correlation of what levels leave of a file and of the next, and of
// how many pairs it is.
func (q *sequence) fileCorrelation(edges []int) (correlation, pairs float64) {
	var means, next []float64
	for i := range len(edges) - 1 {
		level := q.mean(edges[i], edges[i+1])
		last := math.NaN()
		for first, end := range q.files(edges[i], edges[i+1]) {
			mean := q.mean(first, end)
			if !math.IsNaN(last) {
				means = append(means, last-level)
				next = append(next, mean-level)
			}
			last = mean
		}
	}
	if len(means) < 2 {
		return 0, 0
	}
	return stats.Correlation(means, next), float64(len(means))
}
