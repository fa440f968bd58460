package linux

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/hubbench/hubbench/pkg/hardware"
)

// router is a Thunderbolt or USB4 device: the host's own, a hub, a dock or an enclosure
// (the kernel's Documentation/ABI/testing/sysfs-bus-thunderbolt).
type router struct {
	sysname  string // 0-1, 0-301: the domain, and the route in hexadecimal
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

// domain is the number of the controller.
func (r *router) domain() string {
	domain, _, _ := strings.Cut(r.sysname, "-")
	return domain
}

// port is the parent's port that the router is connected to: each takes eight bits of the route.
func (r *router) port() int {
	_, digits, _ := strings.Cut(r.sysname, "-")
	route, err := strconv.ParseUint(digits, 16, 64)
	if err != nil || r.parent == nil {
		return 0
	}
	return int(route >> (8 * (r.depth() - 1)) & 0xff)
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
		if !m.forms.router.MatchString(name) || strings.Contains(m.text(dir, "uevent"), "thunderbolt_xdomain") { // another computer
			continue
		}
		r := &router{sysname: name, dir: dir, name: strings.TrimSpace(m.text(dir, "vendor_name") + " " + m.text(dir, "device_name"))}
		r.locked = m.text(dir, "authorized") == "0"
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
			m.hubs = append(m.hubs, m.routerHub(r))
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
	var numbers []int
	for n := range ports {
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	for _, n := range numbers {
		p := hardware.Port{ID: portID(host, n), Name: "Thunderbolt port " + strconv.Itoa(n), Protocol: m.protocol(host)}
		if host.domain() != "0" || len(m.list("sys/bus/thunderbolt/devices/domain1")) > 0 {
			p.Name += " of controller " + host.domain()
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
	return "tb" + host.domain() + "-port" + strconv.Itoa(port)
}

// protocol is what a router speaks: the kernel counts USB4 as the fourth generation of Thunderbolt.
func (m *machine) protocol(r *router) string {
	switch generation := m.number(r.dir, "generation"); generation {
	case 1, 2, 3:
		return "Thunderbolt " + strconv.FormatInt(generation, 10)
	case 4:
		return hardware.USB4
	}
	return ""
}

func (m *machine) routerHub(r *router) hardware.Hub {
	h := hardware.Hub{
		ID: r.id(), Name: m.text(r.dir, "device_name"), Vendor: m.text(r.dir, "vendor_name"),
		Firmware: m.text(r.dir, "nvm_version"), Protocol: m.protocol(r), Link: m.routerLink(r),
	}
	if h.Name == "" {
		h.Name = "Thunderbolt device " + r.sysname
	}
	h.Port = r.socket()
	if r.parent != nil && r.parent.parent != nil {
		h.Upstream = r.parent.id()
	}
	return h
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
	switch m.number(r.dir, "generation") {
	case 3:
		link.Generation = "3"
	case 2:
		link.Generation = "2"
	case 4:
		link.Generation = hardware.USB4
	}
	if r.parent != nil { // the older end decides
		if g := m.number(r.parent.dir, "generation"); g == 2 || g == 3 && link.Generation == hardware.USB4 {
			link.Generation = strconv.FormatInt(g, 10)
		}
	}
	return link
}

// rate is a direction's speed per lane times its lanes: "20.0 Gb/s" and 2.
func (m *machine) rate(r *router, direction string) (bps int64, lanes int) {
	number, unit, _ := strings.Cut(m.text(r.dir, direction+"_speed"), " ")
	speed, err := strconv.ParseFloat(number, 64)
	n := m.number(r.dir, direction+"_lanes")
	if err != nil || unit != "Gb/s" || !(speed > 0 && speed <= 1000) || n < 1 || n > 4 {
		return 0, 0
	}
	return int64(speed*1e9) * n, int(n)
}

// controllerLink is the PCIe link of a controller that is a chip of its own; none of one inside the processor.
func (m *machine) controllerLink(r *router) []hardware.Link {
	upstream := path.Dir(path.Dir(r.controller()))
	if !m.bridge(upstream) {
		return nil
	}
	if link := m.pciLink(upstream); link != nil {
		link.Segment, link.MaxBps = hardware.HostPort, 0
		return []hardware.Link{*link}
	}
	return nil
}
