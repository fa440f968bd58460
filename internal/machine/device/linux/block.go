package linux

import (
	"path"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/hardware"
)

// sector is what sysfs counts in, whatever the disk's own sectors are (the kernel's
// Documentation/ABI/stable/sysfs-block).
const sector = 512

// block is a block device: a disk, a partition, or a virtual one.
type block struct {
	name   string
	dir    string // its place in /sys/devices
	number string // major:minor
	whole  *block // the disk, of a partition
	parts  int
	size   int64
	below  []*block          // what a virtual one lies on
	holds  bool              // something lies on it
	udev   map[string]string // what udev found out, E: lines of /run/udev/data
}

// disk is the disk that a block device is, or is a part of.
func (b *block) disk() *block {
	if b.whole != nil {
		return b.whole
	}
	return b
}

func (b *block) virtual() bool { return strings.Contains(b.dir, "/devices/virtual/block/") }

// readBlocks lists what has a size and is not hidden: an empty card reader, a loop device with no file and the single
// paths of a multipath NVMe are not disks.
func (m *machine) readBlocks() {
	m.blocks, m.numbers = map[string]*block{}, map[string]*block{}
	for _, dir := range m.class("class/block") {
		name := path.Base(dir)
		b := &block{name: name, dir: dir, number: m.text(dir, "dev"), size: m.number(dir, "size") * sector}
		if b.size <= 0 || m.forms.notDisk.MatchString(name) || m.text(dir, "hidden") == "1" {
			continue
		}
		b.udev = map[string]string{} // stays empty without udev, as in most containers
		for line := range strings.Lines(m.text("run/udev/data/b" + b.number)) {
			if key, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok && strings.HasPrefix(key, "E:") {
				b.udev[key[2:]] = value
			}
		}
		m.blocks[name] = b
		if b.number != "" {
			m.numbers[b.number] = b
		}
		m.names = append(m.names, name)
	}
	for _, name := range m.names {
		b := m.blocks[name]
		if m.has(b.dir, "partition") {
			b.whole = m.blocks[path.Base(path.Dir(b.dir))]
		}
		if b.whole == b {
			b.whole = nil
		}
		if b.whole != nil {
			b.whole.parts++
		}
		for _, slave := range m.list(b.dir, "slaves") {
			if s := m.blocks[slave]; s != nil && s != b {
				s.holds = true
				b.below = append(b.below, s)
			}
		}
	}
}

// plain undoes udev's encoding of what is not a letter or digit: \x20.
func plain(encoded string) string {
	return strings.TrimSpace(strings.ToValidUTF8(unescape(encoded, `\x`, 16), ""))
}

// disk describes a whole disk, its volumes apart.
func (m *machine) disk(b *block) hardware.Disk {
	if b.virtual() {
		return m.virtualDisk(b)
	}
	d := hardware.Disk{Name: b.name, SizeBytes: b.size}
	way := m.way(b)
	device := path.Join(b.dir, "device")
	switch {
	case way.nvme != "" || m.forms.nvmeDisk.MatchString(b.name):
		d.Bus = hardware.NVMe
		switch m.text(way.nvme, "transport") {
		case "", "pcie":
		case "apple-nvme": // of Apple silicon, which has it on no bus
			d.Bus, d.External = hardware.AppleFabric, new(false)
		default: // over a network
			d.Bus = hardware.OtherBus
		}
		d.Model, d.Firmware = m.text(way.nvme, "model"), m.text(way.nvme, "firmware_rev")
		d.Serial = m.text(way.nvme, "serial")
		if way.nvme == "" { // before Linux 4.0 a disk had no controller of its own in sysfs
			d.Model, d.Firmware, d.Serial = plain(b.udev["ID_MODEL_ENC"]), b.udev["ID_REVISION"], b.udev["ID_SERIAL_SHORT"]
		}
	case len(way.usb) > 0:
		d.Bus = hardware.USB
		enclosure := way.usb[len(way.usb)-1]
		d.Vendor, d.Model, d.Firmware = m.text(device, "vendor"), m.text(device, "model"), m.text(device, "rev")
		d.Serial = m.text(enclosure, "serial")
		if driver := path.Base(m.link(way.usbInterface, "driver")); driver == "uas" || driver == "usb-storage" {
			d.UASP = new(driver == "uas")
		}
		d.External = m.unplugs(way.usb)
	case way.ata != "" || b.udev["ID_BUS"] == "ata" || m.text(device, "vendor") == "ATA": // behind SAS controllers
		d.Bus = hardware.SATA
		if m.parallel(b, way) {
			d.Bus = hardware.OtherBus
		}
		// The SCSI layer cuts an ATA disk's model to 16 letters and makes its vendor "ATA": udev asked the disk itself.
		d.Model, d.Firmware, d.Serial = plain(b.udev["ID_MODEL_ENC"]), b.udev["ID_REVISION"], b.udev["ID_SERIAL_SHORT"]
		if d.Model == "" {
			d.Model, d.Firmware = m.text(device, "model"), m.text(device, "rev")
		}
	default:
		d.Bus = hardware.OtherBus
		d.Vendor, d.Model = m.text(device, "vendor"), m.text(device, "model")
		if strings.HasPrefix(d.Vendor, "0x") { // virtio gives the number of its own make
			d.Vendor = ""
		}
		if name := m.text(device, "name"); d.Model == "" && strings.HasPrefix(b.name, "mmcblk") {
			d.Model, d.Serial = name, m.text(device, "serial")
		}
	}
	m.travel(&d, way)
	d.TemperatureC = m.celsius(b, way)
	return d
}

// unplugs finds from what the hubs say of their sockets whether people can unplug a device: one on the way that can
// be is enough, and that it cannot must hold of all.
func (m *machine) unplugs(way []string) *bool {
	fixed := 0
	for _, dir := range way {
		switch m.text(dir, "removable") {
		case "removable":
			return new(true)
		case "fixed":
			fixed++
		}
	}
	if fixed == len(way) {
		return new(false)
	}
	return nil
}

// parallel reports whether an ATA disk is on the parallel bus that SATA replaced, or on an imitation of it in a virtual
// machine: it says so itself, or its controller is of the old kind and no port has negotiated a rate.
func (m *machine) parallel(b *block, w way) bool {
	switch {
	case b.udev["ID_ATA_SATA"] == "1" || w.ata != "" && m.ataLink(w.ata) != nil:
		return false
	case b.udev["ID_ATA"] == "1":
		return true
	}
	return strings.HasPrefix(m.text(w.controller(), "class"), ideClass)
}

// virtualDisk is one that lies on others, or on none. Its model is the file of a loop device, the name of a mapped
// device, the level of a RAID.
func (m *machine) virtualDisk(b *block) hardware.Disk {
	d := hardware.Disk{Name: b.name, SizeBytes: b.size, Bus: hardware.Virtual}
	for _, s := range b.below {
		if name := s.disk().name; !slices.Contains(d.Backing, name) {
			d.Backing = append(d.Backing, name)
		}
	}
	switch {
	case m.has(b.dir, "loop/backing_file"):
		file := m.text(b.dir, "loop/backing_file")
		kind := m.mountAt(file).filesystem
		d.Model, d.Memory = "file "+file, path.IsAbs(file) && (kind == "tmpfs" || kind == "ramfs")
	case m.has(b.dir, "dm/name"):
		kind, _, _ := strings.Cut(m.text(b.dir, "dm/uuid"), "-")
		kind = map[string]string{"CRYPT": "encrypted ", "LVM": "logical volume "}[kind]
		d.Model = kind + m.text(b.dir, "dm/name")
	case m.has(b.dir, "md/level"):
		d.Model = m.text(b.dir, "md/level")
	case strings.HasPrefix(b.name, "zram"):
		d.Model, d.Memory = "compressed memory", true
	}
	return d
}
