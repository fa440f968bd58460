// Package linux finds out from Linux' own files what is plugged in where: sysfs, mountinfo and udev's database. It reads
// an fs.FS rooted at /, so that a capture of another machine is read on any system. It opens no device, and what it
// cannot read is unknown.
//
// Start at Read. The places in sysfs carry the topology: a disk's folder lies below that of its controller, which lies
// below that of the port, so most of the work is to parse such paths.
package linux

import (
	"io/fs"

	"github.com/hubbench/hubbench/pkg/hardware"
)

// Options are what the files do not report.
type Options struct {
	Serials bool                                  // give serial numbers
	Arch    string                                // of the processor
	Usage   func(mount string) (u Usage, ok bool) // of a mounted file system; nil: not known
}

// Usage is how large a file system is, and how much of it this user may still write, in bytes.
type Usage struct{ Size, Free int64 }

// machine is what is known while an inventory is being made.
type machine struct {
	tree
	opts    Options
	forms   forms
	blocks  map[string]*block // by the kernel's name
	numbers map[string]*block // by major:minor
	names   []string          // of blocks, in order
	mounts  []mount           // that can be seen
	pools   map[string]pool   // by each member's name
	routers []*router
	heat    []sensor
	ports   []hardware.Port
	hubs    []hardware.Hub
	others  []other
}

// Read makes the inventory of the machine whose files root has.
func Read(root fs.FS, opts Options) *hardware.Inventory {
	m := &machine{tree: tree{root}, opts: opts, forms: newForms()}
	m.readBlocks()
	m.readMounts()
	m.readPools()
	m.readRouters()
	m.readSensors()
	m.readOthers()
	inv := &hardware.Inventory{Hosts: []hardware.Host{}, Hubs: []hardware.Hub{}, Disks: []hardware.Disk{}}
	for _, name := range m.names {
		if b := m.blocks[name]; b.whole == nil {
			inv.Disks = append(inv.Disks, m.disk(b))
		}
	}
	m.volumes(inv)
	m.attach(inv)
	host := m.host()
	host.Ports = m.ports
	inv.Hosts = append(inv.Hosts, host)
	inv.Hubs = append(inv.Hubs, m.hubs...)
	m.simulated(inv)
	inv.Warnings = m.warnings()
	return inv
}

// warnings say what could not be seen, and why.
func (m *machine) warnings() []string {
	var out []string
	if len(m.list("sys/class/block")) == 0 {
		out = append(out, "/sys/class/block is empty or cannot be read: no disk is known; mount sysfs, or run outside the sandbox")
	}
	for _, r := range m.routers {
		if r.locked {
			out = append(out, r.name+" is plugged in but not authorised, so nothing behind it is seen: `boltctl authorize` lets it in")
		}
	}
	return out
}
