// Package quantile computes how long a disk's requests took: medians and tails with intervals that hold although neighbouring
// seconds have much in common, whether they are longer than another time's, and the heat map. It counts what package latency's
// histograms hold, and knows no phases. Start at Lines and Estimate.
package quantile

import (
	"github.com/hubbench/hubbench/pkg/latency"
	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Figures are quantiles of some requests. One is null if too few requests were slower to estimate it: see
// MinRequests. How they are worked out is said at Quantile.
type Figures struct {
	Requests int64   `json:"requests"`
	Seconds  float64 `json:"seconds"` // in which they ended: the sum over the latency lines
	P50NS    *int64  `json:"p50_ns"`
	P99NS    *int64  `json:"p99_ns"`
	P999NS   *int64  `json:"p999_ns"`
	MaxNS    int64   `json:"max_ns"`
	// 95 % confidence intervals; null if there is no figure, or if the slow requests come from too few seconds.
	P50CI95  *[2]int64 `json:"p50_ci95_ns"`
	P99CI95  *[2]int64 `json:"p99_ci95_ns"`
	P999CI95 *[2]int64 `json:"p999_ci95_ns"`
}

// MinRequests is how many requests it takes to estimate the time that one in n exceeds (100 for p99): ten must have been
// slower, or it depends on a few.
func MinRequests(n int64) int64 { return 10 * n }

// How the time of a latency line is determined.
const (
	lineNS    = 1_000_000_000 // a line is of the time since the one before, but of no more than
	maxLineNS = 1_500_000_000
	edgeNS    = 10_000_000 // of it may lie outside
)

// Line is a latency line and its time.
type Line struct {
	overlap.Interval
	Hist latency.Counts
}

// Lines are those of the disk's role; active is when the disk is.
func Lines(d *trace.DiskTrace, active []overlap.Interval) []Line {
	lines := make([]Line, 0, len(d.Latencies))
	for _, l := range d.Latencies {
		if l.Op != d.Op {
			continue
		}
		v := overlap.Interval{StartNS: l.TNS - lineNS, EndNS: l.TNS}
		if n := len(lines); n > 0 && l.TNS-lines[n-1].EndNS < maxLineNS {
			v.StartNS = lines[n-1].EndNS
		} else if len(active) > 0 && active[0].StartNS < l.TNS {
			v.StartNS = max(v.StartNS, active[0].StartNS)
		}
		lines = append(lines, Line{v, l.Hist})
	}
	return lines
}

// Within are the lines of which no more than edgeNS lies outside all of the intervals, which are disjoint and ascending,
// as the lines are.
func Within(lines []Line, intervals []overlap.Interval) []Line {
	var in []Line
	k := 0
	for _, l := range lines {
		for k < len(intervals) && intervals[k].EndNS+edgeNS < l.EndNS {
			k++
		}
		if k < len(intervals) && intervals[k].StartNS-edgeNS <= l.StartNS {
			in = append(in, l)
		}
	}
	return in
}

// requests are those of some latency lines together.
type requests struct {
	latency.Histogram
	seconds float64
}

// gatherRequests counts the lines' requests.
func gatherRequests(lines []Line) *requests {
	r := &requests{}
	for _, l := range lines {
		r.AddCounts(l.Hist)
		r.seconds += l.Seconds()
	}
	return r
}

// Estimate returns the figures of the lines' requests, and the quantiles: p50, p99, p99.9.
func Estimate(lines []Line) (Figures, []*Quantile) {
	r := gatherRequests(lines)
	f := Figures{Requests: r.N(), Seconds: r.seconds, MaxNS: r.MaxNS()}
	found := quantiles(lines, r, 2, 100, 1000)
	for i, to := range []struct {
		ns       **int64
		interval **[2]int64
	}{{&f.P50NS, &f.P50CI95}, {&f.P99NS, &f.P99CI95}, {&f.P999NS, &f.P999CI95}} {
		if q := found[i]; q != nil {
			*to.ns, *to.interval = &q.NS, q.interval()
		}
	}
	return f, found
}
