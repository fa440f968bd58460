package windows

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/internal/machine/device/capture"
	"github.com/hubbench/hubbench/pkg/hardware"
)

// way returns the devices from one up to the root, itself first.
func (m *machine) way(id string) []dict {
	var way []dict
	for len(way) < 32 {
		d, ok := m.devices[strings.ToUpper(id)]
		if !ok || id == "" {
			break
		}
		way = append(way, d)
		id = d.Text("Parent")
	}
	return way
}

// hasDriver reports whether a device's driver is one of those.
func hasDriver(d dict, services ...string) bool {
	for _, service := range services {
		if strings.EqualFold(d.Text("Service"), service) {
			return true
		}
	}
	return false
}

// place finds what a disk is connected to, by the devices on the way to it.
func (m *machine) place(disk *hardware.Drive, id string) {
	way := m.way(id)
	stays, leaves := false, false
	for i, d := range way {
		switch {
		case hasDriver(d, "UASPStor"):
			disk.UASP = new(true)
		case hasDriver(d, "USBSTOR"):
			disk.UASP = new(false)
		case hasDriver(d, "stornvme") && disk.Bus != hardware.USB:
			disk.Bus = hardware.NVMe // Some drivers say RAID or SCSI.
			if link := lanesOf(d, "Current"); link != nil {
				if i+1 < len(way) {
					capture.SetMaxRate(link, lanesOf(d, "Max"), lanesOf(way[i+1], "Max"))
				}
				disk.Path.Links = append(disk.Path.Links, *link)
			}
		}
		// A policy (DEVPKEY_Device_RemovalPolicy) of 1 is that it is not removed, 3 that it may be
		// gone at any time.
		policy, _ := d.Number("RemovalPolicy")
		stays = stays || policy == 1
		leaves = leaves || policy == 3
	}
	if leaves || disk.Bus == hardware.USB {
		disk.External = new(true)
	} else if stays {
		disk.External = new(false)
	}
	if hub := m.hubsOn(way); hub != "" {
		disk.Hub = &hub
		m.Attach(hub, hardware.DiskKind, disk.Name, disk.Model)
	}
}

// hubsOn adds the USB hubs on a way that are no root hubs, from the computer on, and returns the ID
// of the last.
func (m *machine) hubsOn(way []dict) string {
	last := ""
	for _, d := range slices.Backward(way) {
		root := strings.Contains(strings.ToUpper(d.Text("InstanceId")), `\ROOT_HUB`)
		if root || !hasDriver(d, "USBHUB3", "usbhub") {
			continue
		}
		last = m.addHub(d, last, "USB")
	}
	return last
}

// addHub adds a hub, unless it is there, and returns its ID. An instance ID may hold a serial
// number: the numbers of its maker and kind are enough.
func (m *machine) addHub(d dict, upstream, protocol string) string {
	instance := strings.ToUpper(d.Text("InstanceId"))
	if id, ok := m.ids[instance]; ok {
		return id
	}
	_, kind, _ := strings.Cut(instance, `\`)
	kind, _, _ = strings.Cut(kind, `\`)
	kind = strings.NewReplacer("VID_", "", "PID_", "", "&", "-").Replace(kind)
	first := strings.ToLower(protocol + "-" + kind)
	id := first
	for n := 2; m.FindHub(id) != nil; n++ {
		id = fmt.Sprintf("%s-%d", first, n)
	}
	hub := hardware.Hub{
		ID: id, Name: cmp.Or(d.Text("BusReportedDeviceDesc"), d.Text("Name")),
		Vendor:   vendor(d.Text("Manufacturer")),
		Upstream: upstream, Protocol: protocol,
	}
	m.ids[instance] = id
	m.Hubs = append(m.Hubs, hub)
	m.Attach(upstream, hardware.HubKind, id, hub.Name)
	return id
}

// addRouters adds the routers of USB4 and Thunderbolt, in the order of their nesting. Windows has
// the devices that their tunnels lead to elsewhere in its tree, so they are hubs without disks.
func (m *machine) addRouters() {
	for _, d := range m.answer.List("Devices") {
		if !hasDriver(d, "Usb4DeviceRouter") {
			continue
		}
		upstream := ""
		for _, r := range slices.Backward(m.way(d.Text("InstanceId"))) {
			if hasDriver(r, "Usb4DeviceRouter") {
				upstream = m.addHub(r, upstream, "USB4")
			}
		}
	}
	if len(m.Hubs) > 0 {
		m.Warn("Windows does not report which disks are connected to which USB4 or " +
			"Thunderbolt device, nor at what rate: " +
			"say so in the scenario (hub, disks[].about)")
	}
}

// addNetworks adds the network adapters on the hubs that disks are connected to.
func (m *machine) addNetworks() {
	for _, d := range m.answer.List("Devices") {
		if !strings.EqualFold(d.Text("Class"), "Net") {
			continue
		}
		for _, above := range m.way(d.Text("Parent")) {
			if id, ok := m.ids[strings.ToUpper(above.Text("InstanceId"))]; ok {
				m.Attach(id, hardware.NetworkKind, "",
					cmp.Or(d.Text("Name"), d.Text("BusReportedDeviceDesc")))
				break
			}
		}
	}
}

// lanesOf returns a link as it is or could be, by the number of the generation of PCI Express; nil
// if it is not reported.
func lanesOf(d dict, which string) *hardware.Link {
	generation, _ := d.Number(which + "LinkSpeed")
	lanes, _ := d.Number(which + "LinkWidth")
	if generation < 1 || generation > 7 {
		return nil
	}
	return capture.PCIe([]int64{2.5e9, 5e9, 8e9, 16e9, 32e9, 64e9, 128e9}[generation-1], lanes)
}
