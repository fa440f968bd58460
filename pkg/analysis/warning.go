package analysis

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// newWarning words a warning, of a disk unless that is empty.
func newWarning(disk, code string, values any, format string, args ...any) Warning {
	w := Warning{Code: code, Disk: disk, Values: values, Text: fmt.Sprintf(format, args...)}
	if disk != "" {
		w.Text = "disk " + disk + ": " + w.Text
	}
	return w
}

// warnings are those of a stage, in the order in which it comes upon them.
type warnings []Warning

// add words one more, of a disk unless that is empty.
func (w *warnings) add(disk, code string, values any, format string, args ...any) {
	*w = append(*w, newWarning(disk, code, values, format, args...))
}

// withoutDisk returns an error that a worker recorded, without the name of its disk, which has been
// said.
func withoutDisk(recorded, disk string) string {
	return strings.TrimPrefix(recorded, "disk "+disk+": ")
}

// failures warns of disks that did not finish their work.
func (p *phase) failures() (all warnings) {
	for _, part := range p.parts {
		d := part.Trace
		name := part.Name()
		w := Warning{Code: "partial", Disk: name}
		switch {
		case len(d.Errors) > 0:
			e := d.Errors[0]
			w.Other = e.Error
			w.Values = PartialValues{AtS: seconds(e.TNS), Seq: float64(e.Seq)}
			w.Text = fmt.Sprintf("disk %s failed %.1f s into the phase, at file %d: %s", name,
				seconds(e.TNS), e.Seq, withoutDisk(e.Error, name))
		case len(d.Open) > 0 && part.HasFiles() && p.trace.Stop != scenario.StopHold &&
			p.trace.Stop != scenario.StopTime: // These cut off the last file.
			w.Text = "disk " + name + " left its last file unfinished; it counts as far as its " +
				"progress is known"
		default:
			continue
		}
		all = append(all, w)
	}
	if p.trace.Status == trace.Partial && len(all) == 0 {
		all.add("", "partial", nil, "the phase ended early")
	}
	return all
}

// stops warns of times in which the machine slept or the run was stopped, and of those in which
// only the worker of a disk was: the rates count them as work.
func (p *phase) stops() (found warnings) {
	all := map[string][]trace.Gauge{} // by disk; the host's have no name
	for _, g := range p.trace.Gauges {
		if g.Name == trace.Stopped && g.Value > 0 {
			all[g.Disk] = append(all[g.Disk], g)
		}
	}
	for _, disk := range slices.Sorted(maps.Keys(all)) {
		what := "everything stopped"
		how := "the computer slept, or hubbench was stopped"
		if disk != "" {
			what = "disk " + disk + " stalled"
			how = "its worker was stopped"
		}
		var stopped StoppedValues
		for _, g := range all[disk] {
			began := seconds(g.TNS) - g.Value
			ended := seconds(g.TNS)
			// What stopped all of it stopped the worker too.
			if disk != "" && slices.ContainsFunc(all[""], func(host trace.Gauge) bool {
				return began < seconds(host.TNS) && seconds(host.TNS)-host.Value < ended
			}) {
				continue
			}
			if stopped.Times == 0 {
				stopped.AtS = max(began, 0)
			}
			stopped.Times++
			stopped.Seconds += g.Value
		}
		if stopped.Times == 0 {
			continue
		}
		if stopped.Times > 1 {
			how += fmt.Sprintf(", %.0f times", stopped.Times)
		}
		found = append(found, Warning{
			Code: "stopped", Disk: disk, Values: stopped,
			Text: fmt.Sprintf("%s for %s at %s: %s; measure this phase again", what,
				unit.FormatSeconds(stopped.Seconds), unit.FormatSeconds(stopped.AtS), how),
		})
	}
	return found
}

// startSkew returns how many seconds apart the disks began, by their first requests; nil if that is
// not known.
func (p *phase) startSkew() (*float64, warnings) {
	if len(p.parts) < 2 {
		return nil, nil
	}
	var late, first []int64
	for _, part := range p.parts {
		if part.Trace.LateNS != nil {
			late = append(late, *part.Trace.LateNS)
		}
		if files := part.Trace.Files; len(files) > 0 {
			first = append(first, files[0].StartNS)
		}
	}
	// The first request is what counts. If there is none of every disk's, or only the model's, the
	// moment in which a worker was released has to do.
	starts := first
	if len(first) < len(p.parts) || p.simulated && len(late) == len(p.parts) {
		starts = late
	}
	if len(starts) < len(p.parts) {
		return nil, nil
	}
	skew := seconds(slices.Max(starts) - slices.Min(starts))
	var apart warnings
	if skew > maxSkewS && !p.simulated {
		apart.add("", "start_skew", SecondsValues{skew},
			"the disks started %s apart; the overlap excludes that time", unit.FormatSeconds(skew))
	}
	return &skew, apart
}
