package macos

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hubbench/hubbench/internal/machine/device/capture"
	"github.com/hubbench/hubbench/pkg/hardware"
)

// mode is the technique by which a device is connected, as the profile names it.
var modes = [...]struct{ key, protocol, generation string }{
	{"thunderbolt_one", "Thunderbolt", "1"},
	{"thunderbolt_two", "Thunderbolt 2", "2"},
	{"thunderbolt_three", "Thunderbolt 3", "3"},
	{"usb_four", "USB4", ""},       // Thunderbolt 4 among them
	{"usb_four_v2", "USB4 v2", ""}, // Thunderbolt 5 among them
}

// addThunderbolt reads ports and hubs. Each bus of the profile is the Mac's end of one or two
// receptacles, and holds what is plugged in there, item within item.
func (m *machine) addThunderbolt() {
	for _, bus := range m.profile["SPThunderboltDataType"] {
		ports := m.addPorts(bus)
		for _, device := range bus.List("_items") {
			m.addRouter(device, bus, m.portOf(device, bus, ports), "")
		}
	}
	slices.SortStableFunc(m.Hosts[0].Ports, func(a, b hardware.Port) int {
		return cmp.Or(cmp.Compare(len(a.ID), len(b.ID)), cmp.Compare(a.ID, b.ID))
	})
}

// addPorts adds the receptacles of a bus, one on Apple silicon, up to two on Intel. "Up to 40 Gb/s"
// is what an empty one can do, and no link.
func (m *machine) addPorts(bus dict) (ports []hardware.Port) {
	for _, key := range slices.Sorted(maps.Keys(bus)) {
		if !strings.HasPrefix(key, "receptacle_") || !strings.HasSuffix(key, "_tag") ||
			strings.Contains(key, "upstream") {
			continue
		}
		tag := bus.Dict(key)
		number := tag.Text("receptacle_id_key")
		port := hardware.Port{ID: "port" + number, Name: "Thunderbolt port " + number}
		if number == "" {
			port.ID, port.Name = bus.Text("_name")+"."+strings.TrimSuffix(key, "_tag"), ""
		}
		if tag.Text("receptacle_status_key") == "receptacle_connected" {
			port.Link = &hardware.Link{Segment: hardware.HostPort, Kind: hardware.Thunderbolt}
			setRate(port.Link, tag.Text("current_speed_key"))
		}
		ports = append(ports, port)
	}
	m.Hosts[0].Ports = append(m.Hosts[0].Ports, ports...)
	return ports
}

// portOf returns the ID of the port of a bus where a device is plugged in; empty if that is not
// known. Of two, the last byte of the device's route is the number of the port of the Mac's router,
// and the registry knows that port's socket.
func (m *machine) portOf(device, bus dict, ports []hardware.Port) string {
	if len(ports) == 1 {
		return ports[0].ID
	}
	socket := ""
	route, err := strconv.ParseUint(device.Text("route_string_key"), 16, 64)
	if host, ok := m.routers[uid(bus)]; ok && err == nil {
		socket = host.port(int64(route & 0xff)).Text("Socket ID")
	}
	var connected []string
	for _, p := range ports {
		if socket != "" && p.ID == "port"+socket {
			return p.ID
		}
		if p.Link != nil {
			connected = append(connected, p.ID)
		}
	}
	if len(connected) == 1 {
		return connected[0]
	}
	return ""
}

// addRouter adds a hub, a dock or an enclosure, and what is connected to it. Another computer is
// none of these: it has a domain of its own, and no router in this one.
func (m *machine) addRouter(device, upstream dict, port, parent string) {
	if device.Text("switch_uid_key") == "" {
		return
	}
	route := cmp.Or(device.Text("route_string_key"), strconv.Itoa(len(m.Hubs)))
	hub := hardware.Hub{
		ID:       m.unique(cmp.Or(port, "thunderbolt") + "." + route),
		Name:     cmp.Or(device.Text("device_name_key"), device.Text("_name")),
		Vendor:   device.Text("vendor_name_key"),
		Firmware: device.Text("switch_version_key"),
		Port:     port,
		Upstream: parent,
	}
	hub.Link = &hardware.Link{Segment: hardware.Uplink, Hub: hub.ID, Kind: hardware.Thunderbolt}
	for _, mode := range modes {
		if mode.key == device.Text("mode_key") {
			hub.Protocol, hub.Link.Generation = mode.protocol, mode.generation
		}
	}
	setRate(hub.Link, device.Dict("receptacle_upstream_ambiguous_tag").Text("current_speed_key"))
	m.setRegistryRates(hub.Link, device, upstream)
	for i := range m.Hosts[0].Ports { // What is plugged into a port is its link.
		p := &m.Hosts[0].Ports[i]
		if parent == "" && p.ID == port {
			link := *hub.Link
			link.Segment = hardware.HostPort
			link.Hub = ""
			p.Link = &link
			p.Protocol = hub.Protocol
		}
	}
	m.Hubs = append(m.Hubs, hub)
	m.uids[hub.ID] = uid(device)
	m.Attach(parent, hardware.HubKind, hub.ID, hub.Name)
	for _, d := range device.List("_items") {
		m.addRouter(d, device, port, hub.ID)
	}
}

// setRegistryRates takes a link's rates and its limit from the registry, which knows each
// direction. If the profile names another rate than either of them, the profile's stands.
func (m *machine) setRegistryRates(link *hardware.Link, device, upstream dict) {
	r, ok := m.routers[uid(device)]
	if !ok {
		return
	}
	port := r.port(r.upstream)
	tx, rx := laneRates(port) // What the device transmits, the computer receives.
	if named := max(link.RxBps, link.TxBps); tx > 0 && (named == 0 || named == max(rx, tx)) {
		link.RxBps, link.TxBps = tx, rx
	}
	above, ok := m.routers[uid(upstream)]
	if !ok {
		return
	}
	if p := above.port(r.route >> (8 * uint(above.depth)) & 0xff); p != nil {
		if limit := min(maxLaneRate(port), maxLaneRate(p)); limit >= max(link.RxBps, link.TxBps) {
			link.MaxBps = limit
		}
	}
}

// setRate takes a link's rate from the profile's words. Only a plain rate has been negotiated; "Up
// to" is a ceiling, and 120 Gb/s goes one way only, which these words do not name.
func setRate(link *hardware.Link, words string) {
	if bps := capture.Rate(words); bps < 120e9 {
		link.RxBps, link.TxBps = bps, bps
	}
}

// uid returns the router's number in its makers' numbering; 0 for none.
func uid(device dict) int64 {
	n, _ := strconv.ParseUint(strings.TrimPrefix(strings.ToLower(device.Text("switch_uid_key")),
		"0x"), 16, 64)
	return int64(n)
}

// router is a Thunderbolt or USB4 router of the I/O registry: the Mac's own (depth 0), or a
// device's.
type router struct {
	depth int64
	// route has a byte per hop, the first hop lowest: the number of the port that leads on.
	route    int64
	upstream int64 // upstream is the number of the port that leads to the computer.
	// slowest is what the slowest link to it carries, in bits per second one way; 0: not known.
	slowest int64
	ports   []dict
}

// routersOf finds all routers: those of devices stand below the port of the router that they are
// connected to.
func routersOf(trees []dict) map[int64]router {
	routers := map[int64]router{}
	var walk func(trees []dict, slowest int64)
	walk = func(trees []dict, slowest int64) {
		for _, d := range trees {
			below := slowest
			id, ok := d.Number("UID")
			if ok && strings.HasPrefix(d.Text("IOObjectClass"), "IOThunderboltSwitch") {
				r := router{slowest: slowest}
				r.depth, _ = d.Number("Depth")
				r.depth = max(0, min(r.depth, 7)) // A route has 7 hops at most.
				r.route, _ = d.Number("Route String")
				r.upstream, _ = d.Number("Upstream Port Number")
				for _, c := range d.List("IORegistryEntryChildren") {
					if _, ok := c.Number("Port Number"); ok {
						r.ports = append(r.ports, c)
					}
				}
				tx, rx := laneRates(r.port(r.upstream))
				if one := min(tx, rx); r.depth > 0 && one > 0 && (slowest == 0 || one < slowest) {
					r.slowest = one
				}
				routers[id], below = r, r.slowest
			}
			walk(d.List("IORegistryEntryChildren"), below)
		}
	}
	walk(trees, 0)
	return routers
}

// holds reports whether a tunnel of PCI Express ends in the router that leads to a disk: its port
// for the tunnel names the entry where it ends.
func (r router) holds(c chain) bool {
	for _, p := range r.tunnelEnds("PCIe Adapter") {
		if end, ok := p.Number("PCI Entry ID"); ok && slices.Contains(c.entries, end) {
			return true
		}
	}
	return false
}

// tunnelEnds returns the ports where tunnels of one kind end that come from the computer. A port's
// type differs between makers in all but its last byte, which distinguishes the device's end, 2,
// from one that passes a tunnel on; what it is for, its description says.
func (r router) tunnelEnds(description string) []dict {
	var ends []dict
	for _, p := range r.ports {
		if kind, _ := p.Number("Adapter Type"); p.Text("Description") == description &&
			kind&0xff == 2 {
			ends = append(ends, p)
		}
	}
	return ends
}

// countTunnels counts the ends that a tunnel has been laid to.
func (r router) countTunnels(description string) int {
	n := 0
	for _, p := range r.tunnelEnds(description) {
		if hops, _ := p["Hop Table"].([]any); len(hops) > 0 {
			n++
		}
	}
	return n
}

// port returns the router's port of that number; nil for none.
func (r router) port(number int64) dict {
	for _, p := range r.ports {
		if n, _ := p.Number("Port Number"); n == number {
			return p
		}
	}
	return nil
}

// laneSpeed is a lane's line rate by the code of the register of USB4's lane adapters, in which
// Apple follows the specification (USB4 v2, LANE_ADP_CS_1; Linux' drivers/thunderbolt/tb_regs.h):
// the codes of dumps in whatcable#52.
var laneSpeed = [...]struct{ code, bps int64 }{{2, 40e9}, {4, 20e9}, {8, 10e9}}

// laneRates returns what a port transmits and receives, in bits per second. An empty port shows a
// single slow lane: ask only of ports that lead somewhere.
func laneRates(port dict) (tx, rx int64) {
	code, _ := port.Number("Current Link Speed")
	width, _ := port.Number("Current Link Width")
	for _, s := range laneSpeed {
		if s.code != code {
			continue
		}
		// The same register: lanes to transmit and receive by one lane, two, and three with one for
		// the way back.
		lanes := map[int64][2]int64{1: {1, 1}, 2: {2, 2}, 4: {3, 1}, 8: {1, 3}}[width]
		return lanes[0] * s.bps, lanes[1] * s.bps
	}
	return 0, 0
}

// maxLaneRate returns what a port supports both ways at once; 0 if it does not say.
func maxLaneRate(port dict) int64 {
	mask, _ := port.Number("Supported Link Speed")
	width, _ := port.Number("Supported Link Width")
	for _, s := range laneSpeed { // The fastest comes first.
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
