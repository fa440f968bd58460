package linux

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/internal/machine/device/capture"
	"github.com/hubbench/hubbench/pkg/hardware"
)

// router is a Thunderbolt or USB4 device: the host's own, a hub, a dock or an enclosure
// (the kernel's Documentation/ABI/testing/sysfs-bus-thunderbolt).
type router struct {
	id, dir    string
	generation string
	below      []*router // below are in the order of their ports.
}

// protocol returns what routers of a generation speak: the kernel counts USB4 as the fourth of
// Thunderbolt.
func protocol(generation string) string {
	switch generation {
	case "1", "2", "3":
		return "Thunderbolt " + generation
	case "4":
		return hardware.USB4
	}
	return ""
}

// controller returns the PCI device that drives the router's domain.
func (r *router) controller() string {
	controller, _, _ := strings.Cut(r.dir, "/domain")
	return controller
}

// readRouters lists the routers. A router's name has its domain and its route, a byte for each port
// on the way in hexadecimal, such as 0-301: the shorter names, which come first, are those nearer
// to the host.
func (m *machine) readRouters() {
	byDir := map[string]*router{}
	for _, dir := range m.class("bus/thunderbolt/devices") {
		name := path.Base(dir)
		computer := strings.Contains(m.text(dir, "uevent"), "thunderbolt_xdomain")
		if !m.forms[routerDevice].MatchString(name) || computer {
			continue
		}
		r := &router{id: "tb" + name, dir: dir, generation: m.text(dir, "generation")}
		byDir[dir] = r
		parent := byDir[path.Dir(dir)]
		if parent == nil {
			m.controllers = append(m.controllers, r)
			continue
		}
		h := hardware.Hub{
			ID: r.id, Name: m.text(dir, "device_name"), Vendor: m.text(dir, "vendor_name"),
			Firmware: m.text(dir, "nvm_version"), Protocol: protocol(r.generation),
			Link: m.uplink(r, parent),
		}
		if m.text(dir, "authorized") == "0" { // Its PCIe tunnel is not open.
			m.Warn(strings.TrimSpace(h.Vendor+" "+h.Name) +
				" is plugged in but not authorised, so nothing behind it is seen: " +
				"`boltctl authorize` lets it in")
		} else {
			parent.below = append(parent.below, r)
		}
		h.Name = cmp.Or(h.Name, "Thunderbolt device "+name)
		if m.FindHub(parent.id) != nil {
			h.Upstream = parent.id
		}
		m.addHub(h)
	}
}

// addHub lists a hub below the one that it is connected to.
func (m *machine) addHub(h hardware.Hub) {
	h.Port = m.port(h.Upstream, h.ID)
	m.Attach(h.Upstream, hardware.HubKind, h.ID, h.Name)
	m.Hubs = append(m.Hubs, h)
}

// port returns the ID of the host's port that the way to a device begins at: the one of the hub
// that it is connected to, or the one that it is plugged into itself, which is listed. IDs of
// devices are made alike: tb0-3 is on port 3 of the first Thunderbolt controller, usb2-1 on port 1
// of the second USB bus.
func (m *machine) port(hub, device string) string {
	if up := m.FindHub(hub); up != nil {
		return up.Port
	}
	bus, number, _ := strings.Cut(device, "-")
	p := hardware.Port{ID: bus + "-port" + number}
	if controller, ok := strings.CutPrefix(bus, "tb"); ok {
		p.Name = "Thunderbolt port " + number
		if controller != "0" || m.link("sys/bus/thunderbolt/devices/domain1") != "" {
			p.Name += " of controller " + controller
		}
	} else {
		p.Name = "USB port " + number + " of bus " + strings.TrimPrefix(bus, "usb")
	}
	host := &m.Hosts[0]
	for _, listed := range host.Ports {
		if listed.ID == p.ID {
			return p.ID
		}
	}
	host.Ports = append(host.Ports, p)
	return p.ID
}

// uplink returns the link above a router; nil if the kernel does not say what it negotiated (before
// Linux 5.5).
func (m *machine) uplink(r, parent *router) *hardware.Link {
	link := hardware.Link{Segment: hardware.Uplink, Kind: hardware.Thunderbolt, Hub: r.id}
	// The kernel's names are the device's: what it receives, the host transmits. They differ on an
	// asymmetric link only.
	out, in := m.count(r.dir, "rx_lanes"), m.count(r.dir, "tx_lanes")
	link.TxBps = capture.Rate(m.text(r.dir, "rx_speed")) * out
	link.RxBps = capture.Rate(m.text(r.dir, "tx_speed")) * in
	link.Lanes = int(max(in, out))
	if min(in, out) < 0 || link.Lanes > 4 || link.RxBps+link.TxBps == 0 {
		return nil
	}
	older := min(r.generation, cmp.Or(parent.generation, r.generation))
	link.Generation = strings.TrimPrefix(protocol(older), "Thunderbolt ")
	return &link
}

// Linux does not say which Thunderbolt device a PCI device came in through: the PCI tree and the
// tree of routers stand apart. Both have the same shape, though. If the shapes leave one answer it
// is taken; if they leave several, the path ends at the last router that is sure.

// Classes of PCI devices, their first digits.
const (
	bridgeClass   = "0x0604"
	usbClass      = "0x0c03"
	ideClass      = "0x0101"
	graphicsClass = "0x03"
)

func (m *machine) isBridge(dir string) bool {
	return strings.HasPrefix(m.text(dir, "class"), bridgeClass)
}

// below returns the PCI devices of a class right below a place, in the order of their addresses.
func (m *machine) below(dir, class string) []string {
	var out []string
	for _, device := range m.glob(dir, "*:??:??.[0-7]") {
		if strings.HasPrefix(m.text(device, "class"), class) {
			out = append(out, device)
		}
	}
	return out
}

// routerOf returns the last router on the way to a PCI device that is sure; nil if there is none.
func (m *machine) routerOf(pci []string) (last *router) {
	for _, controller := range m.controllers {
		ports, here := m.tunnels(controller), controller
		rest := pci
		for len(rest) > 0 && !slices.Contains(ports, rest[0]) {
			rest = rest[1:]
		}
		if len(rest) == 0 {
			continue
		}
		for ; ; rest = rest[2:] {
			// A controller's n-th port has its n-th PCIe port: so the kernel pairs them for all
			// controllers that it knows (tb_find_pcie_down in drivers/thunderbolt/tb.c), and the
			// firmware numbers them (usb4-port-number). So it is with hubs of USB4
			// (usb4_switch_map_pcie_down in drivers/thunderbolt/usb4.c); Thunderbolt 3 has no such
			// rule.
			ordered := here == controller || here.generation == "4" || len(ports) == 1
			port := slices.Index(ports, rest[0])
			if here == controller && len(here.below) == 1 {
				port = 0 // It may be any port.
			} else if port < 0 || len(here.below) != len(ports) || !ordered {
				return last
			}
			here = here.below[port]
			last = here
			if len(rest) <= 3 {
				return last
			}
			// Its switch's port to the host comes next, then one of those away from it: those with
			// another switch behind.
			ports = nil
			for _, away := range m.below(rest[1], bridgeClass) {
				if len(m.below(away, bridgeClass)) > 0 {
					ports = append(ports, away)
				}
			}
		}
	}
	return nil
}

// tunnels returns the PCIe ports of a controller that lead to its Thunderbolt ports.
func (m *machine) tunnels(controller *router) (ports []string) {
	dir := controller.controller()
	// Inside a processor: the kernel links the controller with the root ports that tunnel for it
	// (tb_acpi_add_links).
	root := path.Dir(dir)
	for _, link := range m.glob(dir, "consumer:pci:*") {
		port := path.Join(root, strings.TrimPrefix(path.Base(link), "consumer:pci:"))
		if m.isBridge(port) {
			ports = append(ports, port)
		}
	}
	// A chip of its own: a switch with the controller behind one port, a USB controller behind
	// another, and Thunderbolt ports behind the rest.
	if chip := path.Dir(root); len(ports) == 0 && m.isBridge(chip) {
		for _, port := range m.below(chip, bridgeClass) {
			if port != root && len(m.below(port, usbClass)) == 0 {
				ports = append(ports, port)
			}
		}
	}
	return ports
}

// hubOf returns the ID of the hub that a device is connected to; empty if it is connected to the
// host. The hubs of USB on the way are listed with what they are connected to, or those that are
// not listed are passed over.
func (m *machine) hubOf(w way, list bool) (id string) {
	if router := m.routerOf(w[pciDevice]); router != nil {
		id = router.id
	}
	for _, dir := range w[usbDevice] {
		hub := "usb" + path.Base(dir)
		listed := m.FindHub(hub) != nil
		if dir == w.last(usbDevice) || !listed && !list {
			break
		}
		if !listed {
			m.addUSBHub(dir, hub, id)
		}
		id = hub
	}
	return id
}

func (m *machine) addUSBHub(dir, id, upstream string) {
	h := hardware.Hub{
		ID: id, Name: cmp.Or(m.text(dir, "product"), "USB hub "+path.Base(dir)),
		Vendor: m.text(dir, "manufacturer"), Upstream: upstream,
		Link: m.usbLink(dir, hardware.Uplink),
	}
	if bcd := m.text(dir, "bcdDevice"); len(bcd) == 4 { // 0105 for 1.05
		h.Firmware = strings.TrimPrefix(bcd[:2], "0") + "." + bcd[2:]
	}
	if h.Link != nil {
		h.Link.Hub = id
		h.Protocol = "USB " + h.Link.Generation
	}
	m.addHub(h)
}

// hubClass is the class of USB hubs.
const hubClass = "09"

// networkClasses are the classes, subclasses and protocols of the interfaces of USB network
// adapters: ECM, NCM, MBIM and both numbers of RNDIS (https://www.usb.org/defined-class-codes).
var networkClasses = [...]string{"0206", "020d", "020e", "e00103", "ef0401"}

// network reports whether a USB device is a network adapter that has no driver here.
func (m *machine) network(dir string) bool {
	for _, file := range m.glob(dir, "*/bInterfaceClass") {
		face := path.Dir(file)
		class := m.text(file) + m.text(face, "bInterfaceSubClass") +
			m.text(face, "bInterfaceProtocol")
		for _, c := range networkClasses {
			if strings.HasPrefix(class, c) {
				return true
			}
		}
	}
	return false
}

// displayLink is the vendor of the chips that send a display's picture over USB.
const displayLink = "17e9"

// attachOthers lists network adapters, displays over USB, other USB devices and graphics cards. A
// display on DisplayPort is not seen: Linux shows that it is there, but not through which hub.
func (m *machine) attachOthers() {
	listed := map[string]bool{} // USB devices that are disks or have a network driver
	for _, b := range m.blocks {
		listed[m.way(b).last(usbDevice)] = true
	}
	for _, dir := range m.class("class/net") {
		device := m.link(dir, "device")
		if device == "" {
			continue
		}
		w, name := m.wayTo(device), path.Base(dir)
		adapter := w.last(usbDevice)
		listed[adapter] = true
		if product := m.text(adapter, "product"); product != "" {
			name = product + " (" + name + ")"
		}
		m.Attach(m.hubOf(w, false), hardware.NetworkKind, "", name)
	}
	for _, dir := range m.class("bus/usb/devices") {
		id := path.Base(dir)
		if !m.forms[usbDevice].MatchString(id) || listed[dir] ||
			m.text(dir, "bDeviceClass") == hubClass {
			continue
		}
		kind := hardware.OtherKind
		name := hardware.WithVendor(m.text(dir, "manufacturer"), m.text(dir, "product"))
		switch {
		case m.text(dir, "idVendor") == displayLink:
			kind = hardware.DisplayKind
		case m.network(dir):
			kind = hardware.NetworkKind
		}
		m.Attach(m.hubOf(m.wayTo(dir), false), kind, "", cmp.Or(name, "USB device "+id))
	}
	for _, dir := range m.class("bus/pci/devices") {
		if strings.HasPrefix(m.text(dir, "class"), graphicsClass) {
			m.Attach(m.hubOf(m.wayTo(dir), false), hardware.OtherKind, "", "graphics card")
		}
	}
}
