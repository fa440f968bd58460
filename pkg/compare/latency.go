package compare

import (
	"fmt"
	"math"

	"github.com/hubbench/hubbench/pkg/latency"
	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/quantile"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Quantile names a quantile of a disk's latencies.
type Quantile string

// The quantiles that are compared. Rarer requests depend more on chance than on the disk.
const (
	P50 Quantile = "p50"
	P99 Quantile = "p99"
)

// oneIn is how many requests there are for each that takes longer.
func (q Quantile) oneIn() int64 {
	if q == P99 {
		return 100
	}
	return 2
}

// minLatencyError is the smallest error assumed for a difference of two quantiles, as a share: the width of a
// histogram's bucket.
const minLatencyError = 0.001

// Latency is a quantile of a disk's latencies in the window, in two runs. Times are in nanoseconds.
type Latency struct {
	Disk     string     `json:"disk"`
	Op       trace.Role `json:"op"`
	Quantile Quantile   `json:"quantile"`
	BaseNS   *int64     `json:"base_ns"`
	NewNS    *int64     `json:"new_ns"`
	Test
}

// compare fills in what the requests of two runs show.
func (l *Latency) compare(base, other *requests) {
	oneIn := l.Quantile.oneIn()
	l.Unit, l.Verdict = "second", TooLittle
	l.N = min(len(base.units), len(other.units))
	if reason := base.doubt(oneIn); reason != "" {
		l.Reason = "in the base " + reason
		return
	}
	if l.Reason = other.doubt(oneIn); l.Reason != "" {
		return
	}
	l.set(base.at(oneIn), other.at(oneIn))
	l.test(stats.Difference(base.quantile(oneIn), other.quantile(oneIn)), minLatencyError)
	if l.memory = l.evidence.Memory; l.memory > stats.MaxMemory {
		l.withhold()
	}
}

// repeat compares what the requests of several runs of either side show, or of repeats.
func (l *Latency) repeat(unit string, base, other [][]*part) {
	oneIn := l.Quantile.oneIn()
	b, n, ok := l.Test.repeat(unit, base, other, minLatencyError, func(p *part, where string) (stats.Estimate, string) {
		r := p.requests(l.Disk)
		if r == nil {
			return stats.Estimate{}, where + " has no latencies of disk " + l.Disk
		}
		if reason := r.doubt(oneIn); reason != "" {
			return stats.Estimate{}, "in " + where + " " + reason
		}
		return r.quantile(oneIn), ""
	})
	if ok {
		l.set(int64(math.Round(b)), int64(math.Round(n)))
	}
}

// set fills in what was measured.
func (l *Latency) set(base, other int64) {
	l.BaseNS, l.NewNS, l.Change = &base, &other, new(float64(max(other, 1))/float64(max(base, 1))-1)
}

const (
	// shortNS is the time below which a latency line is added to the one before.
	shortNS = 500_000_000
	// minStep is the smallest change of the share of slow requests that gives the slope of a quantile.
	minStep = 0.05
	// widened is the factor on the error of a quantile: the slow requests of few seconds vary less evenly than
	// rates do. Without it, equal runs of 30 s seem different in 5.6 % of comparisons of six quantiles.
	widened = 1.15
)

// requests are those of a disk in the window, line by line.
type requests struct {
	all   *latency.Sum
	units [][]*latency.Histogram // of about a second: those of one latency line, or of a short one with it
}

// requests are those of a disk that ended in the window; nil if the trace has none.
func (p *part) requests(disk string) *requests {
	d := p.traced.Disk(disk)
	if d == nil || len(d.Latencies) == 0 {
		return nil
	}
	r := &requests{all: latency.NewSum()}
	lines := quantile.Lines(d, overlap.Active(d, overlap.DefaultGapNS))
	for _, l := range quantile.Within(lines, p.window) {
		l.Hist.MergeInto(r.all)
		if last := len(r.units) - 1; last >= 0 && l.EndNS-l.StartNS < shortNS {
			r.units[last] = append(r.units[last], l.Hist)
		} else {
			r.units = append(r.units, []*latency.Histogram{l.Hist})
		}
	}
	return r
}

// doubt says why a quantile that one request in n exceeds cannot be judged; empty if it can.
func (r *requests) doubt(n int64) string {
	switch {
	case r.all.TotalCount() < quantile.MinRequests(n):
		return fmt.Sprintf("only %d requests ended in the overlap, and %d are needed", r.all.TotalCount(), quantile.MinRequests(n))
	case len(r.units) < stats.MinBins:
		return fmt.Sprintf("the overlap has only %d seconds of latencies, and %d are needed", len(r.units), stats.MinBins)
	default:
		return ""
	}
}

// quantile estimates the logarithm of the time that one request in n exceeds.
//
// Requests of the same second correlate, and so do neighbouring seconds, so the unit is the second: by how much
// more of its requests exceed the quantile than of all of them. That is a series like the rates per second, and
// its mean's error is estimated in the same way. The histogram turns that into an error of the quantile, over
// steps of one and two standard errors of the share of slow requests (Woodruff, "Confidence Intervals for
// Medians and Other Position Measures", Journal of the American Statistical Association 47, 1952; Francisco and
// Fuller, "Quantile Estimation with a Complex Survey Design", Annals of Statistics 19, 1991): one near the gap
// between two humps may cross it.
func (r *requests) quantile(n int64) stats.Estimate {
	tail := latency.NewTail(r.units, r.all, 1/float64(n))
	slow := make([]float64, len(tail.Above)) // over what a second has of slow requests on average
	for i, above := range tail.Above {
		slow[i] = above / tail.Share
	}
	e, _ := stats.MeanOf(slow, len(slow))
	e.SE *= widened * max(r.slope(tail.Share, e.SE), r.slope(tail.Share, 2*e.SE))
	e.Mean = math.Log(float64(max(tail.NS, 1)))
	return e
}

// slope is by how much the logarithm of a quantile grows with that of the share of requests that exceed it,
// about a share and over a step to either side.
func (r *requests) slope(share, step float64) float64 {
	many := min(share*math.Exp(max(step, minStep)), (1+share)/2)
	few := share * share / many
	high, low := r.all.ValueAtQuantile(100*(1-few)), r.all.ValueAtQuantile(100*(1-many))
	return (math.Log(float64(max(high, 1))) - math.Log(float64(max(low, 1)))) / math.Log(many/few)
}

// at is the time that one request in n exceeds.
func (r *requests) at(n int64) int64 { return r.all.ValueAtQuantile(100 * (1 - 1/float64(n))) }
