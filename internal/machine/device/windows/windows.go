// Package windows reads from what PowerShell prints which disks a Windows machine has and what they
// are connected to. It is a function of captured bytes: it runs nothing, and is tested with
// captures of many machines on any system.
//
// Start at Parse; Script is what the answer is of. What Windows does not report without an
// administrator or a program of its own stays unknown: the rates that USB and USB4 have negotiated,
// and which USB4 router a disk is connected to, which only the Device Portal documents.
package windows

import (
	"cmp"
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hubbench/hubbench/internal/machine/device/capture"
	"github.com/hubbench/hubbench/pkg/hardware"
)

//go:embed look.ps1
var script string

// Script returns what PowerShell is to run: the whole inventory in one call.
func Script() string { return script }

// Parse puts an inventory together from the script's answer. An answer that cannot be read costs
// what it would have shown, and a warning. Serial numbers are left out unless asked for.
func Parse(answer []byte, serials bool) *hardware.Inventory {
	m := &machine{Inventory: capture.New(), devices: map[string]dict{}, ids: map[string]string{}}
	var err error
	if m.answer, err = read(answer); err != nil {
		m.Warn(fmt.Sprintf("PowerShell: the answer cannot be read, "+
			"so what it reports stays unknown: %v", err))
	}
	for _, d := range m.answer.List("Devices") {
		if id := d.Text("InstanceId"); id != "" {
			m.devices[strings.ToUpper(id)] = d
		}
	}
	m.addHost()
	m.addRouters()
	m.addDisks()
	m.addVolumes()
	m.addNetworks()
	failed := m.answer.Dict("Failed")
	for _, name := range slices.Sorted(maps.Keys(failed)) {
		m.Warn(fmt.Sprintf("%s: %s, so what it reports stays unknown", name,
			strings.TrimSuffix(failed.Text(name), ".")))
	}
	return m.Finish(serials)
}

// machine is an inventory on its way, and what it is made from.
type machine struct {
	capture.Inventory
	answer dict
	// devices are by instance ID in capitals: Windows does not distinguish them from small letters.
	devices map[string]dict
	ids     map[string]string // ids are the hubs', by their instance IDs.
}

func (m *machine) addHost() {
	var host hardware.Host
	for _, d := range m.answer.List("Computer") {
		host.Name = d.Text("Name")
		host.Model = strings.TrimSpace(d.Text("Manufacturer") + " " + d.Text("Model"))
	}
	for _, d := range m.answer.List("System") {
		host.OS = strings.TrimSpace(strings.TrimPrefix(d.Text("Caption"), "Microsoft ") + " " +
			d.Text("Version"))
	}
	for _, d := range m.answer.List("Processor") {
		host.CPU = d.Text("Name")
		switch code, _ := d.Number("Architecture"); code { // Win32_Processor
		case 9:
			host.Arch = "amd64"
		case 12:
			host.Arch = "arm64"
		}
	}
	host.Power = m.power()
	m.Hosts = append(m.Hosts, host)
}

// power returns what the machine runs on, by the status of its battery (Win32_Battery): 1 is
// discharging, 2 on mains, 3 full and 6 to 9 charging; 4 and 5 only show how full it is. Without a
// battery it is mains.
func (m *machine) power() hardware.Power {
	batteries, asked := m.answer["Battery"]
	if _, failed := m.answer.Dict("Failed")["Win32_Battery"]; !asked || failed {
		return ""
	}
	power := hardware.Mains
	for _, d := range capture.Dicts(batteries) {
		switch status, _ := d.Number("BatteryStatus"); status {
		case 1:
			return hardware.Battery
		case 2, 3, 6, 7, 8, 9:
		default:
			power = ""
		}
	}
	return power
}

// addDisks lists the disks: Get-Disk's, or those of Win32_DiskDrive if that is not to be had.
func (m *machine) addDisks() {
	for _, d := range m.answer.List("Disks") {
		if n, ok := d.Number("Number"); ok {
			m.addDisk(n, d)
		}
	}
	if len(m.Disks) == 0 {
		for _, d := range m.answer.List("Drives") {
			if n, ok := d.Number("Index"); ok {
				m.addDisk(n, dict{})
			}
		}
	}
	m.SortDisks()
}

func diskName(number int64) string { return fmt.Sprintf("PhysicalDrive%d", number) }

// addDisk describes a disk by what each of the system's lists says of it.
func (m *machine) addDisk(number int64, d dict) {
	if number < 0 || m.Find(diskName(number)) != nil {
		return
	}
	physical, drive := m.find("PhysicalDisks", "DeviceId", number),
		m.find("Drives", "Index", number)
	disk := hardware.Drive{
		Name: diskName(number),
		Model: cmp.Or(physical.Text("Model"), d.Text("Model"), d.Text("FriendlyName"),
			drive.Text("Model")),
		Vendor: vendor(d.Text("Manufacturer")),
		Firmware: cmp.Or(d.Text("FirmwareVersion"), physical.Text("FirmwareVersion"),
			drive.Text("FirmwareRevision")),
		// Of NVMe the disk's number names its namespace, the adapter's is what is printed on it.
		Serial: cmp.Or(d.Text("AdapterSerialNumber"), d.Text("SerialNumber"),
			physical.Text("SerialNumber"),
			drive.Text("SerialNumber")),
		Bus:    cmp.Or(busOf(d), busOf(physical)),
		System: isTrue(d, "IsBoot") || isTrue(d, "IsSystem"),
	}
	for _, source := range []dict{d, physical, drive} {
		if size, ok := source.Number("Size"); ok && disk.SizeBytes == 0 {
			disk.SizeBytes = max(size, 0)
		}
	}
	m.place(&disk, drive.Text("PNPDeviceID"))
	m.Disks = append(m.Disks, disk)
}

// find returns the entry of a list that bears a number; nil for none.
func (m *machine) find(list, key string, number int64) dict {
	for _, d := range m.answer.List(list) {
		if n, ok := d.Number(key); ok && n == number {
			return d
		}
	}
	return nil
}

// vendor leaves out what Windows says of disks whose maker it does not know, in any language:
// (Standard disk drives).
func vendor(name string) string {
	if strings.HasPrefix(name, "(") || strings.EqualFold(name, "NVMe") ||
		strings.EqualFold(name, "ATA") {
		return ""
	}
	return name
}

// busOf returns the bus of a disk by its name or its number in MSFT_Disk: PowerShell 5.1 may give
// either. RAID is NVMe behind Intel's RST too.
func busOf(d dict) hardware.Bus {
	name := strings.ToLower(d.Text("BusType"))
	if number, ok := d.Number("BusType"); ok {
		name = strconv.FormatInt(number, 10)
	}
	switch name {
	case "", "0", "unknown":
		return hardware.UnknownBus
	case "7", "usb":
		return hardware.USB
	case "11", "sata":
		return hardware.SATA
	case "17", "nvme":
		return hardware.NVMe
	case "14", "virtual", "15", "file backed virtual", "16", "spaces":
		return hardware.Virtual
	}
	return hardware.OtherBus
}

// addVolumes adds what is on each disk. A partition's access paths are the places where its volume
// is mounted, and the volume's own name.
func (m *machine) addVolumes() {
	for _, p := range m.answer.List("Partitions") {
		number, ok := p.Number("DiskNumber")
		disk := m.Find(diskName(number))
		if !ok || disk == nil {
			continue
		}
		var mounts, names []string
		if letter := p.Text("DriveLetter"); letter != "" {
			mounts = append(mounts, letter+`:\`)
		}
		for _, path := range textList(p, "AccessPaths") {
			if strings.HasPrefix(path, `\\?\`) {
				names = append(names, path)
			} else if !slices.Contains(mounts, path) {
				mounts = append(mounts, path)
			}
		}
		v := m.volume(mounts, names)
		forFiles := slices.Contains([]string{"Basic", "IFS", ""}, p.Text("Type"))
		if len(mounts) == 0 && (v.Text("FileSystem") == "" || !forFiles) {
			continue
		}
		disk.Volumes = append(disk.Volumes, m.describe(p, v, mounts))
	}
}

// describe puts a volume together from its partition and what the system says of its file system.
func (m *machine) describe(partition, v dict, mounts []string) hardware.Volume {
	index, _ := partition.Number("PartitionNumber")
	disk, _ := partition.Number("DiskNumber")
	volume := hardware.Volume{
		Device:     fmt.Sprintf("PhysicalDrive%d, partition %d", disk, index),
		Label:      v.Text("FileSystemLabel"),
		Filesystem: v.Text("FileSystem"),
		ReadOnly: isTrue(partition, "IsReadOnly") ||
			isTrue(m.find("Disks", "Number", disk), "IsReadOnly"),
	}
	free, freeKnown := v.Number("SizeRemaining")
	size, sizeKnown := v.Number("Size")
	if freeKnown && sizeKnown && size > 0 { // 0 for a locked volume
		volume.FreeBytes, volume.SizeBytes = free, size
	}
	if len(mounts) == 0 {
		return volume
	}
	volume.Mount, volume.Mounts = mounts[0], mounts[1:]
	drive := strings.TrimSuffix(mounts[0], `\`)
	if len(drive) == 2 {
		volume.Device = drive
	}
	for _, d := range m.answer.List("LogicalDisks") {
		if _, ok := d["Compressed"].(bool); ok && strings.EqualFold(d.Text("DeviceID"), drive) {
			volume.Compressed = new(isTrue(d, "Compressed"))
		}
	}
	for _, d := range m.answer.List("BitLocker") {
		if strings.EqualFold(strings.TrimSuffix(d.Text("Drive"), `\`), drive) {
			// System.Volume.BitLockerProtection: 1 on, 2 off, 3 being encrypted, 4 being decrypted,
			// 5 suspended, 6 locked.
			if n, _ := d.Number("Protection"); n >= 1 && n <= 6 {
				volume.Encrypted = new(n != 2)
			}
		}
	}
	return volume
}

// volume returns what Get-Volume says of the volume with one of those names, or that letter.
func (m *machine) volume(mounts, names []string) dict {
	for _, v := range m.answer.List("Volumes") {
		path := cmp.Or(v.Text("Path"), v.Text("UniqueId"))
		root := v.Text("DriveLetter") + `:\`
		for _, name := range slices.Concat(names, mounts) {
			if strings.EqualFold(name, path) || strings.EqualFold(name, root) {
				return v
			}
		}
	}
	return nil
}
