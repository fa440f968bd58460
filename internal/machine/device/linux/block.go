package linux

import (
	"cmp"
	"path"
	"regexp"
	"strings"

	"github.com/hubbench/hubbench/internal/machine/device/capture"
	"github.com/hubbench/hubbench/pkg/hardware"
)

// sector is what sysfs counts in, whatever the disk's own sectors are (the kernel's
// Documentation/ABI/stable/sysfs-block).
const sector = 512

// block is a block device: a disk, a partition, or a virtual one.
type block struct {
	name   string
	dir    string // dir is its place in /sys/devices.
	number string // number is major:minor.
	whole  *block // whole is the disk, of a partition.
	size   int64
	file   string   // file is what a loop device reads.
	mapper string   // mapper is what maps a virtual one: LVM, CRYPT.
	mapped string   // mapped is the name that it has there.
	below  []*block // below is what a virtual one lies on.
	holds  bool     // holds says that partitions or virtual devices lie on it.
	udev   map[string]string
	// What udev has read of its file system; the pool is what all devices of a file system on
	// several have in common.
	label, filesystem, pool string
}

// disk returns the disk that a block device is, or is a part of.
func (b *block) disk() *block {
	if b.whole != nil {
		return b.whole
	}
	return b
}

func (b *block) virtual() bool { return strings.Contains(b.dir, "/devices/virtual/block/") }

// readBlocks lists what has a size and is not hidden: an empty card reader, a loop device with no
// file and the single paths of a multipath NVMe are not disks.
func (m *machine) readBlocks() {
	for _, dir := range m.class("class/block") {
		b := &block{
			name: path.Base(dir), dir: dir, number: m.text(dir, "dev"),
			size: m.count(dir, "size") * sector,
		}
		if b.size <= 0 || m.forms[noDisk].MatchString(b.name) || m.text(dir, "hidden") == "1" {
			continue
		}
		b.file, b.mapped = m.text(dir, "loop/backing_file"), m.text(dir, "dm/name")
		b.mapper, _, _ = strings.Cut(m.text(dir, "dm/uuid"), "-")
		// It is empty without udev, as in most containers.
		b.udev = m.fields("run/udev/data/b"+b.number, "=")
		b.label = cmp.Or(decodeUdev(b.udev["E:ID_FS_LABEL_ENC"]), b.udev["E:ID_FS_LABEL"])
		b.filesystem = b.udev["E:ID_FS_TYPE"]
		switch b.filesystem {
		case "zfs_member":
			b.filesystem = "zfs"
			b.pool = b.udev["E:ID_FS_UUID"]
		case "btrfs", "bcachefs":
			b.pool = b.udev["E:ID_FS_UUID"]
		}
		m.blocks = append(m.blocks, b)
	}
	for _, b := range m.blocks {
		whole := m.blockAt(path.Base(path.Dir(b.dir)))
		if whole != nil && whole != b && m.text(b.dir, "partition") != "" {
			b.whole, whole.pool, whole.holds = whole, "", true
		}
		for _, slave := range m.glob(b.dir, "slaves/*") {
			if s := m.blockAt(path.Base(slave)); s != nil && s != b {
				s.holds = true
				b.below = append(b.below, s)
			}
		}
	}
}

// decodeUdev undoes udev's encoding of what is not a letter or digit: \x20.
func decodeUdev(encoded string) string {
	return strings.TrimSpace(strings.ReplaceAll(unescape(encoded), "\ufffd", ""))
}

// describeDisk describes a whole disk, its volumes apart.
func (m *machine) describeDisk(b *block) hardware.Drive {
	if b.virtual() {
		return m.virtualDisk(b)
	}
	way := m.way(b)
	controller, enclosure := way.last(nvmeController), way.last(usbDevice)
	device := path.Join(b.dir, "device")
	vendor := m.text(device, "vendor")
	model := m.text(device, "model")
	revision := m.text(device, "rev")
	// The SCSI layer cuts an ATA disk's model to 16 letters and makes its vendor "ATA": udev asked
	// the disk itself. Before Linux 4.0 an NVMe disk had no controller of its own in sysfs, and
	// udev knows it too.
	d := hardware.Drive{
		Name: b.name, SizeBytes: b.size, Bus: hardware.OtherBus,
		Model: decodeUdev(b.udev["E:ID_MODEL_ENC"]), Firmware: b.udev["E:ID_REVISION"],
		Serial: b.udev["E:ID_SERIAL_SHORT"],
	}
	var own *hardware.Link // own is the link that ends in the disk.
	switch {
	case controller != "" || strings.HasPrefix(b.name, "nvme"):
		switch m.text(controller, "transport") {
		case "", "pcie":
			d.Bus = hardware.NVMe
			own = m.pciLink(way.last(pciDevice))
		case "apple-nvme": // Apple silicon has it on no bus
			d.Bus = hardware.AppleFabric
			d.External = new(false)
		}
		if controller != "" {
			d.Model, d.Firmware = m.text(controller, "model"), m.text(controller, "firmware_rev")
			d.Serial = m.text(controller, "serial")
		}
	case enclosure != "":
		d.Bus = hardware.USB
		own = m.usbLink(enclosure, hardware.Enclosure)
		d.Vendor, d.Model, d.Firmware = vendor, model, revision
		d.Serial = m.text(enclosure, "serial")
		driver := path.Base(m.link(way.last(usbInterface), "driver"))
		if driver == "uas" || driver == "usb-storage" {
			d.UASP = new(driver == "uas")
		}
	// The vendor is ATA behind a SAS controller.
	case way.last(ataPort) != "" || b.udev["E:ID_BUS"] == "ata" || vendor == "ATA":
		own = m.ataLink(way.last(ataPort))
		// The parallel bus that SATA replaced, and its imitation in a virtual machine, say so of
		// themselves, or have a controller of the old kind.
		parallel := b.udev["E:ID_ATA"] == "1" ||
			strings.HasPrefix(m.text(way.last(pciDevice), "class"), ideClass)
		if own != nil || b.udev["E:ID_ATA_SATA"] == "1" || !parallel {
			d.Bus = hardware.SATA
		}
		if d.Model == "" {
			d.Model = model
			d.Firmware = revision
		}
	default:
		d.Model, d.Firmware, d.Serial = model, "", ""
		if !strings.HasPrefix(vendor, "0x") { // Virtio gives a number of its own.
			d.Vendor = vendor
		}
		if model == "" && strings.HasPrefix(b.name, "mmcblk") {
			d.Model, d.Serial = m.text(device, "name"), m.text(device, "serial")
		}
	}
	m.links[d.Name] = own
	m.setPath(&d, way)
	// A bridge makes up 0 K and below, and more than any flash survives.
	milli, err := m.number(m.thermometer(b.dir))
	if err == nil && milli > -100_000 && milli < 200_000 {
		d.TemperatureC = new(milli / 1000)
	}
	return d
}

// removable finds whether people can unplug a device: hubs say it of their sockets, and the kernel
// of what is connected to a port that the firmware calls external (since 5.17). One on the way that
// can be is enough, and that it cannot must hold of all.
func (m *machine) removable(w way) *bool {
	dirs := w[usbDevice]
	if len(dirs) == 0 || m.text(w.last(pciDevice), "removable") == "removable" {
		dirs = []string{w.last(pciDevice)}
	}
	fixed := 0
	for _, dir := range dirs {
		switch m.text(dir, "removable") {
		case "removable":
			return new(true)
		case "fixed":
			fixed++
		}
	}
	if fixed == len(dirs) {
		return new(false)
	}
	return nil
}

// virtualDisk is one that lies on others, or on none. Its model is the file of a loop device, the
// name of a mapped device, the level of a RAID.
func (m *machine) virtualDisk(b *block) hardware.Drive {
	d := hardware.Drive{Name: b.name, SizeBytes: b.size, Bus: hardware.Virtual}
	switch {
	case b.file != "":
		kind := m.mountAt(b.file).Filesystem
		d.Model = "file " + b.file
		d.Memory = kind == "tmpfs" || kind == "ramfs"
	case b.mapped != "":
		d.Model = map[string]string{"CRYPT": "encrypted ", "LVM": "logical volume "}[b.mapper] +
			b.mapped
	case strings.HasPrefix(b.name, "zram"):
		d.Model = "compressed memory"
		d.Memory = true
	default:
		d.Model = m.text(b.dir, "md/level")
	}
	return d
}

// form is what a device is by the form of its name.
type form int

const (
	pciDevice    form = iota // ports, bridges and controllers
	usbDevice                // but for the root hubs
	usbInterface             // A driver is bound to it.
	ataPort
	nvmeController
	routerDevice // A Thunderbolt device: not domains, retimers (0-0:1.1) and services (0-1.0).
	noDisk
)

// newForms compiles them when they are needed: most commands look at no device.
func newForms() map[form]*regexp.Regexp {
	return map[form]*regexp.Regexp{
		pciDevice:      regexp.MustCompile(`^[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$`),
		usbDevice:      regexp.MustCompile(`^\d+-\d+(\.\d+)*$`),
		usbInterface:   regexp.MustCompile(`^\d+-\d+(\.\d+)*:\d+\.\d+$`),
		ataPort:        regexp.MustCompile(`^ata\d+$`),
		nvmeController: regexp.MustCompile(`^nvme\d+$`),
		routerDevice:   regexp.MustCompile(`^\d+-[0-9a-f]+$`),
		// Memory that is made at boot, optical and floppy drives, flash without a translation
		// layer, the boot areas of an eMMC: of no use as a disk.
		noDisk: regexp.MustCompile(`^(ram\d+|sr\d+|fd\d+|mtdblock\d+|mmcblk\d+(boot\d+|rpmb))$`),
	}
}

// way is a device's place taken apart: what lies between the host and it, and itself, from the host
// on.
type way map[form][]string

// last returns the one of a form that is nearest to the device; empty if there is none.
func (w way) last(f form) string {
	if n := len(w[f]); n > 0 {
		return w[f][n-1]
	}
	return ""
}

// way takes a block device's place apart.
func (m *machine) way(b *block) way {
	subsystem := path.Dir(b.dir)
	if !strings.Contains(subsystem, "/virtual/nvme-subsystem/") {
		return m.wayTo(b.dir)
	}
	// With multipath the disk belongs to a subsystem, which has links to its controllers: its way
	// is known if there is one of them. With several, the subsystem knows model and firmware.
	var controllers []string
	for _, name := range m.glob(subsystem, "nvme*") {
		if to := m.link(name); to != "" {
			controllers = append(controllers, to)
		}
	}
	if len(controllers) == 1 {
		return m.wayTo(controllers[0])
	}
	return way{nvmeController: {subsystem}}
}

func (m *machine) wayTo(dir string) way {
	w := way{}
	at := ""
	for name := range strings.SplitSeq(dir, "/") {
		if strings.HasPrefix(name, "domain") { // Thunderbolt's routers are named like USB's devices
			break
		}
		at = path.Join(at, name)
		for f, pattern := range m.forms {
			if pattern.MatchString(name) {
				w[f] = append(w[f], at)
			}
		}
	}
	return w
}

// setPath finds the hub that a disk is connected to, the link of the computer's own that its path
// begins with, and whether it is outside the machine.
func (m *machine) setPath(d *hardware.Drive, w way) {
	router := m.routerOf(w[pciDevice])
	var first *hardware.Link
	switch {
	case router != nil:
		d.External = new(true)
		// The controller's own link counts if it is a chip of its own; one inside the processor has
		// none.
		if chip := path.Dir(path.Dir(router.controller())); m.isBridge(chip) {
			first = m.pciLink(chip)
		}
		if first != nil {
			first.MaxBps = 0
		}
	case d.Bus == hardware.USB:
		first = m.pciLink(w.last(pciDevice))
		if first != nil && first.Lanes >= chipLanes {
			first = nil
		}
	}
	if first != nil {
		first.Segment = hardware.HostPort
		d.Path.Links = append(d.Path.Links, *first)
	}
	if d.External == nil {
		d.External = m.removable(w)
	}
	hub := m.hubOf(w, d.Bus == hardware.USB)
	switch {
	case hub != "":
		d.Hub = &hub
		d.Port = m.FindHub(hub).Port
		m.Attach(hub, hardware.DiskKind, d.Name, hardware.WithVendor(d.Vendor, d.Model))
	case d.Bus == hardware.USB:
		d.Port = m.port("", "usb"+path.Base(w[usbDevice][0]))
	}
}

// chipLanes is a width that no USB controller has: those inside a processor are given it, as no
// link limits them.
const chipLanes = 16

// pciLink returns the PCIe link above a device; nil if it is not known.
func (m *machine) pciLink(dir string) *hardware.Link {
	// A kernel writes "8.0 GT/s PCIe", an older one "8 GT/s".
	end := func(dir, which string) *hardware.Link {
		return capture.PCIe(capture.Rate(m.text(dir, which+"_link_speed")),
			m.count(dir, which+"_link_width"))
	}
	link := end(dir, "current")
	capture.SetMaxRate(link, end(dir, "max"), end(path.Dir(dir), "max"))
	return link
}

// usbLink returns the link above a USB device; nil if it is not known.
func (m *machine) usbLink(dir string, segment hardware.Segment) *hardware.Link {
	speed, _ := m.number(dir, "speed") // Mb/s; 1.5 of the slowest
	if !(speed > 0 && speed < 1e6) {
		return nil
	}
	bps := int64(speed * 1e6)
	link := &hardware.Link{Segment: segment, Kind: hardware.USBLink, RxBps: bps, TxBps: bps}
	if lanes := m.count(dir, "rx_lanes"); lanes > 0 && lanes <= 2 {
		link.Lanes = int(lanes)
	}
	switch { // The names since USB 3.2.
	case speed <= 480:
		link.Generation = "2.0"
	case speed == 5000:
		link.Generation = "3.2 Gen 1"
	case speed == 10000 && link.Lanes == 2:
		link.Generation = "3.2 Gen 1x2"
	case speed == 10000:
		link.Generation = "3.2 Gen 2"
	case speed == 20000:
		link.Generation = "3.2 Gen 2x2"
	}
	return link
}

// ataLink returns the link of an ATA port: 6.0 Gbps.
func (m *machine) ataLink(port string) *hardware.Link {
	for _, file := range m.glob(port, "link*/ata_link/*/sata_spd") {
		if bps := capture.Rate(m.text(file)); bps > 0 {
			return &hardware.Link{
				Segment: hardware.Lanes, Kind: hardware.SATALink, RxBps: bps, TxBps: bps,
			}
		}
	}
	return nil
}
