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

// only are the findings that the runs have and the others do not, if the rates behind them changed; the rest of
// them become the unsure ones.
func (p *Pair) only(runs, others []Run) (found []analysis.Finding) {
	for _, f := range common(runs) {
		switch {
		case !p.has(f.Phase) || inMost(others, f):
		case p.changed(f):
			found = append(found, f)
		default:
			p.Unsure = append(p.Unsure, f)
		}
	}
	return found
}

func (p *Pair) has(phase string) bool {
	return slices.ContainsFunc(p.Phases, func(q Phase) bool { return q.Phase == phase })
}

// common are the findings of more than half of the runs, each from the first run that has it.
func common(runs []Run) []analysis.Finding {
	var list []analysis.Finding
	for _, r := range runs {
		for _, f := range r.Analysis.Findings {
			if !slices.ContainsFunc(list, func(g analysis.Finding) bool { return same(f, g) }) && inMost(runs, f) {
				list = append(list, f)
			}
		}
	}
	return list
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
func (p *Pair) changed(f analysis.Finding) bool {
	switch f.Code {
	case "partial", "cached", "foreign_traffic", "heat", "drops", "host_bound":
		return true
	}
	if f.Change != nil { // the ledger has it only if noise would not have made it
		return true
	}
	i := slices.IndexFunc(p.Phases, func(q Phase) bool { return q.Phase == f.Phase })
	phase := &p.Phases[i]
	own := f.Disk != "" && f.Code != "steal" && f.Code != "held"
	if f.Code == "recovery" && phase.lagChanged(f.Disk) {
		return true
	}
	return slices.ContainsFunc(phase.Rates, func(r Rate) bool {
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
