package size

import (
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/stats"
)

// These thresholds were tuned on the classes of noise and the bursts of package tracetest.
const (
	// minModeFiles is how many files it takes to look for two groups.
	minModeFiles = 10
	// Two groups are of no interest unless the faster one is this many times as fast.
	modesApart = 1.3
	// Each group must hold at least this share of the files.
	minorGroup = 0.25
	// In random order, files of one group seldom follow one another more often than expected by
	// this many standard deviations, or less often by the other.
	maxRuns  = 2
	maxTurns = 3
)

// Modes are two groups into which the rates of files at equal conditions fall.
type Modes struct {
	Rates [2]float64 // Rates are the medians of the groups.
	P     float64    // P is the chance of as deep a gap if there is one group.
	// Clear says that the groups are far apart and large, and that files alternate at random.
	Clear bool
}

// FindModes splits the rates of at least minModeFiles files where the two halves vary least, and
// compares how many lie midway with how many lie as near to either median: in one group no fewer
// lie midway than about the rarer of the two, so the chance of so few is at most binomial. Groups
// that follow one another in time, as in bursts, swings and levels, are no modes: in random order a
// file's group says nothing of the next one's, and their correlation has a standard error of one
// over the root of the number of files (Anderson, "Distribution of the Serial Correlation
// Coefficient", Annals of Mathematical Statistics 13, 1942). It returns nil for fewer files.
func FindModes(files []Transfer) *Modes {
	files = thinned(files)
	line, _ := stats.FitCost(sizesAndTimes(files))
	_, rates := ratesWithoutCost(files, line, 0)
	if len(rates) < minModeFiles {
		return nil
	}
	sorted := slices.Sorted(slices.Values(rates))
	cut := stats.Split(sorted, 1)
	slow := stats.Median(sorted[:cut])
	fast := stats.Median(sorted[cut:])
	near := func(rate float64) (count int) {
		for _, r := range rates {
			if math.Abs(r-rate) <= (fast-slow)/6 { // The three ranges touch.
				count++
			}
		}
		return count
	}
	midway := near((slow + fast) / 2)
	fewer := min(near(slow), near(fast))
	isFast := make([]float64, len(rates))
	for i, r := range rates {
		if r >= sorted[cut] {
			isFast[i] = 1
		}
	}
	n := float64(len(rates))
	serial := stats.Correlation(isFast[1:], isFast[:len(isFast)-1]) * math.Sqrt(n)
	minor := min(cut, len(rates)-cut)
	return &Modes{
		Rates: [2]float64{math.Exp(slow), math.Exp(fast)},
		P:     stats.BinomialTail(midway+fewer, fewer, 0.5),
		Clear: fast-slow >= math.Log(modesApart) &&
			minor >= MinFiles && float64(minor) >= minorGroup*n &&
			-maxTurns <= serial && serial <= maxRuns,
	}
}
