// Package limit checks what was measured against limits. A limit fails only where the whole interval
// of the measurement lies beyond it; where the interval reaches across, the limit passes within the
// margin of error. What was not measured cannot be judged. Start at Check.
package limit

import (
	"fmt"
	"math"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/compare"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Judgement says how a limit was held.
type Judgement string

// The verdicts.
const (
	Pass   Judgement = "pass"
	Fail   Judgement = "fail"
	Unsure Judgement = "cannot tell"
)

// Result is a limit of one phase and disk, and what was measured.
type Result struct {
	Limit   scenario.Limit `json:"-"`
	Measure string         `json:"measure"`
	Bounds  string         `json:"bounds"`
	Min     *float64       `json:"min"` // lower bound in the unit of Value; null if there is none
	Max     *float64       `json:"max"`
	Phase   string         `json:"phase,omitempty"`
	Disk    string         `json:"disk,omitempty"`
	Value   *float64       `json:"value"` // null if it was not measured
	// Low is the lower end of the interval that it is judged by; null if it has none.
	Low     *float64  `json:"low"`
	High    *float64  `json:"high"`
	Verdict Judgement `json:"verdict"`
	// WithinMargin says that it passes because its interval reaches across the limit.
	WithinMargin bool   `json:"within_margin,omitempty"`
	Why          string `json:"why,omitempty"` // if it did not pass, or only within the margin

	estimate stats.Estimate   // logarithm of the value
	above    []stats.Estimate // how far it lies above its minimum, and below its maximum
	anyFall  bool             // the limit is any fall: no data exclude the smallest
}

// History is what earlier runs of the same setup measured, and by what share a rate may be lower.
type History struct {
	Earlier []compare.Measurements
	Fall    float64
}

// Worst returns the verdict on all of them: any that fails makes it fail.
func Worst(list []Result) Judgement {
	worst := Pass
	for _, r := range list {
		if r.Verdict == Fail || r.Verdict == Unsure && worst == Pass {
			worst = r.Verdict
		}
	}
	return worst
}

// Check holds a run to limits, and to what earlier runs had. A limit of a phase or a disk that the
// run lacks fails. One of every phase or disk is held against those that have the measure, and
// cannot be judged if none has. A run that is incomplete fails. What has an interval is judged as
// every gate does (compare.Judge), with how far rates vary from run to run in it if earlier runs
// show that; of what has none, the value decides.
func Check(a *analysis.Analysis, limits []scenario.Limit, history History) []Result {
	var list []Result
	variation := compare.NewVariation(compare.FromHistory, false, history.Earlier)
	for _, l := range limits {
		found := results(a, l, variation)
		if len(found) == 0 {
			found = []Result{unmatched(a, l)}
		}
		list = append(list, found...)
	}
	list = append(list, history.results(a, variation)...)
	var above []*stats.Estimate
	var of []*Result
	for i := range list {
		for k := range list[i].above {
			above, of = append(above, &list[i].above[k]), append(of, &list[i])
		}
	}
	outcomes, levels := compare.Judge(above)
	for i, outcome := range outcomes {
		of[i].judge(outcome, levels[i])
	}
	if a.Origin != nil && a.Status != string(trace.Complete) {
		list = append(list, Result{
			Measure: "status", Bounds: "complete", Verdict: Fail,
			Why: "the run did not end as planned",
		})
	}
	return list
}

// judge takes over what the data say of one of its bounds, and the interval at the level of that.
func (r *Result) judge(outcome compare.FallOutcome, level float64) {
	ci := r.estimate.IntervalAt(2 * level)
	if low := math.Exp(ci[0]); r.Low == nil || low < *r.Low {
		r.Low, r.High = &low, new(math.Exp(ci[1]))
	}
	switch {
	case outcome == compare.Fell:
		r.Verdict = Fail
		r.WithinMargin = false
	case outcome == compare.CannotTell && r.Verdict == Pass && !r.anyFall:
		r.WithinMargin = true
	}
}

// assumedVariation is by what share equal runs may differ, where nothing shows by how much they do.
const assumedVariation = 0.1

// results holds the run's rates to those of the earlier runs.
func (h History) results(a *analysis.Analysis, v *compare.Variation) (list []Result) {
	now := compare.MeasurementsOf(a)
	pooled := compare.Pooled(h.Earlier)
	for _, key := range compare.Keys(h.Earlier) {
		before := compare.Values(h.Earlier, key)
		e, measured := now[key]
		// A phase that only some of the earlier runs have is no loss.
		if key.What != "" || !measured && len(before) < len(h.Earlier) {
			continue
		}
		l := scenario.Limit{Phase: key.Phase, Disk: key.Disk}
		for _, m := range scenario.Measures() {
			if m.Name == "rate" && key.Disk != "" || m.Name == "together" && key.Disk == "" {
				l.Measure = m
			}
		}
		l.Min = new(math.Exp(pooled[key].Mean) * (1 - h.Fall))
		r := newResult(l, key.Phase, key.Disk)
		r.Bounds += " (history)"
		r.anyFall = h.Fall == 0
		if measured {
			r.Value = new(math.Exp(e.Mean))
			mean := e.Mean
			e = v.Difference(key, before, []stats.Estimate{e})
			e.Mean = mean
			r.hold(e)
			if r.Verdict == Fail && *r.Value >= (1-assumedVariation)**r.Min {
				r.Verdict = Pass
				r.WithinMargin = true
			}
		} else {
			r.Verdict = Fail
			r.Why = "the run has not measured it"
		}
		list = append(list, r)
	}
	return list
}

// results checks a limit against each phase and disk it applies to.
func results(a *analysis.Analysis, l scenario.Limit, v *compare.Variation) (list []Result) {
	disks := a.Order
	if l.Measure.Phases {
		disks = []string{""}
	}
	for i := range a.Phases {
		p := &a.Phases[i]
		if !appliesTo(l, p) {
			continue
		}
		for _, disk := range disks {
			named := l.Phase != "" && l.Disk != "" && l.Disk == disk
			if disk != "" && !named && (l.Disk != "" && l.Disk != disk || !isBusy(p, disk)) {
				continue
			}
			r := judge(l, p, disk, v)
			if named || r.Value != nil ||
				r.Why != whyMissing(r.Measure) { // others are for what has the measure
				list = append(list, r)
			}
		}
	}
	return list
}

func newResult(l scenario.Limit, phase, disk string) Result {
	return Result{
		Limit:   l,
		Measure: l.Measure.Name,
		Bounds:  l.Bounds(),
		Min:     l.Min,
		Max:     l.Max,
		Phase:   phase,
		Disk:    disk,
	}
}

func appliesTo(l scenario.Limit, p *analysis.PhaseResult) bool {
	return l.Phase == "" || l.Phase == p.Name || l.Phase == trace.Unnumbered(p.Name)
}

func isBusy(p *analysis.PhaseResult, disk string) bool {
	role, ok := p.Roles[disk]
	return ok && role != trace.Idle
}

// judge holds one phase, and a disk of it unless the measure is of all, to a limit.
func judge(l scenario.Limit, p *analysis.PhaseResult, disk string, v *compare.Variation) Result {
	r := newResult(l, p.Name, disk)
	r.Verdict = Fail
	for _, w := range p.Warnings {
		if w.Code == "partial" {
			r.Why = "the phase is incomplete"
			return r
		}
	}
	if disk != "" && !isBusy(p, disk) {
		r.Why = "the disk does nothing in this phase"
		return r
	}
	if disk != "" && p.Overlap == nil && p.Disks[disk].Bytes == 0 {
		r.Why = "the disk moved nothing in this phase"
		return r
	}
	e := r.measure(p)
	if r.Value == nil {
		r.Verdict = Unsure
		return r
	}
	if r.Measure == "rate" || r.Measure == "together" {
		e = v.Widen(compare.RateKey(trace.Unnumbered(p.Name), r.Disk, p), e, 1)
	}
	r.hold(r.fallen(p, e))
	return r
}

// fallen returns what a rate below its minimum fell to, by itself, by which it is judged: in the
// interval of its mean the fall is noise. Of any other value it returns the value.
func (r *Result) fallen(p *analysis.PhaseResult, e stats.Estimate) stats.Estimate {
	if r.Min == nil || *r.Value >= *r.Min {
		return e
	}
	for _, c := range p.Changes {
		alone := len(c.Disks) == 1 && c.Disks[0] == r.Disk
		if alone && c.Kind == analysis.KindOwnFall && c.CI != nil && c.ToRate < *r.Value {
			r.Value = &c.ToRate
			e = compare.Log(c.ToRate, c.CI)
		}
	}
	return e
}

// hold holds the value to its bounds. If its logarithm has an error, Check judges it.
func (r *Result) hold(e stats.Estimate) {
	r.Verdict = Pass
	if !e.Known() {
		if !r.Limit.Holds(*r.Value) {
			r.Verdict = Fail
		}
		return
	}
	r.estimate = e
	if r.Min != nil {
		above := e
		above.Mean -= math.Log(*r.Min)
		r.above = append(r.above, above)
	}
	if r.Max != nil {
		below := e
		below.Mean = math.Log(*r.Max) - e.Mean
		r.above = append(r.above, below)
	}
}

// measure finds the result's value and an estimate of its logarithm, or why there is none. Counts,
// shares and times of recovery have no error.
func (r *Result) measure(p *analysis.PhaseResult) (e stats.Estimate) {
	switch r.Measure {
	case "rate", "share", "together":
		if p.Overlap == nil {
			r.Why = "the disks were never busy at the same time"
			return e
		}
		d := p.Overlap.Disks[r.Disk]
		switch r.Measure {
		case "rate":
			r.Value = &d.Rate
			e = compare.LogRate(d.Estimate)
		case "share":
			r.Value = &d.Share
		case "together":
			r.Value = &p.Overlap.Rate
			e = compare.LogRate(p.Overlap.Estimate)
		}
	case "kept":
		if p.Contention != nil && p.Contention.Disks[r.Disk].Retention != nil {
			d := p.Contention.Disks[r.Disk]
			r.Value = d.Retention
			e = compare.Log(*d.Retention, d.RetentionCI)
		}
	case "p99":
		if l := p.Disks[r.Disk].Latency; l != nil && l.P99NS != nil {
			ns := float64(*l.P99NS)
			e = compare.LogLatency(ns, l.P99CI95)
			e.Mean -= math.Log(1e9)
			r.Value = new(ns / 1e9)
		}
	case "recovery":
		for _, recovery := range p.Recoveries {
			switch {
			case recovery.Disk != r.Disk:
			case recovery.LagS == nil:
				r.Value = nil
				r.Why = fmt.Sprintf("the view of its recovery after %s ended too soon",
					recovery.After)
				return e
			case r.Value == nil || *recovery.LagS > *r.Value:
				r.Value = recovery.LagS
			}
		}
	case "late_frames":
		for _, t := range p.StreamTotals {
			if t.Disk == r.Disk {
				r.Value = new(float64(t.Late))
				break
			}
		}
	}
	if r.Value == nil {
		r.Why = whyMissing(r.Measure)
	}
	return e
}
