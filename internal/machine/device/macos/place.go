package macos

import (
	"slices"
	"strconv"
	"strings"

	"github.com/hubbench/hubbench/pkg/hardware"
)

// place finds what each disk is connected to: by its chain; else by what the profile says, if that leaves one answer only.
func (m *machine) place() {
	for i := range m.inventory.Disks {
		disk := &m.inventory.Disks[i]
		router := m.routerOf(m.chains[disk.Name])
		hub := router
		if device := m.usbOf(disk.Name); device != nil {
			if router == "" && device.tunneled {
				router = m.usbRouter()
			}
			if len(device.hubs) > 0 {
				m.hangUSB(device.hubs[0], router)
			}
			hub = device.hub
			if hub == "" {
				hub = router
			}
		} else if hub == "" && m.throughThunderbolt(disk) {
			disk.External = new(true)
			hub = m.onlyRouter()
		}
		if hub != "" {
			disk.Hub = &hub
			m.attach(hub, hardware.Attached{Kind: hardware.DiskKind, ID: disk.Name, Name: disk.Model})
		}
	}
	for i := range m.inventory.Hubs {
		hub := &m.inventory.Hubs[i]
		if above := m.hub(hub.Upstream); above != nil { // parents stand before their children
			hub.Port = above.Port
		}
	}
}

// onlyRouter is the ID of the one Thunderbolt device that is plugged in; empty if there are none, or several.
func (m *machine) onlyRouter() string {
	if len(m.uids) != 1 {
		return ""
	}
	for id := range m.uids {
		return id
	}
	return ""
}

// usbRouter is the ID of the one Thunderbolt device that a tunnel for USB ends in; empty if there are several. Without
// the registry it is the only device.
func (m *machine) usbRouter() string {
	if len(m.routers) == 0 {
		return m.onlyRouter()
	}
	found := ""
	for _, hub := range m.inventory.Hubs {
		id, ok := m.uids[hub.ID]
		if !ok || m.routers[id].tunnels("USB Adapter")+m.routers[id].tunnels("USB Gen T Adapter") == 0 {
			continue
		}
		if found != "" {
			return ""
		}
		found = hub.ID
	}
	return found
}

// throughThunderbolt reports whether a disk is in a slot of Thunderbolt: its controller says so, or the list of PCI devices,
// which the serial number joins.
func (m *machine) throughThunderbolt(disk *hardware.Disk) bool {
	for _, item := range m.media() {
		if wholeDisk(item.text("bsd_name")) == disk.Name && strings.HasPrefix(item.text("spnvme_slot_name"), "Thunderbolt@") {
			return true
		}
	}
	return disk.Serial != "" && slices.ContainsFunc(m.profile["SPPCIDataType"], func(d dict) bool {
		return d.text("sppci_serialnumber") == disk.Serial && strings.HasPrefix(d.text("sppci_slot_name"), "Thunderbolt@")
	})
}

// addDisplays gives hubs the displays that they serve: a router that is a display itself, by its name, and a tunnel for
// DisplayPort that ends in one.
func (m *machine) addDisplays() {
	external := m.displays()
	for i := range m.inventory.Hubs {
		hub := &m.inventory.Hubs[i]
		id, ok := m.uids[hub.ID]
		if !ok {
			continue
		}
		tunnels := m.routers[id].tunnels("DP or HDMI Adapter")
		for _, name := range external {
			if plain(name) == plain(hub.Name) {
				hub.Devices = append(hub.Devices, hardware.Attached{Kind: hardware.DisplayKind, Name: name})
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

// displays are the names of those that are not built in.
func (m *machine) displays() []string {
	var names []string
	for _, card := range m.profile["SPDisplaysDataType"] {
		for _, d := range card.list("spdisplays_ndrvs") {
			if d.text("spdisplays_connection_type") != "spdisplays_internal" && !strings.Contains(d.text("spdisplays_display_type"), "built-in") {
				names = append(names, d.text("_name"))
			}
		}
	}
	return names
}

// plain is a name by its letters: the same display is StudioDisplay and Studio Display.
func plain(name string) string { return strings.ToLower(strings.ReplaceAll(name, " ", "")) }

// addPaths lists the links of each disk's path, from the Mac on.
func (m *machine) addPaths() {
	for i := range m.inventory.Disks {
		disk := &m.inventory.Disks[i]
		var hubs []*hardware.Hub
		if disk.Hub != nil {
			for hub := m.hub(*disk.Hub); hub != nil && len(hubs) < 16; hub = m.hub(hub.Upstream) {
				hubs = append([]*hardware.Hub{hub}, hubs...)
			}
		}
		for _, hub := range hubs {
			link := *hub.Link
			if hub.Encloses(disk) {
				link.Segment = hardware.Enclosure
			}
			disk.Path.Links = append(disk.Path.Links, link)
		}
		if link := m.ownLink(disk); link != nil {
			disk.Path.Links = append(disk.Path.Links, *link)
		}
	}
}

// ownLink is the link that ends in a disk; nil if none is known.
func (m *machine) ownLink(disk *hardware.Disk) *hardware.Link {
	if disk.Bus == hardware.USB {
		bps := m.chains[disk.Name].usbBps
		if device := m.usbOf(disk.Name); device != nil && device.bps > 0 {
			bps = device.bps
		}
		if bps == 0 {
			return nil
		}
		return &hardware.Link{Segment: hardware.Enclosure, Kind: hardware.USBLink, RxBps: bps, TxBps: bps}
	}
	for _, item := range m.media() {
		if wholeDisk(item.text("bsd_name")) == disk.Name {
			if link := lanes(item.text("spnvme_linkspeed"), item.text("spnvme_linkwidth")); link != nil {
				return link
			}
			controller := item.dict("controller")
			if link := lanes(controller.text("spsata_linkspeed"), controller.text("spsata_linkwidth")); link != nil {
				return link // AHCI without SATA, as of Apple's own
			}
			return sata(controller)
		}
	}
	return nil
}

// pcie are the generations of PCI Express by what a lane signals, in bits per second. The first, 2.5 GT/s, is missing:
// tunnels pretend to be of it.
var pcie = [...]struct {
	speed, generation string
	bps               int64
}{{"5.0 GT/s", "2", 5e9}, {"8.0 GT/s", "3", 8e9}, {"16.0 GT/s", "4", 16e9}, {"32.0 GT/s", "5", 32e9}}

func lanes(speed, width string) *hardware.Link {
	n, err := strconv.Atoi(strings.TrimPrefix(width, "x"))
	if err != nil || n < 1 || n > 16 {
		return nil
	}
	for _, p := range pcie {
		if p.speed == speed {
			return &hardware.Link{Segment: hardware.Lanes, Kind: hardware.PCIe, Generation: p.generation, Lanes: n, RxBps: int64(n) * p.bps, TxBps: int64(n) * p.bps}
		}
	}
	return nil
}

// sata is the link that a SATA controller's port has negotiated. What the port could do, its disk may not.
func sata(controller dict) *hardware.Link {
	for _, p := range []struct {
		words string
		bps   int64
	}{{"1.5 Gigabit", 1.5e9}, {"3 Gigabit", 3e9}, {"6 Gigabit", 6e9}} {
		if controller.text("spsata_negotiatedlinkspeed") == p.words {
			return &hardware.Link{Segment: hardware.Lanes, Kind: hardware.SATALink, RxBps: p.bps, TxBps: p.bps}
		}
	}
	return nil
}
