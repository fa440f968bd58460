// Package trend finds since when a rate that is measured again and again has been another: stretches of runs between
// change points, each with its mean and what the runs vary by. Start at Of.
package trend

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/hubbench/hubbench/pkg/stats"
)

// Point is the rate of one run.
type Point struct {
	Run     string
	Started time.Time
	Rate    float64
}

// Stretch is runs with one rate.
type Stretch struct {
	From     time.Time       `json:"from"` // when the first run began
	To       time.Time       `json:"to"`   // when the last one began
	First    string          `json:"run"`  // the first: the change came before it
	Runs     int             `json:"runs"`
	Mean     float64         `json:"rate"`
	Interval *stats.Interval `json:"ci95,omitempty"` // of the mean, by how the runs differ; nil of one run
	Change   float64         `json:"change"`         // of the mean against the stretch before; 0 of the first
}

const (
	minRuns = 3 // a stretch is of no fewer, for one odd run is no trend
	// A change must lower the squared error by so many variances, times the logarithm of the number of runs: twice what
	// Schwarz's criterion asks for ("Estimating the dimension of a model", 1978), which leaves a false change in about
	// 2 of 100 series of 10 to 300 runs (TestNoise).
	penalty = 4
	// minT is the smallest t statistic of a change by the noise of the two stretches at its sides.
	minT = 4
	// least is the share of the rate that runs vary by at least: what cannot be told from rounding is no noise.
	least = 1e-4
)

// Of cuts the runs, in order of time, where their rate changes. How much runs vary is taken from the differences of
// neighbours, of which few hold a change.
func Of(points []Point) []Stretch {
	if len(points) == 0 {
		return nil
	}
	points = slices.Clone(points)
	slices.SortStableFunc(points, func(a, b Point) int { return cmp.Or(a.Started.Compare(b.Started), cmp.Compare(a.Run, b.Run)) })
	x := make([]float64, len(points))
	for i, p := range points {
		x[i] = p.Rate
	}
	var apart []float64
	for i := range x[1:] {
		apart = append(apart, math.Abs(x[i+1]-x[i]))
	}
	starts := []int{0}
	if len(apart) > 0 {
		deviation := max(stats.Median(apart)/(0.6745*math.Sqrt2), least*math.Abs(stats.Median(x)))
		n := float64(len(x)) // 12/n is for what a median of few differences may be off by
		starts = stats.Segments(x, minRuns, penalty*deviation*deviation*math.Log(n)*(1+12/n))
	}
	starts = local(x, starts)
	var out []Stretch
	for k, from := range starts {
		to := len(x)
		if k+1 < len(starts) {
			to = starts[k+1]
		}
		s := Stretch{
			From: points[from].Started, To: points[to-1].Started, First: points[from].Run, Runs: to - from, Mean: stats.Mean(x[from:to]),
		}
		if s.Runs > 1 {
			free := float64(s.Runs - 1)
			half := stats.StudentQuantile(0.975, free) * math.Sqrt(squares(x[from:to], s.Mean)/free/float64(s.Runs))
			s.Interval = &stats.Interval{s.Mean - half, s.Mean + half}
		}
		if k > 0 && out[k-1].Mean != 0 {
			s.Change = s.Mean/out[k-1].Mean - 1
		}
		out = append(out, s)
	}
	return out
}

// local merges neighbouring stretches whose difference is within the noise on both sides. A rate that has hit a limit
// varies less from then on, so the differences of neighbours over all runs understate the noise of the runs before. The
// error is the larger of Welch's, by each side's own noise, and of the one by the noise of both: the first is too small
// where a side has few runs, the second where one side is long and quiet.
func local(x []float64, starts []int) []int {
	starts = slices.Clone(starts)
	for {
		ends := append(slices.Clone(starts[1:]), len(x))
		weakest, at := math.Inf(1), 0
		for k := 1; k < len(starts); k++ {
			before, after := x[starts[k-1]:starts[k]], x[starts[k]:ends[k]]
			a, b, n, m := stats.Mean(before), stats.Mean(after), float64(len(before)), float64(len(after))
			floor := least * math.Abs(a) * least * math.Abs(a)
			va, vb := max(squares(before, a)/(n-1), floor), max(squares(after, b)/(m-1), floor)
			pooled := (va*(n-1) + vb*(m-1)) / (n + m - 2)
			if t := math.Abs(b-a) / math.Sqrt(max(va/n+vb/m, pooled*(1/n+1/m))); t < weakest {
				weakest, at = t, k
			}
		}
		if weakest >= minT {
			return starts
		}
		starts = slices.Delete(starts, at, at+1)
	}
}

func squares(x []float64, mean float64) (sum float64) {
	for _, v := range x {
		sum += (v - mean) * (v - mean)
	}
	return sum
}
