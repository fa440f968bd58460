package windows

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/hardware"
)

// way is the devices from one up to the root, itself first.
func (m *machine) way(id string) []dict {
	var way []dict
	for len(way) < 32 {
		d, ok := m.devices[strings.ToUpper(id)]
		if !ok || id == "" {
			break
		}
		way = append(way, d)
		id = d.text("Parent")
	}
	return way
}

// runs reports whether a device's driver is one of those.
func (d dict) runs(services ...string) bool {
	return slices.ContainsFunc(services, func(s string) bool { return strings.EqualFold(d.text("Service"), s) })
}

// place finds what a disk is connected to, by the devices on the way to it.
func (m *machine) place(disk *hardware.Disk, id string) {
	way := m.way(id)
	stays, leaves := false, false
	for i, d := range way {
		switch {
		case d.runs("UASPStor"):
			disk.UASP = new(true)
		case d.runs("USBSTOR"):
			disk.UASP = new(false)
		case d.runs("stornvme") && disk.Bus != hardware.USB:
			disk.Bus = hardware.NVMe // some programs' drivers say RAID or SCSI
			if link := pciLink(d, way[i+1:]); link != nil {
				disk.Path.Links = append(disk.Path.Links, *link)
			}
		}
		// A policy (DEVPKEY_Device_RemovalPolicy) of 1 is that it is not removed, 3 that it may be gone at any time.
		policy, _ := d.number("RemovalPolicy")
		stays, leaves = stays || policy == 1, leaves || policy == 3
	}
	if leaves || disk.Bus == hardware.USB {
		disk.External = new(true)
	} else if stays {
		disk.External = new(false)
	}
	if hub := m.hubsOn(way); hub != "" {
		disk.Hub = &hub
		m.attach(hub, hardware.Attached{Kind: hardware.DiskKind, ID: disk.Name, Name: disk.Model})
	}
}

// hubsOn adds the USB hubs on a way that are no root hubs, from the computer on, and returns the ID of the last.
func (m *machine) hubsOn(way []dict) string {
	last := ""
	for _, d := range slices.Backward(way) {
		if !d.runs("USBHUB3", "usbhub") || strings.Contains(strings.ToUpper(d.text("InstanceId")), `\ROOT_HUB`) {
			continue
		}
		last = m.addHub(d, last, "USB")
	}
	return last
}

// addHub adds a hub, unless it is there, and returns its ID. An instance ID may hold a serial number: the numbers of its
// maker and kind are enough.
func (m *machine) addHub(d dict, upstream, protocol string) string {
	instance := strings.ToUpper(d.text("InstanceId"))
	if id, ok := m.ids[instance]; ok {
		return id
	}
	kind, _, _ := strings.Cut(strings.TrimPrefix(instance, "USB"), `\`)
	if parts := strings.Split(instance, `\`); len(parts) > 1 {
		kind = parts[1]
	}
	kind = strings.ToLower(strings.NewReplacer("VID_", "", "PID_", "", "&", "-").Replace(kind))
	id := fmt.Sprintf("%s-%s", strings.ToLower(protocol), kind)
	for n := 2; slices.ContainsFunc(m.inventory.Hubs, func(h hardware.Hub) bool { return h.ID == id }); n++ {
		id = fmt.Sprintf("%s-%s-%d", strings.ToLower(protocol), kind, n)
	}
	hub := hardware.Hub{ID: id, Name: cmp.Or(d.text("BusReportedDeviceDesc"), d.text("Name")), Vendor: vendor(d.text("Manufacturer")), Upstream: upstream, Protocol: protocol}
	m.ids[instance] = id
	m.inventory.Hubs = append(m.inventory.Hubs, hub)
	m.attach(upstream, hardware.Attached{Kind: hardware.HubKind, ID: id, Name: hub.Name})
	return id
}

// attach lists what is connected to a hub.
func (m *machine) attach(id string, device hardware.Attached) {
	for i := range m.inventory.Hubs {
		if hub := &m.inventory.Hubs[i]; hub.ID == id {
			hub.Devices = append(hub.Devices, device)
		}
	}
}

// addRouters adds the routers of USB4 and Thunderbolt, in the order of their nesting. Windows has the devices that their
// tunnels lead to elsewhere in its tree, so they are hubs without disks.
func (m *machine) addRouters() {
	for _, d := range m.answer.list("Devices") {
		if !d.runs("Usb4DeviceRouter") {
			continue
		}
		upstream := ""
		for _, r := range slices.Backward(m.way(d.text("InstanceId"))) {
			if r.runs("Usb4DeviceRouter") {
				upstream = m.addHub(r, upstream, "USB4")
			}
		}
	}
	if len(m.inventory.Hubs) > 0 {
		m.inventory.Warnings = append(m.inventory.Warnings, "Windows does not report which disks are connected to which USB4 or Thunderbolt device, nor at what rate: say so in the scenario (hub, disks[].about)")
	}
}

// addNetworks adds the network adapters on the hubs that disks are connected to.
func (m *machine) addNetworks() {
	for _, d := range m.answer.list("Devices") {
		if !strings.EqualFold(d.text("Class"), "Net") {
			continue
		}
		for _, above := range m.way(d.text("Parent")) {
			if id, ok := m.ids[strings.ToUpper(above.text("InstanceId"))]; ok {
				m.attach(id, hardware.Attached{Kind: hardware.NetworkKind, Name: cmp.Or(d.text("Name"), d.text("BusReportedDeviceDesc"))})
				break
			}
		}
	}
}

// laneRates are what a lane of each generation of PCI Express signals, in bits per second. There is none for the first: 2.5
// GT/s is what tunnels pretend to be of.
var laneRates = [...]int64{2: 5e9, 3: 8e9, 4: 16e9, 5: 32e9, 6: 64e9}

// pciLink is a disk's link, if its controller reports it; above are the devices on the way up from there. The limit is
// what both ends support.
func pciLink(d dict, above []dict) *hardware.Link {
	rate, lanes, generation := lanesOf(d, "Current")
	if rate == 0 {
		return nil
	}
	link := &hardware.Link{Segment: hardware.Lanes, Kind: hardware.PCIe, Generation: fmt.Sprint(generation), Lanes: int(lanes), RxBps: rate, TxBps: rate}
	if len(above) > 0 {
		_, lanes, generation := lanesOf(d, "Max")
		_, portLanes, portGeneration := lanesOf(above[0], "Max")
		if limit := laneRates[min(generation, portGeneration)] * min(lanes, portLanes); limit >= rate {
			link.MaxBps = limit
		}
	}
	return link
}

// lanesOf is the rate, width and generation of a link; zeros if they are not reported.
func lanesOf(d dict, which string) (rate, lanes, generation int64) {
	generation, _ = d.number(which + "LinkSpeed")
	lanes, _ = d.number(which + "LinkWidth")
	if generation < 2 || generation >= int64(len(laneRates)) || lanes < 1 || lanes > 16 {
		return 0, 0, 0
	}
	return laneRates[generation] * lanes, lanes, generation
}
