package analysis

// link is a limit that a total may run into.
type link struct {
	name string
	rate float64 // payload in one direction that is reached in practice, bytes per second
}

// links are the limits a disk on a hub meets, slowest first. They are what large transfers have been seen to reach
// in one direction, after line code and protocol, not what the box says.
func links() []link {
	return []link{
		{"USB 2.0", 0.043e9},
		{"USB 5 Gb/s", 0.46e9},
		{"SATA 6 Gb/s", 0.56e9},
		{"USB 10 Gb/s", 1.05e9},
		{"PCIe 3.0 x2", 1.6e9}, // older Thunderbolt 3 enclosures: quoted as 1.5 GB/s
		{"USB 20 Gb/s", 2.1e9},
		{"Thunderbolt 3 or 4", 3.4e9}, // PCIe 3.0 x4, 32 Gb/s of data: 3.0 to 3.4 seen
		{"USB4 40 Gb/s", 3.9e9},       // PCIe 4.0 tunnelled without the older limit
		{"Thunderbolt 5", 7.0e9},      // PCIe 4.0 x4
	}
}

// linkSlack is how far a measured total may pass a limit that is itself only known to so much.
const linkSlack = 1.03

// ceiling is the lowest limit that the total does not pass, nil where it passes all.
func ceiling(total float64) *Ceiling {
	for _, l := range links() {
		if total <= l.rate*linkSlack {
			return &Ceiling{Name: l.name, Rate: l.rate, Use: total / l.rate}
		}
	}
	return nil
}

// cached warns of rates that no hub's link has: what came so fast came from memory.
func (p *phase) cached() {
	o := p.out.Overlap
	all := links()
	top := all[len(all)-1]
	if o == nil || p.simulated || max(o.ReadRate, o.WriteRate) <= top.rate*linkSlack {
		return
	}
	for i := range p.parts {
		if p.hangs[p.parts[i].name()] != onHub {
			return
		}
	}
	p.warnf("cached", "", "%s through one hub is more than %s carries (%s): some of it came from or went to a cache, not the disks",
		rate(max(o.ReadRate, o.WriteRate)), top.name, rate(top.rate))
}
