package say

import (
	"fmt"
	"slices"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/unit"
)

// finding is a finding as a sentence that names its phase.
func (en english) finding(f *analysis.Finding, p *analysis.Phase) string {
	text := en.Title(f.Phase) + ": " + en.sentence(f, p)
	if f.MorePhases > 0 {
		text += "; likewise in " + unit.Plural(f.MorePhases, "more phase")
	}
	return text + "."
}

func (en english) sentence(f *analysis.Finding, p *analysis.Phase) string {
	if f.Change != nil {
		return en.ofChange(f)
	}
	switch v := f.Values.(type) {
	case analysis.ReferenceValues:
		if f.Code == "hub_cost" {
			return fmt.Sprintf("%s alone on the hub %ss at %s, %.0f %% less than the %s it has on a port of its own (%s)",
				f.Disk, p.Disks[f.Disk].Op, en.Rate(v.Rate), 100*(1-v.Rate/v.Reference), en.Rate(v.Reference), en.Title(f.Other))
		}
		return en.held(f, v, p)
	case analysis.StealValues:
		return fmt.Sprintf("an even split would have given %s %s; %s left %s",
			unit.List(f.Disks), en.each(v.Fair, len(f.Disks)), f.Disk, en.each(v.Had, len(f.Disks)))
	case analysis.RateValues:
		return fmt.Sprintf("%s got %s more than an even share", unit.List(f.Disks), en.each(v.Rate, len(f.Disks)))
	case analysis.EvenValues:
		return fmt.Sprintf("the disks shared evenly (Jain's index %.2f): each kept %s of what it has without the others", v.Jain, percentRange(v.Low, v.High))
	case analysis.RecoveryValues:
		return fmt.Sprintf("%s took %s to recover after %s ended (from %s to %s)",
			unit.List(f.Disks), secondsRange(v.LagLow, v.LagHigh), f.Other, en.Rate(v.From), en.each(v.To, len(f.Disks)))
	case analysis.DuplexValues:
		return fmt.Sprintf("reads and writes mixed moved %s together, %.0f %% more than these disks ever moved in one direction", en.Rate(v.Rate), 100*v.Gain)
	case analysis.CeilingValues:
		return en.ceiling(f, v)
	case analysis.BottleneckValues:
		return en.bottleneck(f)
	case analysis.OthersValues:
		than, off := "less", 1-v.Rate/v.Overlap
		if off < 0 {
			than, off = "more", -off
		}
		return fmt.Sprintf("by fio's rule (all bytes over the longest job's time) the rate would be %s: %.0f %% %s than the %s the disks %s while all of them worked",
			en.Rate(v.Rate), 100*off, than, en.Rate(v.Overlap), f.Other)
	}
	switch f.Code {
	case "partial":
		return partial(f.Disk, f.Other, f.Values)
	case "drops":
		return en.drops(f, p)
	case "saturation":
		return en.Saturations[slices.IndexFunc(en.Saturations, func(s analysis.Saturation) bool { return s.Alone == f.Phase })].Text
	case "latency":
		return en.answered(p, f.Disk)
	case "foreign_traffic", "cached", "host_bound", "heat", "cache_full":
		return en.gauged(f, p)
	default:
		return en.ofDisk(f, p.Disks[f.Disk])
	}
}

// held says what disks had beside others.
func (en english) held(f *analysis.Finding, v analysis.ReferenceValues, p *analysis.Phase) string {
	when, has := "alone", "it has"
	if p.Contention.Disks[f.Disks[0]].Reference == analysis.ReferenceLater {
		when = "without " + f.Other
	}
	if len(f.Disks) > 1 {
		has = "they have"
	}
	return fmt.Sprintf("%s had %s, %.0f %% of the %s %s %s",
		unit.List(f.Disks), en.each(v.Rate, len(f.Disks)), 100*v.Rate/v.Reference, en.Rate(v.Reference), has, when)
}

// ofDisk says what was found of one disk's files.
func (en english) ofDisk(f *analysis.Finding, d analysis.Disk) string {
	switch f.Code {
	case "throttle":
		end := "to its end"
		if r := d.Throttle.Recovered; r != nil {
			end = fmt.Sprintf("until a pause of %s, after which it was back at %s", unit.FormatSeconds(r.PauseS), en.Rate(r.Rate))
		}
		return fmt.Sprintf("%s and stayed there %s, with no other disk involved: %s%s; quote %s",
			en.fell(f.Disk, d.Throttle.Steps), end, cause(&d), en.freed(d.Throttle), en.Rate(d.Quote.Rate))
	case "size_knee":
		k := d.SizeKnee
		return fmt.Sprintf("%s moves files above %s at %s and smaller ones at %s, not counting the fixed time per file (p = %.2g)", f.Disk, unit.FormatBytes(int64(k.AtBytes)), en.Rate(k.AboveRate), en.Rate(k.BelowRate), k.P)
	case "bimodal":
		return fmt.Sprintf("%s's files fall into two groups, near %s and %s: do not quote the mean", f.Disk, en.Rate(d.Modes[0]), en.Rate(d.Modes[1]))
	default:
		return f.Code
	}
}

// ceiling says which disks were added without moving more.
func (en english) ceiling(f *analysis.Finding, v analysis.CeilingValues) string {
	together := ""
	if len(f.Disks) > 1 {
		together = " together"
	}
	return fmt.Sprintf("%s%s moved %s (%s), and with %s added no more (%s), although the %s reach %s one by one: something they share limits them",
		unit.List(f.Disks), together, en.Rate(v.Without), en.Title(f.Other), unit.List(f.Added), en.Rate(v.Rate),
		Count(len(f.Disks)+len(f.Added)), en.Rate(v.Alone))
}

func percentRange(low, high float64) string {
	if high-low < 0.02 {
		return fmt.Sprintf("%.0f %%", 100*(low+high)/2)
	}
	return fmt.Sprintf("%.0f to %.0f %%", 100*low, 100*high)
}

// quote says what the recommended figure is, and what stands beside it.
func (en english) quote(q *analysis.Quote, d *analysis.Disk) string {
	switch q.Kind {
	case analysis.QuoteLater:
		first, last := d.Throttle.Steps[0], d.Throttle.Steps[len(d.Throttle.Steps)-1]
		return fmt.Sprintf("%s, as it was after %s; before that %s for %s",
			en.Rate(q.Rate), unit.FormatBytes(int64(last.AtBytes)), en.Rate(first.FromRate), unit.FormatSeconds(d.Throttle.HeldS))
	case analysis.QuoteSettled:
		return en.Rate(q.Rate) + " once its rate had settled"
	case analysis.QuoteOverlap:
		return en.Rate(q.Rate) + " while all disks of the phase worked"
	default:
		text := en.Rate(q.Rate) + " over time"
		if d.Modes != nil {
			text += fmt.Sprintf("; its files ran near %s or near %s", en.Rate(d.Modes[0]), en.Rate(d.Modes[1]))
		}
		return text
	}
}

// reason says why a recovery's lag is not known.
func reason(r *analysis.Recovery) string {
	c := r.Cut
	ended := "another disk paused"
	switch {
	case c.Disk == r.Disk:
		ended = "it ended"
	case c.Disk != "":
		ended = c.Disk + " " + c.Why
	}
	if c.Rose {
		return fmt.Sprintf("it rose %s after %s ended, but %s too soon to see the new rate hold", unit.FormatSeconds(c.S), r.After, ended)
	}
	return fmt.Sprintf("%s later, when %s, it still had not reached the rate it has alone", unit.FormatSeconds(c.S), ended)
}

// bottleneck says how much of a link's capacity disks used: "A, B and C together read 3.35 GB/s, 98 % of what the hub's
// uplink (Thunderbolt 4) can carry one way".
func (en english) bottleneck(f *analysis.Finding) string {
	u := f.Link
	together := ""
	verb := string(u.Op) + "s"
	if len(u.Disks) > 1 {
		together, verb = " together", string(u.Op)
	}
	part := "as much as" // what links carry is known to a few per cent
	if u.Share < 0.995 {
		part = fmt.Sprintf("%.0f %% of what", 100*u.Share)
	}
	text := fmt.Sprintf("%s%s %s %s, %s %s (%s) can carry one way, about %s",
		unit.List(u.Disks), together, verb, en.Rate(u.Rate), part, linkOf(u), u.Link, en.Rate(u.Capacity))
	if u.Could != "" {
		text += fmt.Sprintf("; the link fell back from the %s that both its ends support", u.Could)
		if u.Segment != hardware.Lanes { // which lie inside the enclosure or the computer
			text += ": try another cable or port"
		}
	}
	return text
}

// linkOf names the part of the path that a link is.
func linkOf(u *analysis.LinkUse) string {
	switch u.Segment {
	case hardware.HostPort:
		return "the host's port"
	case hardware.Uplink:
		if u.Hub != "" {
			return "the uplink of " + u.Hub
		}
		return "the hub's uplink"
	case hardware.Lanes:
		return "the link of the disk itself"
	default:
		return "the link to its enclosure"
	}
}
