package size

import (
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/stats"
)

// These thresholds were tuned on the classes of noise and the bursts of package tracetest.
const (
	// FewestModes is how many files it takes to look for two groups.
	FewestModes = 10
	// Two groups are of no interest unless the faster one is this many times as fast.
	modesApart = 1.3
	// Each group must hold at least this share of the files.
	minorGroup = 0.25
	// Files in random order seldom have fewer runs than expected by this many standard deviations,
	// or more by the other.
	fewerRuns, moreRuns = 2, 3
)

// Modes are two groups into which the rates of files at equal conditions fall.
type Modes struct {
	Rates [2]float64 // the median of each group
	P     float64    // chance of as deep a gap between them if there is one group
	Clear bool       // the groups are far apart, both are large, and the files change between them in random order
}

// FindModes splits the rates of at least FewestModes files where the two halves vary least, and
// compares how many lie midway with how many lie as near to either median: in one group no fewer
// lie midway than about the rarer of the two, so the chance of so few is at most binomial. Groups
// that follow one another in time, as in bursts, swings and levels, are no modes: these have fewer
// runs than files in random order, or more (Wald and Wolfowitz, "On a Test Whether Two Samples are
// from the Same Population", Annals of Mathematical Statistics 11, 1940). It returns nil for fewer
// files.
func FindModes(files []File) *Modes {
	files = thinned(files)
	line, _ := stats.FitCost(sizesAndTimes(files))
	_, rates := ratesWithoutCost(files, line, 0)
	if len(rates) < FewestModes {
		return nil
	}
	sorted := slices.Clone(rates)
	slices.Sort(sorted)
	cut := stats.Split(sorted, 1)
	slow, fast := stats.Quantile(sorted[:cut], 0.5), stats.Quantile(sorted[cut:], 0.5)
	near := func(rate float64) (count int) {
		for _, r := range rates {
			if math.Abs(r-rate) <= (fast-slow)/6 { // so the three ranges touch
				count++
			}
		}
		return count
	}
	midway, fewer := near((slow+fast)/2), min(near(slow), near(fast))
	m := &Modes{Rates: [2]float64{math.Exp(slow), math.Exp(fast)}}
	m.P = stats.BinomialTail(midway+fewer, fewer, 0.5)
	minor := min(cut, len(sorted)-cut)
	m.Clear = fast-slow >= math.Log(modesApart) && minor >= MinFiles &&
		float64(minor) >= minorGroup*float64(len(rates)) && inRandomOrder(rates, sorted[cut])
	return m
}

// inRandomOrder reports whether values change between those below a limit and the others about as
// often as in random order.
func inRandomOrder(values []float64, limit float64) bool {
	n, below, runs := float64(len(values)), 0.0, 1.0
	for i, v := range values {
		if v < limit {
			below++
		}
		if i > 0 && (v < limit) != (values[i-1] < limit) {
			runs++
		}
	}
	pairs := 2 * below * (n - below)
	deviation := math.Sqrt(pairs * (pairs - n) / (n * n * (n - 1)))
	off := (runs - pairs/n - 1) / deviation
	return -fewerRuns <= off && off <= moreRuns
}
