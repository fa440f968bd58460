package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// The steady state after SNIA's Solid State Storage Performance Test Specification (PTS 2.0.2,
// 2020): of the last five rounds the range is at most 20 % of their average, and along the line
// that fits them best the rate changes by at most 10 % of it. SNIA's rounds are a minute long and
// chosen so that noise hardly shows; windows may be shorter.
const (
	SteadyWindows    = 5 // So many rates are judged together.
	steadyRange      = 0.20
	steadyChange     = 0.10
	steadyChance     = 0.002 // Noise makes a change of that size look smaller at this rate.
	maxSteadyWindows = 40    // The change is judged by so many windows at most.
)

// Steady reports whether rates, of windows of one length, are steady at the last, and from which of
// them on.
//
// It is SNIA's rule made safe against noise: a line through five noisy values is flat now and then
// while the rate falls. So the change must be at most 10 % by the upper bound of its interval, and
// if five windows are too noisy to bound it so closely, more of them are taken: the fewest that do.
// They must be of one level: a line through many windows before a step and a few after it falls
// slowly too.
func Steady(rates []float64) (since int, ok bool) {
	if !afterPTS(rates) {
		return 0, false
	}
	for since = len(rates) - SteadyWindows; since >= max(0, len(rates)-maxSteadyWindows); since-- {
		mean, change, doubt := drift(rates[since:])
		if !oneLevel(rates[since:]) {
			break
		}
		if change+doubt <= steadyChange*mean {
			return since, true
		}
	}
	return 0, false
}

// SteadySince reports whether rates are steady at the last window, and from which one on they have
// been without a break. They are of one level from there on: rates that fall slowly enough to be
// called steady all the time are not those of long ago.
func SteadySince(rates []float64) (since int, ok bool) {
	since, ok = Steady(rates)
	for n := len(rates) - 1; ok; n-- {
		earlier, steady := Steady(rates[:n])
		if !steady || !oneLevel(rates[min(since, earlier):]) {
			break
		}
		since = min(since, earlier)
	}
	return since, ok
}

// oneLevel reports whether the last five of some windows have, on average, the rate of all of them,
// within the change that the rule allows.
func oneLevel(rates []float64) bool {
	mean := Mean(rates)
	return math.Abs(Mean(rates[len(rates)-SteadyWindows:])-mean) <= steadyChange*mean
}

// afterPTS reports whether the last five of some rates keep SNIA's rule as it is written.
func afterPTS(rates []float64) bool {
	if len(rates) < SteadyWindows {
		return false
	}
	last := rates[len(rates)-SteadyWindows:]
	mean, change, _ := drift(last)
	return mean > 0 && slices.Max(last)-slices.Min(last) <= steadyRange*mean &&
		change <= steadyChange*mean
}

// Fell reports whether the rates from a window on are, on average, clearly below the highest one
// before: by a fifth.
func Fell(rates []float64, since int) bool {
	return since > 0 && Mean(rates[since:]) <= 0.8*slices.Max(rates[:since])
}

// drift returns the mean of some windows, by how much the line that fits them best changes over
// five of them, and how much more that may be in truth: the one-sided bound of a slope with
// independent errors (Student's t with n-2 degrees of freedom).
func drift(rates []float64) (mean, change, doubt float64) {
	n := float64(len(rates))
	windows := floats.Span(make([]float64, len(rates)), 0, n-1)
	intercept, slope := stat.LinearRegression(windows, rates, nil, false)
	var squares float64
	for i, r := range rates {
		off := r - intercept - slope*windows[i]
		squares += off * off
	}
	const span = SteadyWindows - 1
	se := math.Sqrt(squares / (n - 2) / (n * (n*n - 1) / 12))
	return Mean(rates), span * math.Abs(slope), span * se * StudentQuantile(1-steadyChance, n-2)
}
