package hardware

import (
	"cmp"
	"fmt"
	"strconv"
)

// LinkKind is the technology of a link.
type LinkKind string

// The kinds of link.
const (
	Thunderbolt LinkKind = "thunderbolt" // and USB4: the cable with its tunnels
	USBLink     LinkKind = "usb"
	PCIe        LinkKind = "pcie"
	SATALink    LinkKind = "sata"
)

// USB4 is the generation of a Thunderbolt link if the system does not distinguish Thunderbolt 4 from other USB4.
const USB4 = "USB4"

// Segment is which part of a disk's path a link is.
type Segment string

// The parts of a path, from the host on.
const (
	HostPort  Segment = "host port"
	Uplink    Segment = "hub uplink"
	Enclosure Segment = "enclosure" // between the last hub, or the port, and the enclosure
	Lanes     Segment = "disk lanes"
)

// Link is one link of a path as it was negotiated. Rates are in bits per second of line rate, seen from the host: what
// it receives (reads) and transmits (writes).
type Link struct {
	Segment    Segment  `json:"segment,omitempty"`
	Hub        string   `json:"hub,omitempty"`  // the ID of the hub whose uplink it is
	Port       string   `json:"port,omitempty"` // the ID of the host's port that it is
	Kind       LinkKind `json:"kind,omitempty"`
	Generation string   `json:"generation,omitempty"` // of PCIe "3" or "4"; of Thunderbolt "3", "4", "5", or "USB4"; of USB "3.2 Gen 2"
	Lanes      int      `json:"lanes,omitempty"`
	RxBps      int64    `json:"rx_bps,omitempty"`
	TxBps      int64    `json:"tx_bps,omitempty"`
	MaxBps     int64    `json:"max_bps,omitempty"` // what both ends support, if the system says: see FellBack
}

// Capacity is what a link carries in one direction, in bytes per second.
type Capacity struct {
	Rate   float64
	Source string // where the figure is from
}

// practical are the greatest rates that links of each kind have been seen to carry one way over tens of seconds, by
// their line rate. A link that is not listed has none: a guess would be worse.
var practical = [...]struct {
	kind LinkKind
	bps  int64 // per lane of PCIe, else of the link
	rate float64
	from string
}{
	{Thunderbolt, 40e9, 3.4e9, "seen over tens of seconds on hubs of Thunderbolt 3 and 4, which carry at most 32 Gb/s of data"},
	{Thunderbolt, 80e9, 7.0e9, "what Thunderbolt 5 carries, PCIe 4.0 x4, less packet headers"},
	{USBLink, 480e6, 0.0532e9, "13 packets of 512 bytes in each 125 us (USB 2.0 specification, 5.8.4)"},
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

// Practical is what the link has been seen to carry towards the host (reads) or from it (writes); false if nothing
// is known of links like it.
func (l *Link) Practical(read bool) (Capacity, bool) {
	bps, lanes := cmp.Or(l.TxBps, l.RxBps), 1
	if read {
		bps = cmp.Or(l.RxBps, l.TxBps)
	}
	if l.Kind == PCIe {
		if l.Lanes <= 0 {
			return Capacity{}, false
		}
		lanes = l.Lanes
		bps /= int64(lanes)
	}
	for _, p := range practical {
		if p.kind == l.Kind && p.bps == bps {
			return Capacity{Rate: p.rate * float64(lanes), Source: p.from}, true
		}
	}
	return Capacity{}, false
}

// AtMost is what the link carries in one direction at most, in bytes per second: what links like it have been seen to
// carry, else its bare line rate. It is 0 if neither is known.
func (l *Link) AtMost(read bool) float64 {
	if c, ok := l.Practical(read); ok {
		return c.Rate
	}
	if read {
		return float64(cmp.Or(l.RxBps, l.TxBps)) / 8
	}
	return float64(cmp.Or(l.TxBps, l.RxBps)) / 8
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
			return joined(USB4, rate)
		default:
			return "Thunderbolt " + l.Generation
		}
		return joined("Thunderbolt or USB4", rate)
	case PCIe:
		if l.Generation != "" && l.Lanes > 0 {
			return fmt.Sprintf("PCIe %s.0 x%d", l.Generation, l.Lanes)
		}
		return joined("PCIe", rate)
	case USBLink:
		return joined("USB", cmp.Or(rate, l.Generation))
	case SATALink:
		return joined("SATA", rate)
	}
	return cmp.Or(rate, "unknown")
}

// Speed is a line rate as people write it; empty for none.
func Speed(bps int64) string {
	switch {
	case bps <= 0:
		return ""
	case bps < 1e9:
		return strconv.FormatInt(bps/1e6, 10) + " Mb/s"
	}
	return strconv.FormatFloat(float64(bps)/1e9, 'g', 3, 64) + " Gb/s"
}

func joined(a, b string) string {
	if b == "" {
		return a
	}
	return a + " " + b
}
