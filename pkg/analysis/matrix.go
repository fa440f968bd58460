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
		p := &phases[i]
		row := MatrixRow{
			Phase: p.Phase, Roles: p.Roles, Working: len(p.Disks), Rates: map[string]float64{}, Departures: map[string]float64{},
		}
		if o := p.Overlap; o != nil {
			for disk, d := range o.Disks {
				row.Rates[disk] = d.Rate
			}
			row.Total, row.ReadRate, row.WriteRate = o.Rate, o.ReadRate, o.WriteRate
		}
		if p.Overlap != nil && p.Contention != nil {
			for disk, d := range p.Contention.Disks {
				if d.Retention != nil && (*d.Retention < 1-departs || *d.Retention > 1+departs) {
					row.Departures[disk] = *d.Retention
				}
			}
		}
		rows = append(rows, row)
	}
	slices.SortStableFunc(rows, func(a, b MatrixRow) int { return cmp.Compare(a.Working, b.Working) })
	return rows
}

// duplexGains compares every phase of reads and writes mixed with the best phase of the same disks one way, that do the
// same except for their direction.
func duplexGains(phases []*phase) {
	limited := func(p *phase) bool {
		return slices.ContainsFunc(p.parts, func(part *part) bool { return p.out.Paced[part.Name()].Limited() })
	}
	mixed := func(o *Overlap) bool { return o.ReadRate > 0 && o.WriteRate > 0 }
	for _, p := range phases {
		if p.out.Contention == nil || !mixed(p.out.Overlap) || limited(p) {
			continue
		}
		var best *Overlap
		for _, q := range phases {
			o := q.out.Overlap
			if o != nil && !limited(q) && !mixed(o) && sameJobs(p, q, work.KeyOp, work.KeyMix) && (best == nil || o.Rate > best.Rate) {
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
