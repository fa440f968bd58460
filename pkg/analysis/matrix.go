package analysis

import (
	"cmp"
	"slices"

	"github.com/hubbench/hubbench/pkg/work"
)

// departs is how far a disk's rate must lie from its rate alone to be marked in the matrix.
const departs = 0.10

// matrix lists all phases, those of one disk first, then those of two, and so on, in the order of the run.
func matrix(phases []Phase) []MatrixRow {
	rows := make([]MatrixRow, 0, len(phases))
	for i := range phases {
		rows = append(rows, matrixRow(&phases[i]))
	}
	slices.SortStableFunc(rows, func(a, b MatrixRow) int { return cmp.Compare(a.Working, b.Working) })
	return rows
}

// matrixRow is the phase's line in the table of all phases.
func matrixRow(p *Phase) MatrixRow {
	row := MatrixRow{Phase: p.Phase, Roles: p.Roles, Working: len(p.Disks), Rates: map[string]float64{}, Departures: map[string]float64{}}
	if p.Overlap == nil {
		return row
	}
	for disk, d := range p.Overlap.Disks {
		row.Rates[disk] = d.Rate
	}
	row.Total, row.ReadRate, row.WriteRate = p.Overlap.Rate, p.Overlap.ReadRate, p.Overlap.WriteRate
	if p.Contention == nil {
		return row
	}
	for disk, d := range p.Contention.Disks {
		if d.Retention != nil && (*d.Retention < 1-departs || *d.Retention > 1+departs) {
			row.Departures[disk] = *d.Retention
		}
	}
	return row
}

// duplexGains compares every phase of reads and writes mixed with the best phase of the same disks one way, that do the
// same but for their direction.
func duplexGains(phases []*phase) {
	for _, p := range phases {
		if p.out.Contention == nil || !mixed(p.out) || p.out.anyLimited() {
			continue
		}
		var best *Overlap
		for _, q := range phases {
			o := q.out.Overlap
			if o != nil && !q.out.anyLimited() && !mixed(q.out) && sameJobs(p, q, work.KeyOp, work.KeyMix) && (best == nil || o.Rate > best.Rate) {
				best = o
			}
		}
		if best == nil {
			continue
		}
		p.out.Contention.DuplexGain = number(p.out.Overlap.Rate / best.Rate)
		if m, b := p.out.Overlap.CI95, best.CI95; m != nil && b != nil && b[0] > 0 {
			p.out.Contention.DuplexCI95 = &Interval{m[0] / b[1], m[1] / b[0]}
		}
	}
}

func mixed(p *Phase) bool { return p.Overlap.ReadRate > 0 && p.Overlap.WriteRate > 0 }

// anyLimited reports whether one of the working disks goes no faster than its work asks.
func (p *Phase) anyLimited() bool {
	for disk := range p.Disks {
		if p.Paced[disk].Limited() {
			return true
		}
	}
	return false
}
