package compare

import (
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/analysis"
)

// lagDoubtS is how far a recovery's lag may be off in either run.
const lagDoubtS = 0.5

// findings sorts the findings that only one side has: those that appeared or went, and those that may be in either by
// chance. Where there are repeats a finding counts where more than half of the runs have it.
func (p *Pair) findings(base, other []Run) {
	p.Appeared = append(p.Appeared, p.only(other, base)...)
	p.Went = append(p.Went, p.only(base, other)...)
}

// only are the findings that the runs have and the others have not, where more than chance is behind that; the rest of
// them are put with the unsure ones.
func (p *Pair) only(runs, others []Run) (sure []analysis.Finding) {
	for _, f := range common(runs) {
		switch {
		case !p.has(f.Phase) || told(others, f):
		case p.behind(f):
			sure = append(sure, f)
		default:
			p.Unsure = append(p.Unsure, f)
		}
	}
	return sure
}

func (p *Pair) has(phase string) bool {
	return slices.ContainsFunc(p.Phases, func(q Phase) bool { return q.Phase == phase })
}

// common are the findings of more than half of the runs, as the first of them has it.
func common(runs []Run) []analysis.Finding {
	var list []analysis.Finding
	for _, r := range runs {
		for _, f := range r.Analysis.Findings {
			if !slices.ContainsFunc(list, func(g analysis.Finding) bool { return same(f, g) }) && told(runs, f) {
				list = append(list, f)
			}
		}
	}
	return list
}

// told reports whether more than half of the runs have a finding.
func told(runs []Run, f analysis.Finding) bool {
	n := 0
	for _, r := range runs {
		if slices.ContainsFunc(r.Analysis.Findings, func(g analysis.Finding) bool { return same(f, g) }) {
			n++
		}
	}
	return 2*n > len(runs)
}

// same findings have the same code, phase and disk, or disks if they are of the ledger, whatever their numbers.
func same(f, g analysis.Finding) bool {
	return g.Code == f.Code && g.Phase == f.Phase && g.Disk == f.Disk && (f.Change == nil || slices.Equal(f.Disks, g.Disks))
}

// behind reports whether what a finding rests on surely changed. Some are facts; the others come of rates: the disk's own,
// or, where they tell how disks share, those of any in the phase. A finding is a line drawn through rates, and equal runs
// come to lie on both sides of it by chance.
func (p *Pair) behind(f analysis.Finding) bool {
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

// lagChanged reports whether a recovery of the disk, or of any, was seen in both runs and took longer in one.
func (p *Phase) lagChanged(disk string) bool {
	return slices.ContainsFunc(p.Recoveries, func(r Recovery) bool {
		return (disk == "" || r.Disk == disk) && r.BaseLagS != nil && r.LagS != nil && math.Abs(*r.LagS-*r.BaseLagS) > 2*lagDoubtS
	})
}
