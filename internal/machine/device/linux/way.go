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

// travel fills in the links of a disk's path, the hub it is connected to, and whether it is outside the machine.
func (m *machine) travel(d *hardware.Disk, w way) {
	routers := m.routersOf(w.pci)
	for _, r := range routers {
		d.Hub, d.Port = new(r.id()), r.socket()
		d.External = new(true)
		if r.depth() == 1 {
			d.Path.Links = append(d.Path.Links, m.controllerLink(r)...)
		}
		if link := m.routerLink(r); link != nil {
			link.Segment = hardware.Uplink // attach says where it is the enclosure's
			d.Path.Links = append(d.Path.Links, *link)
		}
	}
	if d.External == nil && len(w.pci) > 0 {
		// The kernel says so of what is connected to a port that the firmware calls external (since 5.17).
		switch m.text(w.pci[len(w.pci)-1], "removable") {
		case "removable":
			d.External = new(true)
		case "fixed":
			d.External = new(false)
		}
	}
	controller := ""
	if len(w.pci) > 0 {
		controller = w.pci[len(w.pci)-1]
	}
	switch d.Bus {
	case hardware.NVMe:
		if link := m.pciLink(controller); link != nil {
			d.Path.Links = append(d.Path.Links, *link)
		}
	case hardware.USB:
		if link := m.pciLink(controller); link != nil && len(routers) == 0 && link.Lanes < chipLanes {
			link.Segment = hardware.HostPort
			d.Path.Links = append(d.Path.Links, *link)
		}
		if len(routers) == 0 {
			d.Port = m.usbPort(w.usb[0])
		}
		for i, dir := range w.usb {
			link := m.usbLink(dir)
			if i < len(w.usb)-1 {
				d.Hub = new(m.usbHub(w, i, routers))
				link.Segment, link.Hub = hardware.Uplink, *d.Hub
			} else {
				link.Segment = hardware.Enclosure
			}
			if link.RxBps > 0 {
				d.Path.Links = append(d.Path.Links, link)
			}
		}
	case hardware.SATA:
		if link := m.ataLink(w.ata); link != nil {
			link.Segment = hardware.Lanes
			d.Path.Links = append(d.Path.Links, *link)
		}
	}
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
				return &hardware.Link{Kind: hardware.SATALink, RxBps: bps, TxBps: bps}
			}
		}
	}
	return nil
}
