package analysis

import (
	"fmt"
	"strings"

	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/unit"
)

// warnings fills in the texts of a phase's warnings, or of a run's where p is nil.
func (en english) warnings(list []Warning, p *Phase) {
	for i := range list {
		list[i].Text = en.warning(&list[i], p)
	}
}

func (en english) warning(w *Warning, p *Phase) string {
	disk := "disk " + w.Disk + ": "
	switch v := w.Values.(type) {
	case StoppedValues:
		return stopped(w.Disk, v)
	case HostLateValues:
		what := pick(v.Late > 0, "its dropped frames", "its low buffer")
		return disk + fmt.Sprintf("%s may be the computer's fault, not the disk's: it was busy or asleep, and served "+
			"the streams up to %s late", what, unit.FormatSeconds(v.Seconds))
	case RequestsValues:
		return disk + unit.Plural(int(v.Requests), "request") +
			" were due and could not be made before the phase ended: its latencies are without them, and would be longer " +
			"with them"
	case StagesValues:
		return fmt.Sprintf("the disks start and pause so often that there are %.0f stages; the first %.0f are "+
			"listed", v.Stages, v.Listed)
	case SecondsValues:
		return map[string]string{
			"start_skew": fmt.Sprintf("the disks started %s apart; the overlap excludes that time",
				unit.FormatSeconds(v.Seconds)),
			"thin_window": fmt.Sprintf("the overlap is only %s long: too short for the rates to settle; give the disks "+
				"more to do", unit.FormatSeconds(v.Seconds)),
			"no_interval": fmt.Sprintf("no error bars: the overlap is only %s long, and a stall may fill so short a "+
				"time or be missing from it", unit.FormatSeconds(v.Seconds)),
		}[w.Code]
	case MomentsValues:
		return disk + fmt.Sprintf("no error bars: its progress is known at only %.0f moments of the overlap", v.Moments)
	case FilesValues:
		return disk + map[string]string{
			"no_interval": "no error bars: one or two files took almost all of its time in the overlap, so how files " +
				"differ cannot be seen; move more files, or smaller ones",
			"unusable_files": fmt.Sprintf("%.0f of %.0f files have no bytes, or end no later than they start; they "+
				"are left out", v.Files, v.Of),
			"overlapping_files": fmt.Sprintf("%.0f of %.0f files overlap others of the same disk: their bytes count, as "+
				"of files in flight together, but their own rates are left out of the mean, the median and the rest; if "+
				"these are two phases of one name, give each its own name", v.Files, v.Of),
			"few_files": unit.Plural(int(v.Files), "file") + ": too few to judge the spread of the rates by",
		}[w.Code]
	case ShareValues:
		return map[string]string{
			"cached": disk + fmt.Sprintf("its requests bypassed the cache, yet %.0f %% of its files were in the cache "+
				"afterwards: its rate may be that of RAM", 100*v.Share),
			"edges": fmt.Sprintf("some files cross the overlap's edges; their bytes are estimated to %.0f %%", 100*v.Share),
		}[w.Code]
	case MostValues:
		over := pick(w.Other == "", "through one hub is more than any hub's link carries",
			"over "+w.Other+" is more than the bare line carries")
		return fmt.Sprintf("%s %s (%s): some of it came from or went to a cache, not the disks", en.Rate(v.Rate),
			over, en.Rate(v.Most))
	case WindowValues:
		return disk + fmt.Sprintf("its rate was not steady when the phase ended (SNIA PTS, %s windows), so no steady "+
			"rate is given", unit.FormatSeconds(v.WindowS))
	case UnfallenValues:
		return disk + fmt.Sprintf("it wrote at a steady %s and never slowed in %s: its fast cache may not be full "+
			"yet; preset: saturation finds where it ends", en.Rate(v.Rate), byteSize(v.Bytes))
	case SizeValues:
		return disk + fmt.Sprintf("its rate changes at files of %s, but the files came in order of size: it may as "+
			"well have changed with time", byteSize(v.AtBytes))
	case ModesValues:
		return disk + fmt.Sprintf("its files fall into two groups, near %s and %s; the mean of %s describes neither",
			en.Rate(v.Low), en.Rate(v.High), en.Rate(v.Mean))
	case LinkChange:
		when := "before this phase"
		if v.AtS > 0 {
			when = fmt.Sprintf("%.1f s into the phase", v.AtS)
		}
		return disk + fmt.Sprintf("its link went from %s to %s %s: rates before and after that do not compare "+
			"(check its cable and port)",
			hardware.Speed(int64(v.FromBps)), hardware.Speed(int64(v.ToBps)), when)
	}
	return coded(w, p)
}

// coded is a warning that has no numbers but for its code.
func coded(w *Warning, p *Phase) string {
	switch w.Code {
	case "partial":
		if p == nil {
			return "the run ended early: phases may be missing or incomplete"
		}
		return partial(w.Disk, w.Other, w.Values)
	case "trace":
		return w.Other
	case "unlike_work":
		return "disk " + w.Disk + ": phases that look alike differ in its work (" + w.Other +
			"): neither is the other's baseline or repeat; give the disk the same work alone and with others"
	case "no_overlap":
		return "no overlap: " + noOverlap(p.NoOverlap)
	case "competitor_display":
		return named(w.Other, "a display") + " on the same hub: its picture has priority over the disks' data on " +
			"the hub's uplink"
	case "competitor_network":
		return named(w.Other, "a network adapter") + " on the same hub and shares its uplink with the disks"
	default:
		return w.Code
	}
}

// partial says what went unfinished: the run, the phase, or a disk's work.
func partial(disk, cause string, values any) string {
	switch v, _ := values.(PartialValues); {
	case cause != "":
		return fmt.Sprintf("disk %s failed %.1f s into the phase, at file %.0f: %s", disk, v.AtS, v.Seq,
			strings.TrimPrefix(cause, "disk "+disk+": ")) // which has been said
	case disk != "":
		return fmt.Sprintf("disk %s left its last file unfinished; it counts as far as its progress is known", disk)
	default:
		return "the phase ended early"
	}
}

// noOverlap says why the disks of a phase were never active together.
func noOverlap(n *NoOverlap) string {
	switch {
	case n == nil || len(n.Disks) == 0 && n.BeganS == 0:
		return "the disks' pauses left no moment in which all were active"
	case len(n.Disks) == 2 && n.BeganS > 0:
		return fmt.Sprintf("disk %s ended at %.1f s, before disk %s began at %.1f s", n.Disks[0], n.EndedS,
			n.Disks[1], n.BeganS)
	default:
		return fmt.Sprintf("disk %s moved nothing", unit.List(n.Disks))
	}
}

// named says that a device is there, by its name where that is known.
func named(name, kind string) string {
	return pick(name == "", kind+" is", name+" is "+kind)
}

func stopped(disk string, v StoppedValues) string {
	what, how := "everything stopped", "the computer slept, or hubbench was stopped"
	if disk != "" {
		what, how = "disk "+disk+" stalled", "its worker was stopped"
	}
	if v.Times > 1 {
		how += fmt.Sprintf(", %.0f times", v.Times)
	}
	return fmt.Sprintf("%s for %s at %s: %s; measure this phase again", what, unit.FormatSeconds(v.Seconds),
		unit.FormatSeconds(v.AtS), how)
}
