package macos

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/hubbench/hubbench/internal/machine/device/capture"
	"github.com/hubbench/hubbench/pkg/hardware"
)

// place finds what each disk is connected to: by its chain; else by what the profile says, if that
// leaves one answer only.
func (m *machine) place() {
	for i := range m.Disks {
		disk := &m.Disks[i]
		router := m.routerOf(m.chains[disk.Name])
		hub := router
		if device := m.usbOf(disk.Name); device != nil {
			if router == "" && device.tunneled {
				router = m.singleUSBRouter()
			}
			hub = router
			if n := len(device.hubs); n > 0 {
				m.attachUSBHub(device.hubs[0], router)
				hub = device.hubs[n-1]
			}
		} else if hub == "" && m.isOnThunderbolt(disk) {
			disk.External = new(true)
			hub = m.singleRouter()
		}
		if hub != "" {
			disk.Hub = &hub
			m.Attach(hub, hardware.DiskKind, disk.Name, disk.Model)
		}
	}
	for i := range m.Hubs {
		hub := &m.Hubs[i]
		if above := m.FindHub(hub.Upstream); above != nil { // Parents stand before their children.
			hub.Port = above.Port
		}
	}
}

// singleRouter returns the ID of the one Thunderbolt device that is plugged in; empty if there are
// none, or several.
func (m *machine) singleRouter() string {
	if len(m.uids) != 1 {
		return ""
	}
	for id := range m.uids {
		return id
	}
	return ""
}

// singleUSBRouter returns the ID of the one Thunderbolt device that a tunnel for USB ends in; empty
// if there are several. Without the registry it is the only device.
func (m *machine) singleUSBRouter() string {
	if len(m.routers) == 0 {
		return m.singleRouter()
	}
	found := ""
	for _, hub := range m.Hubs {
		id, ok := m.uids[hub.ID]
		if !ok || m.routers[id].countTunnels("USB Adapter")+
			m.routers[id].countTunnels("USB Gen T Adapter") == 0 {
			continue
		}
		if found != "" {
			return ""
		}
		found = hub.ID
	}
	return found
}

// isOnThunderbolt reports whether a disk is in a slot of Thunderbolt: its controller says so, or
// the list of PCI devices, which the serial number joins.
func (m *machine) isOnThunderbolt(disk *hardware.Drive) bool {
	for _, medium := range m.media[disk.Name] {
		if strings.HasPrefix(medium.item.Text("spnvme_slot_name"), "Thunderbolt@") {
			return true
		}
	}
	for _, d := range m.profile["SPPCIDataType"] {
		same := disk.Serial != "" && d.Text("sppci_serialnumber") == disk.Serial
		if same && strings.HasPrefix(d.Text("sppci_slot_name"), "Thunderbolt@") {
			return true
		}
	}
	return false
}

// addDisplays gives hubs the displays that they serve: a router that is a display itself, by its
// name, and a tunnel for DisplayPort that ends in one.
func (m *machine) addDisplays() {
	var external []string
	for _, card := range m.profile["SPDisplaysDataType"] {
		for _, d := range card.List("spdisplays_ndrvs") {
			builtIn := strings.Contains(d.Text("spdisplays_display_type"), "built-in")
			if d.Text("spdisplays_connection_type") != "spdisplays_internal" && !builtIn {
				external = append(external, d.Text("_name"))
			}
		}
	}
	for i := range m.Hubs {
		hub := &m.Hubs[i]
		id, ok := m.uids[hub.ID]
		if !ok {
			continue
		}
		tunnels := m.routers[id].countTunnels("DP or HDMI Adapter")
		for _, name := range external {
			if plain(name) == plain(hub.Name) {
				hub.Devices = append(hub.Devices,
					hardware.Attached{Kind: hardware.DisplayKind, Name: name})
				tunnels--
			}
		}
		for ; tunnels > 0; tunnels-- {
			display := hardware.Attached{Kind: hardware.DisplayKind}
			if len(external) == 1 {
				display.Name = external[0]
			}
			hub.Devices = append(hub.Devices, display)
		}
	}
}

// plain returns a name by its letters: the same display is StudioDisplay and Studio Display.
func plain(name string) string { return strings.ToLower(strings.ReplaceAll(name, " ", "")) }

// ownLink returns the link that ends in a disk; nil if none is known.
func (m *machine) ownLink(disk *hardware.Drive) *hardware.Link {
	if disk.Bus == hardware.USB {
		bps := m.chains[disk.Name].usbBps
		if device := m.usbOf(disk.Name); device != nil {
			bps = cmp.Or(device.bps, bps)
		}
		if bps == 0 {
			return nil
		}
		return &hardware.Link{Segment: hardware.Enclosure, Kind: hardware.USBLink, RxBps: bps,
			TxBps: bps}
	}
	for _, medium := range m.media[disk.Name] {
		item := medium.item
		n, _ := strconv.ParseInt(strings.TrimPrefix(item.Text("spnvme_linkwidth"), "x"), 10, 64)
		if link := capture.PCIe(capture.Rate(item.Text("spnvme_linkspeed")), n); link != nil {
			return link
		}
		// What the port could do, its disk may not.
		if bps := capture.Rate(medium.controller.Text("spsata_negotiatedlinkspeed")); bps > 0 {
			return &hardware.Link{Segment: hardware.Lanes, Kind: hardware.SATALink, RxBps: bps,
				TxBps: bps}
		}
	}
	return nil
}
