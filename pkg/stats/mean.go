package stats

import (
	"math"
)

// The thresholds of intervals. They were tuned on those noise classes of internal/test/tracetest
// that are marked as tuned, in phases of 30 s, seeds 1 and 2.
const (
	// MinBins is the minimum number of values that the error of a mean is estimated from.
	MinBins = 8
	// slowWaves is B, the number of cosines that an error comes from. More of them narrow
	// intervals, but hold the truth less often if noise lasts: 5 hold it in 95 % of all classes.
	slowWaves = 5
	// fittedWaves is the maximum number of cosines that the noise's memory is fitted to. Faster
	// ones say nothing of a memory that is worth knowing.
	fittedWaves = 40
	// maxMemory is the share of a series from which on its noise lasts too long for an interval.
	// With a memory of that length, 91 % of the intervals from 5 cosines hold the truth; with more,
	// fewer do.
	maxMemory = 0.1
	// memoryLogs is by how much the log likelihood of a longer memory may be lower than the best
	// one so that intervals allow for it. One is a standard error and a half.
	memoryLogs = 1
	// longestAllowed is the longest memory that intervals allow for. One of that share of a series
	// is fitted as less than maxMemory in half of the cases.
	longestAllowed = 0.15
	// byFiles is the share of an error that allows for a long memory from which on the differences
	// between files explain it: then noise lasts as long as a file, and has no memory.
	byFiles = 0.55
	// minItems is the minimum number of files that the differences between files are estimated
	// from.
	minItems = 3
	// maxSizeRatio is how many times as large as another a file may be and still be compared with
	// it.
	maxSizeRatio = 50
	// costRange is how many times as large as the smallest the largest file must be to show what
	// each costs.
	costRange = 2
)

// MeanOf estimates how far the mean of the time series x may be from that of a longer one. Only
// known of its values were measured separately from their neighbours. It is false if that is too
// few.
//
// The error comes from the slowest cosines that x contains (Müller, "A Theory of Robust Long-Run
// Variance Estimation", Journal of Econometrics 141, 2007, and Lazarus, Lewis, Stock and Watson,
// "HAR Inference: Recommendations for Practice", Journal of Business & Economic Statistics 36,
// 2018): under noise that lasts much shorter than the series, each of them varies as the mean does,
// times the root of the number of values, and independently of it. So the mean has Student's t with
// as many degrees of freedom as cosines. Noise that lasts longer makes the mean vary more than the
// cosines; the error is raised by as much as the longest memory asks for that the series leaves
// plausible.
func MeanOf(x []float64, known int) (Estimate, bool) {
	n := float64(len(x))
	waves := cosines(x, min(fittedWaves, len(x)-1, known-1))
	if len(waves) < MinBins-1 {
		return Estimate{Mean: Mean(x)}, false
	}
	likely, longest := fitMemory(waves)
	longest = min(longest, longestAllowed)
	var squares, expected float64
	for j, wave := range waves[:slowWaves] {
		squares += wave * wave
		expected += waveVariance(j, longest)
	}
	// The variance of the mean of noise with a memory, over that of noise without one.
	ofMean := 1 - longest*(1-math.Exp(-1/longest))
	return Estimate{Mean: Mean(x), SE: math.Sqrt(squares / expected * ofMean / n),
		DegreesOfFreedom: slowWaves,
		Memory:           likely}, true
}

// cosines returns the cosine transform of x: the first wave takes half a period along x, the second
// one a whole.
func cosines(x []float64, count int) []float64 {
	n := float64(len(x))
	mean := Mean(x)
	waves := make([]float64, max(0, count))
	// Chebyshev's recurrence gives the next value of each cosine from the two before. Its error
	// grows with the square of n: it is 7e-7 for a million values.
	before, now, twice := make([]float64, len(waves)), make([]float64, len(waves)),
		make([]float64, len(waves))
	for j := range waves {
		step := math.Pi * float64(j+1) / n
		before[j] = math.Cos(step / 2)
		now[j] = math.Cos(step / 2)
		twice[j] = 2 * math.Cos(step)
	}
	for _, v := range x {
		for j := range waves {
			waves[j] += (v - mean) * now[j]
			before[j], now[j] = now[j], twice[j]*now[j]-before[j]
		}
	}
	for j := range waves {
		waves[j] *= math.Sqrt(2 / n)
	}
	return waves
}

// waveVariance is that of the cosine j of a first-order autoregression whose memory is a share of
// the series, over the variance of the cosines that are slow beside the memory.
func waveVariance(j int, memory float64) float64 {
	turn := math.Pi * float64(j+1) * memory
	return 1 / (1 + turn*turn)
}

// fitMemory fits a first-order autoregression to cosines by its likelihood (Whittle, "Estimation
// and Information in Stationary Time Series", Arkiv för Matematik 2, 1953). Memories are shares of
// the series, after which the correlation has fallen to 1/e: the likely one, and the longest that
// is plausible.
func fitMemory(waves []float64) (likely, longest float64) {
	const shortest, ratio = 0.005, 1.2
	best := math.Inf(1)
	for memory := shortest; memory < 1; memory *= ratio {
		var squares, logs float64
		for j, wave := range waves {
			variance := waveVariance(j, memory)
			squares += wave * wave / variance
			logs += math.Log(variance)
		}
		if squares == 0 {
			return 0, 0
		}
		cost := logs/2 + float64(len(waves))/2*math.Log(squares)
		if cost < best {
			best, likely = cost, memory
		}
		if cost <= best+memoryLogs {
			longest = memory
		}
	}
	return likely, longest
}
