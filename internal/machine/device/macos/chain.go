package macos

import (
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/hardware"
)

// chain is what stands between a disk and the root of the I/O registry: how macOS itself reaches the disk.
type chain struct {
	entries    []uint64 // the numbers of the entries on the way, from the root on
	location   int64    // of its USB device; 0 for none
	usbBps     int64    // that device's rate
	uasp       *bool
	bus        hardware.Bus
	external   *bool
	model      string
	vendor     string
	firmware   string
	serial     string
	mediaBytes int64
	made       []string // the whole disks that are made of it: CoreStorage's, containers of APFS
}

// busses are the interconnects of disks, as drivers name them (IOStorageProtocolCharacteristics.h).
var busses = [...]struct {
	name string
	bus  hardware.Bus
}{
	{"PCI-Express", hardware.NVMe},
	{"PCI", hardware.OtherBus}, // AHCI
	{"Apple Fabric", hardware.AppleFabric},
	{"USB", hardware.USB},
	{"SATA", hardware.SATA},
	{"Virtual Interface", hardware.Virtual},
	{"Secure Digital", hardware.OtherBus},
	{"FireWire", hardware.OtherBus},
	{"SAS", hardware.OtherBus},
	{"Fibre Channel Interface", hardware.OtherBus},
}

func busOf(interconnect string) hardware.Bus {
	for _, b := range busses {
		if b.name == interconnect {
			return b.bus
		}
	}
	return hardware.UnknownBus
}

// chainsOf follows each tree of ioreg -t from the root to a disk's driver and on to its medium, which has the disk's name.
func chainsOf(trees []dict) map[string]chain {
	chains := map[string]chain{}
	var walk func(d dict, c chain)
	walk = func(d dict, c chain) {
		if id, ok := d.bits("IORegistryEntryID"); ok {
			c.entries = append(slices.Clip(c.entries), id)
		}
		c.learn(d)
		if name := d.text("BSD Name"); name != "" && name == wholeDisk(name) {
			c.mediaBytes, _ = d.number("Size")
			for _, below := range bsdNames(d, nil)[1:] {
				if below == wholeDisk(below) {
					c.made = append(c.made, below)
				}
			}
			chains[name] = c
			return
		}
		for _, child := range d.list("IORegistryEntryChildren") {
			walk(child, c)
		}
	}
	for _, d := range trees {
		walk(d, chain{})
	}
	return chains
}

// learn takes from an entry what it says of the disk below it; nearer entries know better.
func (c *chain) learn(d dict) {
	class := d.text("IOObjectClass")
	if location, ok := d.number("locationID"); ok && strings.Contains(class, "USB") {
		c.location = location
	}
	if class == "IOUSBHostDevice" || class == "IOUSBDevice" {
		c.usbBps, _ = d.number("UsbLinkSpeed")
	}
	switch class {
	case "IOUSBMassStorageUASDriver":
		c.uasp = new(true)
	case "IOUSBMassStorageDriver", "IOUSBMassStorageClass":
		c.uasp = new(false)
	}
	protocol := d.dict("Protocol Characteristics")
	if bus := busOf(protocol.text("Physical Interconnect")); bus != hardware.UnknownBus {
		c.bus = bus
	}
	switch protocol.text("Physical Interconnect Location") {
	case "Internal":
		c.external = new(false)
	case "External":
		c.external = new(true)
	}
	device := d.dict("Device Characteristics")
	for key, field := range map[string]*string{
		"Product Name": &c.model, "Vendor Name": &c.vendor, "Product Revision Level": &c.firmware, "Serial Number": &c.serial,
	} {
		if s := device.text(key); s != "" {
			*field = s
		}
	}
}

// routerOf is the ID of the hub whose PCI Express tunnel ends on the way to the disk: of several the farthest, which the
// disk is connected to. Each router's port for the tunnel names the entry where it ends.
func (m *machine) routerOf(c chain) string {
	found, depth := "", int64(0)
	for _, hub := range m.inventory.Hubs {
		id, ok := m.uids[hub.ID]
		if !ok || m.routers[id].depth <= depth {
			continue
		}
		for _, p := range m.routers[id].ends("PCIe Adapter") {
			if end, ok := p.bits("PCI Entry ID"); ok && slices.Contains(c.entries, end) {
				found, depth = hub.ID, m.routers[id].depth
			}
		}
	}
	return found
}
