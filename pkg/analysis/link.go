package analysis

import "github.com/hubbench/hubbench/pkg/trace"

// fastestHub is what the fastest hub link, Thunderbolt 5's PCIe 4.0 x4, has been seen to carry in one direction, after
// line code and protocol; it is itself only known to within slack.
const (
	fastestHub = 7.0e9
	slack      = 1.03
)

// cached warns of files that were found in the cache, and of rates that the disks' links cannot have: what came so fast
// came from memory.
func (p *phase) cached() {
	for _, g := range p.trace.Gauges {
		if g.Name == trace.CachedShare && g.Value > trace.CachedMost {
			p.warn(Warning{Code: "cached", Disk: g.Disk, Values: map[string]float64{"share": g.Value}})
		}
	}
	o := p.out.Overlap
	for _, u := range p.out.Links {
		if u.Rate > u.line {
			p.warn(Warning{Code: "cached", Disk: u.only(), Other: u.Link, Values: map[string]float64{"rate": u.Rate, "most": u.line}})
			return
		}
	}
	if o == nil || p.simulated || max(o.ReadRate, o.WriteRate) <= fastestHub*slack {
		return
	}
	for i := range p.parts {
		if p.hangs[p.parts[i].Name()] != trace.OnHub {
			return
		}
	}
	p.warn(Warning{Code: "cached", Values: map[string]float64{"rate": max(o.ReadRate, o.WriteRate), "most": fastestHub}})
}
