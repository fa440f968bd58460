package say

import (
	"fmt"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/unit"
)

// datedS is how long, in seconds, foreign traffic must go on for its rate and its ends to be told by readings a second apart:
// what is written through the system's cache reaches the device up to a file later than it was counted.
const datedS = 5

// gauged says what the machine's own meters found, beside what was counted.
func (en english) gauged(f *analysis.Finding, p *analysis.Phase) string {
	switch v := f.Values.(type) {
	case analysis.ForeignValues:
		about := ""
		if v.ToS-v.FromS < datedS {
			about = "about "
		}
		return fmt.Sprintf("something else used %s: by its own counters it moved %s more than hubbench had it move, %s%s from %s%.1f s to %.1f s (close backup, indexing and sync programs, and measure again)",
			unit.List(f.Disks), unit.FormatBytes(int64(v.Bytes)), about, unit.FormatRate(v.Rate), about, v.FromS, v.ToS)
	case analysis.CachedValues:
		return fmt.Sprintf("%.0f %% of what %s read came from a cache: %s were read, and by its own counters the disk gave %s; do not quote the rate as the disk's",
			100*v.Share, unit.List(f.Disks), unit.FormatBytes(int64(v.Counted)), unit.FormatBytes(int64(v.Device)))
	case analysis.PercentValues:
		return fmt.Sprintf("the computer's cores were %.0f %% busy while the disks worked: the rates may be its limit and not the disks' (close other programs, and measure again)", v.Percent)
	}
	switch f.Code {
	case "heat":
		return f.Disk + " fell because it was hot: " + hot(p.Disks[f.Disk].Throttle.Evidence)
	case "cache_full":
		t := p.Disks[f.Disk].Throttle
		return f.Disk + " fell because its write cache was full: " + full(t)
	default:
		return f.Code
	}
}

// hot says what speaks for heat.
func hot(e analysis.Evidence) string {
	if e.AtC == nil || e.Stuck {
		return fmt.Sprintf("it counted %s itself about then", unit.Plural(int(e.Events), "throttle"))
	}
	text := fmt.Sprintf("it warmed up from %.0f °C to %.0f °C, and stayed at %.0f °C or less after that", *e.StartC, *e.AtC, *e.AfterC)
	if e.Events > 0 {
		text += fmt.Sprintf("; it counted %s itself about then", unit.Plural(int(e.Events), "throttle"))
	}
	return text
}

// full says what speaks for a full cache.
func full(t *analysis.Throttle) string {
	e := t.Evidence
	text := fmt.Sprintf("%s were written by then, and it was as cool as before (%.0f °C, at the start %.0f °C)", unit.FormatBytes(int64(t.AtBytes)), *e.AtC, *e.StartC)
	if e.SameBudget > 0 {
		text += "; it fell after about as many bytes in " + unit.Plural(e.SameBudget, "more phase")
	}
	return text
}

// cause is the cause of a disk's throttle in a few words.
func cause(d *analysis.Disk) string {
	t := d.Throttle
	switch t.Cause {
	case analysis.CauseHeat:
		return "heat"
	case analysis.CauseCacheFull:
		return "a full write cache"
	}
	switch e, change := t.Evidence, d.LinkChange; {
	case change != nil && change.ToBps < change.FromBps:
		return fmt.Sprintf("a full cache, heat, or its link, which went from %s to %s", hardware.Speed(int64(change.FromBps)), hardware.Speed(int64(change.ToBps)))
	case e.CoresBusy:
		return "a full cache, heat, or the computer, whose cores had nothing to spare from about then on"
	case d.Device != nil && d.Device.Foreign != nil:
		return "a full cache, heat, or what else used it"
	default:
		return "a full cache or heat" + unsettled(t)
	}
}

// unsettled says why the cause stays open; empty where nothing was read.
func unsettled(t *analysis.Throttle) string {
	switch e := t.Evidence; {
	case e.Stuck:
		return " (its temperature never moves, so it tells nothing)"
	case e.PassedBytes > 0:
		return fmt.Sprintf(" (in another phase it wrote %s without a fall)", unit.FormatBytes(int64(e.PassedBytes)))
	case e.SoonerBytes > 0:
		return fmt.Sprintf(" (in an earlier phase it fell after %s)", unit.FormatBytes(int64(e.SoonerBytes)))
	case e.AtC != nil:
		return fmt.Sprintf(" (%.0f °C at the start, %.0f °C when it fell: that does not tell)", *e.StartC, *e.AtC)
	}
	return ""
}

// freed says what a fall left to the others; empty for nothing.
func (en english) freed(t *analysis.Throttle) string {
	if len(t.Freed) == 0 {
		return ""
	}
	var names []string
	var from, to float64
	for _, f := range t.Freed {
		names = append(names, f.Disk)
		from += f.FromRate / float64(len(t.Freed))
		to += f.ToRate / float64(len(t.Freed))
	}
	return fmt.Sprintf("; that left more to %s, which rose from %s to %s", unit.List(names), en.Rate(from), en.each(to, len(names)))
}
