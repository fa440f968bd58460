package linux

import (
	"path"
	"slices"

	"github.com/hubbench/hubbench/pkg/hardware"
)

// isSimulated reports whether a mount is a disk of `hubbench mount`.
func isSimulated(one mount) bool { return one.filesystem == "fuse."+hardware.MountedBy }

// simulated adds the hubs that `hubbench mount` makes: a folder with a mount for each disk, which names the profile.
func (m *machine) simulated(inv *hardware.Inventory) {
	for _, one := range m.mounts {
		if !isSimulated(one) {
			continue
		}
		id := path.Dir(one.point)
		at := slices.IndexFunc(inv.Hubs, func(h hardware.Hub) bool { return h.ID == id })
		if at < 0 {
			at = len(inv.Hubs)
			inv.Hubs = append(inv.Hubs, hardware.Hub{ID: id, Name: one.source, Protocol: string(hardware.Simulated)})
		}
		v := hardware.Volume{Mount: one.point, Filesystem: one.filesystem}
		if m.opts.Usage != nil {
			u, _ := m.opts.Usage(one.point)
			v.SizeBytes, v.FreeBytes = u.Size, u.Free
		}
		d := hardware.Disk{Name: one.point, Model: "simulated disk " + path.Base(one.point), Bus: hardware.Simulated, Hub: &id, External: new(true), SizeBytes: v.SizeBytes, Volumes: []hardware.Volume{v}}
		inv.Disks = append(inv.Disks, d)
		inv.Hubs[at].Devices = append(inv.Hubs[at].Devices, hardware.Attached{Kind: hardware.DiskKind, ID: d.Name, Name: d.Model})
	}
}
