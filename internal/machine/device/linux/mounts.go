package linux

import (
	"cmp"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/hubbench/hubbench/pkg/hardware"
)

// Mount is a line of /proc/self/mountinfo (proc_pid_mountinfo(5)). It is taken apart by hand: the
// format is a line of ten fields that has not changed since 2008, and moby/sys' parser reads the
// running system only, not a capture.
type Mount struct {
	Point, Filesystem, Source string
	id, parent                string
	number                    string // number is the device's major:minor.
	// root is the folder of the file system that is mounted: "/" is all of it.
	root    string
	options []string // options is the mount's, then the file system's.
}

// parseMounts reads the lines that are not torn.
func parseMounts(mountinfo string) (mounts []Mount) {
	for line := range strings.Lines(mountinfo) {
		before, after, _ := strings.Cut(line, " - ") // Optional fields end there.
		place, content := strings.Fields(before), strings.Fields(after)
		if len(place) < 6 || len(content) < 2 {
			continue
		}
		m := Mount{
			id: place[0], parent: place[1], number: place[2],
			root: unescape(place[3]), Point: unescape(place[4]),
			Filesystem: content[0], Source: unescape(content[1]),
			options: strings.Split(place[5], ","),
		}
		if len(content) > 2 {
			m.options = append(m.options, strings.Split(content[2], ",")...)
		}
		if path.IsAbs(m.Point) {
			mounts = append(mounts, m)
		}
	}
	return mounts
}

// FindMount finds the mount that a path lies in: the path is absolute and without symbolic links.
// Its point is empty if there is none.
func FindMount(root fs.FS, file string) Mount {
	m := &machine{tree: tree{root}}
	m.readMounts()
	return m.mountAt(file)
}

// unescape undoes an encoding of bytes that Go has too: the kernel's octal for what would break a
// line, in which \040 is a space, and udev's \x20. What is not encoded so stays as it is.
func unescape(text string) string {
	plain, err := strconv.Unquote(`"` + strings.ReplaceAll(text, `"`, `\"`) + `"`)
	if err != nil {
		return text
	}
	return plain
}

// readMounts keeps the mounts that can be reached, those of whole file systems before those of
// parts, then those with short names: bind mounts repeat a file system elsewhere.
func (m *machine) readMounts() {
	all := parseMounts(m.text("proc/self/mountinfo"))
	listed := map[string]bool{}
	for _, one := range all {
		listed[one.id] = true
	}
	m.inside = map[string][]Mount{}
	for _, one := range all {
		if !listed[one.parent] || one.parent == one.id {
			one.parent = "" // In an initramfs the root is its own parent.
		}
		m.inside[one.parent] = append(m.inside[one.parent], one)
	}
	for _, one := range all {
		if m.mountAt(one.Point).id == one.id {
			m.mounts = append(m.mounts, one)
		}
	}
	slices.SortStableFunc(m.mounts, func(a, b Mount) int {
		part := map[bool]int{true: 1} // The whole disk is part 0.
		return cmp.Or(part[a.root != "/"]-part[b.root != "/"], len(a.Point)-len(b.Point))
	})
}

// mountAt returns the mount that a path leads to: from the root on, the first on the path of those
// that are mounted in the one before. Its point is empty if there is none.
func (m *machine) mountAt(file string) (at Mount) {
	for range len(m.inside) + 1 { // A damaged file may have a ring.
		next := Mount{}
		for _, one := range m.inside[at.id] {
			if isInside(file, one.Point) && (next.id == "" || len(one.Point) < len(next.Point)) {
				next = one
			}
		}
		if next.id == "" {
			break
		}
		at = next
	}
	return at
}

// isInside reports whether a path lies below a folder, or is it.
func isInside(file, folder string) bool {
	folder = strings.TrimSuffix(folder, "/")
	return file == folder || strings.HasPrefix(file, folder+"/")
}

// blockOf returns the block device that is mounted; nil if it is none. A file system on several
// disks gives its mounts a number that is no device's, and names its disks, one of them, or, as
// ZFS, itself.
func (m *machine) blockOf(one Mount) *block {
	if b := m.blockAt(one.number); b != nil {
		return b
	}
	switch one.Filesystem {
	case "btrfs", "bcachefs":
		first, _, _ := strings.Cut(one.Source, ":")
		return m.blockAt(first)
	case "zfs":
		name, _, _ := strings.Cut(one.Source, "/")
		var found *block
		for _, b := range m.blocks {
			switch {
			case b.pool == "" || b.filesystem != "zfs" || b.label != name:
			case found == nil:
				found = b
			case b.pool != found.pool: // Two pools have one name, and one of them is not imported.
				return nil
			}
		}
		return found
	}
	return nil
}

// blockAt returns the block device of a number, or of a name such as /dev/sda1 or
// /dev/disk/by-uuid/...; nil if there is none.
func (m *machine) blockAt(device string) *block {
	name := strings.TrimPrefix(device, "/dev/")
	if to := m.link("dev", name); to != "" {
		name = path.Base(to)
	}
	for _, b := range m.blocks {
		if name != "" && (name == b.number || name == b.name || name == "mapper/"+b.mapped) {
			return b
		}
	}
	return nil
}

// readPools finds the devices of file systems that lie on several, beside those that udev has read:
// the kernel lists those of each mounted btrfs, and a mounted bcachefs names its own. Then it is
// known what loop devices lie on.
func (m *machine) readPools() {
	for _, one := range m.mounts {
		b := m.blockAt(one.number)
		if b != nil && b.pool != "" && b.filesystem != one.Filesystem {
			// udev's data are left over from before.
			b.pool = ""
			b.label = ""
		}
		if one.Filesystem != "bcachefs" {
			continue
		}
		pool := ""
		for device := range strings.SplitSeq(one.Source, ":") {
			if b := m.blockAt(device); b != nil {
				pool = cmp.Or(pool, b.pool, one.Source)
				b.pool = pool
				b.filesystem = one.Filesystem
			}
		}
	}
	for _, device := range m.glob("sys/fs/btrfs/*/devices/*") {
		if b := m.blockAt(path.Base(device)); b != nil {
			dir := path.Dir(path.Dir(device))
			b.pool, b.filesystem = path.Base(dir), "btrfs"
			b.label = cmp.Or(b.label, m.text(dir, "label"))
		}
	}
	for _, b := range m.blocks {
		if under := m.blockOf(m.mountAt(b.file)); b.file != "" && under != nil {
			b.below = append(b.below, under)
		}
	}
}

// readDisks lists the disks with their volumes and what lies beneath the virtual ones, finds which
// the system runs from, and lists the mounts that no disk holds.
func (m *machine) readDisks() {
	mounted := map[*block][]Mount{}
	for _, one := range m.mounts {
		b := m.blockOf(one)
		if b != nil {
			mounted[b] = append(mounted[b], one)
			continue
		}
		// What lies in another one of them says nothing new.
		above := m.mountAt(path.Dir(one.Point))
		if one.Point == "/" || above.Point == "" || m.blockOf(above) != nil {
			mount := hardware.Mount{Path: one.Point, Filesystem: one.Filesystem}
			m.Diskless = append(m.Diskless, mount)
		}
	}
	for _, whole := range m.blocks {
		if whole.whole != nil {
			continue
		}
		d := m.describeDisk(whole)
		for _, under := range whole.below {
			if name := under.disk().name; !slices.Contains(d.Backing, name) && name != d.Name {
				d.Backing = append(d.Backing, name)
			}
		}
		for _, b := range m.blocks {
			if b.disk() != whole {
				continue
			}
			if v, ok := m.volume(b, mounted[b]); ok {
				d.Volumes = append(d.Volumes, v)
			}
		}
		m.Disks = append(m.Disks, d)
	}
	m.MarkSystem("/", "/usr", "/sysroot") // The last two of image-based systems.
}

// volume describes what a partition, or a disk without any, has on it; ok is false if that is no
// file system.
func (m *machine) volume(b *block, mounts []Mount) (v hardware.Volume, ok bool) {
	usage := b.udev["E:ID_FS_USAGE"]
	switch {
	case len(mounts) > 0 || b.pool != "":
	// It is a RAID's member, encrypted, or swap.
	case b.holds || usage != "" && usage != "filesystem":
		return v, false
	case b.whole == nil && usage == "":
		return v, false
	}
	v = hardware.Volume{Device: b.name, SizeBytes: b.size, Filesystem: b.filesystem, Label: b.label}
	for _, other := range m.blocks {
		if b.pool != "" && other.pool == b.pool && other != b {
			v.Container = b.pool
		}
	}
	if v.Filesystem != "" || len(mounts) > 0 { // Else it may be encrypted, and nobody has looked.
		v.Encrypted = encrypted(b)
	}
	if len(mounts) == 0 {
		return v, true
	}
	first := mounts[0]
	v.Mount = first.Point
	for _, more := range mounts[1:] {
		v.Mounts = append(v.Mounts, more.Point)
	}
	// The name fuseblk says who reads it, not what it is.
	if first.Filesystem != "fuseblk" || v.Filesystem == "" {
		v.Filesystem = first.Filesystem
	}
	v.ReadOnly = slices.Contains(first.options, "ro")
	if slices.Contains(knownToCompress[:], v.Filesystem) {
		v.Compressed = new(false)
	}
	for _, o := range first.options {
		name, value, _ := strings.Cut(o, "=")
		if slices.Contains(speedOptions[:], name) && !slices.Contains(v.Options, o) {
			v.Options = append(v.Options, o)
		}
		if v.Compressed != nil && strings.HasPrefix(name, "compress") && value != "no" &&
			value != "none" {
			v.Compressed = new(true)
		}
	}
	if m.opts.Usage == nil {
		return v, true
	}
	if size, free := m.opts.Usage(v.Mount); size > 0 {
		v.SizeBytes = size
		v.FreeBytes = free
	}
	return v, true
}

// encrypted goes down from a block device to the disks: true if dm-crypt is on the way, false if it
// is not, nil if nobody knows what lies beneath. What a disk does by itself is not seen.
func encrypted(b *block) *bool {
	stack := []*block{b}
	bottom := true
	for i := 0; i < len(stack); i++ {
		disk := stack[i].disk()
		if disk.mapper == "CRYPT" {
			return new(true)
		}
		bottom = bottom && !(disk.virtual() && len(disk.below) == 0)
		for _, under := range disk.below {
			if !slices.Contains(stack, under) {
				stack = append(stack, under)
			}
		}
	}
	if !bottom {
		return nil
	}
	return new(false)
}

// knownToCompress are the file systems of which it is known whether they compress: btrfs's options
// say so, and the others never do.
var knownToCompress = [...]string{"btrfs", "ext2", "ext3", "ext4", "xfs", "vfat", "exfat"}

// speedOptions are the mount options that bear on speed, up to their value.
var speedOptions = [...]string{
	"sync", "dirsync", "discard", "noatime", "lazytime", "strictatime", "barrier", "nobarrier",
	"data", "commit", "delalloc", "nodelalloc", "dax", "compress", "compress-force", "nodatacow",
	"autodefrag", "flush", "wsync", "background_gc",
}
