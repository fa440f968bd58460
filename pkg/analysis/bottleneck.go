package analysis

import (
	"cmp"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/trace"
)

// LinkUse is what went over a link in one direction while all disks worked, against what links of
// its kind have been seen to carry.
type LinkUse struct {
	Segment  hardware.Segment `json:"segment"`
	Link     string           `json:"link"`          // Link is its kind: Thunderbolt 4, PCIe 3.0 x4.
	Hub      string           `json:"hub,omitempty"` // Hub is the hub's name if it is its uplink.
	Disks    []string         `json:"disks"`         // Disks use the link in this direction.
	Op       trace.Role       `json:"op"`            // Op is read towards the host.
	Rate     float64          `json:"rate"`          // Rate is that of these disks together.
	Capacity float64          `json:"capacity"`      // Capacity was seen on such links, one way.
	Source   string           `json:"source"`        // Source says where the capacity is from.
	Share    float64          `json:"share"`         // Share is rate over capacity.
	// Could is the speed that both its ends support, if they negotiated less.
	Could string `json:"could,omitempty"`

	id   string  // It is unique to the link and the direction.
	line float64 // It is the bare line rate in bytes per second, which nothing exceeds.
}

// linkUse describes a link in one direction, on the way to a disk.
func (p *phase) linkUse(link *hardware.Link, op trace.Role, disk string) LinkUse {
	// Disks share a socket of the host and a hub's uplink; what comes after is a disk's own.
	end := cmp.Or(link.Hub, link.Port, "disk "+disk)
	use := LinkUse{
		Segment: link.Segment, Link: link.String(), Op: op,
		id:   strings.Join([]string{string(op), string(link.Segment), end}, "\x00"),
		line: float64(max(link.RxBps, link.TxBps)) / 8,
	}
	if h := p.hardware.Hub; h != nil && h.ID == link.Hub {
		use.Hub = h.Name
	}
	if link.FellBack() {
		use.Could = hardware.Speed(link.MaxBps)
	}
	return use
}

// linkUses are the links whose capacity is known, from the host on, each in the directions in which
// disks used it.
func (p *phase) linkUses() []LinkUse {
	o := p.out.Overlap
	if p.hardware == nil || o == nil {
		return nil
	}
	var uses []LinkUse
	for _, op := range []trace.Role{trace.Read, trace.Write} {
		for _, part := range p.parts {
			name := part.Name()
			rate := o.Disks[name].rateOf(op)
			if _, moved := p.trace.Connections[name]; moved || rate == 0 {
				continue
			}
			for _, link := range p.hardware.Disks[name].Path.Links {
				capacity, known := link.Practical(op == trace.Read)
				if !known {
					continue
				}
				use := p.linkUse(&link, op, name)
				use.Capacity = capacity.Rate
				use.Source = capacity.Source
				i := slices.IndexFunc(uses, func(u LinkUse) bool { return u.id == use.id })
				if i < 0 {
					i = len(uses)
					uses = append(uses, use)
				}
				u := &uses[i]
				u.Disks = append(u.Disks, name)
				u.Rate += rate
				u.Share = u.Rate / u.Capacity
			}
		}
	}
	return uses
}

// competitors warns of what else is connected to the hub and uses its uplink.
func competitors(setup *hardware.Setup) []Warning {
	if setup == nil {
		return nil
	}
	var list []Warning
	for _, c := range setup.Competitors {
		w := Warning{Code: "competitor_" + string(c.Kind), Other: c.Name}
		switch c.Kind {
		case hardware.DisplayKind:
			w.Text = named(c.Name, "a display") + " on the same hub: its picture has priority " +
				"over the disks' data on the hub's uplink"
		case hardware.NetworkKind:
			w.Text = named(c.Name, "a network adapter") + " on the same hub and shares its " +
				"uplink with the disks"
		default:
			continue
		}
		list = append(list, w)
	}
	return list
}

// cached warns of files that were found in the cache, and of rates that the disks' links cannot
// have: what came so fast came from memory.
func (p *phase) cached() {
	for _, g := range p.trace.Gauges {
		if g.Name == trace.CachedShare && g.Value > trace.MaxCached {
			p.warn(g.Disk, "cached", ShareValues{Share: g.Value}, "its requests bypassed the "+
				"cache, yet %.0f%% of its files were in the cache afterwards: its rate may be "+
				"that of RAM", 100*g.Value)
		}
	}
	const tooFast = "%s %s (%s): some of it came from or went to a cache, not the disks"
	for _, u := range p.out.Links {
		if u.Rate > u.line {
			w := newWarning("", "cached", MostValues{Rate: u.Rate, Most: u.line}, tooFast,
				p.scale.Rate(u.Rate), "over "+u.Link+" is more than the bare line carries",
				p.scale.Rate(u.line))
			w.Other = u.Link
			if len(u.Disks) == 1 { // It is this disk's own link.
				w.Disk = u.Disks[0]
			}
			p.out.Warnings = append(p.out.Warnings, w)
			return
		}
	}
	elsewhere := func(part *diskPart) bool { return part.connection != trace.OnHub }
	o := p.out.Overlap
	if o == nil || p.simulated || slices.ContainsFunc(p.parts, elsewhere) {
		return
	}
	if rate := max(o.ReadRate, o.WriteRate); rate > fastestHub*slack {
		p.warn("", "cached", MostValues{Rate: rate, Most: fastestHub}, tooFast, p.scale.Rate(rate),
			"through one hub is more than any hub's link carries", p.scale.Rate(fastestHub))
	}
}

// named says that a device is there, by its name where that is known.
func named(name, kind string) string {
	if name == "" {
		return kind + " is"
	}
	return name + " is " + kind
}
