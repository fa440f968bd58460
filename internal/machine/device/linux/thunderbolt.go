package linux

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/hubbench/hubbench/internal/machine/device/capture"
	"github.com/hubbench/hubbench/pkg/hardware"
)

// router is a Thunderbolt or USB4 device: the host's own, a hub, a dock or an enclosure
// (the kernel's Documentation/ABI/testing/sysfs-bus-thunderbolt).
type router struct {
	sysname  string // 0-1, 0-301: the domain, and the route in hexadecimal
	domain   string // the number of the controller
	route    uint64
	dir      string
	name     string
	locked   bool // not authorised: its PCIe tunnel is not open
	children []*router
	parent   *router
}

func (r *router) id() string { return "tb" + r.sysname }

// depth is how many cables lie between the router and the host.
func (r *router) depth() int {
	n := 0
	for p := r.parent; p != nil; p = p.parent {
		n++
	}
	return n
}

// port is the parent's port that the router is connected to: each takes eight bits of the route.
func (r *router) port() int {
	if r.parent == nil {
		return 0
	}
	return int(r.route >> (8 * (r.depth() - 1)) & 0xff)
}

// controller is the PCI device that drives the router's domain.
func (r *router) controller() string {
	before, _, _ := strings.Cut(r.dir, "/domain")
	return before
}

// readRouters lists the routers, the nearest to the host first.
func (m *machine) readRouters() {
	byDir := map[string]*router{}
	for _, dir := range m.class("bus/thunderbolt/devices") {
		name := path.Base(dir)
		computer := strings.Contains(m.text(dir, "uevent"), "thunderbolt_xdomain")
		if !m.forms.router.MatchString(name) || computer {
			continue
		}
		r := &router{sysname: name, dir: dir, locked: m.text(dir, "authorized") == "0"}
		var route string
		r.domain, route, _ = strings.Cut(name, "-")
		r.route, _ = strconv.ParseUint(route, 16, 64)
		r.name = strings.TrimSpace(m.text(dir, "vendor_name") + " " + m.text(dir, "device_name"))
		byDir[dir] = r
		m.routers = append(m.routers, r)
	}
	for _, r := range m.routers {
		if r.parent = byDir[path.Dir(r.dir)]; r.parent != nil {
			r.parent.children = append(r.parent.children, r)
		}
	}
	slices.SortStableFunc(m.routers, func(a, b *router) int { return a.depth() - b.depth() })
	for _, r := range m.routers {
		slices.SortStableFunc(r.children, func(a, b *router) int { return a.port() - b.port() })
		if r.parent == nil {
			m.hostPorts(r)
		} else {
			h := hardware.Hub{
				ID: r.id(), Name: cmp.Or(m.text(r.dir, "device_name"), "Thunderbolt device "+r.sysname),
				Vendor: m.text(r.dir, "vendor_name"), Firmware: m.text(r.dir, "nvm_version"), Protocol: m.protocol(r),
				Link: m.routerLink(r), Port: r.socket(),
			}
			if r.parent.parent != nil {
				h.Upstream = r.parent.id()
			}
			m.Hubs = append(m.Hubs, h)
		}
	}
}

// hostPorts lists the sockets of a controller.
func (m *machine) hostPorts(host *router) {
	ports := map[int]*router{}
	for _, name := range m.list(host.dir) { // usb4_port1, since Linux 5.14
		if n, err := strconv.Atoi(strings.TrimPrefix(name, "usb4_port")); err == nil && strings.HasPrefix(name, "usb4_port") {
			ports[n] = nil
		}
	}
	for _, child := range host.children {
		ports[child.port()] = child
	}
	for _, n := range slices.Sorted(maps.Keys(ports)) {
		p := hardware.Port{ID: portID(host, n), Name: "Thunderbolt port " + strconv.Itoa(n), Protocol: m.protocol(host)}
		if host.domain != "0" || len(m.list("sys/bus/thunderbolt/devices/domain1")) > 0 {
			p.Name += " of controller " + host.domain
		}
		if child := ports[n]; child != nil {
			p.Link = m.routerLink(child)
			p.Protocol = m.protocol(child)
		}
		m.ports = append(m.ports, p)
	}
}

// socket is the ID of the host's port that the way to the router begins at.
func (r *router) socket() string {
	first := r
	for first.parent != nil && first.parent.parent != nil {
		first = first.parent
	}
	return portID(r, first.port())
}

func portID(host *router, port int) string {
	return "tb" + host.domain + "-port" + strconv.Itoa(port)
}

// protocol is what a router speaks: the kernel counts USB4 as the fourth generation of Thunderbolt.
func (m *machine) protocol(r *router) string {
	switch generation := m.text(r.dir, "generation"); generation {
	case "1", "2", "3":
		return "Thunderbolt " + generation
	case "4":
		return hardware.USB4
	}
	return ""
}

// routerLink is the cable above a router; nil if the kernel does not say what it negotiated (before Linux 5.5).
func (m *machine) routerLink(r *router) *hardware.Link {
	// The kernel's names are the device's: what it receives, the host transmits. They differ on an asymmetric link only.
	tx, lanes := m.rate(r, "rx")
	rx, upLanes := m.rate(r, "tx")
	if rx == 0 && tx == 0 {
		return nil
	}
	link := &hardware.Link{Kind: hardware.Thunderbolt, Hub: r.id(), RxBps: rx, TxBps: tx, Lanes: max(lanes, upLanes)}
	link.Generation = map[int64]string{2: "2", 3: "3", 4: hardware.USB4}[m.number(r.dir, "generation")]
	if r.parent != nil { // the older end decides
		if g := m.number(r.parent.dir, "generation"); g == 2 || g == 3 && link.Generation == hardware.USB4 {
			link.Generation = strconv.FormatInt(g, 10)
		}
	}
	return link
}

// rate is a direction's speed per lane times its lanes: "20.0 Gb/s" and 2.
func (m *machine) rate(r *router, direction string) (bps int64, lanes int) {
	speed, n := capture.Rate(m.text(r.dir, direction+"_speed")), m.number(r.dir, direction+"_lanes")
	if speed == 0 || n < 1 || n > 4 {
		return 0, 0
	}
	return speed * n, int(n)
}

// Linux does not say which Thunderbolt device a PCI device came in through: the PCI tree and the tree of routers stand
// apart. Both have the same shape, though. If the shapes leave one answer it is taken; if they leave several, the
// path ends at the last router that is sure.

// Classes of PCI devices, their first digits.
const (
	bridgeClass = "0x0604"
	usbClass    = "0x0c03"
	ideClass    = "0x0101"
)

func (m *machine) bridge(dir string) bool {
	return strings.HasPrefix(m.text(dir, "class"), bridgeClass)
}

// below are the PCI devices of a class right below a place, in the order of their addresses.
func (m *machine) below(dir, class string) []string {
	var out []string
	for _, name := range m.list(dir) {
		if m.forms.pci.MatchString(name) && strings.HasPrefix(m.text(dir, name, "class"), class) {
			out = append(out, path.Join(dir, name))
		}
	}
	slices.Sort(out)
	return out
}

// bridges are the PCI bridges right below a place.
func (m *machine) bridges(dir string) []string { return m.below(dir, bridgeClass) }

// routersOf are the routers on the way to a PCI device, from the host on.
func (m *machine) routersOf(pci []string) []*router {
	for _, host := range m.routers {
		if host.parent != nil || len(pci) == 0 {
			continue
		}
		sockets, rest := m.sockets(host, pci)
		if len(rest) == 0 {
			continue
		}
		children := open(host)
		var first *router
		// A controller's n-th port has its n-th PCIe port: so the kernel pairs them for all controllers that it knows
		// (tb_find_pcie_down in drivers/thunderbolt/tb.c), and the firmware numbers them (usb4-port-number).
		i := slices.Index(sockets, rest[0])
		switch {
		case len(children) == 1:
			first = children[0]
		case len(children) == len(sockets) && i >= 0:
			first = children[i]
		default:
			return nil
		}
		return m.descend(first, rest[1:])
	}
	return nil
}

// open are the routers below one through which PCIe can come.
func open(r *router) (children []*router) {
	for _, c := range r.children {
		if !c.locked {
			children = append(children, c)
		}
	}
	return children
}

// sockets are the PCIe ports of a controller that lead to its Thunderbolt ports, and the way to the device from that
// port on, the port included; no way if the device is not behind them.
func (m *machine) sockets(host *router, pci []string) (sockets, rest []string) {
	controller := host.controller()
	// Inside a processor: the kernel links the controller with the root ports that tunnel for it (tb_acpi_add_links).
	root := path.Dir(controller)
	for _, name := range m.list(controller) {
		if address, ok := strings.CutPrefix(name, "consumer:pci:"); ok && m.bridge(path.Join(root, address)) {
			sockets = append(sockets, path.Join(root, address))
		}
	}
	slices.Sort(sockets)
	if len(sockets) > 0 {
		if slices.Contains(sockets, pci[0]) {
			return sockets, pci
		}
		return sockets, nil
	}
	// A chip of its own: a switch with the controller behind one port, a USB controller behind another, and Thunderbolt
	// ports behind the rest.
	own := path.Dir(controller)
	chip := path.Dir(own)
	at := slices.Index(pci, chip)
	if !m.bridge(chip) || at < 0 || at+1 >= len(pci) {
		return nil, nil
	}
	for _, port := range m.bridges(chip) {
		if port != own && len(m.below(port, usbClass)) == 0 {
			sockets = append(sockets, port)
		}
	}
	if !slices.Contains(sockets, pci[at+1]) {
		return nil, nil
	}
	return sockets, pci[at+1:]
}

// descend follows a way below a router: its switch's port to the host, then one of those away from it.
func (m *machine) descend(r *router, rest []string) []*router {
	out := []*router{r}
	for len(rest) > 2 {
		children := open(r)
		var switches []string // the ports with another switch behind them
		for _, port := range m.bridges(rest[0]) {
			if len(m.bridges(port)) > 0 {
				switches = append(switches, port)
			}
		}
		i := slices.Index(switches, rest[1])
		if len(children) == 0 || len(children) != len(switches) || i < 0 {
			break
		}
		// With several, the order counts: in USB4 the n-th port is the n-th PCIe adapter's (usb4_switch_map_pcie_down in
		// drivers/thunderbolt/usb4.c). Thunderbolt 3 has no such rule.
		if len(children) > 1 && m.number(r.dir, "generation") != 4 {
			break
		}
		r = children[i]
		out = append(out, r)
		rest = rest[2:]
	}
	return out
}
