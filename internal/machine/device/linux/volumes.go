package linux

import (
	"cmp"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/hardware"
)

// volumes gives the disks their volumes, finds what lies beneath the virtual ones and which the system runs from, and
// lists the mounts that no disk holds.
func (m *machine) volumes() {
	mounted := map[string][]mount{} // by the block device's name
	for _, one := range m.mounts {
		if b := m.blockOf(one); b != nil {
			mounted[b.name] = append(mounted[b.name], one)
		}
	}
	for _, name := range m.names { // a file lies beneath a loop device
		b := m.blocks[name]
		if file, ok := strings.CutPrefix(m.text(b.dir, "loop/backing_file"), "/"); ok && len(b.below) == 0 {
			if under := m.blockOf(m.mountAt("/" + file)); under != nil && under != b {
				b.below = append(b.below, under)
			}
		}
	}
	for i := range m.Disks {
		d := &m.Disks[i]
		whole := m.blocks[d.Name]
		for _, under := range whole.below {
			if name := under.disk().name; !slices.Contains(d.Backing, name) && name != d.Name {
				d.Backing = append(d.Backing, name)
			}
		}
		for _, name := range m.names {
			if b := m.blocks[name]; b.disk() == whole {
				if v, ok := m.volume(b, mounted); ok {
					d.Volumes = append(d.Volumes, v)
				}
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
	var beneath []*bool
	for _, under := range b.disk().below {
		e := m.encrypted(under, depth+1)
		if e != nil && *e {
			return e
		}
		beneath = append(beneath, e)
	}
	if len(beneath) == 0 || slices.Contains(beneath, nil) {
		return nil
	}
	return new(false)
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
		if m.blockOf(one) != nil || isSimulated(one) {
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
