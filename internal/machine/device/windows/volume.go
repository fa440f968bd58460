package windows

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/hardware"
)

// addVolumes adds what is on each disk. A partition's access paths are the places where its volume is mounted, and the
// volume's own name.
func (m *machine) addVolumes() {
	for _, p := range m.answer.list("Partitions") {
		number, ok := p.number("DiskNumber")
		disk := m.disk(number)
		if !ok || disk == nil {
			continue
		}
		var mounts, names []string
		if letter := p.text("DriveLetter"); letter != "" {
			mounts = append(mounts, letter+`:\`)
		}
		for _, path := range p.texts("AccessPaths") {
			if strings.HasPrefix(path, `\\?\`) {
				names = append(names, path)
			} else if !slices.Contains(mounts, path) {
				mounts = append(mounts, path)
			}
		}
		v := m.volume(mounts, names)
		if len(mounts) == 0 && (v.text("FileSystem") == "" || !slices.Contains([]string{"Basic", "IFS", ""}, p.text("Type"))) {
			continue
		}
		disk.Volumes = append(disk.Volumes, m.describe(p, v, mounts))
	}
}

// describe puts a volume together from its partition and what the system says of its file system.
func (m *machine) describe(partition, v dict, mounts []string) hardware.Volume {
	index, _ := partition.number("PartitionNumber")
	disk, _ := partition.number("DiskNumber")
	volume := hardware.Volume{
		Device:     fmt.Sprintf("PhysicalDrive%d, partition %d", disk, index),
		Label:      v.text("FileSystemLabel"),
		Filesystem: v.text("FileSystem"),
		ReadOnly:   partition.truth("IsReadOnly") || m.find("Disks", "Number", disk).truth("IsReadOnly"),
	}
	free, freeKnown := v.number("SizeRemaining")
	size, sizeKnown := v.number("Size")
	if freeKnown && sizeKnown && size > 0 { // 0 of a volume that is locked
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
	for _, d := range m.answer.list("LogicalDisks") {
		if _, ok := d["Compressed"].(bool); ok && strings.EqualFold(d.text("DeviceID"), drive) {
			volume.Compressed = new(d.truth("Compressed"))
		}
	}
	for _, d := range m.answer.list("BitLocker") {
		if strings.EqualFold(strings.TrimSuffix(d.text("Drive"), `\`), drive) {
			volume.Encrypted = encrypted(d)
		}
	}
	return volume
}

// encrypted reads System.Volume.BitLockerProtection: 1 on, 2 off, 3 being encrypted, 4 being decrypted, 5 suspended, 6 locked.
func encrypted(d dict) *bool {
	switch n, _ := d.number("Protection"); n {
	case 1, 3, 4, 5, 6:
		return new(true)
	case 2:
		return new(false)
	}
	return nil
}

// volume is what Get-Volume says of the volume with one of those names, or that letter.
func (m *machine) volume(mounts, names []string) dict {
	for _, v := range m.answer.list("Volumes") {
		path := cmp.Or(v.text("Path"), v.text("UniqueId"))
		letter := v.text("DriveLetter")
		if slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, path) }) ||
			letter != "" && slices.ContainsFunc(mounts, func(p string) bool { return strings.EqualFold(p, letter+`:\`) }) {
			return v
		}
	}
	return nil
}
