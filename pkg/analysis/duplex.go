package analysis

import (
	"github.com/hubbench/hubbench/pkg/effect"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/work"
)

// duplexGain compares a phase of reads and writes mixed with the best phase of the same disks one
// way, that do the same except for their direction; nil if there is none.
func (p *phase) duplexGain() (gain *float64, ci *stats.Interval) {
	mixed := func(o *Overlap) bool { return o.ReadRate > 0 && o.WriteRate > 0 }
	if !mixed(p.overlap) || p.hasPacedDisk() {
		return nil, nil
	}
	var best *Overlap
	for _, q := range p.phases {
		o := q.overlap
		if o != nil && !q.hasPacedDisk() && !mixed(o) && (best == nil || o.Rate > best.Rate) &&
			sameParts(p.parts, q.parts, work.KeyOp, work.KeyMix) {
			best = o
		}
	}
	if best == nil {
		return nil, nil
	}
	if m, b := p.overlap.Estimate, best.Estimate; m.Known() && b.Known() {
		ci = effect.Ratio(stats.Difference(b.Log(), m.Log()))
	}
	return number(p.overlap.Rate / best.Rate), ci
}
