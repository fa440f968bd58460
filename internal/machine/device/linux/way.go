package linux

import (
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/hubbench/hubbench/internal/machine/device/capture"
	"github.com/hubbench/hubbench/pkg/hardware"
)

// way is a device's place taken apart: what lies between the host and it.
type way struct {
	pci          []string // PCI ports, bridges and controllers, from the host on
	usb          []string // USB devices from the host on, root hubs left out; the last is the device
	usbInterface string   // that a driver is bound to
	ata          string   // the ATA port
	nvme         string   // the controller
}

// controller is the device's PCI controller; empty if it has none.
func (w way) controller() string {
	if len(w.pci) == 0 {
		return ""
	}
	return w.pci[len(w.pci)-1]
}

// forms are what the names of devices look like.
type forms struct{ pci, usb, usbInterface, ata, nvme, nvmeDisk, router, notDisk *regexp.Regexp }

// newForms compiles them when they are needed: most commands look at no device.
func newForms() forms {
	return forms{
		pci:          regexp.MustCompile(`^[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$`),
		usb:          regexp.MustCompile(`^\d+-\d+(\.\d+)*$`),
		usbInterface: regexp.MustCompile(`^\d+-\d+(\.\d+)*:\d+\.\d+$`),
		ata:          regexp.MustCompile(`^ata\d+$`),
		nvme:         regexp.MustCompile(`^nvme\d+$`),
		nvmeDisk:     regexp.MustCompile(`^nvme\d+n\d+$`),
		router:       regexp.MustCompile(`^\d+-[0-9a-f]+$`), // not domains, retimers (0-0:1.1) and services (0-1.0)
		// Memory that is made at boot, optical and floppy drives, flash without a translation layer, the boot areas of
		// an eMMC: of no use as a disk.
		notDisk: regexp.MustCompile(`^(ram\d+|sr\d+|fd\d+|mtdblock\d+|mmcblk\d+(boot\d+|rpmb))$`),
	}
}

// way takes a block device's place apart.
func (m *machine) way(b *block) way {
	dir := b.dir
	if strings.Contains(dir, "/virtual/nvme-subsystem/") {
		// With multipath the disk belongs to a subsystem, which has links to its controllers: its way is known if
		// there is one of them. With several, the subsystem knows model and firmware.
		var controllers []string
		for _, name := range m.list(path.Dir(dir)) {
			if to := m.link(path.Dir(dir), name); to != "" && m.forms.nvme.MatchString(name) {
				controllers = append(controllers, to)
			}
		}
		if len(controllers) != 1 {
			return way{nvme: path.Dir(dir)}
		}
		dir = controllers[0]
	}
	return m.wayTo(dir)
}

func (m *machine) wayTo(dir string) way {
	last := func(form *regexp.Regexp) string {
		if all := parents(dir, form); len(all) > 0 {
			return all[len(all)-1]
		}
		return ""
	}
	return way{
		pci: parents(dir, m.forms.pci), usb: parents(dir, m.forms.usb), usbInterface: last(m.forms.usbInterface),
		ata: last(m.forms.ata), nvme: last(m.forms.nvme),
	}
}

// travel finds the hub that a disk is connected to, the link of the computer's own that its path begins with, and
// whether it is outside the machine.
func (m *machine) travel(d *hardware.Disk, w way) {
	routers := m.routersOf(w.pci)
	if n := len(routers); n > 0 {
		d.Hub, d.Port, d.External = new(routers[n-1].id()), routers[n-1].socket(), new(true)
		// The controller's own link counts if it is a chip of its own; one inside the processor has none.
		chip := path.Dir(path.Dir(routers[0].controller()))
		if link := m.pciLink(chip); link != nil && routers[0].depth() == 1 && m.bridge(chip) {
			link.Segment, link.MaxBps = hardware.HostPort, 0
			d.Path.Links = append(d.Path.Links, *link)
		}
	}
	controller := w.controller()
	if d.External == nil {
		// The kernel says so of what is connected to a port that the firmware calls external (since 5.17).
		switch m.text(controller, "removable") {
		case "removable":
			d.External = new(true)
		case "fixed":
			d.External = new(false)
		}
	}
	if d.Bus != hardware.USB {
		return
	}
	if len(routers) == 0 {
		if link := m.pciLink(controller); link != nil && link.Lanes < chipLanes {
			link.Segment = hardware.HostPort
			d.Path.Links = append(d.Path.Links, *link)
		}
		d.Port = m.usbPort(w.usb[0])
	}
	for i := range w.usb[1:] {
		d.Hub = new(m.usbHub(w, i, routers))
	}
}

// ownLink is the link that ends in a disk; nil if it is not known.
func (m *machine) ownLink(d *hardware.Disk) *hardware.Link {
	b := m.blocks[d.Name]
	if b == nil || b.virtual() {
		return nil
	}
	w := m.way(b)
	switch d.Bus {
	case hardware.NVMe:
		return m.pciLink(w.controller())
	case hardware.USB:
		if link := m.usbLink(w.usb[len(w.usb)-1]); link.RxBps > 0 {
			link.Segment = hardware.Enclosure
			return &link
		}
	case hardware.SATA:
		return m.ataLink(w.ata)
	}
	return nil
}

// chipLanes is a width that no USB controller has: those inside a processor are given it, as no link limits them.
const chipLanes = 16

// pciLink is the PCIe link above a device; nil if it is not known.
func (m *machine) pciLink(dir string) *hardware.Link {
	end := func(dir, which string) *hardware.Link { // "8.0 GT/s PCIe", and "8 GT/s" of older kernels
		return capture.PCIe(capture.Rate(m.text(dir, which+"_link_speed")), m.number(dir, which+"_link_width"))
	}
	link := end(dir, "current")
	capture.Limit(link, end(dir, "max"), end(path.Dir(dir), "max"))
	return link
}

// usbLink is the link above a USB device.
func (m *machine) usbLink(dir string) hardware.Link {
	speed, err := strconv.ParseFloat(m.text(dir, "speed"), 64) // Mb/s; 1.5 of the slowest
	if err != nil || !(speed > 0 && speed < 1e6) {
		speed = 0
	}
	lanes := int(m.number(dir, "rx_lanes"))
	link := hardware.Link{Kind: hardware.USBLink, RxBps: int64(speed * 1e6), TxBps: int64(speed * 1e6)}
	if lanes > 0 && lanes <= 2 {
		link.Lanes = lanes
	}
	// The names since USB 3.2; Gen 1x2 is distinguished from Gen 2 by its lanes.
	link.Generation = map[float64]string{5000: "3.2 Gen 1", 10000: "3.2 Gen 2", 20000: "3.2 Gen 2x2"}[speed]
	if speed == 10000 && link.Lanes == 2 {
		link.Generation = "3.2 Gen 1x2"
	} else if speed > 0 && speed <= 480 {
		link.Generation = "2.0"
	}
	return link
}

// ataLink is the link of an ATA port: 6.0 Gbps.
func (m *machine) ataLink(port string) *hardware.Link {
	for _, link := range m.list(port) {
		for _, name := range m.list(port, link, "ata_link") {
			if bps := capture.Rate(m.text(port, link, "ata_link", name, "sata_spd")); bps > 0 {
				return &hardware.Link{Segment: hardware.Lanes, Kind: hardware.SATALink, RxBps: bps, TxBps: bps}
			}
		}
	}
	return nil
}
