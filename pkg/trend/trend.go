// Package trend finds since when a rate that is measured again and again has been another:
// stretches of runs between change points, each with its mean and what the runs vary by. Start at
// Stretches.
package trend

import (
	"math"
	"time"

	"github.com/hubbench/hubbench/pkg/compare"
	"github.com/hubbench/hubbench/pkg/ledger"
	"github.com/hubbench/hubbench/pkg/stats"
)

// Point is the rate of one run.
type Point struct {
	Run     string
	Started time.Time
	Rate    float64
}

// HostSeries is the stretches of one host's runs.
type HostSeries struct {
	Host      string    `json:"host"` // Host is empty if it is not known.
	Stretches []Stretch `json:"stretches"`
	Points    []Point   `json:"-"` // Points are its runs, in order of time.
	// Outcome is that of a gate: whether the last stretch is lower than the one before by more than
	// its limit.
	Outcome compare.FallOutcome `json:"outcome,omitempty"`
}

// Change is that of the last stretch against the one before; 0 if there is one stretch, or if it
// only took the change before it back: the 95 % intervals of the levels before both and after both
// overlap.
func (s *HostSeries) Change() float64 {
	n := len(s.Stretches)
	if n > 2 {
		before, after := s.Stretches[n-3].Interval, s.Stretches[n-1].Interval
		if before[0] <= after[1] && after[0] <= before[1] {
			return 0
		}
	}
	return s.Stretches[n-1].Change
}

// Stretch is runs with one rate.
type Stretch struct {
	From  time.Time `json:"from"` // From is when the first run began.
	To    time.Time `json:"to"`   // To is when the last one began.
	First string    `json:"run"`  // First is the first run: the change came before it.
	Runs  int       `json:"runs"`
	Mean  float64   `json:"rate"`
	// Interval is the mean's, by how the runs differ; nil of one run.
	Interval *stats.Interval `json:"ci95,omitempty"`
	// Change is the mean's against the stretch before; 0 of the first.
	Change float64  `json:"change"`
	With   []string `json:"with,omitempty"` // With changed in the first run too.

	runs []compare.Measurements // the rate of each, as its only value
}

// Against gives each series the outcome of a gate (compare.Judge): whether its last stretch is
// lower than the one before by more than a limit, a share, by Student's t with the variance of
// both. Without a change it is not, unless there are too few runs to see one.
func Against(list []HostSeries, limit float64) {
	above := make([]*stats.Estimate, len(list))
	for i, s := range list {
		n := len(s.Stretches)
		last := s.Stretches[n-1]
		switch {
		case n == 1 && last.Runs >= 2*minRuns || n > 1 && s.Change() >= 0:
			above[i] = &stats.Estimate{Mean: 1} // no fall, for certain
		case n > 1:
			var key compare.MeasurementKey
			before := s.Stretches[n-2].runs
			e := compare.NewVariation(compare.FromRuns, false, before, last.runs).Difference(key,
				compare.Values(before, key), compare.Values(last.runs, key))
			e.Mean -= math.Log1p(-limit)
			above[i] = &e
		}
	}
	outcomes, _ := compare.Judge(above)
	for i, outcome := range outcomes {
		list[i].Outcome = outcome
	}
}

const (
	// minRuns is the number of runs in a stretch at least, for one odd run is no trend.
	minRuns = 3
	// falseChangeRate is how likely noise may set two neighbouring stretches apart: about that of
	// three standard errors of a normal distribution. It leaves a change in fewer than 2 of 100
	// quiet series of 6 to 300 runs; those that it was chosen by have other seeds than TestNoise.
	falseChangeRate = 0.001
)

// Stretches cuts the runs of one of so many series where their rate changes. Points must be in
// order of time. The chance is divided by the number of series (Bonferroni's correction), or in a
// fleet of dozens one steady bench would often be said to have changed. One is in 1 to 4 of 100
// fleets of 3 to 100 steady benches with 60 runs each.
func Stretches(points []Point, series int) []Stretch {
	if len(points) == 0 {
		return nil
	}
	rates := make([]float64, len(points))
	for i, p := range points {
		rates[i] = p.Rate
	}
	edges := append(ledger.Levels(rates, minRuns, falseChangeRate/float64(series)), len(points))
	var out []Stretch
	from := 0
	for _, to := range edges {
		s := Stretch{
			From: points[from].Started, To: points[to-1].Started,
			First: points[from].Run, Runs: to - from, Mean: stats.Mean(rates[from:to]),
		}
		var repeats []stats.Estimate
		for _, rate := range rates[from:to] {
			repeats = append(repeats, stats.Estimate{Mean: rate})
			log := stats.Estimate{Mean: max(rate, 1)}.Log()
			s.runs = append(s.runs, compare.Measurements{{}: log})
		}
		if s.Runs > 1 {
			s.Interval = new(stats.Pool(repeats, stats.Prior{}).Interval())
		}
		if from > 0 {
			s.Change = s.Mean/max(1, out[len(out)-1].Mean) - 1
		}
		out = append(out, s)
		from = to
	}
	return out
}
