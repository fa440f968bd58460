package linux

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/hubbench/hubbench/pkg/hardware"
)

// Mount is a line of /proc/self/mountinfo (proc_pid_mountinfo(5)). It is taken apart by hand: the format is a line of
// ten fields that has not changed since 2008, and moby/sys' parser reads the running system only, not a capture.
type Mount struct {
	Point, Filesystem, Source string
	id, parent                string
	number                    string   // of the device
	root                      string   // which folder of the file system is mounted: "/" is all of it
	options                   []string // of the mount, then of the file system
}

// parseMounts reads the lines that are not torn.
func parseMounts(mountinfo string) (mounts []Mount) {
	for line := range strings.Lines(mountinfo) {
		before, after, _ := strings.Cut(line, " - ") // optional fields end there
		place, content := strings.Fields(before), strings.Fields(after)
		if len(place) < 6 || len(content) < 2 {
			continue
		}
		m := Mount{
			id: place[0], parent: place[1], number: place[2], root: unescape(place[3]), Point: unescape(place[4]),
			Filesystem: content[0], Source: unescape(content[1]), options: strings.Split(place[5], ","),
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

// FindMount finds a mount by its number, as statx gives it, in the text of /proc/self/mountinfo.
func FindMount(mountinfo []byte, id uint64) (Mount, bool) {
	number := strconv.FormatUint(id, 10)
	for _, m := range parseMounts(string(mountinfo)) {
		if m.id == number {
			return m, true
		}
	}
	return Mount{}, false
}

// unescape undoes an encoding of bytes that Go has too: the kernel's octal for what would break a line, in which
// \040 is a space, and udev's \x20. What is not encoded so stays as it is.
func unescape(text string) string {
	plain, err := strconv.Unquote(`"` + strings.ReplaceAll(text, `"`, `\"`) + `"`)
	if err != nil {
		plain = text
	}
	return strings.ToValidUTF8(plain, "\ufffd")
}

// readMounts keeps the mounts that can be reached, those of whole file systems before those of parts, then those with
// short names: bind mounts repeat a file system elsewhere.
func (m *machine) readMounts() {
	all := parseMounts(m.text("proc/self/mountinfo"))
	listed := map[string]bool{}
	for _, one := range all {
		listed[one.id] = true
	}
	m.inside = map[string][]Mount{}
	for _, one := range all {
		if !listed[one.parent] || one.parent == one.id {
			one.parent = "" // as of the root, which in an initramfs is its own parent
		}
		m.inside[one.parent] = append(m.inside[one.parent], one)
	}
	for _, one := range all {
		if m.mountAt(one.Point).id == one.id {
			m.mounts = append(m.mounts, one)
		}
	}
	slices.SortStableFunc(m.mounts, func(a, b Mount) int {
		part := map[bool]int{true: 1} // 0 of the whole
		return cmp.Or(part[a.root != "/"]-part[b.root != "/"], len(a.Point)-len(b.Point))
	})
}

// mountAt is the mount that a path leads to: from the root on, the first on the path of those that are mounted in the
// one before. Its point is empty if there is none.
func (m *machine) mountAt(file string) (at Mount) {
	for range len(m.inside) + 1 { // a damaged file may have a ring
		next := Mount{}
		for _, one := range m.inside[at.id] {
			if isBelow(file, one.Point) && (next.id == "" || len(one.Point) < len(next.Point)) {
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

// isBelow reports whether a path lies below a folder, or is it.
func isBelow(file, folder string) bool {
	folder = strings.TrimSuffix(folder, "/")
	return file == folder || strings.HasPrefix(file, folder+"/")
}

// blockOf is the block device that is mounted; nil if it is none. A file system on several disks gives its mounts a
// number that is no device's, and names its disks, one of them, or, as ZFS, itself.
func (m *machine) blockOf(one Mount) *block {
	for _, b := range m.blocks {
		if b.number != "" && b.number == one.number {
			return b
		}
	}
	switch one.Filesystem {
	case "btrfs", "bcachefs":
		first, _, _ := strings.Cut(one.Source, ":")
		return m.blockAt(first)
	case "zfs":
		label, _, _ := strings.Cut(one.Source, "/")
		var found *block
		for _, b := range m.blocks {
			p := m.pools[b.name]
			switch {
			case p.filesystem != "zfs" || p.label != label:
			case found == nil:
				found = b
			case p.uuid != m.pools[found.name].uuid: // two pools of one name, of which one is not imported
				return nil
			}
		}
		return found
	}
	return nil
}

// blockAt is the block device of a name in /dev; nil if there is none.
func (m *machine) blockAt(device string) *block {
	name, ok := strings.CutPrefix(device, "/dev/")
	if !ok {
		return nil
	}
	if mapped, ok := strings.CutPrefix(name, "mapper/"); ok {
		for _, b := range m.blocks {
			if m.text(b.dir, "dm/name") == mapped {
				return b
			}
		}
	}
	if to := m.link("dev", name); to != "" { // /dev/disk/by-uuid/..., /dev/mapper/...
		name = path.Base(to)
	}
	return m.byName[name]
}

// pool is a file system that may lie on several devices.
type pool struct {
	uuid, label, filesystem string
	members                 []string
}

// poolKind is the file system of pools that udev says a device belongs to; empty for none.
func poolKind(b *block) string {
	return map[string]string{"btrfs": "btrfs", "bcachefs": "bcachefs", "zfs_member": "zfs"}[b.udev["ID_FS_TYPE"]]
}

// readPools finds the devices of pools: the kernel lists those of each mounted btrfs, a mounted bcachefs names its
// own, and udev has read of every device which pool it belongs to.
func (m *machine) readPools() {
	m.pools = map[string]pool{}
	keep := func(p pool) {
		for _, name := range p.members {
			m.pools[name] = p
		}
	}
	mounted := map[string]string{} // the file systems of mounted devices: what udev read may be left over
	for _, one := range m.mounts {
		mounted[one.number] = one.Filesystem
	}
	byID := map[string]*pool{}
	for _, b := range m.blocks {
		kind, id := poolKind(b), b.udev["ID_FS_UUID"]
		if kind == "" || id == "" || b.parts > 0 || cmp.Or(mounted[b.number], kind) != kind {
			continue
		}
		if byID[id] == nil {
			byID[id] = &pool{uuid: id, label: cmp.Or(plain(b.udev["ID_FS_LABEL_ENC"]), b.udev["ID_FS_LABEL"]), filesystem: kind}
		}
		byID[id].members = append(byID[id].members, b.name)
	}
	for _, p := range byID {
		keep(*p)
	}
	for _, one := range m.mounts {
		if one.Filesystem != "bcachefs" {
			continue
		}
		p := pool{uuid: one.Source, filesystem: one.Filesystem}
		for device := range strings.SplitSeq(one.Source, ":") {
			if b := m.blockAt(device); b != nil {
				p.members = append(p.members, b.name)
				if known := m.pools[b.name].uuid; known != "" && p.uuid == one.Source {
					p.uuid = known
				}
			}
		}
		keep(p)
	}
	for _, uuid := range m.list("sys/fs/btrfs") {
		label, members := m.text("sys/fs/btrfs", uuid, "label"), m.list("sys/fs/btrfs", uuid, "devices")
		keep(pool{uuid: uuid, label: label, filesystem: "btrfs", members: members})
	}
}

// volumes gives the disks their volumes, finds what lies beneath the virtual ones and which the system runs from, and
// lists the mounts that no disk holds.
func (m *machine) volumes() {
	mounted := map[string][]Mount{} // by the block device's name
	for _, one := range m.mounts {
		if b := m.blockOf(one); b != nil {
			mounted[b.name] = append(mounted[b.name], one)
		}
	}
	for _, b := range m.blocks { // a file lies beneath a loop device
		if file, ok := strings.CutPrefix(m.text(b.dir, "loop/backing_file"), "/"); ok && len(b.below) == 0 {
			if under := m.blockOf(m.mountAt("/" + file)); under != nil && under != b {
				b.below = append(b.below, under)
			}
		}
	}
	for i := range m.Disks {
		d := &m.Disks[i]
		whole := m.byName[d.Name]
		for _, under := range whole.below {
			if name := under.disk().name; !slices.Contains(d.Backing, name) && name != d.Name {
				d.Backing = append(d.Backing, name)
			}
		}
		for _, b := range m.blocks {
			if b.disk() != whole {
				continue
			}
			if v, ok := m.volume(b, mounted); ok {
				d.Volumes = append(d.Volumes, v)
			}
		}
	}
	m.MarkSystem("/", "/usr", "/sysroot") // the last two of image-based systems
	m.Diskless = m.diskless()
}

// volume describes what a partition, or a disk without any, has on it; ok is false if that is no file system.
func (m *machine) volume(b *block, mounted map[string][]Mount) (v hardware.Volume, ok bool) {
	pool, pooled := m.pools[b.name]
	mounts := mounted[b.name]
	usage := b.udev["ID_FS_USAGE"]
	switch {
	case len(mounts) > 0 || pooled:
	case b.holds || usage != "" && usage != "filesystem": // a RAID's member, encrypted, swap
		return v, false
	case b.whole == nil && (b.parts > 0 || usage == ""):
		return v, false
	}
	v = hardware.Volume{Device: b.name, SizeBytes: b.size, Filesystem: b.udev["ID_FS_TYPE"]}
	v.Label = cmp.Or(plain(b.udev["ID_FS_LABEL_ENC"]), b.udev["ID_FS_LABEL"], pool.label)
	if pooled {
		v.Filesystem = pool.filesystem
		if len(pool.members) > 1 {
			v.Container = pool.uuid
		}
	}
	if v.Filesystem != "" || len(mounts) > 0 { // else it may be encrypted, and nobody has looked
		v.Encrypted = m.encrypted(b, 0)
	}
	if len(mounts) == 0 {
		return v, true
	}
	first := mounts[0]
	v.Mount = first.Point
	for _, more := range mounts[1:] {
		if more.Point != v.Mount && !slices.Contains(v.Mounts, more.Point) {
			v.Mounts = append(v.Mounts, more.Point)
		}
	}
	if kind := poolKind(b); kind != "" && kind != first.Filesystem { // udev has read what an earlier one left
		v.Label = ""
	}
	if first.Filesystem != "fuseblk" || v.Filesystem == "" { // fuseblk says who reads it, not what it is
		v.Filesystem = first.Filesystem
	}
	v.ReadOnly = slices.Contains(first.options, "ro")
	v.Compressed = compressed(v.Filesystem, first.options)
	for _, o := range first.options {
		name, _, _ := strings.Cut(o, "=")
		if slices.Contains(speedOptions[:], name) && !slices.Contains(v.Options, o) {
			v.Options = append(v.Options, o)
		}
	}
	if size, free := m.opts.Usage(v.Mount); size > 0 {
		v.SizeBytes, v.FreeBytes = size, free
	}
	return v, true
}

// encrypted follows a block device down to the disks: true if dm-crypt is on the way, false if it is not, nil
// if nobody knows what lies beneath. What a disk does by itself is not seen.
func (m *machine) encrypted(b *block, depth int) *bool {
	switch {
	case strings.HasPrefix(m.text(b.dir, "dm/uuid"), "CRYPT-"):
		return new(true)
	case !b.disk().virtual():
		return new(false)
	case depth > 8: // deeper than people stack them: a ring in a damaged tree
		return nil
	}
	var all *bool // of what lies beneath: nil if that is not known of one
	for i, under := range b.disk().below {
		e := m.encrypted(under, depth+1)
		if e != nil && *e {
			return e
		}
		if i == 0 || e == nil {
			all = e
		}
	}
	return all
}

// compressed reports whether the file system compresses what is written to it; nil if its options do not say.
func compressed(filesystem string, options []string) *bool {
	switch filesystem {
	case "btrfs":
		return new(slices.ContainsFunc(options, func(o string) bool {
			return strings.HasPrefix(o, "compress") && !strings.HasSuffix(o, "=no") && !strings.HasSuffix(o, "=none")
		}))
	case "ext2", "ext3", "ext4", "xfs", "vfat", "exfat":
		return new(false)
	}
	return nil
}

// speedOptions are the mount options that bear on speed, up to their value.
var speedOptions = [...]string{
	"sync", "dirsync", "discard", "noatime", "lazytime", "strictatime", "barrier", "nobarrier", "data", "commit",
	"delalloc", "nodelalloc", "dax", "compress", "compress-force", "nodatacow", "autodefrag", "flush", "wsync", "background_gc",
}

// diskless lists the mounts that no disk holds: memory, networks, a container's layers. What lies in another one of
// them is left out, for it says nothing new.
func (m *machine) diskless() []hardware.Mount {
	var out []hardware.Mount
	for _, one := range m.mounts {
		if m.blockOf(one) != nil {
			continue
		}
		above := m.mountAt(path.Dir(one.Point))
		if one.Point != "/" && above.Point != "" && m.blockOf(above) == nil {
			continue
		}
		out = append(out, hardware.Mount{Path: one.Point, Filesystem: one.Filesystem})
	}
	return out
}
