// Package limit holds what was measured to limits: each passes, fails, or cannot be judged because the
// measurement's own interval reaches across the limit or because there was too little to measure. Start at Check.
package limit

import (
	"fmt"
	"slices"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// Verdict says how a limit was held.
type Verdict string

// The verdicts.
const (
	Pass   Verdict = "pass"
	Fail   Verdict = "fail"
	Unsure Verdict = "cannot tell"
)

// Result is a limit of one phase and disk, and what was measured.
type Result struct {
	Limit   scenario.Limit `json:"-"`
	Measure string         `json:"measure"`
	Bounds  string         `json:"bounds"`
	Min     *float64       `json:"min"` // of Bounds, in the unit of Value; null if there is none
	Max     *float64       `json:"max"`
	Phase   string         `json:"phase,omitempty"`
	Disk    string         `json:"disk,omitempty"`
	Value   *float64       `json:"value"` // null if it was not measured
	Low     *float64       `json:"low"`   // of its 95 % confidence interval; null if it has none
	High    *float64       `json:"high"`
	Verdict Verdict        `json:"verdict"`
	Why     string         `json:"why,omitempty"` // if it did not pass
}

// Worst is the verdict on all of them: any that fails makes it fail.
func Worst(list []Result) Verdict {
	worst := Pass
	for _, r := range list {
		if r.Verdict == Fail || r.Verdict == Unsure && worst == Pass {
			worst = r.Verdict
		}
	}
	return worst
}

// Check holds a run to limits. A limit of a phase or a disk that the run lacks fails. One of every phase or disk is
// held against those that have the measure, and cannot be judged if none has. A run that is incomplete fails.
func Check(a *analysis.Analysis, limits []scenario.Limit) []Result {
	var list []Result
	for _, l := range limits {
		found := results(a, l)
		if len(found) == 0 {
			found = []Result{noResult(a, l)}
		}
		list = append(list, found...)
	}
	if a.Origin != nil && a.Status != string(trace.Complete) {
		list = append(list, Result{Measure: "status", Bounds: "complete", Verdict: Fail, Why: "the run did not end as planned"})
	}
	return list
}

// results checks a limit against each phase and disk it applies to.
func results(a *analysis.Analysis, l scenario.Limit) (list []Result) {
	disks := a.Order
	if l.Measure.Phases {
		disks = []string{""}
	}
	for i := range a.Phases {
		p := &a.Phases[i]
		if !isOf(l, p) {
			continue
		}
		for _, disk := range disks {
			named := l.Phase != "" && l.Disk != "" && l.Disk == disk
			if disk != "" && !named && (l.Disk != "" && l.Disk != disk || !works(p, disk)) {
				continue
			}
			r := judge(l, p, disk)
			if named || r.Value != nil || r.Why != missing(r.Measure) { // others are for what has the measure
				list = append(list, r)
			}
		}
	}
	return list
}

// noResult says why nothing in a run can be checked against a limit.
func noResult(a *analysis.Analysis, l scenario.Limit) Result {
	r := newResult(l, l.Phase, l.Disk)
	r.Verdict = Fail
	var phases []string
	hasPhase, diskWorks := false, false
	for i := range a.Phases {
		p := &a.Phases[i]
		hasPhase = hasPhase || isOf(l, p)
		diskWorks = diskWorks || works(p, l.Disk)
		if name := trace.Unnumbered(p.Name); !slices.Contains(phases, name) {
			phases = append(phases, name)
		}
	}
	switch {
	case l.Phase != "" && !hasPhase:
		r.Why = "the run has no such phase" + instead(phases)
	case l.Disk != "" && !slices.Contains(a.Order, l.Disk):
		r.Why = "the run has no such disk" + instead(a.Order)
	case l.Disk != "" && !diskWorks:
		r.Why = "the disk does nothing in this run"
	default:
		r.Verdict, r.Why = Unsure, "nothing in the run has this measure: "+missing(l.Measure.Name)
	}
	return r
}

func newResult(l scenario.Limit, phase, disk string) Result {
	return Result{Limit: l, Measure: l.Measure.Name, Bounds: l.Bounds(), Min: l.Min, Max: l.Max, Phase: phase, Disk: disk}
}

func isOf(l scenario.Limit, p *analysis.Phase) bool {
	return l.Phase == "" || l.Phase == p.Name || l.Phase == trace.Unnumbered(p.Name)
}

func works(p *analysis.Phase, disk string) bool {
	role, ok := p.Roles[disk]
	return ok && role != trace.Idle
}

// instead lists what the run has, if the list is short.
func instead(names []string) string {
	if len(names) == 0 || len(names) > 8 {
		return ""
	}
	return "; it has " + unit.List(names)
}

// missing is why a phase has no value of a measure that not every phase has.
func missing(measure string) string {
	switch measure {
	case "kept":
		return "the disk was not measured without the others, so there is nothing to compare with"
	case "p99":
		return "no request times were recorded"
	case "recovery":
		return "no other disk ended before it"
	case "late_frames":
		return "the disk has no streams"
	}
	return ""
}

// judge holds one phase, and a disk of it unless the measure is of all, to a limit.
func judge(l scenario.Limit, p *analysis.Phase, disk string) Result {
	r := newResult(l, p.Name, disk)
	r.Verdict = Fail
	for _, w := range p.Warnings {
		if w.Code == "partial" {
			r.Why = "the phase is incomplete"
			return r
		}
	}
	if disk != "" && !works(p, disk) {
		r.Why = "the disk does nothing in this phase"
		return r
	}
	if disk != "" && p.Overlap == nil && p.Disks[disk].Bytes == 0 {
		r.Why = "the disk moved nothing in this phase"
		return r
	}
	exact := r.measure(p)
	low, high := r.Low, r.High
	if exact {
		low, high = r.Value, r.Value
	}
	switch {
	case low == nil:
		r.Verdict = Unsure
		if r.Value != nil {
			r.Why = "too little was measured for an interval"
		}
	case l.Holds(*low, *high) > 0:
		r.Verdict = Pass
	case l.Holds(*low, *high) == 0:
		r.Verdict, r.Why = Unsure, "the limit lies within the measurement's interval"
	}
	return r
}

// measure finds the result's value and interval, or why there is none. It reports whether the value is exact, as counts
// and the like are, which have no interval.
func (r *Result) measure(p *analysis.Phase) (exact bool) {
	var ci *stats.Interval
	switch r.Measure {
	case "rate", "share", "together":
		if p.Overlap == nil {
			r.Why = "the disks were never busy at the same time"
			return false
		}
		d := p.Overlap.Disks[r.Disk]
		switch r.Measure {
		case "rate":
			r.Value, ci = &d.Rate, d.CI95
		case "share":
			r.Value, exact = &d.Share, true
		case "together":
			r.Value, ci = &p.Overlap.Rate, p.Overlap.CI95
		}
	case "kept":
		if p.Contention != nil {
			d := p.Contention.Disks[r.Disk]
			r.Value, ci = d.Retention, d.RetentionCI
		}
	case "p99":
		if l := p.Disks[r.Disk].Latency; l != nil && l.P99NS != nil {
			seconds := float64(*l.P99NS) / 1e9
			r.Value = &seconds
			if l.P99CI95 != nil {
				ci = &stats.Interval{float64(l.P99CI95[0]) / 1e9, float64(l.P99CI95[1]) / 1e9}
			}
		}
	case "recovery":
		for _, recovery := range p.Recoveries {
			switch {
			case recovery.Disk != r.Disk:
			case recovery.LagS == nil:
				r.Value, r.Why = nil, fmt.Sprintf("the view of its recovery after %s ended too soon", recovery.After)
				return false
			case r.Value == nil || *recovery.LagS > *r.Value:
				r.Value, exact = recovery.LagS, true
			}
		}
	case "late_frames":
		for _, t := range p.StreamTotals {
			if t.Disk == r.Disk {
				late := float64(t.Late)
				r.Value = &late
				return true
			}
		}
	}
	switch {
	case r.Value == nil:
		r.Why = missing(r.Measure)
	case ci != nil:
		r.Low, r.High = &ci[0], &ci[1]
	}
	return exact
}

// FromRun are limits that a good run holds, with room for its noise: rates may be lower by three half-widths of their
// interval or 5 %, whichever is more, what takes time may take half as long again, and no frame may be late if none
// was. What a disk keeps and how it recovers is measured after others have ended, and limited only if it is slowed by
// them: of disks that share evenly it is chance which one ends last.
func FromRun(a *analysis.Analysis) []scenario.Limit {
	var list []scenario.Limit
	seen := map[string]bool{}
	for i := range a.Phases {
		p := &a.Phases[i]
		name := trace.Unnumbered(p.Name)
		if p.Search != nil || seen[name] {
			continue
		}
		seen[name] = true
		for _, disk := range append([]string{""}, a.Order...) {
			for _, m := range scenario.Measures() {
				if m.Phases != (disk == "") || disk != "" && !works(p, disk) {
					continue
				}
				if l := fromPhase(p, disk, m.Name); l.Min != nil || l.Max != nil {
					l.Phase, l.Disk, l.Measure = name, disk, m
					list = append(list, l)
				}
			}
		}
	}
	return list
}

// fromPhase has the bounds of one measure that a phase holds with room for its noise, or none.
func fromPhase(p *analysis.Phase, disk, name string) (l scenario.Limit) {
	r := Result{Measure: name, Disk: disk}
	r.measure(p)
	value, low, high := r.Value, r.Low, r.High
	if value == nil {
		return l
	}
	slowed := p.Contention != nil && (p.Contention.Disks[disk].Slowed || p.Contention.Disks[disk].Reference == "solo")
	room := 0.05 * *value
	if low != nil {
		room = max(room, 1.5*(*high-*low))
	}
	least, most := max(0, *value-room), 1.5**value+room
	switch {
	case (name == "kept" || name == "recovery") && !slowed:
	case name == "late_frames":
		most = 2 * *value
		l.Max = &most
	case name == "p99" && low != nil || name == "recovery":
		l.Max = &most
	case name != "share" && name != "p99" && low != nil && least > 0: // without an interval nothing could be judged
		l.Min = &least
	}
	return l
}
