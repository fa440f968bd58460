// Package macos reads from what macOS' own tools print which disks there are and what they are connected to. It is a
// function of captured bytes: it runs no tool, and is tested with captures of many machines on any system.
//
// Start at Parse. thunderbolt.go has the hubs, usb.go those of USB, disk.go the disks and volume.go what is on them;
// place.go joins them by the I/O registry.
package macos

import (
	"cmp"

	"github.com/hubbench/hubbench/internal/machine/device/capture"
	"github.com/hubbench/hubbench/pkg/hardware"
)

// Captures are what the tools print. What is empty was not asked, or did not answer: what it would have shown stays
// unknown.
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
	m := &machine{Inventory: capture.New(), profile: map[string][]dict{}, uids: map[string]int64{}}
	if len(captures.Profiler) > 0 {
		answer, err := capture.JSON(captures.Profiler)
		if err != nil {
			m.warn("system_profiler", err)
		}
		for name := range answer {
			m.profile[name] = answer.List(name)
		}
	}
	m.routers = routersOf(m.read("the Thunderbolt routers (ioreg)", captures.Routers, ""))
	m.chains = chainsOf(m.read("the disks' drivers (ioreg)", captures.Drivers, ""))
	m.mounts = mountsOf(captures.Mounts)

	m.addHost()
	m.addThunderbolt()
	m.addUSB()
	m.addDisks(m.read("diskutil list", captures.Disks, "AllDisksAndPartitions"),
		m.read("diskutil apfs list", captures.APFS, "Containers"))
	m.place()
	m.addDisplays()
	m.Paths(m.ownLink)
	return m.Done(serials)
}

// machine is an inventory on its way, and what it is made from.
type machine struct {
	capture.Inventory
	profile map[string][]dict            // the system's profile, by data type
	routers map[int64]router             // by UID
	uids    map[string]int64             // of routers, by their hubs' IDs
	chains  map[string]chain             // by the disk's name
	mounts  map[string][]hardware.Volume // by the volume's name
	usb     []*usbDevice
}

// unique is an ID that no hub has yet: that one, unless a capture has two of the same place.
func (m *machine) unique(id string) string {
	for again := id; ; again += "'" {
		if m.FindHub(again) == nil {
			return again
		}
	}
}

// addHost reads what the machine is. A Mac without a battery runs on mains.
func (m *machine) addHost() {
	host := hardware.Host{Power: m.power()}
	for _, d := range m.profile["SPHardwareDataType"] {
		host.Model = cmp.Or(d.Text("machine_model"), host.Model)
		host.CPU = cmp.Or(d.Text("chip_type"), d.Text("cpu_type"), host.CPU)
		if d.Text("chip_type") != "" {
			host.Arch = "arm64"
		} else if d.Text("cpu_type") != "" {
			host.Arch = "amd64"
		}
	}
	for _, d := range m.profile["SPSoftwareDataType"] {
		host.Name = cmp.Or(d.Text("local_host_name"), host.Name)
		host.OS = cmp.Or(d.Text("os_version"), host.OS)
	}
	m.Hosts = append(m.Hosts, host)
}

func (m *machine) power() hardware.Power {
	battery := false
	var charger *bool
	for _, d := range m.profile["SPPowerDataType"] {
		switch d.Text("_name") {
		case "spbattery_information":
			battery = true
		case "sppower_ac_charger_information":
			charger = d.Flag("sppower_battery_charger_connected")
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
