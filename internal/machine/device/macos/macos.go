// Package macos reads from what macOS' own tools print which disks there are and what they are connected to. It is a function of
// captured bytes: it runs no tool, and is tested with captures of many machines on any system.
//
// Start at Parse. thunderbolt.go has the hubs, usb.go those of USB, disk.go the disks and volume.go what is on them;
// chain.go joins them by the I/O registry.
package macos

import (
	"cmp"

	"github.com/hubbench/hubbench/pkg/hardware"
)

// Captures are what the tools print. What is empty was not asked, or did not answer: what it would have shown stays unknown.
type Captures struct {
	Profiler []byte // system_profiler -json, of the types in DataTypes
	Disks    []byte // diskutil list -plist
	APFS     []byte // diskutil apfs list -plist
	Routers  []byte // ioreg -a -l -r -c IOThunderboltSwitch: the routers of Thunderbolt and USB4, with their ports
	Drivers  []byte // ioreg -a -l -r -t -c IOBlockStorageDriver: every disk with all that stands between it and the root
	Mounts   []byte // mount
}

// DataTypes are the parts of the system's profile that Parse reads. macOS 26 answers for USB with SPUSBHostDataType and
// leaves SPUSBDataType empty; older systems know only the latter.
var DataTypes = [...]string{
	"SPHardwareDataType", "SPSoftwareDataType", "SPPowerDataType", "SPThunderboltDataType", "SPPCIDataType", "SPNVMeDataType",
	"SPSerialATADataType", "SPUSBHostDataType", "SPUSBDataType", "SPStorageDataType", "SPDisplaysDataType", "SPEthernetDataType",
}

// Parse puts an inventory together. A capture that cannot be read costs what it would have shown, and a warning. Serial
// numbers are left out unless asked for.
func Parse(captures Captures, serials bool) *hardware.Inventory {
	m := &machine{
		inventory: &hardware.Inventory{Hosts: []hardware.Host{}, Hubs: []hardware.Hub{}, Disks: []hardware.Disk{}},
		usb:       map[int64]*usbDevice{},
		uids:      map[string]uint64{},
	}
	m.profile = m.readProfile(captures.Profiler)
	m.routers = routersOf(m.readRegistry("the Thunderbolt routers (ioreg)", captures.Routers))
	m.chains = chainsOf(m.readRegistry("the disks' drivers (ioreg)", captures.Drivers))
	m.mounts = mountsOf(captures.Mounts)

	m.addHost()
	m.addThunderbolt()
	m.addUSB()
	m.addDisks(m.readPlist("diskutil list", captures.Disks), m.readPlist("diskutil apfs list", captures.APFS))
	m.place()
	m.addDisplays()
	m.addPaths()
	if !serials {
		for i := range m.inventory.Disks {
			m.inventory.Disks[i].Serial = ""
		}
	}
	return m.inventory
}

// machine is an inventory on its way, and what it is made from.
type machine struct {
	inventory *hardware.Inventory
	profile   map[string][]dict    // the system's profile, by data type
	routers   map[uint64]router    // by UID
	uids      map[string]uint64    // of routers, by their hubs' IDs
	chains    map[string]chain     // by the disk's name
	mounts    map[string][]mount   // by the volume's name
	usb       map[int64]*usbDevice // by location
}

// hub is the hub with that ID; nil for none. It holds until the next is added.
func (m *machine) hub(id string) *hardware.Hub {
	for i := range m.inventory.Hubs {
		if m.inventory.Hubs[i].ID == id {
			return &m.inventory.Hubs[i]
		}
	}
	return nil
}

// unique is an ID that no hub has yet: that one, unless a capture has two of the same place.
func (m *machine) unique(id string) string {
	for again := id; ; again += "'" {
		if m.hub(again) == nil {
			return again
		}
	}
}

// attach lists what is connected to a hub.
func (m *machine) attach(id string, device hardware.Attached) {
	if hub := m.hub(id); hub != nil {
		hub.Devices = append(hub.Devices, device)
	}
}

// addHost reads what the machine is. A Mac without a battery runs on mains.
func (m *machine) addHost() {
	host := hardware.Host{Power: m.power()}
	for _, d := range m.profile["SPHardwareDataType"] {
		host.Model = cmp.Or(d.text("machine_model"), host.Model)
		host.CPU = cmp.Or(d.text("chip_type"), d.text("cpu_type"), host.CPU)
		if d.text("chip_type") != "" {
			host.Arch = "arm64"
		} else if d.text("cpu_type") != "" {
			host.Arch = "amd64"
		}
	}
	for _, d := range m.profile["SPSoftwareDataType"] {
		host.Name = cmp.Or(d.text("local_host_name"), host.Name)
		host.OS = cmp.Or(d.text("os_version"), host.OS)
	}
	m.inventory.Hosts = append(m.inventory.Hosts, host)
}

func (m *machine) power() hardware.Power {
	battery := false
	var charger *bool
	for _, d := range m.profile["SPPowerDataType"] {
		switch d.text("_name") {
		case "spbattery_information":
			battery = true
		case "sppower_ac_charger_information":
			charger = d.flag("sppower_battery_charger_connected")
		}
	}
	switch {
	case len(m.profile["SPPowerDataType"]) == 0:
		return ""
	case !battery, charger != nil && *charger:
		return hardware.Mains
	case charger != nil:
		return hardware.Battery
	}
	return ""
}
