// Package macos reads from what macOS' own tools print which disks there are and what they are
// connected to. It is a function of captured bytes: it runs no tool, and is tested with captures of
// many machines on any system.
//
// Start at Parse. thunderbolt.go has the hubs, usb.go those of USB, disk.go the disks and volume.go
// what is on them; place.go joins them by the I/O registry.
package macos

import (
	"strings"

	"github.com/hubbench/hubbench/internal/machine/device/capture"
	"github.com/hubbench/hubbench/pkg/hardware"
)

// Captures are what the tools print. What is empty was not asked, or did not answer: what it would
// have shown stays unknown.
type Captures struct {
	Topology, Profile, Disks, APFS, Routers, Drivers, Mounts, Settings []byte
}

// Part is one of the captures, and the command that prints it.
type Part struct {
	Name    string // Name is the answer's in the file of a capture.
	Into    *[]byte
	Tells   string   // Tells is what stays unknown without it.
	Command []string // Command is nil if the answer needs none.
}

// Parts returns all captures. The system's profile is asked for in two parts, of which the second
// may wait for a disk that sleeps. The types of the first say what is connected to what: macOS 26
// answers for USB with SPUSBHostDataType and leaves SPUSBDataType empty, and older systems know
// only the latter.
func (c *Captures) Parts() []Part {
	return []Part{
		{"system_profiler.json", &c.Topology, "ports, hubs and models", []string{
			"/usr/sbin/system_profiler", "-json", "SPThunderboltDataType", "SPPCIDataType",
			"SPNVMeDataType", "SPSerialATADataType", "SPUSBHostDataType", "SPUSBDataType",
		}},
		{
			"system_profiler-rest.json", &c.Profile, "power, displays, networks and free space",
			[]string{
				"/usr/sbin/system_profiler", "-json", "SPPowerDataType", "SPStorageDataType",
				"SPDisplaysDataType", "SPEthernetDataType",
			},
		},
		{"diskutil-list.plist", &c.Disks, "disks and volumes", []string{
			"/usr/sbin/diskutil", "list", "-plist",
		}},
		{"diskutil-apfs-list.plist", &c.APFS, "APFS containers and encryption", []string{
			"/usr/sbin/diskutil", "apfs", "list", "-plist",
		}},
		// The routers of Thunderbolt and USB4, with their ports.
		{"ioreg-routers.plist", &c.Routers, "the rates of Thunderbolt", []string{
			"/usr/sbin/ioreg", "-a", "-l", "-r", "-c", "IOThunderboltSwitch",
		}},
		// Every disk with all that stands between it and the root.
		{"ioreg-drivers.plist", &c.Drivers, "the way to each disk", []string{
			"/usr/sbin/ioreg", "-a", "-l", "-r", "-t", "-c", "IOBlockStorageDriver",
		}},
		{"mount.txt", &c.Mounts, "mount options", []string{"/sbin/mount"}},
		{"sysctl.txt", &c.Settings, "the machine", nil}, // HostSettings names them
	}
}

// HostSettings returns the names of the system's settings that say what the machine is. Numbers are
// 1 or 0, or not there; the last of them is 1 in a program for Intel that Rosetta translates.
func HostSettings() (texts, numbers []string) {
	texts = []string{
		"hw.model", "machdep.cpu.brand_string", "kern.osproductversion", "kern.osversion",
		"kern.hostname",
	}
	return texts, []string{"hw.optional.arm64", "sysctl.proc_translated"}
}

// Parse puts an inventory together. A capture that cannot be read costs what it would have shown,
// and a warning. Serial numbers are left out unless asked for.
func Parse(captures Captures, serials bool) *hardware.Inventory {
	m := &machine{Inventory: capture.New(), profile: map[string][]dict{}, uids: map[string]int64{},
		media: map[string][]medium{}}
	for _, profile := range [][]byte{captures.Topology, captures.Profile} {
		if len(profile) == 0 {
			continue
		}
		answer, err := capture.JSON(profile)
		if err != nil {
			m.warn("system_profiler", err)
		}
		for name := range answer {
			m.profile[name] = answer.List(name)
		}
	}
	m.readMedia()
	m.routers = routersOf(m.read("the Thunderbolt routers (ioreg)", captures.Routers, ""))
	m.chains = chainsOf(m.read("the disks' drivers (ioreg)", captures.Drivers, ""))
	m.mounts = mountsOf(captures.Mounts)

	m.addHost(captures.Settings)
	m.addThunderbolt()
	m.addUSB()
	m.addDisks(m.read("diskutil list", captures.Disks, "AllDisksAndPartitions"),
		m.read("diskutil apfs list", captures.APFS, "Containers"))
	m.place()
	m.addDisplays()
	m.AddPathLinks(m.ownLink)
	return m.Finish(serials)
}

// machine is an inventory on its way, and what it is made from.
type machine struct {
	capture.Inventory
	profile map[string][]dict            // profile is the system's, by data type.
	routers map[int64]router             // routers are by UID.
	uids    map[string]int64             // uids are the routers', by their hubs' IDs.
	chains  map[string]chain             // chains are by the disk's name.
	mounts  map[string][]hardware.Volume // mounts are by the volume's name.
	media   map[string][]medium          // media are by the disk's name.
	usb     []*usbDevice
}

// medium is a disk of the profile, and its controller there.
type medium struct{ item, controller dict }

// unique returns an ID that no hub has yet: that one, unless a capture has two of the same place.
func (m *machine) unique(id string) string {
	for again := id; ; again += "'" {
		if m.FindHub(again) == nil {
			return again
		}
	}
}

// addHost reads what the machine is. A Mac without a battery runs on mains.
func (m *machine) addHost(settings []byte) {
	set := map[string]string{}
	for line := range strings.Lines(string(settings)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		set[name] = value
	}
	host := hardware.Host{
		Name: strings.TrimSuffix(set["kern.hostname"], ".local"), Model: set["hw.model"],
		CPU: set["machdep.cpu.brand_string"], Power: m.power(),
		Translated: set["sysctl.proc_translated"] == "1",
	}
	if set["hw.optional.arm64"] == "1" {
		host.Arch = "arm64"
	} else if host.CPU != "" {
		host.Arch = "amd64"
	}
	if version := set["kern.osproductversion"]; version != "" {
		host.OS = "macOS " + version
	}
	if build := set["kern.osversion"]; host.OS != "" && build != "" {
		host.OS += " (" + build + ")"
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
