package macos

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hubbench/hubbench/pkg/hardware"
)

// addDisks lists the disks: what diskutil calls whole, APFS containers excepted, whose volumes are
// those of the disk that they lie on. If diskutil did not answer, the profile and the drivers list
// disks.
func (m *machine) addDisks(list, apfs []dict) {
	containers := containersOf(list, apfs)
	// The disks that each container and RAID set is made of, and the sets' names, by the registry.
	made, sets := map[string][]string{}, map[string]string{}
	for _, above := range slices.Sorted(maps.Keys(m.chains)) {
		for _, name := range m.chains[above].made {
			made[name] = append(made[name], above)
		}
		maps.Copy(sets, m.chains[above].sets)
	}
	for _, entry := range list {
		name := wholeDisk(entry.Text("DeviceIdentifier"))
		c, isContainer := containers[name]
		if name == "" || m.Find(name) != nil || len(c.disks) == 1 {
			continue
		}
		size, _ := entry.Number("Size")
		disk := hardware.Drive{Name: name, SizeBytes: max(size, 0), Backing: made[name]}
		disk.RAID, disk.Model = sets[name], sets[name]
		if isContainer { // a Fusion Drive
			disk.Backing = c.disks
		}
		if len(disk.Backing) > 0 {
			disk.Bus = hardware.Virtual
		}
		m.Disks = append(m.Disks, disk)
	}
	if len(m.Disks) == 0 {
		names := map[string]bool{}
		for name := range m.chains {
			names[name] = true
		}
		for name := range m.media {
			names[name] = true
		}
		for _, device := range m.usb {
			for name := range device.media {
				names[name] = true
			}
		}
		delete(names, "")
		for _, name := range slices.Sorted(maps.Keys(names)) {
			m.Disks = append(m.Disks, hardware.Drive{Name: name})
		}
	}
	for i := range m.Disks {
		m.describe(&m.Disks[i])
	}
	m.SortDisks()
	m.addVolumes(list, containers)
}

// readMedia reads the disks of the profile's NVMe and SATA controllers.
func (m *machine) readMedia() {
	for _, kind := range []string{"SPNVMeDataType", "SPSerialATADataType"} {
		for _, controller := range m.profile[kind] {
			for _, item := range controller.List("_items") {
				disk := wholeDisk(item.Text("bsd_name"))
				m.media[disk] = append(m.media[disk], medium{item, controller})
			}
		}
	}
}

// update takes over what d knows; a size that is known stays.
func update(disk *hardware.Drive, d hardware.Drive) {
	disk.Model = cmp.Or(d.Model, disk.Model)
	disk.Vendor = cmp.Or(d.Vendor, disk.Vendor)
	disk.Firmware = cmp.Or(d.Firmware, disk.Firmware)
	disk.Serial = cmp.Or(d.Serial, disk.Serial)
	disk.Bus = cmp.Or(d.Bus, disk.Bus)
	disk.SizeBytes = cmp.Or(disk.SizeBytes, d.SizeBytes)
	disk.External = cmp.Or(d.External, disk.External)
	disk.UASP = cmp.Or(d.UASP, disk.UASP)
}

// describe says what a disk is: by its driver, its controller and its USB device, the one who knows
// best last.
func (m *machine) describe(disk *hardware.Drive) {
	if device := m.usbOf(disk.Name); device != nil {
		update(disk, device.disk)
		disk.SizeBytes = cmp.Or(disk.SizeBytes, device.media[disk.Name])
	}
	chain := m.chains[disk.Name].disk
	update(disk, chain)
	disk.Errors, disk.Retries = chain.Errors, chain.Retries
	for _, medium := range m.media[disk.Name] {
		item := medium.item
		size, _ := item.Number("size_in_bytes")
		update(disk, hardware.Drive{
			Model:    cmp.Or(item.Text("device_model"), item.Text("_name")),
			Firmware: item.Text("device_revision"),
			Serial:   item.Text("device_serial"), SizeBytes: size,
		})
		if trim := item.Flag("spnvme_trim_support"); trim != nil {
			disk.Trim = trim
			disk.Bus = cmp.Or(disk.Bus, hardware.NVMe)
		}
		if trim := item.Flag("spsata_trim_support"); trim != nil {
			bus := busOf(medium.controller.Text("spsata_physical_interconnect"))
			disk.Trim = trim
			disk.Bus = cmp.Or(disk.Bus, bus, hardware.SATA)
		}
	}
	if disk.Bus == hardware.AppleFabric && disk.External == nil {
		disk.External = new(false)
	}
}

func (m *machine) usbOf(name string) *usbDevice {
	for _, device := range m.usb {
		_, ok := device.media[name]
		if ok || device.location != 0 && device.location == m.chains[name].location {
			return device
		}
	}
	return nil
}

// wholeDisk returns the disk of a name like disk4s2 or /dev/disk4; empty if it is none.
func wholeDisk(name string) string {
	base, _ := baseName(name)
	whole, _, _ := strings.Cut(strings.TrimPrefix(base, "disk"), "s")
	if whole == "" {
		return ""
	}
	return "disk" + whole
}

// baseName returns a name like disk3s1 without the snapshot that disk3s1s1 names; false if it is of
// no disk.
func baseName(name string) (string, bool) {
	rest, ok := strings.CutPrefix(strings.TrimPrefix(name, "/dev/"), "disk")
	if !ok {
		return "", false
	}
	parts := strings.Split(rest, "s")
	if len(parts) > 3 {
		return "", false
	}
	for _, p := range parts {
		if _, err := strconv.ParseUint(p, 10, 16); err != nil {
			return "", false
		}
	}
	return "disk" + strings.Join(parts[:min(len(parts), 2)], "s"), true
}

// chain is what stands between a disk and the root of the I/O registry: how macOS itself reaches
// the disk.
type chain struct {
	// entries are the numbers of the entries on the way, from the root on.
	entries []int64
	// location is where its USB device is; 0 for none. usbBps is the rate of the device's link.
	location, usbBps int64
	disk             hardware.Drive
	// made are the APFS containers and RAID sets on the disk, and sets the names of the RAID sets.
	made []string
	sets map[string]string
}

// busOf returns the interconnect of a disk, as drivers name it
// (IOStorageProtocolCharacteristics.h).
func busOf(interconnect string) hardware.Bus {
	switch interconnect {
	case "PCI-Express":
		return hardware.NVMe
	case "Secure Digital", "FireWire", "SAS", "Fibre Channel Interface":
		return hardware.OtherBus
	case "Apple Fabric":
		return hardware.AppleFabric
	case "USB":
		return hardware.USB
	case "SATA":
		return hardware.SATA
	case "Virtual Interface":
		return hardware.Virtual
	}
	return hardware.UnknownBus
}

// chainsOf follows each tree of ioreg -t from the root to a disk's driver and on to its medium,
// which has the disk's name.
func chainsOf(trees []dict) map[string]chain {
	chains := map[string]chain{}
	var walk func(d dict, c chain)
	walk = func(d dict, c chain) {
		if id, ok := d.Number("IORegistryEntryID"); ok {
			c.entries = append(slices.Clip(c.entries), id)
		}
		c.update(d)
		if name := d.Text("BSD Name"); name != "" && name == wholeDisk(name) {
			c.disk.SizeBytes, _ = d.Number("Size")
			for _, below := range bsdNames(d)[1:] {
				if below == wholeDisk(below) {
					c.made = append(c.made, below)
				}
			}
			c.sets = setsOf(d)
			chains[name] = c
			return
		}
		for _, child := range d.List("IORegistryEntryChildren") {
			walk(child, c)
		}
	}
	for _, d := range trees {
		walk(d, chain{})
	}
	return chains
}

// update takes from an entry what it says of the disk below it; nearer entries know better.
func (c *chain) update(d dict) {
	class := d.Text("IOObjectClass")
	if location, ok := d.Number("locationID"); ok && strings.Contains(class, "USB") {
		c.location = location
	}
	if class == "IOUSBHostDevice" {
		bps, _ := d.Number("UsbLinkSpeed")
		c.usbBps = max(bps, 0)
	}
	errors, retries := failuresOf(d)
	c.disk.Errors += errors
	c.disk.Retries += retries
	protocol, device := d.Dict("Protocol Characteristics"), d.Dict("Device Characteristics")
	entry := hardware.Drive{
		Model: device.Text("Product Name"), Vendor: device.Text("Vendor Name"),
		Firmware: device.Text("Product Revision Level"), Serial: device.Text("Serial Number"),
		Bus: busOf(protocol.Text("Physical Interconnect")),
	}
	switch class {
	case "IOUSBMassStorageUASDriver":
		entry.UASP = new(true)
	case "IOUSBMassStorageDriver":
		entry.UASP = new(false)
	}
	switch protocol.Text("Physical Interconnect Location") {
	case "Internal":
		entry.External = new(false)
	case "External":
		entry.External = new(true)
	}
	update(&c.disk, entry)
}

// routerOf returns the ID of the hub whose PCI Express tunnel ends on the way to the disk: of
// several the farthest, which the disk is connected to.
func (m *machine) routerOf(c chain) string {
	found := ""
	depth := int64(0)
	for _, hub := range m.Hubs {
		id, ok := m.uids[hub.ID]
		if r := m.routers[id]; ok && r.depth > depth && r.holds(c) {
			found, depth = hub.ID, r.depth
		}
	}
	return found
}
