package analysis

// fastestHub is what the fastest hub link, Thunderbolt 5's PCIe 4.0 x4, has been seen to carry in one direction, after
// line code and protocol, and a little more: it is itself only known to so much.
const fastestHub = 7.0e9 * 1.03

// cached warns of rates that no hub's link has: what came so fast came from memory.
func (p *phase) cached() {
	o := p.out.Overlap
	if o == nil || p.simulated || max(o.ReadRate, o.WriteRate) <= fastestHub {
		return
	}
	for i := range p.parts {
		if p.hangs[p.parts[i].name()] != onHub {
			return
		}
	}
	p.warnf("cached", "", "%s through one hub is more than Thunderbolt 5 carries (7.0 GB/s): some of it came from or went to a cache, not the disks",
		rate(max(o.ReadRate, o.WriteRate)))
}
