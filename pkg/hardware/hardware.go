// Package hardware describes disks and what they are connected to: hosts and their ports, hubs, the
// links of each disk's path, and what these can carry. It holds facts and calls no system:
// internal/machine/device finds them. What is not known is empty or nil, never a guess.
//
// Start at Inventory, which is all that a machine has; Setup is the part of it that one run was
// measured on.
package hardware

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Inventory is what is plugged in where: what `hubbench devices --json` prints.
type Inventory struct {
	Hosts []Host `json:"hosts"`
	// Hubs, docks and disk enclosures with a switch of their own, nearest to the host first
	Hubs  []Hub   `json:"hubs"`
	Disks []Drive `json:"disks"`
	// Diskless is where something else than a disk is mounted.
	Diskless []Mount  `json:"diskless,omitempty"`
	Warnings []string `json:"warnings,omitempty"` // Warnings is what could not be asked, and why.
}

// Listed makes every list of hubs and disks empty if it is missing, so that readers of the JSON
// need not ask whether it is there.
func (inv *Inventory) Listed() {
	for i := range inv.Hubs {
		inv.Hubs[i].Devices = append([]Attached{}, inv.Hubs[i].Devices...)
	}
	for i := range inv.Disks {
		d := &inv.Disks[i]
		d.Path.Links = append([]Link{}, d.Path.Links...)
		d.Volumes = append([]Volume{}, d.Volumes...)
	}
}

// Host is the machine.
type Host struct {
	Name  string `json:"name,omitempty"`
	Model string `json:"model,omitempty"` // Mac15,14; of a PC the board's name
	OS    string `json:"os,omitempty"`    // OS is name and version: macOS 26.1, Debian 12.
	Arch  string `json:"arch,omitempty"`
	CPU   string `json:"cpu,omitempty"`
	Power Power  `json:"power,omitempty"`
	Ports []Port `json:"ports,omitempty"`
	// This program is made for another processor, and the system translates it
	Translated bool `json:"translated,omitempty"`
}

// Power is what a host runs on.
type Power string

// The sources of power; empty if the system does not say.
const (
	Mains   Power = "mains"
	Battery Power = "battery"
)

// Port is a socket of the host.
type Port struct {
	ID       string `json:"id"`
	Name     string `json:"name,omitempty"` // Name is as people call it: Thunderbolt port 1.
	Protocol string `json:"protocol,omitempty"`
	// Link is what it has negotiated; nil if nothing is plugged in.
	Link *Link `json:"link,omitempty"`
}

// Hub is a hub, a dock, or an enclosure with a switch of its own.
type Hub struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Vendor   string `json:"vendor"`
	Firmware string `json:"firmware,omitempty"`
	// Port is the ID of the host's port that its path begins at.
	Port string `json:"port"`
	// Upstream is the ID of the hub it is connected to; empty: the port.
	Upstream string     `json:"upstream,omitempty"`
	Protocol string     `json:"protocol"`         // Thunderbolt 3, Thunderbolt 4, USB4, USB 3.2 ...
	Link     *Link      `json:"link"`             // Link is its uplink.
	Devices  []Attached `json:"devices,omitzero"` // Devices is what is connected to it.
}

// Product returns a hub's name with its maker's.
func (h *Hub) Product() string { return WithVendor(h.Vendor, h.Name) }

// WithVendor puts a maker before a product's name unless it begins with it.
func WithVendor(vendor, name string) string {
	if len(name) >= len(vendor) && strings.EqualFold(name[:len(vendor)], vendor) {
		return name
	}
	return strings.TrimSpace(vendor + " " + name)
}

// Kind is what sort of device is connected to a hub.
type Kind string

// The kinds of device. Displays and network adapters compete with disks for the hub's uplink.
const (
	DiskKind    Kind = "disk"
	HubKind     Kind = "hub"
	DisplayKind Kind = "display"
	NetworkKind Kind = "network"
	OtherKind   Kind = "other"
)

// Attached is a device on a hub. ID is the name of a disk or the ID of a hub in the same inventory.
type Attached struct {
	Kind Kind   `json:"kind"`
	ID   string `json:"id,omitempty"`
	Name string `json:"name,omitempty"`
}

// Drive is a whole disk: what the system lists as one, a virtual one included.
type Drive struct {
	Name     string `json:"name"` // Name is the system's: nvme1n1, disk4, PhysicalDrive2.
	Model    string `json:"model"`
	Vendor   string `json:"vendor,omitempty"`
	Firmware string `json:"firmware"`
	Serial   string `json:"serial,omitempty"` // Serial is there only if it was asked for.
	Bus      Bus    `json:"bus"`
	UASP     *bool  `json:"uasp,omitempty"` // UASP says that a USB disk has the faster protocol.
	// The system tells it which blocks are free; without that its write cache does not recover
	Trim *bool `json:"trim,omitempty"`
	// It collects in its own cache what is written to it, which "Quick removal" of Windows turns
	// off
	WriteCache *bool   `json:"write_cache,omitempty"`
	Hub        *string `json:"hub"` // Hub is the ID of the hub it is connected to.
	// Port is the ID of the host's port that its path begins at.
	Port      string `json:"port,omitempty"`
	SizeBytes int64  `json:"size_bytes"`
	External  *bool  `json:"external,omitempty"`
	// System says that the operating system runs from it.
	System bool `json:"system,omitempty"`
	Memory bool `json:"memory,omitempty"` // Memory says that it is a virtual one in memory.
	// RAID is the set's level and name if it is a RAID set: Stripe set Data
	RAID string `json:"raid,omitempty"`
	// The requests that have failed since it was plugged in, and those that were repeated, if the
	// system counts them
	Errors  int64 `json:"errors,omitempty"`
	Retries int64 `json:"retries,omitempty"`
	// The names of the disks that a virtual one lies on: see Inventory.Physical
	Backing      []string `json:"backing,omitempty"`
	Path         Path     `json:"path"`
	TemperatureC *float64 `json:"temperature_c"`
	Volumes      []Volume `json:"volumes,omitzero"`
}

// Bus is the protocol a disk uses.
type Bus string

// The buses.
const (
	// It has its own slot, or goes through Thunderbolt or USB4: see the path.
	NVMe        Bus = "nvme"
	USB         Bus = "usb"
	SATA        Bus = "sata"
	Virtual     Bus = "virtual" // a loop device, device mapper, RAID, memory or a disk image
	OtherBus    Bus = "other"
	UnknownBus  Bus = ""
	AppleFabric Bus = "apple-fabric" // Apple silicon has its internal disks on it.
)

// Path is the way from the host to a disk.
type Path struct {
	Links []Link `json:"links,omitzero"` // Links run from the host on.
}

// String names the links: Thunderbolt 4, PCIe 3.0 x4. It is empty if none is known.
func (p Path) String() string {
	names := make([]string, len(p.Links))
	for i := range p.Links {
		names[i] = p.Links[i].String()
	}
	return strings.Join(slices.Compact(names), ", ")
}

// Volume is a file system on a disk.
type Volume struct {
	// Device is the partition, slice or mapped device: sda1, disk5s1, D:.
	Device string `json:"device,omitempty"`
	Mount  string `json:"mount"` // Mount is empty if it is not mounted.
	// Mounts are further places at which it or a part of it is mounted.
	Mounts     []string `json:"mounts,omitempty"`
	Label      string   `json:"label,omitempty"`
	Filesystem string   `json:"filesystem"`
	FreeBytes  int64    `json:"free_bytes"` // FreeBytes is what this user may write.
	SizeBytes  int64    `json:"size_bytes"`
	Encrypted  *bool    `json:"encrypted,omitempty"`
	Compressed *bool    `json:"compressed,omitempty"`
	ReadOnly   bool     `json:"read_only,omitempty"`
	// Options are mount options that affect speed: sync, discard, noatime ...
	Options []string `json:"options,omitempty"`
	// What several volumes share, or one on several disks has in common on each
	Container string `json:"container,omitempty"`
}

// Fill returns how full the volume is, from 0 to 1; 0 if it is not known, as of a volume that is
// not mounted.
func (v *Volume) Fill() float64 {
	if v.SizeBytes <= 0 || v.Mount == "" {
		return 0
	}
	return 1 - float64(v.FreeBytes)/float64(v.SizeBytes)
}

// LinkKind is the technology of a link.
type LinkKind string

// The kinds of link.
const (
	Thunderbolt LinkKind = "thunderbolt" // the cable with its tunnels, also for USB4
	USBLink     LinkKind = "usb"
	PCIe        LinkKind = "pcie"
	SATALink    LinkKind = "sata"
)

// USB4 is the generation of a Thunderbolt link if the system does not distinguish Thunderbolt 4
// from other USB4.
const USB4 = "USB4"

// Segment is which part of a disk's path a link is.
type Segment string

// The parts of a path, from the host on.
const (
	HostPort  Segment = "host port"
	Uplink    Segment = "hub uplink"
	Enclosure Segment = "enclosure" // It lies between the last hub, or the port, and the enclosure.
	Lanes     Segment = "disk lanes"
)

// Link is one link of a path as it was negotiated. Rates are in bits per second of line rate, seen
// from the host: what it receives (reads) and transmits (writes).
type Link struct {
	Segment Segment  `json:"segment,omitempty"`
	Hub     string   `json:"hub,omitempty"`  // Hub is the ID of the hub whose uplink it is.
	Port    string   `json:"port,omitempty"` // Port is the ID of the host's port that it is.
	Kind    LinkKind `json:"kind,omitempty"`
	// Generation is "3" or "4" for PCIe; "3", "4", "5" or "USB4" for Thunderbolt; "3.2 Gen 2" for
	// USB.
	Generation string `json:"generation,omitempty"`
	Lanes      int    `json:"lanes,omitempty"`
	RxBps      int64  `json:"rx_bps,omitempty"`
	TxBps      int64  `json:"tx_bps,omitempty"`
	// MaxBps is what both ends support, if the system says: see FellBack.
	MaxBps int64 `json:"max_bps,omitempty"`
}

// Capacity is what a link carries in one direction, in bytes per second.
type Capacity struct {
	Rate   float64
	Source string // Source is where the figure is from.
}

// practical are the greatest rates that links of each kind have been seen to carry one way over
// tens of seconds, by their line rate. A link that is not listed has none: a guess would be worse.
var practical = [...]struct {
	kind LinkKind
	bps  int64 // bps is per lane of PCIe, else for the link.
	rate float64
	from string
}{
	{
		Thunderbolt, 40e9, 3.4e9,
		"seen over tens of seconds on hubs of Thunderbolt 3 and 4, which carry at most 32 Gb/s " +
			"of data",
	},
	{Thunderbolt, 80e9, 7.0e9, "what Thunderbolt 5 carries, PCIe 4.0 x4, less packet headers"},
	{USBLink, 480e6, 0.0532e9,
		"13 packets of 512 bytes in each 125 us (USB 2.0 specification, 5.8.4)"},
	{USBLink, 5e9, 0.46e9, "5 Gb/s after its 8b/10b line code, less the protocol"},
	{USBLink, 10e9, 1.06e9, "seen on USB 3.2 Gen 2"},
	{USBLink, 20e9, 2.1e9, "seen on USB 3.2 Gen 2x2"},
	{PCIe, 5e9, 0.42e9, "a lane of PCIe 2.0 after its 8b/10b line code, less packet headers"},
	{PCIe, 8e9, 0.88e9, "a lane of PCIe 3.0 after its line code, less packet headers"},
	{PCIe, 16e9, 1.76e9, "a lane of PCIe 4.0 after its line code, less packet headers"},
	{PCIe, 32e9, 3.5e9, "a lane of PCIe 5.0 after its line code, less packet headers"},
	{SATALink, 3e9, 0.27e9, "SATA 3 Gb/s after its 8b/10b line code, less the protocol"},
	{SATALink, 6e9, 0.56e9, "seen on SATA 6 Gb/s"},
}

// lineRate returns what the link signals towards the host (reads) or from it (writes), in bits per
// second.
func (l *Link) lineRate(read bool) int64 {
	if read {
		return cmp.Or(l.RxBps, l.TxBps)
	}
	return cmp.Or(l.TxBps, l.RxBps)
}

// Practical returns what the link has been seen to carry towards the host (reads) or from it
// (writes); false if nothing is known of links like it.
func (l *Link) Practical(read bool) (Capacity, bool) {
	bps := l.lineRate(read)
	lanes := 1
	if l.Kind == PCIe {
		if lanes = l.Lanes; lanes <= 0 {
			return Capacity{}, false
		}
		bps /= int64(lanes)
	}
	for _, p := range practical {
		if p.kind == l.Kind && p.bps == bps {
			return Capacity{Rate: p.rate * float64(lanes), Source: p.from}, true
		}
	}
	return Capacity{}, false
}

// AtMost returns what the link carries in one direction at most, in bytes per second: what links
// like it have been seen to carry, else its bare line rate. It is 0 if neither is known.
func (l *Link) AtMost(read bool) float64 {
	if c, ok := l.Practical(read); ok {
		return c.Rate
	}
	return float64(l.lineRate(read)) / 8
}

// FellBack reports whether both ends could do more than they negotiated.
func (l *Link) FellBack() bool { return l.MaxBps > max(l.RxBps, l.TxBps) && l.RxBps > 0 }

// String names the link as people do: Thunderbolt 4, PCIe 3.0 x4, USB 10 Gb/s.
func (l *Link) String() string {
	rate := Speed(max(l.RxBps, l.TxBps))
	switch l.Kind {
	case Thunderbolt:
		switch l.Generation {
		case "":
		case USB4:
			return strings.TrimSpace(USB4 + " " + rate)
		default:
			return "Thunderbolt " + l.Generation
		}
		return strings.TrimSpace("Thunderbolt or USB4 " + rate)
	case PCIe:
		if l.Generation != "" && l.Lanes > 0 {
			return fmt.Sprintf("PCIe %s.0 x%d", l.Generation, l.Lanes)
		}
		return strings.TrimSpace("PCIe " + rate)
	case USBLink:
		return strings.TrimSpace("USB " + cmp.Or(rate, l.Generation))
	case SATALink:
		return strings.TrimSpace("SATA " + rate)
	}
	return cmp.Or(rate, "unknown")
}

// Speed returns a line rate as people write it; empty for none.
func Speed(bps int64) string {
	switch {
	case bps <= 0:
		return ""
	case bps < 1e9:
		return strconv.FormatInt(bps/1e6, 10) + " Mb/s"
	}
	return strconv.FormatFloat(float64(bps)/1e9, 'g', 3, 64) + " Gb/s"
}
