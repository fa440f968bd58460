package analysis

import (
	"fmt"
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/unit"
)

// finding is a finding as a sentence, but for the name of its phase.
func (en english) finding(f *Finding, p *Phase) string {
	text := en.ofDisk
	switch {
	case f.Change != nil:
		text = en.ofChange
	case f.Values != nil && f.Code != "partial":
		text = en.measured
	}
	likewise := pick(f.MorePhases > 0, "; likewise in "+unit.Plural(f.MorePhases, "more phase"), "")
	return text(f, p) + likewise + "."
}

// measured says what was found in a phase's numbers.
func (en english) measured(f *Finding, p *Phase) string {
	n, disks := len(f.Disks), unit.List(f.Disks)
	switch v := f.Values.(type) {
	case ReferenceValues:
		if f.Code == "hub_cost" {
			return fmt.Sprintf("%s alone on the hub %ss at %s, %.0f %% less than %s on its own port (%s)",
				f.Disk, p.Disks[f.Disk].Op, en.Rate(v.Rate), 100*(1-v.Rate/v.Reference), en.Rate(v.Reference), en.Title(f.Other))
		}
		return fmt.Sprintf("%s dropped to %s, %.0f %% of the %s%s", disks, en.each(v.Rate, n), retained(p, f.Disks),
			en.Rate(v.Reference), baseline(p.Contention.Disks[f.Disks[0]].Reference, f.Other))
	case StealValues:
		return fmt.Sprintf("%s took bandwidth from %s: %s instead of an even split's %s%s", f.Disk, disks,
			en.each(v.Had, n), en.Rate(v.Fair), between(p))
	case RateValues:
		return fmt.Sprintf("%s got %s more than an even share", disks, en.each(v.Rate, n))
	case EvenValues:
		kept := fmt.Sprintf("%.0f to %.0f %%", 100*v.Low, 100*v.High)
		if v.High-v.Low < 0.02 {
			kept = fmt.Sprintf("%.0f %%", 100*(v.Low+v.High)/2)
		}
		return fmt.Sprintf("the disks shared evenly (Jain's index %.2f): each kept %s of its speed", v.Jain, kept)
	case RecoveryValues:
		return fmt.Sprintf("%s recovered %s after %s had ended (from %s to %s)",
			disks, secondsRange(v.LagLow, v.LagHigh), f.Other, en.Rate(v.From), en.each(v.To, n))
	case DuplexValues:
		return fmt.Sprintf("mixed reads and writes reached %s in total, %.0f %% more than these disks reached in one "+
			"direction", en.Rate(v.Rate), 100*v.Gain)
	case CeilingValues:
		return fmt.Sprintf("%s%s reached %s (%s), and adding %s gave no more (%s), although the %s add up to %s "+
			"alone: something they share limits them", disks, pick(n > 1, " together", ""), en.Rate(v.Without),
			en.Title(f.Other), unit.List(f.Added), en.Rate(v.Rate), Count(n+len(f.Added)), en.Rate(v.Alone))
	case BottleneckValues:
		return en.bottleneck(f.Link)
	case OthersValues:
		off := v.Rate/v.Overlap - 1
		return fmt.Sprintf("by fio's rule (all bytes over the longest job's time) the rate would be %s: %.0f %% %s "+
			"than the %s the disks %s with all of them busy",
			en.Rate(v.Rate), 100*math.Abs(off), pick(off > 0, "more", "less"), en.Rate(v.Overlap), f.Other)
	case ForeignValues:
		// Readings are a second apart, and what is written through the system's cache reaches the device up to
		// a file later than it was counted: of shorter traffic neither the rate nor the ends are sure.
		about := pick(v.ToS-v.FromS < 5, "about ", "")
		return fmt.Sprintf("something else used %s: its own counters show %s more than hubbench moved, "+
			"%s%s from %s%.1f s to %.1f s (close backup, indexing and sync programs, and measure again)",
			disks, byteSize(v.Bytes), about, unit.FormatRate(v.Rate), about, v.FromS, v.ToS)
	case CachedValues:
		return fmt.Sprintf("%.0f %% of what %s read came from a cache: %s were read, but the disk's own counters show "+
			"%s; do not quote this rate as the disk's", 100*v.Share, disks, byteSize(v.Counted), byteSize(v.Device))
	case PercentValues:
		return fmt.Sprintf("your CPU may be the bottleneck, not the disks: its cores were %.0f %% busy (close other "+
			"programs, and measure again)", v.Percent)
	}
	return en.ofDisk(f, p)
}

// ofDisk says what was found of one disk.
func (en english) ofDisk(f *Finding, p *Phase) string {
	d := p.Disks[f.Disk]
	switch f.Code {
	case "partial":
		return partial(f.Disk, f.Other, f.Values)
	case "drops":
		i := slices.IndexFunc(p.StreamTotals, func(t StreamTotal) bool { return t.Disk == f.Disk })
		return outcome(&p.StreamTotals[i], p)
	case "saturation":
		i := slices.IndexFunc(en.Saturations, func(s Saturation) bool { return s.Alone == f.Phase })
		return en.Saturations[i].Text
	case "latency":
		return en.answered(p, f.Disk)
	case "heat":
		return f.Disk + " fell because it was hot: " + hot(d.Throttle.Evidence)
	case "cache_full":
		e := d.Throttle.Evidence
		text := fmt.Sprintf("%s fell because its write cache was full: %s were written by then, and it was as cool as "+
			"before (%.0f °C, at the start %.0f °C)", f.Disk, byteSize(d.Throttle.AtBytes), *e.AtC, *e.StartC)
		if e.SameBudget > 0 {
			text += "; it fell after about as many bytes in " + unit.Plural(e.SameBudget, "more phase")
		}
		return text
	case "throttle":
		end := "to the end"
		if r := d.Throttle.Recovered; r != nil {
			end = fmt.Sprintf("until a pause of %s, after which it was back at %s", unit.FormatSeconds(r.PauseS),
				en.Rate(r.Rate))
		}
		return fmt.Sprintf("%s and stayed there %s, with no other disk involved: %s%s; quote %s",
			en.fell(f.Disk, d.Throttle.Steps), end, cause(&d), en.freed(d.Throttle), en.Rate(d.Quote.Rate))
	case "size_knee":
		k := d.SizeKnee
		return fmt.Sprintf("%s moves files above %s at %s and smaller ones at %s, not counting the fixed time per "+
			"file (p = %.2g)", f.Disk, byteSize(k.AtBytes), en.Rate(k.AboveRate), en.Rate(k.BelowRate), k.P)
	case "bimodal":
		return fmt.Sprintf("%s's files fall into two groups, near %s and %s: do not quote the mean",
			f.Disk, en.Rate(d.Modes[0]), en.Rate(d.Modes[1]))
	}
	return f.Code
}

// quote says what the recommended figure is, and what stands beside it.
func (en english) quote(q *Quote, d *Disk) string {
	switch q.Kind {
	case QuoteLater:
		first, last := d.Throttle.Steps[0], d.Throttle.Steps[len(d.Throttle.Steps)-1]
		return fmt.Sprintf("%s after %s; before that %s for %s",
			en.Rate(q.Rate), byteSize(last.AtBytes), en.Rate(first.FromRate), unit.FormatSeconds(d.Throttle.HeldS))
	case QuoteSettled:
		return en.Rate(q.Rate) + " once its rate had settled"
	case QuoteOverlap:
		return en.Rate(q.Rate) + " with all disks busy"
	default:
		text := en.Rate(q.Rate) + " over time"
		if d.Modes != nil {
			text += fmt.Sprintf("; its files ran near %s or near %s", en.Rate(d.Modes[0]), en.Rate(d.Modes[1]))
		}
		return text
	}
}

// reason says why a recovery's lag is not known.
func reason(r *Recovery) string {
	c := r.Cut
	ended := pick(c.Disk == "", "another disk paused", c.Disk+" "+c.Why)
	if c.Disk == r.Disk {
		ended = "it ended"
	}
	if c.Rose {
		return fmt.Sprintf("it rose %s after %s ended, but %s too soon to see the new rate hold",
			unit.FormatSeconds(c.S), r.After, ended)
	}
	return fmt.Sprintf("%s later, when %s, it still had not reached its baseline", unit.FormatSeconds(c.S), ended)
}

// bottleneck says how much of a link's capacity disks used: "A, B and C together read 3.35 GB/s, 98 % of what
// the hub's uplink (Thunderbolt 4) can carry one way".
func (en english) bottleneck(u *LinkUse) string {
	verb := pick(len(u.Disks) > 1, "together "+string(u.Op), string(u.Op)+"s")
	part := "as much as" // what links carry is known to a few per cent
	if u.Share < 0.995 {
		part = fmt.Sprintf("%.0f %% of what", 100*u.Share)
	}
	link, try := "the link to its enclosure", ": try another cable or port"
	switch u.Segment {
	case hardware.HostPort:
		link = "the host's port"
	case hardware.Uplink:
		link = pick(u.Hub == "", "the hub's uplink", "the uplink of "+u.Hub)
	case hardware.Lanes: // which lie inside the enclosure or the computer
		link, try = "the disk's own link", ""
	}
	text := fmt.Sprintf("%s %s %s, %s %s (%s) can carry one way, about %s",
		unit.List(u.Disks), verb, en.Rate(u.Rate), part, link, u.Link, en.Rate(u.Capacity))
	if u.Could != "" {
		text += fmt.Sprintf("; the link fell back from the %s that both its ends support%s", u.Could, try)
	}
	return text
}

// hot says what speaks for heat.
func hot(e Evidence) string {
	counted := fmt.Sprintf("it reported %s at about that time", unit.Plural(int(e.Events), "throttle event"))
	if e.AtC == nil || e.Stuck {
		return counted
	}
	return fmt.Sprintf("it warmed up from %.0f °C to %.0f °C, and stayed at %.0f °C or less after that%s",
		*e.StartC, *e.AtC, *e.AfterC, pick(e.Events > 0, "; "+counted, ""))
}

// cause is the cause of a disk's throttle in a few words.
func cause(d *Disk) string {
	t := d.Throttle
	switch t.Cause {
	case CauseHeat:
		return "heat"
	case CauseCacheFull:
		return "a full write cache"
	}
	switch e, change := t.Evidence, d.LinkChange; {
	case change != nil && change.ToBps < change.FromBps:
		return fmt.Sprintf("a full cache, heat, or its link, which went from %s to %s",
			hardware.Speed(int64(change.FromBps)), hardware.Speed(int64(change.ToBps)))
	case e.CoresBusy:
		return "a full cache, heat, or the CPU, which was fully busy from about then on"
	case d.Device != nil && d.Device.Foreign != nil:
		return "a full cache, heat, or another program that used it"
	default:
		return "a full cache or heat" + unsettled(t)
	}
}

// unsettled says why the cause stays open; empty where nothing was read.
func unsettled(t *Throttle) string {
	switch e := t.Evidence; {
	case e.Stuck:
		return " (its temperature sensor is stuck)"
	case e.PassedBytes > 0:
		return fmt.Sprintf(" (in another phase it wrote %s without a fall)", byteSize(e.PassedBytes))
	case e.SoonerBytes > 0:
		return fmt.Sprintf(" (in an earlier phase it fell after %s)", byteSize(e.SoonerBytes))
	case e.AtC != nil:
		return fmt.Sprintf(" (%.0f °C at the start, %.0f °C when it fell: not conclusive)", *e.StartC, *e.AtC)
	}
	return ""
}

// freed says what a fall left to the others; empty for nothing.
func (en english) freed(t *Throttle) string {
	if len(t.Freed) == 0 {
		return ""
	}
	var from, to float64
	names := Each(t.Freed, func(f Shift) string { return f.Disk })
	for _, f := range t.Freed {
		from += f.FromRate / float64(len(t.Freed))
		to += f.ToRate / float64(len(t.Freed))
	}
	return fmt.Sprintf("; that freed bandwidth for %s, which rose from %s to %s", unit.List(names), en.Rate(from),
		en.each(to, len(names)))
}
