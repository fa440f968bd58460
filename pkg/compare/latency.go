package compare

import (
	"fmt"
	"math"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Quantile names one of the times that a disk's requests are told by.
type Quantile string

// The quantiles that are compared. Rarer requests tell more of one run's luck than of a disk.
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

// minLatencyError is the least error a difference of two quantiles is credited with, as a share: the width of a
// histogram's bucket.
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

// latencies compares the disks that both runs have latencies of.
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

// compare fills in what the requests of two runs say.
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

// repeat puts the evidence of all runs in place of that of the first ones.
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

// measured is the logarithm of the quantile in each of the runs, and why it is not in some.
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

// set fills in what there is to see.
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

// poolLatencies has the latencies learn from one another how long noise lasts.
func (c *Comparison) poolLatencies() {
	var evidence []*stats.Estimate
	c.eachLatency(func(l *Latency) {
		if l.P != nil {
			evidence = append(evidence, &l.evidence)
		}
	})
	stats.Pool(evidence)
}

// judgeLatencies corrects the tests of latencies for their number and gives the verdicts. They are a family of their own:
// what is said of rates must not depend on whether latencies were recorded as well.
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
