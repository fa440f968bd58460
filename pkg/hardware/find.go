package hardware

import (
	"slices"
	"strings"
)

// Mount is a place at which something is mounted that lies on no disk: memory, a network, a container's layers.
type Mount struct {
	Path       string `json:"mount"`
	Filesystem string `json:"filesystem,omitempty"`
}

// Holding finds the disk and the volume that hold a path: the volume with the longest mount point that the path lies
// below, bind mounts included. The path is absolute and without symbolic links. Both are nil if no disk holds it, and
// if it is not known.
func (inv *Inventory) Holding(path string) (*Disk, *Volume) {
	var disk *Disk
	var volume *Volume
	longest := 0
	for i := range inv.Disks {
		for j := range inv.Disks[i].Volumes {
			v := &inv.Disks[i].Volumes[j]
			for _, mount := range append([]string{v.Mount}, v.Mounts...) {
				if n := below(path, mount); n > longest {
					disk, volume, longest = &inv.Disks[i], v, n
				}
			}
		}
	}
	for _, m := range inv.Diskless {
		if n := below(path, m.Path); n > longest {
			disk, volume, longest = nil, nil, n
		}
	}
	return disk, volume
}

// below is how much of the path the mount point is; 0 if the path does not lie below it. Windows' names may be
// written in either case and with either slash.
func below(path, mount string) int {
	if mount == "" {
		return 0
	}
	if windows(mount) {
		path, mount = slashes(path), slashes(mount)
	}
	bare := strings.TrimSuffix(mount, "/")
	if path != bare && !strings.HasPrefix(path, bare+"/") {
		return 0
	}
	return len(bare) + 1
}

// windows reports whether a mount point is written as Windows does: D:, D:\Disks\A, \\?\Volume{...}\.
func windows(mount string) bool {
	return strings.HasPrefix(mount, `\\`) || len(mount) > 1 && mount[1] == ':'
}

func slashes(path string) string {
	return strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(path, `\\?\`), `\`, "/"))
}

// Find is the disk of that name; nil if there is none.
func (inv *Inventory) Find(name string) *Disk {
	if i := slices.IndexFunc(inv.Disks, func(d Disk) bool { return d.Name == name }); i >= 0 {
		return &inv.Disks[i]
	}
	return nil
}

// FindHub is the hub of that ID; nil if there is none. It holds until another is added.
func (inv *Inventory) FindHub(id string) *Hub {
	if i := slices.IndexFunc(inv.Hubs, func(h Hub) bool { return h.ID == id }); i >= 0 {
		return &inv.Hubs[i]
	}
	return nil
}

// Physical are the disks that a disk's bytes end up on: itself, or those beneath a loop device, a mapped device, a
// RAID or a container, in the inventory's order. With a volume, they are those beneath it, even if it is spread over
// several. A virtual disk with unknown disks beneath stands for itself.
func (inv *Inventory) Physical(disk *Disk, volume *Volume) []*Disk {
	found := map[string]bool{}
	seen := map[string]bool{}
	var walk func(d *Disk)
	walk = func(d *Disk) {
		if d == nil || seen[d.Name] {
			return
		}
		seen[d.Name] = true
		known := false
		for _, name := range d.Backing {
			if under := inv.Find(name); under != nil {
				known = true
				walk(under)
			}
		}
		if !known {
			found[d.Name] = true
		}
	}
	walk(disk)
	if volume != nil && volume.Container != "" {
		for i := range inv.Disks {
			if slices.ContainsFunc(inv.Disks[i].Volumes, func(v Volume) bool { return v.Container == volume.Container }) {
				walk(&inv.Disks[i])
			}
		}
	}
	var out []*Disk
	for i := range inv.Disks {
		if found[inv.Disks[i].Name] {
			out = append(out, &inv.Disks[i])
		}
	}
	return out
}

// Encloses reports whether a hub is no more than the case that a disk is built into: a Thunderbolt switch with nothing
// else on it. A disk on USB has no switch in its case, so it is connected to a hub even if it is alone there; nor has
// a simulated one.
func (h *Hub) Encloses(d *Disk) bool {
	return len(h.Devices) == 1 && h.Devices[0].Kind == DiskKind && h.Devices[0].ID == d.Name && d.Bus != USB &&
		d.Bus != Simulated
}

// Way is what stands between a disk and the host: the enclosure that it is built into, nil if it has no switch of its
// own, and the hubs, the nearest to the disk first.
func (inv *Inventory) Way(disk *Disk) (enclosure *Hub, hubs []*Hub) {
	hubs = inv.Above(disk)
	if len(hubs) > 0 && hubs[0].Encloses(disk) {
		return hubs[0], hubs[1:]
	}
	return nil, hubs
}

// Above are the hubs and the enclosure between a disk and the host, the nearest to the disk first.
func (inv *Inventory) Above(disk *Disk) []*Hub {
	if disk == nil || disk.Hub == nil {
		return nil
	}
	var out []*Hub
	for id := *disk.Hub; id != ""; {
		hub := inv.FindHub(id)
		if hub == nil || slices.Contains(out, hub) {
			break
		}
		out = append(out, hub)
		id = hub.Upstream
	}
	return out
}
