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
	for _, v := range []Verdict{Fail, Unsure} {
		if slices.ContainsFunc(list, func(r Result) bool { return r.Verdict == v }) {
			return v
		}
	}
	return Pass
}

// Check holds a run to limits. A limit of a phase or a disk that the run lacks fails. One of every phase or disk is
// held against those that have the measure, and cannot be judged if none has. A run that is incomplete fails.
func Check(a *analysis.Analysis, limits []scenario.Limit) []Result {
	var list []Result
	for _, l := range limits {
		found := results(a, l)
		if l.Phase == "" || l.Disk == "" { // a limit of all of them is for those that have the measure
			found = slices.DeleteFunc(found, func(r Result) bool { return r.Value == nil && r.Why == missing(r.Measure) })
		}
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
	for i := range a.Phases {
		p := &a.Phases[i]
		if !isOf(l, p) {
			continue
		}
		if l.Measure.Phases {
			list = append(list, judge(l, p, ""))
			continue
		}
		for _, disk := range a.Order {
			if l.Disk == disk && l.Phase != "" || (l.Disk == "" || l.Disk == disk) && works(p, disk) {
				list = append(list, judge(l, p, disk))
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
	for _, p := range a.Phases {
		if name := trace.Unnumbered(p.Name); !slices.Contains(phases, name) {
			phases = append(phases, name)
		}
	}
	switch {
	case l.Phase != "" && !slices.ContainsFunc(a.Phases, func(p analysis.Phase) bool { return isOf(l, &p) }):
		r.Why = "the run has no such phase" + instead(phases)
	case l.Disk != "" && !slices.Contains(a.Order, l.Disk):
		r.Why = "the run has no such disk" + instead(a.Order)
	case l.Disk != "" && !slices.ContainsFunc(a.Phases, func(p analysis.Phase) bool { return works(&p, l.Disk) }):
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
	return map[string]string{
		"kept":        "the disk was not measured without the others, so there is nothing to compare with",
		"p99":         "no request times were recorded",
		"recovery":    "no other disk ended before it",
		"late_frames": "the disk has no streams",
	}[measure]
}

// judge holds one phase, and a disk of it unless the measure is of all, to a limit.
func judge(l scenario.Limit, p *analysis.Phase, disk string) Result {
	r := newResult(l, p.Name, disk)
	if i := slices.IndexFunc(p.Warnings, func(w analysis.Warning) bool { return w.Code == "partial" }); i >= 0 {
		r.Verdict, r.Why = Fail, "the phase is incomplete"
		return r
	}
	if disk != "" && !works(p, disk) {
		r.Verdict, r.Why = Fail, "the disk does nothing in this phase"
		return r
	}
	if disk != "" && p.Overlap == nil && p.Disks[disk].Bytes == 0 {
		r.Verdict, r.Why = Fail, "the disk moved nothing in this phase"
		return r
	}
	var exact bool
	r.Value, r.Low, r.High, exact, r.Why = measure(l.Measure.Name, p, disk)
	low, high := r.Low, r.High
	if exact && r.Value != nil {
		low, high = r.Value, r.Value
	}
	switch {
	case low == nil:
		r.Verdict = Unsure
		if r.Value != nil && r.Why == "" {
			r.Why = "too little was measured for an interval"
		}
	case l.Holds(*low, *high) > 0:
		r.Verdict, r.Why = Pass, ""
	case l.Holds(*low, *high) < 0:
		r.Verdict, r.Why = Fail, ""
	default:
		r.Verdict, r.Why = Unsure, "the limit lies within the measurement's interval"
	}
	return r
}

// measure finds a value and its interval. Exact values are counts and the like, which have none.
func measure(name string, p *analysis.Phase, disk string) (value, low, high *float64, exact bool, why string) {
	ends := func(rate float64, ci *stats.Interval) (value, low, high *float64, exact bool, why string) {
		if ci == nil {
			return &rate, nil, nil, false, ""
		}
		return &rate, &ci[0], &ci[1], false, ""
	}
	seconds := func(ns int64) *float64 { s := float64(ns) / 1e9; return &s }
	switch name {
	case "rate", "share":
		if p.Overlap == nil {
			return nil, nil, nil, false, "the disks were never busy at the same time"
		}
		d := p.Overlap.Disks[disk]
		if name == "share" {
			return &d.Share, nil, nil, true, ""
		}
		return ends(d.Rate, d.CI95)
	case "together":
		if p.Overlap == nil {
			return nil, nil, nil, false, "the disks were never busy at the same time"
		}
		return ends(p.Overlap.Rate, p.Overlap.CI95)
	case "kept":
		if p.Contention == nil || p.Contention.Disks[disk].Retention == nil {
			return nil, nil, nil, false, missing(name)
		}
		d := p.Contention.Disks[disk]
		return ends(*d.Retention, d.RetentionCI)
	case "p99":
		l := p.Disks[disk].Latency
		if l == nil || l.P99NS == nil {
			return nil, nil, nil, false, missing(name)
		}
		if l.P99CI95 == nil {
			return seconds(*l.P99NS), nil, nil, false, ""
		}
		return seconds(*l.P99NS), seconds(l.P99CI95[0]), seconds(l.P99CI95[1]), false, ""
	case "recovery":
		why = missing(name)
		for _, r := range p.Recoveries {
			switch {
			case r.Disk != disk:
			case r.LagS == nil:
				return nil, nil, nil, false, fmt.Sprintf("the view of its recovery after %s ended too soon", r.After)
			case value == nil || *r.LagS > *value:
				value, exact, why = r.LagS, true, ""
			}
		}
		return value, nil, nil, exact, why
	case "late_frames":
		for _, t := range p.StreamTotals {
			if t.Disk == disk {
				late := float64(t.Late)
				return &late, nil, nil, true, ""
			}
		}
	}
	return nil, nil, nil, false, missing(name)
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
	value, low, high, _, _ := measure(name, p, disk)
	if value == nil {
		return l
	}
	slowed := p.Contention != nil && (p.Contention.Disks[disk].Held || p.Contention.Disks[disk].Reference == "solo")
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
