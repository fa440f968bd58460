package macos

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hubbench/hubbench/internal/machine/device/capture"
	"github.com/hubbench/hubbench/pkg/hardware"
)

// usbDevice is a device of the USB tree that is no hub.
type usbDevice struct {
	location int64 // location is its place in the tree; 0: not known.
	// hubs are those on the way, from the Mac on. A router with a USB controller is not listed.
	hubs     []string
	disk     hardware.Drive
	bps      int64
	tunneled bool
	media    map[string]int64 // media are the sizes of its disks, by name.
}

// addUSB reads the USB tree, hubs and what is connected to them.
func (m *machine) addUSB() {
	buses := m.profile["SPUSBHostDataType"]
	if len(buses) == 0 {
		buses = m.profile["SPUSBDataType"]
	}
	for _, bus := range buses {
		for _, device := range bus.List("_items") {
			m.addUSBDevice(device, nil, 0)
		}
	}
}

// addUSBDevice adds what hangs below a port. Every hub of USB 3 is two, one for each generation:
// one that nothing is connected to is left out.
func (m *machine) addUSBDevice(d dict, hubs []string, depth int) {
	name := cmp.Or(d.Text("_name"), "USB device")
	// Where it is in the tree: its bus, then a digit per port; 0 where it is not said. Older
	// systems add the device's address: 0x02100000 / 2.
	at, _, _ := strings.Cut(cmp.Or(d.Text("USBKeyLocationID"), d.Text("location_id")), " ")
	place, _ := strconv.ParseUint(strings.TrimPrefix(at, "0x"), 16, 32)
	location := int64(place)
	classes := map[string]int64{ // Up to macOS 15.
		"low_speed": 1.5e6, "full_speed": 12e6, "high_speed": 480e6, "super_speed": 5e9,
		"super_speed_plus": 10e9,
	}
	bps := cmp.Or(capture.Rate(d.Text("USBDeviceKeyLinkSpeed")), classes[d.Text("device_speed")],
		capture.Rate(d.Text("device_speed")))
	items := d.List("_items")
	upstream := ""
	if len(hubs) > 0 {
		upstream = hubs[len(hubs)-1]
	}
	tunneled := d.Text("USBDeviceKeyUSB4Tunnel") == "Yes"
	vendor := cmp.Or(d.Text("USBDeviceKeyVendorName"), d.Text("manufacturer"))
	version := cmp.Or(d.Text("USBDeviceKeyProductVersion"), d.Text("bcd_device"))
	if len(items) > 0 && depth < 8 { // USB allows 5 hubs in a row
		hub := hardware.Hub{
			ID: m.unique(fmt.Sprintf("usb-%08x", location)), Name: name, Vendor: vendor,
			Firmware: version,
			Upstream: upstream, Protocol: "USB",
		}
		hub.Link = &hardware.Link{Segment: hardware.Uplink, Hub: hub.ID, Kind: hardware.USBLink,
			RxBps: bps, TxBps: bps}
		m.Hubs = append(m.Hubs, hub)
		m.Attach(upstream, hardware.HubKind, hub.ID, name)
		if len(hubs) == 0 && tunneled {
			m.attachUSBHub(hub.ID, m.singleUSBRouter())
		}
		for _, item := range items {
			m.addUSBDevice(item, append(slices.Clip(hubs), hub.ID), depth+1)
		}
		return
	}
	device := &usbDevice{location: location, hubs: hubs, bps: bps, tunneled: tunneled,
		media: map[string]int64{}}
	device.disk = hardware.Drive{Bus: hardware.USB, External: new(true), Model: name,
		Vendor: vendor}
	serial := cmp.Or(d.Text("USBDeviceKeySerialNumber"), d.Text("serial_num"))
	if !strings.EqualFold(serial, "Not Provided") {
		device.disk.Serial = serial
	}
	for _, medium := range d.List("Media") {
		if disk := wholeDisk(medium.Text("bsd_name")); disk != "" {
			device.media[disk], _ = medium.Number("size_in_bytes")
		}
	}
	m.usb = append(m.usb, device)
	holds := false
	for _, c := range m.chains {
		holds = holds || location != 0 && c.location == location
	}
	if len(device.media) == 0 && !holds && !strings.Contains(strings.ToLower(name), "hub") {
		kind := hardware.OtherKind
		if m.isNetwork(d) {
			kind = hardware.NetworkKind
		}
		m.Attach(upstream, kind, "", name)
	}
}

// attachUSBHub hangs a USB hub that had no upstream on a router.
func (m *machine) attachUSBHub(id, router string) {
	hub := m.FindHub(id)
	if above := m.FindHub(router); hub != nil && above != nil && hub.Upstream == "" {
		hub.Upstream = router
		hub.Port = above.Port
		m.Attach(router, hardware.HubKind, hub.ID, hub.Name)
	}
}

// isNetwork reports whether a USB device is one of the network adapters, which compete for the hub:
// the USB tree names no classes, but the list of adapters names maker and product.
func (m *machine) isNetwork(d dict) bool {
	vendor := number16(cmp.Or(d.Text("USBDeviceKeyVendorID"), d.Text("vendor_id")))
	product := number16(cmp.Or(d.Text("USBDeviceKeyProductID"), d.Text("product_id")))
	for _, adapter := range m.profile["SPEthernetDataType"] {
		if product != 0 && number16(adapter.Text("spethernet_product-id")) == product &&
			number16(adapter.Text("spethernet_vendor-id")) == vendor &&
			strings.Contains(adapter.Text("spethernet_bus"), "usb") {
			return true
		}
	}
	return false
}

// number16 reads words like 0x0bda (Realtek), as the profile numbers makers and products; 0 for
// others, such as apple_vendor_id.
func number16(words string) uint64 {
	number, _, _ := strings.Cut(words, " ")
	n, _ := strconv.ParseUint(strings.TrimPrefix(strings.ToLower(number), "0x"), 16, 16)
	return n
}
