package analysis

import (
	"fmt"
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/unit"
)

// disk reports what was found of one disk.
func (f *finder) disk(name string, d DiskResult) {
	if l := d.Latency; l != nil && l.Longer != nil {
		c := l.Longer
		from, to := float64(c.FromNS), float64(c.ToNS)
		f.add(Finding{
			Code: "latency", Disk: name, Other: l.AloneFrom, Weight: 0.8 * (1 - 1/c.Times),
			Values: LatencyValues{FromNS: from, ToNS: to, Times: c.Times, Quantile: c.Quantile},
		}, "%s", f.answered(f.phase, name))
	}
	steps := slices.ContainsFunc(f.found, func(g Finding) bool {
		return g.Code == "saturation" && g.Disk == name
	})
	if d.Throttle != nil && (f.phase.Saturation == nil || !steps) { // These are one finding.
		f.throttle(name, &d)
	}
	if k := d.SizeKnee; k != nil {
		f.add(Finding{
			Code: "size_knee", Disk: name, Weight: min(1, math.Abs(k.AboveRate/k.BelowRate-1)) / 2,
		}, "%s moves files above %s at %s and smaller ones at %s, not counting the fixed time per "+
			"file (p = %.2g)", name, byteSize(k.AtBytes), f.Rate(k.AboveRate), f.Rate(k.BelowRate),
			k.P)
	}
	if d.Modes != nil && d.Throttle == nil && len(f.phase.Disks) == 1 {
		low, high := d.Modes[0], d.Modes[1]
		f.add(Finding{Code: "bimodal", Disk: name, Weight: 0.3 * (1 - low/high)},
			"%s's files fall into two groups, near %s and %s: do not quote the mean", name,
			f.Rate(low), f.Rate(high))
	}
}

// throttle reports a disk's lasting fall, and its cause if that is known.
func (f *finder) throttle(name string, d *DiskResult) {
	t := d.Throttle
	e := &d.Throttle.Evidence
	cause := "a full cache or heat"
	because := ""
	switch change := d.LinkChange; {
	case t.Cause == CauseHeat:
		cause = "heat"
		counted := fmt.Sprintf("it reported %s at about that time",
			unit.Plural(int(e.Events), "throttle event"))
		because = "it was hot: " + counted
		if e.AtC != nil && !e.Stuck {
			because = fmt.Sprintf("it was hot: it warmed up from %.0f °C to %.0f °C, and stayed "+
				"at %.0f °C or less after that%s", *e.StartC, *e.AtC, *e.AfterC,
				pick(e.Events > 0, "; "+counted, ""))
		}
	case t.Cause == CauseCacheFull:
		cause = "a full write cache"
		because = fmt.Sprintf("its write cache was full: %s were written by then, and it was as "+
			"cool as before (%.0f °C, at the start %.0f °C)", byteSize(t.AtBytes), *e.AtC,
			*e.StartC)
		if e.SameBudget > 0 {
			because += "; it fell after about as many bytes in " +
				unit.Plural(e.SameBudget, "more phase")
		}
	case t.Cause == CauseLink:
		cause = "its link, which may have fallen back to USB 2 (check its cable and port)"
	case change != nil && change.ToBps < change.FromBps:
		cause = fmt.Sprintf("a full cache, heat, or its link, which went from %s to %s",
			hardware.Speed(int64(change.FromBps)), hardware.Speed(int64(change.ToBps)))
	case e.CoresBusy:
		cause = "a full cache, heat, or the CPU, which was fully busy from about then on"
	case d.Device != nil && d.Device.Foreign != nil:
		cause = "a full cache, heat, or another program that used it"
	case e.Stuck:
		cause += " (its temperature sensor is stuck)"
	case e.PassedBytes > 0:
		cause += " (in another phase it wrote " + byteSize(e.PassedBytes) + " without a fall)"
	case e.SoonerBytes > 0:
		cause += " (in an earlier phase it fell after " + byteSize(e.SoonerBytes) + ")"
	case e.AtC != nil:
		cause += fmt.Sprintf(" (%.0f °C at the start, %.0f °C when it fell: not conclusive)",
			*e.StartC, *e.AtC)
	}
	fall := 1 - t.ToRate/t.FromRate
	end := "to the end"
	if r := t.Recovered; r != nil {
		end = fmt.Sprintf("until a pause of %s, after which it was back at %s",
			unit.FormatSeconds(r.PauseS), f.Rate(r.Rate))
	}
	f.add(Finding{Code: "throttle", Disk: name, Weight: 1 + fall},
		"%s and stayed there %s, with no other disk involved: %s%s%s", f.fell(name, t.Steps), end,
		cause, f.freedText(t), pick(t.Cause == CauseLink, "", "; quote "+f.Rate(d.Quote.Rate)))
	if because != "" { // It comes just behind the fall itself.
		f.add(Finding{Code: t.Cause, Disk: name, Weight: 0.9 + fall},
			"%s fell because %s", name, because)
	}
}

// freedText says what a fall left to the others; empty for nothing.
func (w writer) freedText(t *Throttle) string {
	if len(t.NeighbourGains) == 0 {
		return ""
	}
	from := meanOf(t.NeighbourGains, func(s Shift) float64 { return s.FromRate })
	to := meanOf(t.NeighbourGains, func(s Shift) float64 { return s.ToRate })
	names := Each(t.NeighbourGains, func(s Shift) string { return s.Disk })
	return fmt.Sprintf("; that freed bandwidth for %s, which rose from %s to %s", unit.List(names),
		w.Rate(from), w.each(to, len(names)))
}

// reason says why a recovery's lag is not known.
func reason(r *Recovery) string {
	c := r.Cut
	ended := pick(c.Disk == "", "another disk paused", c.Disk+" "+c.Why)
	if c.Disk == r.Disk {
		ended = "it ended"
	}
	after := unit.FormatSeconds(c.AfterS)
	if c.Rose {
		return fmt.Sprintf("it rose %s after %s ended, but %s too soon to see the new rate hold",
			after, r.After, ended)
	}
	return fmt.Sprintf("%s later, when %s, it still had not reached its baseline", after, ended)
}
