package compare

import (
	"fmt"
	"math"

	"github.com/hubbench/hubbench/pkg/latency"
	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/quantile"
	"github.com/hubbench/hubbench/pkg/stats"
)

const (
	// shortNS is the time under which a latency line is counted with the one before.
	shortNS = 500_000_000
	// leastStep is the least change of the share of slow requests by which the slope of a quantile is read off.
	leastStep = 0.05
	// manyUnits is the number of seconds from which all waves of their series tell its error, and not the slowest alone. A
	// second is a long step beside the memory of a disk's noise, so that in a shorter series the faster waves hold little
	// but what was averaged over: with them equal runs of 30 s whose noise lasts 2 to 5 s are told apart in 10 to 16 % of
	// comparisons of four quantiles, without them in 1.4 %. Resampling blocks of seconds (Künsch, "The Jackknife and the
	// Bootstrap for General Stationary Observations", Annals of Statistics 17, 1989), the usual way with quantiles, takes
	// each fourth to third such pair for different, for it needs far longer series than a phase is.
	manyUnits = 100
)

// requests are a disk's in the window, line by line.
type requests struct {
	all   *latency.Histogram
	units [][]latency.Counts // of about a second: those of one latency line, or of a short one with it
}

// requests are those of a disk that ended in the window. They are nil where the trace has none.
func (p part) requests(disk string) *requests {
	d := p.traced.Disk(disk)
	if d == nil || len(d.Latencies) == 0 {
		return nil
	}
	r := &requests{all: latency.New()}
	lines := quantile.Lines(d, overlap.Active(d, overlap.DefaultGapNS))
	for _, l := range quantile.Within(lines, p.window) {
		r.all.AddCounts(l.Hist)
		if last := len(r.units) - 1; last >= 0 && l.EndNS-l.StartNS < shortNS {
			r.units[last] = append(r.units[last], l.Hist)
		} else {
			r.units = append(r.units, []latency.Counts{l.Hist})
		}
	}
	return r
}

// doubt says why a quantile that one request in n exceeds cannot be judged, empty where it can.
func (r *requests) doubt(n int64) string {
	switch {
	case r.all.N() < quantile.MinRequests(n):
		return fmt.Sprintf("only %d requests ended in the overlap, and %d are needed", r.all.N(), quantile.MinRequests(n))
	case len(r.units) < stats.MinBins:
		return fmt.Sprintf("the overlap has only %d seconds of latencies, and %d are needed", len(r.units), stats.MinBins)
	default:
		return ""
	}
}

// quantile is the spectrum of the logarithm of the time that one request in n exceeds.
//
// Requests of the same second go together, and so do neighbouring seconds, so the unit is the second: by how much more
// of its requests exceed the quantile than of all of them. That is a series as the rates of a second are, and its mean's
// error is told in the same way. What it means for the quantile is read off the histogram, over the steps that the share
// of slow requests may be off by, one standard error or two (Woodruff, "Confidence Intervals for Medians and Other Position
// Measures", Journal of the American Statistical Association 47, 1952; Francisco and Fuller, "Quantile Estimation with a
// Complex Survey Design", Annals of Statistics 19, 1991): one that lies near the gap between two humps may come to lie
// beyond it.
func (r *requests) quantile(n int64) stats.Spectrum {
	tail := latency.Tails(r.units, r.all, 1/float64(n))[0]
	slow := make([]float64, len(tail.Above)) // over what a second has of slow requests on average
	for i, above := range tail.Above {
		slow[i] = above / tail.Share
	}
	known := stats.MinBins
	if len(slow) >= manyUnits {
		known = len(slow)
	}
	slope := 0.0
	if e, ok := stats.NewSpectrum(slow, known).Error(); ok {
		slope = max(r.slope(tail.Share, e.SE()), r.slope(tail.Share, 2*e.SE()))
	}
	for i := range slow {
		slow[i] = math.Log(float64(max(tail.NS, 1))) + slope*slow[i]
	}
	return stats.NewSpectrum(slow, known)
}

// slope is by how much the logarithm of a quantile grows with that of the share of requests that exceed it, about a share
// and over a step to either side.
func (r *requests) slope(share, step float64) float64 {
	many := min(share*math.Exp(max(step, leastStep)), (1+share)/2)
	few := share * share / many
	high, low := r.all.Quantile(1-few), r.all.Quantile(1-many)
	return (math.Log(float64(max(high, 1))) - math.Log(float64(max(low, 1)))) / math.Log(many/few)
}

// at is the time that one request in n exceeds.
func (r *requests) at(n int64) int64 { return r.all.Quantile(1 - 1/float64(n)) }
