package macos

import (
	"cmp"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/hardware"
)

// container is a pool of APFS: its volumes share the room of the disks that it lies on.
type container struct {
	disks     []string // disks are whole disks.
	free      int64
	size      int64
	sizeKnown bool
	volumes   []dict // volumes are those of diskutil apfs list.
}

// containersOf joins what both lists say about containers.
func containersOf(list, apfs []dict) map[string]container {
	containers := map[string]container{}
	add := func(name string, stores []dict) container {
		c := containers[name]
		for _, store := range stores {
			if disk := wholeDisk(store.Text("DeviceIdentifier")); disk != "" &&
				!slices.Contains(c.disks, disk) {
				c.disks = append(c.disks, disk)
			}
		}
		return c
	}
	for _, entry := range list {
		name := entry.Text("DeviceIdentifier")
		if wholeDisk(name) == name && name != "" && entry["APFSPhysicalStores"] != nil {
			containers[name] = add(name, entry.List("APFSPhysicalStores"))
		}
	}
	for _, entry := range apfs {
		name := entry.Text("ContainerReference")
		if wholeDisk(name) != name || name == "" {
			continue
		}
		c := add(name, entry.List("PhysicalStores"))
		var free, size bool
		c.free, free = entry.Number("CapacityFree")
		c.size, size = entry.Number("CapacityCeiling")
		c.sizeKnown = free && size
		c.volumes = entry.List("Volumes")
		containers[name] = c
	}
	return containers
}

// addVolumes adds what is on each disk.
func (m *machine) addVolumes(list []dict, containers map[string]container) {
	for _, entry := range list {
		name := wholeDisk(entry.Text("DeviceIdentifier"))
		holder, c := m.Find(name), containers[name]
		if len(c.disks) == 1 {
			holder = m.Find(c.disks[0])
		}
		if holder == nil {
			continue
		}
		for _, v := range entry.List("APFSVolumes") {
			m.addVolume(holder, v, &c, name)
		}
		for _, v := range entry.List("Partitions") {
			m.addVolume(holder, v, nil, "")
		}
		if entry.Text("MountPoint") != "" { // without partitions
			m.addVolume(holder, entry, nil, "")
		}
	}
	m.MarkSystem("/", "/System/Volumes/Data")
}

// addVolume adds a volume that people put files on. What macOS keeps for itself is left out, and so
// is a snapshot, which diskutil lists as if it were a volume: it is a place where its volume is
// mounted.
func (m *machine) addVolume(disk *hardware.Drive, d dict, c *container, containerName string) {
	id := d.Text("DeviceIdentifier")
	name, ok := baseName(id)
	if !ok || name != id {
		return
	}
	volume := hardware.Volume{Device: name, Label: d.Text("VolumeName"), Container: containerName}
	mounts := m.mountPoints(name, d)
	if len(mounts) > 0 {
		volume.Mount, volume.Mounts = mounts[0], mounts[1:]
	}
	for _, mount := range m.mounts[name] {
		volume.Filesystem, volume.ReadOnly, volume.Options = mount.Filesystem, mount.ReadOnly,
			mount.Options
	}
	var roles []any
	if c != nil {
		volume.Filesystem = cmp.Or(volume.Filesystem, "apfs")
		for _, v := range c.volumes {
			if v.Text("DeviceIdentifier") == name {
				roles, _ = v["Roles"].([]any)
				volume.Label = cmp.Or(v.Text("Name"), volume.Label)
				volume.Encrypted = cmp.Or(v.Flag("FileVault"), v.Flag("Encryption"))
			}
		}
		if c.sizeKnown {
			volume.FreeBytes, volume.SizeBytes = c.free, c.size
		}
	}
	m.measure(&volume, disk)
	if keepsFiles(volume, roles, d.Text("Content")) {
		disk.Volumes = append(disk.Volumes, volume)
	}
}

// measure takes room and file system from the profile, which knows mounted volumes, and of the disk
// what its driver did not say. Room of which only one half is known is no answer.
func (m *machine) measure(volume *hardware.Volume, disk *hardware.Drive) {
	for _, d := range m.profile["SPStorageDataType"] {
		if name, _ := baseName(d.Text("bsd_name")); name != volume.Device {
			continue
		}
		drive := d.Dict("physical_drive")
		if _, ok := m.chains[disk.Name]; !ok {
			disk.Bus = cmp.Or(busOf(drive.Text("protocol")), disk.Bus)
		}
		if inside := drive.Flag("is_internal_disk"); inside != nil && disk.External == nil {
			disk.External = new(!*inside)
		}
		free, ok := d.Number("free_space_in_bytes")
		size, known := d.Number("size_in_bytes")
		if ok && known {
			volume.FreeBytes, volume.SizeBytes = free, size
		}
		volume.Filesystem = cmp.Or(volume.Filesystem, filesystem(d.Text("file_system")))
		volume.Label = cmp.Or(volume.Label, d.Text("_name"))
		if writable := d.Flag("writable"); writable != nil && len(m.mounts[volume.Device]) == 0 {
			volume.ReadOnly = !*writable
		}
	}
}

// filesystem returns a file system's name as mount gives it, of the words of the profile:
// Case-sensitive APFS, Journaled HFS+.
func filesystem(words string) string {
	words = strings.ToLower(words)
	for _, name := range []string{"apfs", "hfs", "exfat", "ntfs"} {
		if strings.Contains(words, name) {
			return name
		}
	}
	if strings.Contains(words, "fat") {
		return "msdos"
	}
	return words
}

// keepsFiles distinguishes volumes for people's files from those that macOS and firmware keep for
// themselves.
func keepsFiles(volume hardware.Volume, roles []any, content string) bool {
	for _, role := range roles {
		switch role {
		case "System", "Data", "Backup", "User":
		default:
			return false
		}
	}
	switch content {
	case "EFI", "Apple_Boot", "Apple_APFS", "Apple_APFS_ISC", "Apple_APFS_Recovery",
		"Microsoft Reserved", "Windows Recovery":
		return false
	}
	if rest, ok := strings.CutPrefix(volume.Mount, "/System/Volumes/"); ok && rest != "Data" {
		return false
	}
	return volume.Mount != "" || volume.Label != ""
}

// mountPoints returns where a volume is mounted, the root before all, and people's places before
// the system's.
func (m *machine) mountPoints(name string, d dict) []string {
	var points []string
	add := func(point string) {
		if point != "" && !slices.Contains(points, point) {
			points = append(points, point)
		}
	}
	for _, mount := range m.mounts[name] {
		add(mount.Mount)
	}
	for _, s := range d.List("MountedSnapshots") {
		add(s.Text("SnapshotMountPoint"))
	}
	add(d.Text("MountPoint"))
	rank := func(point string) int {
		if point == "/" {
			return 0
		}
		if strings.HasPrefix(point, "/System/") {
			return 2
		}
		return 1
	}
	slices.SortStableFunc(points, func(a, b string) int { return rank(a) - rank(b) })
	return points
}

// VolumeOf reads what macOS says is mounted, and by which file system: the name of the volume's
// device, empty if it is none of a disk, and the file system. Since macOS 13 those of FAT and NTFS
// are programs (lifs), whose volumes are called msdos://disk12s1/NAME. A network's, such as
// https://host/folder/, are called by an address, which says nothing of the file system.
func VolumeOf(source, kind string) (device, filesystem string) {
	device, ok := strings.CutPrefix(source, "/dev/")
	scheme, rest, program := strings.Cut(source, "://")
	if program {
		device, _, _ = strings.Cut(rest, "/")
	}
	if _, isDisk := baseName(device); !isDisk || !ok && !program {
		return "", kind
	}
	if program {
		kind = scheme
	}
	return device, kind
}

// mountsOf reads lines like: /dev/disk3s1s1 on / (apfs, sealed, local, read-only, journaled). A
// path may hold anything, so the line is read from its ends.
func mountsOf(capture []byte) map[string][]hardware.Volume {
	mounts := map[string][]hardware.Volume{}
	for line := range strings.Lines(string(capture)) {
		line = strings.TrimSuffix(strings.TrimSpace(line), ")")
		source, rest, ok := strings.Cut(line, " on /")
		open := strings.LastIndex(rest, " (")
		if !ok || open < 0 {
			continue
		}
		m := hardware.Volume{Mount: "/" + rest[:open]}
		kind, options, _ := strings.Cut(rest[open+2:], ", ")
		device, kind := VolumeOf(source, kind)
		if device == "" {
			continue
		}
		m.Filesystem = kind
		for option := range strings.SplitSeq(options, ", ") {
			switch option {
			case "read-only":
				m.ReadOnly = true
			case "synchronous", "asynchronous", "noatime":
				m.Options = append(m.Options, option)
			}
		}
		name, _ := baseName(device)
		mounts[name] = append(mounts[name], m)
	}
	return mounts
}
