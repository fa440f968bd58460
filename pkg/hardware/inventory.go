package hardware

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Mount is a place at which something is mounted that lies on no disk: memory, a network, a
// container's layers.
type Mount struct {
	Path       string `json:"mount"`
	Filesystem string `json:"filesystem,omitempty"`
}

// Holding finds the disk and the volume that hold a path: the volume with the longest mount point
// that the path lies below, bind mounts included. The path is absolute and without symbolic links.
// Both are nil if no disk holds it, and if it is not known.
func (inv *Inventory) Holding(path string) (*Drive, *Volume) {
	var disk *Drive
	var volume *Volume
	longest := 0
	for i := range inv.Disks {
		for j := range inv.Disks[i].Volumes {
			v := &inv.Disks[i].Volumes[j]
			for _, mount := range append([]string{v.Mount}, v.Mounts...) {
				if n := below(path, mount); n > longest {
					disk = &inv.Disks[i]
					volume = v
					longest = n
				}
			}
		}
	}
	for _, m := range inv.Diskless {
		if n := below(path, m.Path); n > longest {
			disk = nil
			volume = nil
			longest = n
		}
	}
	return disk, volume
}

// below returns how much of the path the mount point is; 0 if the path does not lie below it.
// Windows' names may be written in either case and with either slash.
func below(path, mount string) int {
	if mount == "" {
		return 0
	}
	if strings.HasPrefix(mount, `\\`) || len(mount) > 1 && mount[1] == ':' {
		// It is \\?\Volume{...}\, D: or D:\Disks\A.
		path = slashes(path)
		mount = slashes(mount)
	}
	bare := strings.TrimSuffix(mount, "/")
	if path != bare && !strings.HasPrefix(path, bare+"/") {
		return 0
	}
	return len(bare) + 1
}

func slashes(path string) string {
	return strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(path, `\\?\`), `\`, "/"))
}

// Find returns the disk of that name; nil if there is none.
func (inv *Inventory) Find(name string) *Drive {
	if i := slices.IndexFunc(inv.Disks, func(d Drive) bool { return d.Name == name }); i >= 0 {
		return &inv.Disks[i]
	}
	return nil
}

// FindHub returns the hub of that ID; nil if there is none. It holds until another is added.
func (inv *Inventory) FindHub(id string) *Hub {
	if i := slices.IndexFunc(inv.Hubs, func(h Hub) bool { return h.ID == id }); i >= 0 {
		return &inv.Hubs[i]
	}
	return nil
}

// Physical returns the disks that a disk's bytes end up on: itself, or those beneath a loop device,
// a mapped device, a RAID or a container, in the inventory's order. With a volume, they are those
// beneath it, even if it is spread over several. A virtual disk with unknown disks beneath stands
// for itself.
func (inv *Inventory) Physical(disk *Drive, volume *Volume) []*Drive {
	lowest := map[string]bool{} // Nothing known lies beneath these.
	var walk func(d *Drive)
	walk = func(d *Drive) {
		if d == nil {
			return
		}
		if _, seen := lowest[d.Name]; seen {
			return
		}
		lowest[d.Name] = true
		for _, name := range d.Backing {
			if under := inv.Find(name); under != nil {
				lowest[d.Name] = false
				walk(under)
			}
		}
	}
	walk(disk)
	if volume != nil && volume.Container != "" {
		for i := range inv.Disks {
			for j := range inv.Disks[i].Volumes {
				if inv.Disks[i].Volumes[j].Container == volume.Container {
					walk(&inv.Disks[i])
				}
			}
		}
	}
	var out []*Drive
	for i := range inv.Disks {
		if lowest[inv.Disks[i].Name] {
			out = append(out, &inv.Disks[i])
		}
	}
	return out
}

// Encloses reports whether a hub is no more than the case that a disk is built into: a Thunderbolt
// switch with nothing else on it. A disk on USB has no switch in its case, so it is connected to a
// hub even if it is alone there.
func (h *Hub) Encloses(d *Drive) bool {
	return len(h.Devices) == 1 && h.Devices[0].Kind == DiskKind && h.Devices[0].ID == d.Name &&
		d.Bus != USB
}

// Way returns what stands between a disk and the host: the enclosure that it is built into, nil if
// it has no switch of its own, and the hubs, the nearest to the disk first.
func (inv *Inventory) Way(disk *Drive) (enclosure *Hub, hubs []*Hub) {
	hubs = inv.Above(disk)
	if len(hubs) > 0 && hubs[0].Encloses(disk) {
		return hubs[0], hubs[1:]
	}
	return nil, hubs
}

// Above returns the hubs and the enclosure between a disk and the host, the nearest to the disk
// first.
func (inv *Inventory) Above(disk *Drive) []*Hub {
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

// Setup is what a run was measured on: the part of an inventory that its disks' paths touch, under
// the scenario's names. It stands in the run line of a trace.
type Setup struct {
	Host *Host `json:"host,omitempty"`
	Hub  *Hub  `json:"hub,omitempty"` // Hub is the one that the disks share.
	// Port is the host's port of the hub, as people call it.
	Port string `json:"port,omitempty"`
	// About is what the scenario says of the hub: port, cable.
	About       string          `json:"about,omitempty"`
	Disks       map[string]Unit `json:"disks,omitempty"` // Disks is by the scenario's names.
	Competitors []Attached      `json:"competitors,omitempty"`
}

// Unit is a disk under test.
type Unit struct {
	Drive
	Volume *Volume `json:"volume,omitempty"` // Volume holds the folder under test.
	// Enclosure is the product that the disk is built into: Samsung Portable SSD X5.
	Enclosure string `json:"enclosure,omitempty"`
	// About is what the scenario says of it: cable, enclosure.
	About string `json:"about,omitempty"`
}

// Differs says how the disk under test now differs from the one before; empty if it may be the
// same.
func (u Unit) Differs(now Unit) string {
	switch {
	case u.Model != "" && now.Model != "" && u.Model != now.Model:
		return fmt.Sprintf("it was %s, and is %s now", u.Model, now.Model)
	case u.Serial != "" && now.Serial != "" && u.Serial != now.Serial:
		return fmt.Sprintf("it had the serial number %s, and has %s now", u.Serial, now.Serial)
	case u.SizeBytes > 0 && now.SizeBytes > 0 && u.SizeBytes != now.SizeBytes:
		return fmt.Sprintf("it had %d bytes, and has %d now", u.SizeBytes, now.SizeBytes)
	case u.Volume == nil || now.Volume == nil:
		return ""
	case u.Volume.Filesystem != now.Volume.Filesystem:
		return fmt.Sprintf("its file system was %s, and is %s now", u.Volume.Filesystem,
			now.Volume.Filesystem)
	case u.Volume.SizeBytes != now.Volume.SizeBytes:
		return fmt.Sprintf("its volume had %d bytes, and has %d now", u.Volume.SizeBytes,
			now.Volume.SizeBytes)
	}
	return ""
}

// Setup returns what the disks with folders at the given paths are measured on, by the scenario's
// names. It is nil if nothing of that is known.
func (inv *Inventory) Setup(paths map[string]string) *Setup {
	s := &Setup{Disks: map[string]Unit{}}
	var above [][]*Hub
	for _, name := range slices.Sorted(maps.Keys(paths)) {
		disk, volume := inv.Holding(paths[name])
		if disk == nil {
			continue
		}
		// What lies beneath a mapped or virtual disk is what is measured, if it is one disk.
		if physical := inv.Physical(disk, volume); len(physical) == 1 {
			disk = physical[0]
		}
		unit := Unit{Drive: *disk, Volume: volume}
		unit.Volumes = nil
		enclosure, hubs := inv.Way(disk)
		if enclosure != nil {
			unit.Enclosure = enclosure.Product()
		}
		s.Disks[name] = unit
		above = append(above, hubs)
	}
	if len(s.Disks) == 0 && len(inv.Hosts) == 0 {
		return nil
	}
	s.Hub = shared(above)
	s.Competitors = competitors(above)
	if len(inv.Hosts) > 0 {
		host := inv.Hosts[0]
		for _, port := range host.Ports {
			if s.Hub != nil && port.ID == s.Hub.Port {
				s.Port = cmp.Or(port.Name, port.ID)
			}
		}
		host.Ports = nil
		s.Host = &host
	}
	return s
}

// Described returns the setup, which may be nil, with what a person says of the hub and of disks;
// nil if there is nothing to either.
func (s *Setup) Described(hub, about string, disks map[string]string) *Setup {
	if hub == "" && about == "" && len(disks) == 0 {
		return s
	}
	var out Setup
	if s != nil {
		out = *s
	}
	out.About = about
	switch {
	case hub == "":
	case out.Hub == nil:
		out.Hub = &Hub{Name: hub}
	default: // What the system says is in its place already.
		out.About = strings.TrimSuffix(hub+", "+about, ", ")
	}
	out.Disks = maps.Clone(out.Disks)
	for name, text := range disks {
		if out.Disks == nil {
			out.Disks = map[string]Unit{}
		}
		unit := out.Disks[name]
		unit.About = text
		out.Disks[name] = unit
	}
	return &out
}

// shared returns the hub nearest to the disks that all of them are connected to.
func shared(above [][]*Hub) *Hub {
	if len(above) == 0 {
		return nil
	}
	for _, hub := range above[0] {
		if !slices.ContainsFunc(above, func(hubs []*Hub) bool {
			return !slices.Contains(hubs, hub)
		}) {
			return hub
		}
	}
	return nil
}

// competitors returns what else is connected to the disks' hubs and takes a good part of an uplink.
func competitors(above [][]*Hub) []Attached {
	var list []Attached
	var seen []*Hub
	for _, hub := range slices.Concat(above...) {
		if slices.Contains(seen, hub) {
			continue
		}
		seen = append(seen, hub)
		for _, d := range hub.Devices {
			if d.Kind == DisplayKind || d.Kind == NetworkKind {
				list = append(list, d)
			}
		}
	}
	return list
}
