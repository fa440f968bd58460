package analysis

import (
	"github.com/hubbench/hubbench/pkg/effect"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/work"
)

// duplexGains compares every phase of reads and writes mixed with the best phase of the same disks
// one way, that do the same except for their direction.
func duplexGains(phases []*phase) {
	mixed := func(o *Overlap) bool { return o.ReadRate > 0 && o.WriteRate > 0 }
	for _, p := range phases {
		if p.out.Contention == nil || !mixed(p.out.Overlap) || p.hasPacedDisk() {
			continue
		}
		var best *Overlap
		for _, q := range phases {
			o := q.out.Overlap
			if o != nil && !q.hasPacedDisk() && !mixed(o) && (best == nil || o.Rate > best.Rate) &&
				sameParts(p.parts, q.parts, work.KeyOp, work.KeyMix) {
				best = o
			}
		}
		if best == nil {
			continue
		}
		p.out.Contention.DuplexGain = number(p.out.Overlap.Rate / best.Rate)
		if m, b := p.out.Overlap.Estimate, best.Estimate; m.Known() && b.Known() {
			p.out.Contention.DuplexCI95 = effect.Ratio(stats.Difference(b.Log(), m.Log()))
		}
	}
}
