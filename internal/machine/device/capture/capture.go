// Package capture has what the readers of Linux, macOS and Windows share: an inventory while it is
// being made, values of what a system's tool has answered, and links by their rates. Start at
// Inventory, or at Dict.
package capture

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/hubbench/hubbench/pkg/hardware"
)

// Inventory is one that is being made.
type Inventory struct{ hardware.Inventory }

// New returns an empty inventory.
func New() Inventory {
	return Inventory{hardware.Inventory{
		Hosts: []hardware.Host{}, Hubs: []hardware.Hub{}, Disks: []hardware.Drive{},
	}}
}

// Attach lists what is connected to a hub; it does nothing if there is no such hub.
func (inv *Inventory) Attach(id string, kind hardware.Kind, device, name string) {
	if hub := inv.FindHub(id); hub != nil {
		hub.Devices = append(hub.Devices, hardware.Attached{Kind: kind, ID: device, Name: name})
	}
}

// Warn adds a warning.
func (inv *Inventory) Warn(text string) { inv.Warnings = append(inv.Warnings, text) }

// MarkSystem marks the disks that the system runs from: those that hold its places, and those
// beneath.
func (inv *Inventory) MarkSystem(places ...string) {
	for _, place := range places {
		disk, volume := inv.Holding(place)
		if disk == nil {
			continue
		}
		disk.System = true
		for _, under := range inv.Physical(disk, volume) {
			under.System = true
		}
	}
}

// AddPathLinks adds to each disk's path, after the links that it has, those of the hubs on the way
// from the host on, and the one that ends in the disk, if it is known.
func (inv *Inventory) AddPathLinks(own func(*hardware.Drive) *hardware.Link) {
	for i := range inv.Disks {
		disk := &inv.Disks[i]
		for _, hub := range slices.Backward(inv.Above(disk)) {
			if hub.Link == nil {
				continue
			}
			link := *hub.Link
			if hub.Encloses(disk) {
				link.Segment = hardware.Enclosure // The hub is no more than the disk's case.
			}
			disk.Path.Links = append(disk.Path.Links, link)
		}
		if link := own(disk); link != nil {
			disk.Path.Links = append(disk.Path.Links, *link)
		}
	}
}

// SortDisks orders disks by the numbers at the end of their names.
func (inv *Inventory) SortDisks() {
	slices.SortStableFunc(inv.Disks, func(a, b hardware.Drive) int {
		return cmp.Or(cmp.Compare(len(a.Name), len(b.Name)), cmp.Compare(a.Name, b.Name))
	})
}

// Finish returns the inventory, without serial numbers unless they are wanted.
func (inv *Inventory) Finish(serials bool) *hardware.Inventory {
	for i := range inv.Disks {
		if !serials {
			inv.Disks[i].Serial = ""
		}
	}
	return &inv.Inventory
}

// Rate is that of words like 40 Gb/s, 480 Mb/s, 6.0 Gbps, 6 Gigabit or 16.0 GT/s PCIe: bits, or
// what a lane signals, per second; 0 for any other words.
func Rate(words string) int64 {
	number, unit, _ := strings.Cut(words, " ")
	n, err := strconv.ParseFloat(number, 64)
	if err != nil || !(n > 0 && n < 1e4) {
		return 0
	}
	switch strings.TrimSuffix(unit, " PCIe") {
	case "Gb/s", "Gbps", "Gigabit", "GT/s":
		return int64(n * 1e9)
	case "Mb/s":
		return int64(n * 1e6)
	}
	return 0
}

// PCIe returns a link of PCI Express by what a lane signals per second; nil if that is no link. 2.5
// GT/s, PCI Express 1's, is what systems show for the PCIe ports of a Thunderbolt tunnel, whatever
// it carries (USB4 specification 1.0, section 11.2; minisforum-docs/MS-02-Ultra#10). No SSD of
// today negotiates it, so it is never taken for a link, tunnel or not: a machine without
// Thunderbolt's driver does not show which is which.
func PCIe(rate, lanes int64) *hardware.Link {
	generation, known := map[int64]string{
		5e9: "2", 8e9: "3", 16e9: "4", 32e9: "5", 64e9: "6", 128e9: "7",
	}[rate]
	if !known || lanes < 1 || lanes > 32 {
		return nil
	}
	bps := rate * lanes
	return &hardware.Link{
		Segment: hardware.Lanes, Kind: hardware.PCIe, Generation: generation, Lanes: int(lanes),
		RxBps: bps, TxBps: bps,
	}
}

// SetMaxRate notes the best that both ends of a link support: it falls back only from that.
func SetMaxRate(link, own, port *hardware.Link) {
	if link == nil || own == nil || port == nil {
		return
	}
	lanes := int64(min(own.Lanes, port.Lanes))
	best := min(own.RxBps/int64(own.Lanes), port.RxBps/int64(port.Lanes)) * lanes
	if best >= link.RxBps {
		link.MaxBps = best
	}
}

// Dict is an object of an answer. Its accessors take what is missing, or of another type than
// expected, for unknown: keys come, go and change between versions of a system.
type Dict map[string]any

// JSON reads an answer in JSON.
func JSON(answer []byte) (Dict, error) {
	decoder := json.NewDecoder(bytes.NewReader(answer))
	decoder.UseNumber()
	var object map[string]any
	err := decoder.Decode(&object)
	return object, err
}

// Text returns a string without the blanks and zeros that devices and tools pad it with.
func (d Dict) Text(key string) string {
	s, _ := d[key].(string)
	return strings.Trim(s, " \t\r\n\x00")
}

// Number returns an integer, which some versions of PowerShell put in quotes; false if there is
// none. Of an identifier, which ioreg prints with or without a sign, it is the 64 bits.
func (d Dict) Number(key string) (int64, bool) {
	switch n := d[key].(type) {
	case json.Number:
		i, err := n.Int64()
		return i, err == nil
	case string:
		i, err := strconv.ParseInt(n, 10, 64)
		return i, err == nil
	case uint64:
		return int64(n), true
	case int64:
		return n, true
	}
	return 0, false
}

// Flag returns a yes or no, as the tools spell it; nil if there is neither.
func (d Dict) Flag(key string) *bool {
	switch v := d[key].(type) {
	case bool:
		return &v
	case string:
		switch strings.ToLower(v) {
		case "yes", "true", "spnvme_yes":
			return new(true)
		case "no", "false", "spnvme_no":
			return new(false)
		}
	}
	return nil
}

// Dict returns an object in the object.
func (d Dict) Dict(key string) Dict {
	v, _ := d[key].(map[string]any)
	return v
}

// List returns the objects of an array.
func (d Dict) List(key string) []Dict { return Dicts(d[key]) }

// Dicts returns the objects of an array. Of a single one ioreg -t and ConvertTo-Json leave the
// array out, and the latter has an array within another as {value, Count}.
func Dicts(v any) (list []Dict) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			list = append(list, Dicts(e)...)
		}
	case map[string]any:
		if value, ok := v["value"]; ok && len(v) == 2 {
			return Dicts(value)
		}
		list = append(list, v)
	}
	return list
}
