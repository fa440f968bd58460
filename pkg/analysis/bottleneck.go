package analysis

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
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

	id   string  // unique to the link and the direction
	line float64 // bytes per second of the bare line, which nothing exceeds
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

// linkUses returns the links whose capacity is known, from the host on, each in the directions in
// which disks used it.
func (p *phase) linkUses() []LinkUse {
	o := p.overlap
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
func (p *phase) cached(links []LinkUse) (all warnings) {
	for _, g := range p.trace.Gauges {
		if g.Name == trace.CachedShare && g.Value > trace.MaxCached {
			all.add(g.Disk, "cached", ShareValues{Share: g.Value}, "its requests bypassed the "+
				"cache, yet %.0f%% of its files were in the cache afterwards: its rate may be "+
				"that of RAM", 100*g.Value)
		}
	}
	const tooFast = "%s %s (%s): some of it came from or went to a cache, not the disks"
	for _, u := range links {
		if u.Rate > u.line {
			w := newWarning("", "cached", MostValues{Rate: u.Rate, Most: u.line}, tooFast,
				p.scale.Rate(u.Rate), "over "+u.Link+" is more than the bare line carries",
				p.scale.Rate(u.line))
			w.Other = u.Link
			if len(u.Disks) == 1 { // this disk's own link
				w.Disk = u.Disks[0]
			}
			return append(all, w)
		}
	}
	elsewhere := func(part *diskPart) bool { return part.connection != trace.OnHub }
	o := p.overlap
	if o == nil || p.simulated || slices.ContainsFunc(p.parts, elsewhere) {
		return all
	}
	if rate := max(o.ReadRate, o.WriteRate); rate > fastestHub*slack {
		all.add("", "cached", MostValues{Rate: rate, Most: fastestHub}, tooFast, p.scale.Rate(rate),
			"through one hub is more than any hub's link carries", p.scale.Rate(fastestHub))
	}
	return all
}

// named says that a device is there, by its name where that is known.
func named(name, kind string) string {
	if name == "" {
		return kind + " is"
	}
	return name + " is " + kind
}

// bottlenecks find the link that the disks' rates come close to: of each set of disks and direction
// the one that they fill most. It says how much of the link they fill, not that the link held them:
// see ceilings for that.
func (f *finder) bottlenecks() {
	for _, same := range grouped(f.phase.Links, func(t, u LinkUse) bool {
		return t.Op == u.Op && slices.Equal(t.Disks, u.Disks)
	}) {
		u := same[0]
		for _, next := range same[1:] {
			if next.Share >= u.Share { // People know the hub's end of a cable.
				u = next
			}
		}
		if u.Share < nearLimit || u.Share > beyondLimit {
			continue
		}
		verb := pick(len(u.Disks) > 1, "together "+string(u.Op), string(u.Op)+"s")
		part := "as much as" // What links carry is known to a few per cent.
		if u.Share < 0.995 {
			part = fmt.Sprintf("%.0f%% of what", 100*u.Share)
		}
		link := "the link to its enclosure"
		try := ": try another cable or port"
		switch u.Segment {
		case hardware.HostPort:
			link = "the host's port"
		case hardware.Uplink:
			link = pick(u.Hub == "", "the hub's uplink", "the uplink of "+u.Hub)
		case hardware.Lanes: // They lie inside the enclosure or the computer.
			link = "the disk's own link"
			try = ""
		}
		weight := 0.2
		fellBack := ""
		if u.Could != "" { // A better cable or port would help.
			weight = 0.5
			fellBack = "; the link fell back from the " + u.Could +
				" that both its ends support" + try
		}
		f.dedupe(Finding{
			Code: "bottleneck", Disks: u.Disks, Other: string(u.Op), Link: &u, Weight: weight,
			Values: BottleneckValues{Rate: u.Rate, Capacity: u.Capacity},
		}, "%s %s %s, %s %s (%s) can carry one way, about %s%s", unit.List(u.Disks), verb,
			f.Rate(u.Rate), part, link, u.Link, f.Rate(u.Capacity), fellBack)
	}
}

// gauges reports what the meters found in a phase.
func (f *finder) gauges() {
	if c := f.phase.CPUPercent; c != nil && *c >= busyCPU {
		f.dedupe(Finding{Code: "host_bound", Values: PercentValues{Percent: *c}, Weight: 0.8},
			"your CPU may be the bottleneck, not the disks: its cores were %.0f%% busy (close "+
				"other programs, and measure again)", *c)
	}
	for _, name := range f.Order {
		if c := f.phase.Disks[name].WorkerCPUPercent; c != nil && *c >= busyCPU {
			f.dedupe(Finding{
				Code: "host_bound", Disks: []string{name}, Values: PercentValues{Percent: *c},
				Weight: 0.8,
			}, "your CPU may be the bottleneck, not %s: what moves its files used %.0f%% of a "+
				"core (larger requests, or more of them in flight, may be faster)", name, *c)
		}
		d := f.phase.Disks[name].Device
		if d == nil || d.Disks[0] != name {
			continue
		}
		if t := d.Foreign; t != nil {
			share := t.Bytes / float64(max(1, d.CountedReadBytes+d.CountedWriteBytes))
			// Readings are a second apart, and what is written through the system's cache reaches
			// the device up to a file later than it was counted: of shorter traffic neither the
			// rate nor the ends are sure.
			roughly := pick(t.ToS-t.FromS < 5, "about ", "")
			f.dedupe(Finding{
				Code: "foreign_traffic", Disks: d.Disks, Weight: 1 + min(1, share),
				Values: ForeignValues{
					Bytes: t.Bytes, Rate: t.Rate, FromS: t.FromS, ToS: t.ToS, Share: share,
				},
			}, "something else used %s: its own counters show %s more than hubbench moved, %s%s "+
				"from %s%.1f s to %.1f s (close backup, indexing and sync programs, and measure "+
				"again)", unit.List(d.Disks), byteSize(t.Bytes), roughly,
				unit.FormatRate(t.Rate), roughly, t.FromS, t.ToS)
		}
		if d.CachedBytes > 0 {
			bytes, counted := float64(d.CachedBytes), float64(d.CountedReadBytes)
			share := bytes / counted
			device := float64(*d.ReadBytes)
			f.dedupe(Finding{
				Code: "cached", Disks: d.Disks, Weight: 1 + share,
				Values: CachedValues{Bytes: bytes, Share: share, Counted: counted, Device: device},
			}, "%.0f%% of what %s read came from a cache: %s were read, but the disk's own "+
				"counters show %s; do not quote this rate as the disk's", 100*share,
				unit.List(d.Disks), byteSize(counted), byteSize(device))
		}
	}
}
