package linux

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/hubbench/hubbench/pkg/hardware"
)

// mount is a line of /proc/self/mountinfo (proc_pid_mountinfo(5)). It is taken apart by hand: the format is a line of
// ten fields that has not changed since 2008, and moby/sys' parser reads the running system only, not a capture.
type mount struct {
	id, parent string
	number     string // of the device
	root       string // which folder of the file system is mounted: "/" is all of it
	point      string
	filesystem string
	source     string
	options    []string // of the mount, then of the file system
}

// parseMount reads a line; ok is false if it is torn.
func parseMount(line string) (m mount, ok bool) {
	fields := strings.Fields(line)
	dash := slices.Index(fields, "-") // optional fields end there
	if dash < 6 || len(fields) < dash+3 {
		return mount{}, false
	}
	plain := func(field string) string { return strings.ToValidUTF8(unescape(field, `\`, 8), "·") }
	m = mount{
		id: fields[0], parent: fields[1], number: fields[2], root: plain(fields[3]), point: plain(fields[4]),
		filesystem: fields[dash+1], source: plain(fields[dash+2]), options: strings.Split(fields[5], ","),
	}
	if len(fields) > dash+3 {
		m.options = append(m.options, strings.Split(fields[dash+3], ",")...)
	}
	return m, path.IsAbs(m.point)
}

// Mount is what is mounted at a place.
type Mount struct{ Point, Filesystem, Source string }

// FindMount finds a mount by its number, as statx gives it, in the text of /proc/self/mountinfo.
func FindMount(mountinfo []byte, id uint64) (Mount, bool) {
	number := strconv.FormatUint(id, 10)
	for line := range strings.Lines(string(mountinfo)) {
		if m, ok := parseMount(line); ok && m.id == number {
			return Mount{m.point, m.filesystem, m.source}, true
		}
	}
	return Mount{}, false
}

// unescape undoes an encoding of bytes in four letters: the kernel's octal for what would break a line, in which
// \040 is a space, and udev's \x20.
func unescape(text, prefix string, base int) string {
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		if strings.HasPrefix(text[i:], prefix) && i+4 <= len(text) {
			if c, err := strconv.ParseUint(text[i+len(prefix):i+4], base, 8); err == nil {
				out.WriteByte(byte(c))
				i += 3
				continue
			}
		}
		out.WriteByte(text[i])
	}
	return out.String()
}

// readMounts keeps the mounts that can be reached: not those that a later one covers.
func (m *machine) readMounts() {
	var all []mount
	for line := range strings.Lines(m.text("proc/self/mountinfo")) {
		if one, ok := parseMount(line); ok {
			all = append(all, one)
		}
	}
	byID := map[string]*mount{}
	siblings := map[string][]*mount{} // by the mount that they are mounted in
	for i := range all {
		byID[all[i].id] = &all[i]
		siblings[all[i].parent] = append(siblings[all[i].parent], &all[i])
	}
	for i := range all {
		covered := false
		for _, in := range siblings[all[i].id] { // a mount in it, at its own place
			covered = covered || in != &all[i] && in.point == all[i].point
		}
		if !covered && !buried(&all[i], byID, siblings) {
			m.mounts = append(m.mounts, all[i])
		}
	}
}

// buried reports whether another mount in the same mount lies above a mount's place, or above that of one that it is
// mounted in.
func buried(one *mount, byID map[string]*mount, siblings map[string][]*mount) bool {
	for range byID { // a damaged file may have a ring
		for _, other := range siblings[one.parent] {
			if other.point != one.point && isBelow(one.point, other.point) {
				return true
			}
		}
		one = byID[one.parent]
		if one == nil {
			return false
		}
	}
	return false
}

// isBelow reports whether a path lies below a folder, or is it.
func isBelow(file, folder string) bool {
	folder = strings.TrimSuffix(folder, "/")
	return file == folder || strings.HasPrefix(file, folder+"/")
}

// blockOf is the block device that is mounted; nil if it is none. A file system on several disks gives its mounts a
// number that is no device's, and names its disks, one of them, or, as ZFS, itself.
func (m *machine) blockOf(one mount) *block {
	for _, b := range m.blocks {
		if b.number != "" && b.number == one.number {
			return b
		}
	}
	switch one.filesystem {
	case "btrfs", "bcachefs":
		first, _, _ := strings.Cut(one.source, ":")
		return m.blockAt(first)
	case "zfs":
		label, _, _ := strings.Cut(one.source, "/")
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

// mountAt is the mount that a path lies in; its point is empty if there is none.
func (m *machine) mountAt(file string) (best mount) {
	for _, one := range m.mounts {
		if isBelow(file, one.point) && len(one.point) >= len(best.point) {
			best = one
		}
	}
	return best
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
		mounted[one.number] = one.filesystem
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
		if one.filesystem != "bcachefs" {
			continue
		}
		p := pool{uuid: one.source, filesystem: one.filesystem}
		for device := range strings.SplitSeq(one.source, ":") {
			if b := m.blockAt(device); b != nil {
				p.members = append(p.members, b.name)
				if known := m.pools[b.name].uuid; known != "" && p.uuid == one.source {
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
	mounted := map[string][]mount{} // by the block device's name
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
func (m *machine) volume(b *block, mounted map[string][]mount) (v hardware.Volume, ok bool) {
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
	// The place of the whole file system before that of a part of it, and the shortest: bind mounts repeat it.
	slices.SortStableFunc(mounts, func(a, b mount) int {
		part := map[bool]int{true: 1} // 0 of the whole
		return cmp.Or(part[a.root != "/"]-part[b.root != "/"], len(a.point)-len(b.point))
	})
	first := mounts[0]
	v.Mount = first.point
	for _, more := range mounts[1:] {
		if more.point != v.Mount && !slices.Contains(v.Mounts, more.point) {
			v.Mounts = append(v.Mounts, more.point)
		}
	}
	if kind := poolKind(b); kind != "" && kind != first.filesystem { // udev has read what an earlier one left
		v.Label = ""
	}
	if first.filesystem != "fuseblk" || v.Filesystem == "" { // fuseblk says who reads it, not what it is
		v.Filesystem = first.filesystem
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
	mounts := slices.Clone(m.mounts)
	slices.SortStableFunc(mounts, func(a, b mount) int { return len(a.point) - len(b.point) })
	var out []hardware.Mount
	for i, one := range mounts {
		if m.blockOf(one) != nil {
			continue
		}
		above := i - 1
		for above >= 0 && !isBelow(one.point, mounts[above].point) {
			above--
		}
		if above >= 0 && m.blockOf(mounts[above]) == nil {
			continue
		}
		out = append(out, hardware.Mount{Path: one.point, Filesystem: one.filesystem})
	}
	return out
}
