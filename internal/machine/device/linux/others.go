package linux

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/hardware"
)

// usbHub is the ID of the hub that is the i-th USB device of a way; it is listed with what it is connected to.
func (m *machine) usbHub(w way, i int, routers []*router) string {
	dir := w.usb[i]
	id := "usb" + path.Base(dir)
	if m.FindHub(id) != nil {
		return id
	}
	link := m.usbLink(dir)
	h := hardware.Hub{
		ID: id, Name: cmp.Or(m.text(dir, "product"), "USB hub "+path.Base(dir)), Vendor: m.text(dir, "manufacturer"),
	}
	if bcd := m.text(dir, "bcdDevice"); len(bcd) == 4 { // 0105 is 1.05
		h.Firmware = strings.TrimPrefix(bcd[:2], "0") + "." + bcd[2:]
	}
	if link.RxBps > 0 {
		link.Segment, link.Hub = hardware.Uplink, id
		h.Link = &link
		h.Protocol = "USB " + link.Generation
	}
	switch {
	case i > 0:
		h.Upstream = m.usbHub(w, i-1, routers)
	case len(routers) > 0:
		h.Upstream = routers[len(routers)-1].id()
	}
	if up := m.FindHub(h.Upstream); up != nil {
		h.Port = up.Port
	} else {
		h.Port = m.usbPort(dir)
	}
	m.Hubs = append(m.Hubs, h)
	return id
}

// usbPort lists the socket that a USB device of the first rank is plugged into.
func (m *machine) usbPort(dir string) string {
	bus, number, _ := strings.Cut(path.Base(dir), "-")
	id := "usb" + bus + "-port" + number
	if !slices.ContainsFunc(m.ports, func(p hardware.Port) bool { return p.ID == id }) {
		p := hardware.Port{ID: id, Name: "USB port " + number + " of bus " + bus, Protocol: "USB"}
		if link := m.usbLink(dir); link.RxBps > 0 {
			p.Link = &link
		}
		m.ports = append(m.ports, p)
	}
	return id
}

// other is a device that competes with disks for a hub's uplink.
type other struct {
	kind hardware.Kind
	name string
	way  way
}

// hubClass is the class of USB hubs.
const hubClass = "09"

// networkClasses are the classes, subclasses and protocols of the interfaces of USB network adapters: ECM, NCM, MBIM
// and both numbers of RNDIS (https://www.usb.org/defined-class-codes).
var networkClasses = [...]string{"0206", "020d", "020e", "e00103", "ef0401"}

// network reports whether a USB device is a network adapter that has no driver here.
func (m *machine) network(dir string) bool {
	for _, name := range m.list(dir) {
		if !m.forms.usbInterface.MatchString(name) {
			continue
		}
		class := m.text(dir, name, "bInterfaceClass") + m.text(dir, name, "bInterfaceSubClass") +
			m.text(dir, name, "bInterfaceProtocol")
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

// readOthers lists network adapters, displays over USB, other USB devices and graphics cards. A display on
// DisplayPort is not seen: Linux shows that it is there, but not through which hub.
func (m *machine) readOthers() {
	for _, dir := range m.class("class/net") {
		device := m.link(dir, "device")
		if device == "" {
			continue
		}
		w := m.wayTo(device)
		name := path.Base(dir)
		if len(w.usb) > 0 {
			if product := m.text(w.usb[len(w.usb)-1], "product"); product != "" {
				name = product + " (" + name + ")"
			}
		}
		m.others = append(m.others, other{hardware.NetworkKind, name, w})
	}
	for _, dir := range m.class("bus/usb/devices") {
		w := m.wayTo(dir)
		taken := slices.ContainsFunc(m.others, func(o other) bool { return slices.Contains(o.way.usb, dir) }) ||
			slices.ContainsFunc(m.blocks, func(b *block) bool { return isBelow(b.dir, dir) })
		switch {
		case len(w.usb) == 0 || w.usb[len(w.usb)-1] != dir || taken || m.text(dir, "bDeviceClass") == hubClass:
		case m.text(dir, "idVendor") == displayLink:
			name := strings.TrimSpace("DisplayLink " + m.text(dir, "product"))
			m.others = append(m.others, other{hardware.DisplayKind, name, w})
		default:
			kind := hardware.OtherKind
			if m.network(dir) {
				kind = hardware.NetworkKind
			}
			name := hardware.WithVendor(m.text(dir, "manufacturer"), m.text(dir, "product"))
			name = cmp.Or(name, "USB device "+path.Base(dir))
			m.others = append(m.others, other{kind, name, w})
		}
	}
	for _, dir := range m.class("bus/pci/devices") {
		if strings.HasPrefix(m.text(dir, "class"), "0x03") {
			m.others = append(m.others, other{hardware.OtherKind, "graphics card", m.wayTo(dir)})
		}
	}
}

// hubOf is the ID of the hub that a device is connected to: a listed one, or empty.
func (m *machine) hubOf(w way) string {
	for _, dir := range slices.Backward(w.usb[:max(0, len(w.usb)-1)]) {
		if id := "usb" + path.Base(dir); m.FindHub(id) != nil {
			return id
		}
	}
	if routers := m.routersOf(w.pci); len(routers) > 0 {
		return routers[len(routers)-1].id()
	}
	return ""
}

// attach lists what is connected to each hub.
func (m *machine) attach() {
	slices.SortStableFunc(m.Hubs, func(a, b hardware.Hub) int { return m.rank(a) - m.rank(b) })
	for i := range m.Hubs {
		h := &m.Hubs[i]
		m.Attach(h.Upstream, hardware.HubKind, h.ID, h.Name)
		if h.Link != nil {
			h.Link.Segment = hardware.Uplink
		}
	}
	for i := range m.Disks {
		if d := &m.Disks[i]; d.Hub != nil {
			m.Attach(*d.Hub, hardware.DiskKind, d.Name, hardware.WithVendor(d.Vendor, d.Model))
		}
	}
	for _, o := range m.others {
		m.Attach(m.hubOf(o.way), o.kind, "", o.name)
	}
}

// rank is how many hubs lie between a hub and the host.
func (m *machine) rank(h hardware.Hub) int {
	n := 0
	for above := m.FindHub(h.Upstream); above != nil && n <= len(m.Hubs); above = m.FindHub(above.Upstream) {
		n++
	}
	return n
}
