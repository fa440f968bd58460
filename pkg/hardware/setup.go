package hardware

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Setup is what a run was measured on: the part of an inventory that its disks' paths touch, under the scenario's
// names. It stands in the run line of a trace.
type Setup struct {
	Host        *Host           `json:"host,omitempty"`
	Hub         *Hub            `json:"hub,omitempty"`   // the one that the disks share
	Port        string          `json:"port,omitempty"`  // of the host, that the hub is connected to, as people call it
	About       string          `json:"about,omitempty"` // what the scenario says of the hub: port, cable
	Disks       map[string]Unit `json:"disks,omitempty"` // by the scenario's names
	Competitors []Attached      `json:"competitors,omitempty"`
}

// Unit is a disk under test.
type Unit struct {
	Disk
	Volume    *Volume `json:"volume,omitempty"`    // that holds the folder under test
	Enclosure string  `json:"enclosure,omitempty"` // the product that the disk is built into: Samsung Portable SSD X5
	About     string  `json:"about,omitempty"`     // what the scenario says of it: cable, enclosure
}

// Differs says how the disk under test now differs from the one before; empty if it may be the same.
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
		return fmt.Sprintf("its file system was %s, and is %s now", u.Volume.Filesystem, now.Volume.Filesystem)
	case u.Volume.SizeBytes != now.Volume.SizeBytes:
		return fmt.Sprintf("its volume had %d bytes, and has %d now", u.Volume.SizeBytes, now.Volume.SizeBytes)
	}
	return ""
}

// Setup is what the disks with folders at the given paths are measured on, by the scenario's names. It is nil if
// nothing of that is known.
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
		unit := Unit{Disk: *disk, Volume: volume}
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
	s.Hub, s.Competitors = shared(above), competitors(above)
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

// Described is the setup, which may be nil, with what a person says of the hub and of disks; nil if there is nothing
// to either.
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
	default: // what the system says is in its place already
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

// shared is the hub nearest to the disks that all of them are connected to.
func shared(above [][]*Hub) *Hub {
	if len(above) == 0 {
		return nil
	}
	for _, hub := range above[0] {
		if !slices.ContainsFunc(above, func(hubs []*Hub) bool { return !slices.Contains(hubs, hub) }) {
			return hub
		}
	}
	return nil
}

// competitors are what else is connected to the disks' hubs and takes a good part of an uplink.
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
