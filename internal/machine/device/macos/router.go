package macos

import "strings"

// router is a Thunderbolt or USB4 router of the I/O registry: the Mac's own (depth 0), or a device's.
type router struct {
	depth    int64
	route    int64 // a byte per hop, the first hop lowest: the number of the port that leads on
	upstream int64 // the number of the port that leads to the computer
	ports    []dict
}

// routersOf finds all routers: those of devices stand below the port of the router that they are connected to.
func routersOf(trees []dict) map[uint64]router {
	routers := map[uint64]router{}
	var walk func(d dict)
	walk = func(d dict) {
		children := d.list("IORegistryEntryChildren")
		if id, ok := d.bits("UID"); ok && strings.HasPrefix(d.text("IOObjectClass"), "IOThunderboltSwitch") {
			r := router{}
			r.depth, _ = d.number("Depth")
			r.depth = max(0, min(r.depth, 7)) // a route has 7 hops at most
			r.route, _ = d.number("Route String")
			r.upstream, _ = d.number("Upstream Port Number")
			for _, c := range children {
				if _, ok := c.number("Port Number"); ok {
					r.ports = append(r.ports, c)
				}
			}
			routers[id] = r
		}
		for _, c := range children {
			walk(c)
		}
	}
	for _, d := range trees {
		walk(d)
	}
	return routers
}

// ends are the ports where tunnels of one kind end that come from the computer. A port's type differs between makers in all
// but its last byte, which distinguishes the device's end, 2, from one that passes a tunnel on; what it is for, its description says.
func (r router) ends(description string) []dict {
	var ends []dict
	for _, p := range r.ports {
		if kind, _ := p.number("Adapter Type"); p.text("Description") == description && kind&0xff == 2 {
			ends = append(ends, p)
		}
	}
	return ends
}

// tunnels counts the ends that a tunnel has been laid to.
func (r router) tunnels(description string) int {
	n := 0
	for _, p := range r.ends(description) {
		if hops, _ := p["Hop Table"].([]any); len(hops) > 0 {
			n++
		}
	}
	return n
}

// port is the router's port of that number; nil for none.
func (r router) port(number int64) dict {
	for _, p := range r.ports {
		if n, _ := p.number("Port Number"); n == number {
			return p
		}
	}
	return nil
}

// laneSpeed is a lane's line rate by the code of the register of USB4's lane adapters, in which Apple follows the
// specification (USB4 v2, LANE_ADP_CS_1; Linux' drivers/thunderbolt/tb_regs.h): the codes of dumps in whatcable#52.
var laneSpeed = [...]struct{ code, bps int64 }{{2, 40e9}, {4, 20e9}, {8, 10e9}}

// laneRates are what a port transmits and receives, in bits per second. An empty port shows a single slow lane: ask only
// of ports that lead somewhere.
func laneRates(port dict) (tx, rx int64) {
	code, _ := port.number("Current Link Speed")
	width, _ := port.number("Current Link Width")
	for _, s := range laneSpeed {
		if s.code != code {
			continue
		}
		switch width { // the same register: one lane, two, and three with one for the way back
		case 1:
			return s.bps, s.bps
		case 2:
			return 2 * s.bps, 2 * s.bps
		case 4:
			return 3 * s.bps, s.bps
		case 8:
			return s.bps, 3 * s.bps
		}
	}
	return 0, 0
}

// laneLimit is what a port supports both ways at once; 0 if it does not say.
func laneLimit(port dict) int64 {
	mask, _ := port.number("Supported Link Speed")
	width, _ := port.number("Supported Link Width")
	for _, s := range laneSpeed { // the fastest first
		if mask&s.code == 0 {
			continue
		}
		if width&2 != 0 {
			return 2 * s.bps
		}
		if width == 1 {
			return s.bps
		}
	}
	return 0
}
