package compare

import (
	"fmt"
	"math"

	"github.com/hubbench/hubbench/pkg/analysis"
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

// minLatencyError is the smallest error assumed for a difference of two quantiles, as a share: the width of a histogram's
// bucket.
const minLatencyError = 0.001

// Latency is a quantile of a disk's latencies in the window, in two runs. Times are in nanoseconds.
type Latency struct {
	Disk      string             `json:"disk"`
	Op        trace.Role         `json:"op"`
	Quantile  Quantile           `json:"quantile"`
	BaseNS    *int64             `json:"base_ns"`
	NewNS     *int64             `json:"new_ns"`
	Change    *float64           `json:"change"`  // new / base - 1
	CI95      *analysis.Interval `json:"ci95"`    // of the change, by itself
	Interval  *analysis.Interval `json:"ci_holm"` // of the change, as the verdict is
	Unit      string             `json:"unit"`    // of the evidence: second, or run
	N         int                `json:"n"`       // units, in the run that has fewer
	P         *float64           `json:"p"`
	Corrected *float64           `json:"p_holm"` // among the latencies
	Verdict   Verdict            `json:"verdict"`
	Reason    string             `json:"reason,omitempty"` // for too little data

	evidence stats.Estimate // of the logarithm of new / base
}

// latencies compares the disks whose latencies both runs have.
func latencies(b, n part, disks []string) []Latency {
	var list []Latency
	for _, disk := range disks {
		base, other := b.requests(disk), n.requests(disk)
		if base == nil || other == nil {
			continue
		}
		for _, q := range []Quantile{P50, P99} {
			l := Latency{Disk: disk, Op: b.found.Roles[disk], Quantile: q, Unit: "second", Verdict: TooLittle}
			l.compare(base, other)
			list = append(list, l)
		}
	}
	return list
}

// compare fills in what the requests of two runs show.
func (l *Latency) compare(base, other *requests) {
	oneIn := l.Quantile.oneIn()
	l.N = min(len(base.units), len(other.units))
	if reason := base.doubt(oneIn); reason != "" {
		l.Reason = "in the base " + reason
		return
	}
	if l.Reason = other.doubt(oneIn); l.Reason != "" {
		return
	}
	l.set(base.at(oneIn), other.at(oneIn))
	if d, ok := stats.Difference(base.quantile(oneIn), other.quantile(oneIn)); ok {
		l.test(d)
	}
}

// repeat replaces the evidence of the first runs by that of all runs.
func (l *Latency) repeat(base, other []part) {
	b, faultB := l.measured(base)
	n, faultN := l.measured(other)
	*l = Latency{Disk: l.Disk, Op: l.Op, Quantile: l.Quantile, Unit: "run", Verdict: TooLittle}
	d, ok := stats.RepeatedDifference(b, n)
	if faultB+faultN != "" || !ok {
		l.Reason = max(faultB, faultN)
		return
	}
	l.N = min(len(b), len(n))
	l.set(int64(math.Round(geometricMean(b))), int64(math.Round(geometricMean(n))))
	l.test(d)
}

// measured is the logarithm of the quantile in each of the runs, or why it is not known in some.
func (l *Latency) measured(parts []part) (list []stats.Repeat, fault string) {
	for i, p := range parts {
		r := p.requests(l.Disk)
		switch {
		case r == nil:
			return nil, fmt.Sprintf("run %d of a side has no latencies of disk %s", i+1, l.Disk)
		case r.doubt(l.Quantile.oneIn()) != "":
			return nil, fmt.Sprintf("in run %d of a side %s", i+1, r.doubt(l.Quantile.oneIn()))
		}
		e, _ := r.quantile(l.Quantile.oneIn()).Error()
		list = append(list, stats.Repeat{Mean: math.Log(float64(max(1, r.at(l.Quantile.oneIn())))), SE: e.SE()})
	}
	return list, ""
}

// set fills in what was measured.
func (l *Latency) set(base, other int64) {
	change := float64(max(other, 1))/float64(max(base, 1)) - 1
	l.BaseNS, l.NewNS, l.Change = &base, &other, &change
}

// test fills in what the difference of the logarithms says.
func (l *Latency) test(difference stats.Estimate) {
	if difference.SE() < minLatencyError {
		difference = stats.Certain(difference.Mean, minLatencyError)
	}
	p := difference.P()
	l.evidence, l.P = difference, &p
}

// eachLatency goes over all latencies.
func (c *Comparison) eachLatency(do func(*Latency)) {
	for i := range c.Pairs {
		for j := range c.Pairs[i].Phases {
			list := c.Pairs[i].Phases[j].Latencies
			for k := range list {
				do(&list[k])
			}
		}
	}
}

// poolLatencies estimates how long noise lasts from all latencies.
func (c *Comparison) poolLatencies() {
	var evidence []*stats.Estimate
	c.eachLatency(func(l *Latency) {
		if l.P != nil {
			evidence = append(evidence, &l.evidence)
		}
	})
	stats.Pool(evidence)
}

// judgeLatencies corrects the tests of latencies for their number and gives the verdicts. They are corrected by themselves:
// verdicts on rates must not depend on whether latencies were recorded as well.
func (c *Comparison) judgeLatencies() {
	var tested []*Latency
	var chances, weights []float64
	c.eachLatency(func(l *Latency) {
		chance := 1.0
		if l.P != nil {
			chance = l.evidence.P()
			ci := l.evidence.Interval()
			l.P, l.CI95 = &chance, &analysis.Interval{math.Expm1(ci[0]), math.Expm1(ci[1])}
		}
		tested, chances, weights = append(tested, l), append(chances, chance), append(weights, 1)
	})
	c.LatencyTests = len(tested)
	levels := stats.HolmLevels(chances, weights, Chance)
	for i, p := range stats.Holm(chances, weights) {
		l := tested[i]
		if l.P == nil {
			continue
		}
		l.Corrected, l.Verdict = &p, verdict(p, *l.Change, Longer, Shorter)
		l.Interval = interval(l.evidence, levels[i], p, *l.Change)
	}
}

const (
	// shortNS is the time below which a latency line is added to the one before.
	shortNS = 500_000_000
	// minStep is the smallest change of the share of slow requests that gives the slope of a quantile.
	minStep = 0.05
	// manyUnits is the number of seconds from which all waves of their series are used for its error, not the slowest alone.
	// A second is long compared with the memory of a disk's noise, so that in a shorter series the faster waves are mostly
	// averaged out: with them, equal runs of 30 s whose noise lasts 2 to 5 s seem different in 10 to 16 % of comparisons of
	// four quantiles, without them in 1.4 %. Resampling blocks of seconds (Künsch, "The Jackknife and the
	// Bootstrap for General Stationary Observations", Annals of Statistics 17, 1989), the usual way with quantiles, takes
	// each fourth to third such pair for different, for it needs far longer series than a phase is.
	manyUnits = 100
)

// requests are those of a disk in the window, line by line.
type requests struct {
	all   *latency.Histogram
	units [][]latency.Counts // of about a second: those of one latency line, or of a short one with it
}

// requests are those of a disk that ended in the window; nil if the trace has none.
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

// doubt says why a quantile that one request in n exceeds cannot be judged; empty if it can.
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
// Requests of the same second correlate, and so do neighbouring seconds, so the unit is the second: by how much more of its
// requests exceed the quantile than of all of them. That is a series like the rates per second, and its mean's error is
// estimated in the same way. The histogram turns that into an error of the quantile, over steps of one and two standard
// errors of the share of slow requests (Woodruff, "Confidence Intervals for Medians and Other Position
// Measures", Journal of the American Statistical Association 47, 1952; Francisco and Fuller, "Quantile Estimation with a
// Complex Survey Design", Annals of Statistics 19, 1991): one near the gap between two humps may cross it.
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
	many := min(share*math.Exp(max(step, minStep)), (1+share)/2)
	few := share * share / many
	high, low := r.all.Quantile(1-few), r.all.Quantile(1-many)
	return (math.Log(float64(max(high, 1))) - math.Log(float64(max(low, 1)))) / math.Log(many/few)
}

// at is the time that one request in n exceeds.
func (r *requests) at(n int64) int64 { return r.all.Quantile(1 - 1/float64(n)) }
