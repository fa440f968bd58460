package linux

import (
	"path"
	"slices"
	"strings"
)

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

// bridges are the PCI bridges right below a place, in the order of their addresses.
func (m *machine) bridges(dir string) []string {
	var out []string
	for _, name := range m.list(dir) {
		if child := path.Join(dir, name); m.forms.pci.MatchString(name) && m.bridge(child) {
			out = append(out, child)
		}
	}
	slices.Sort(out)
	return out
}

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
func open(r *router) []*router {
	return slices.DeleteFunc(slices.Clone(r.children), func(c *router) bool { return c.locked })
}

// sockets are the PCIe ports of a controller that lead to its Thunderbolt ports, and the way to the device from that port
// on, the port included; no way if the device is not behind them.
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
		if port != own && !m.leadsTo(port, usbClass) {
			sockets = append(sockets, port)
		}
	}
	if !slices.Contains(sockets, pci[at+1]) {
		return nil, nil
	}
	return sockets, pci[at+1:]
}

// leadsTo reports whether a device of the class is right below the port.
func (m *machine) leadsTo(port, class string) bool {
	for _, name := range m.list(port) {
		if m.forms.pci.MatchString(name) && strings.HasPrefix(m.text(port, name, "class"), class) {
			return true
		}
	}
	return false
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
