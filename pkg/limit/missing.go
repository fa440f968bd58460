package limit

import (
	"slices"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// unmatched says why nothing in a run can be checked against a limit.
func unmatched(a *analysis.Analysis, l scenario.Limit) Result {
	r := newResult(l, l.Phase, l.Disk)
	r.Verdict = Fail
	var phases []string
	hasPhase, diskWorks := false, false
	for i := range a.Phases {
		p := &a.Phases[i]
		hasPhase = hasPhase || appliesTo(l, p)
		diskWorks = diskWorks || isBusy(p, l.Disk)
		if name := trace.Unnumbered(p.Name); !slices.Contains(phases, name) {
			phases = append(phases, name)
		}
	}
	switch {
	case l.Phase != "" && !hasPhase:
		r.Why = "the run has no such phase" + availableText(phases)
	case l.Disk != "" && !slices.Contains(a.Order, l.Disk):
		r.Why = "the run has no such disk" + availableText(a.Order)
	case l.Disk != "" && !diskWorks:
		r.Why = "the disk does nothing in this run"
	default:
		r.Verdict = Unsure
		r.Why = "nothing in the run has this measure: " +
			whyMissing(l.Measure.Name)
	}
	return r
}

// availableText lists what the run has, if the list is short.
func availableText(names []string) string {
	if len(names) == 0 || len(names) > 8 {
		return ""
	}
	return "; it has " + unit.List(names)
}

// whyMissing is why a phase has no value of a measure that not every phase has.
func whyMissing(measure string) string {
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
