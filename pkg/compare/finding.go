package compare

import (
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/analysis"
)

// lagDoubtS is the error of a recovery's lag in either run.
const lagDoubtS = 0.5

// findings sorts the findings that only one side has: those that are new or gone, and those that may be due to
// chance. Of repeats, more than half must have a finding for it to count.
func (p *Pair) findings(base, other []Run) {
	p.Appeared = append(p.Appeared, p.only(other, base)...)
	p.Went = append(p.Went, p.only(base, other)...)
}

// only are the findings that more than half of the runs have and of the others have not, each from the first run that has
// it, if the rates behind them changed; the rest of them become the unsure ones.
func (p *Pair) only(runs, others []Run) (found []analysis.Finding) {
	var seen []analysis.Finding
	for _, r := range runs {
		for _, f := range r.Analysis.Findings {
			phase := slices.IndexFunc(p.Phases, func(q Phase) bool { return q.Phase == f.Phase })
			known := slices.ContainsFunc(seen, func(g analysis.Finding) bool { return same(f, g) })
			if phase < 0 || known || !inMost(runs, f) || inMost(others, f) {
				continue
			}
			seen = append(seen, f)
			if p.Phases[phase].changed(f) {
				found = append(found, f)
			} else {
				p.Unsure = append(p.Unsure, f)
			}
		}
	}
	return found
}

// inMost reports whether more than half of the runs have a finding.
func inMost(runs []Run, f analysis.Finding) bool {
	n := 0
	for _, r := range runs {
		if slices.ContainsFunc(r.Analysis.Findings, func(g analysis.Finding) bool { return same(f, g) }) {
			n++
		}
	}
	return 2*n > len(runs)
}

// same reports whether findings have the same code, phase and disk, or disks if they come from the ledger;
// their numbers may differ.
func same(f, g analysis.Finding) bool {
	return g.Code == f.Code && g.Phase == f.Phase && g.Disk == f.Disk &&
		(f.Change == nil || slices.Equal(f.Disks, g.Disks))
}

// changed reports whether what a finding is based on changed significantly. Some are facts; the others are
// based on rates: the disk's own, or those of any disk in the phase if the finding is about how they share.
// Findings depend on thresholds, and equal runs can end up on both sides of one by chance.
func (p *Phase) changed(f analysis.Finding) bool {
	switch f.Code {
	case "partial", "cached", "foreign_traffic", "heat", "drops", "host_bound":
		return true
	}
	if f.Change != nil { // the ledger has it only if noise would not have made it
		return true
	}
	own := f.Disk != "" && f.Code != "steal" && f.Code != "held"
	if f.Code == "recovery" && p.lagChanged(f.Disk) {
		return true
	}
	return slices.ContainsFunc(p.Rates, func(r Rate) bool {
		return (r.Verdict == Faster || r.Verdict == Slower) && (!own || r.Disk == f.Disk)
	})
}

// lagChanged reports whether a recovery of the disk, or of any disk, was seen in both runs and took longer in one.
func (p *Phase) lagChanged(disk string) bool {
	return slices.ContainsFunc(p.Recoveries, func(r Recovery) bool {
		return (disk == "" || r.Disk == disk) && r.BaseLagS != nil && r.LagS != nil &&
			math.Abs(*r.LagS-*r.BaseLagS) > 2*lagDoubtS
	})
}
