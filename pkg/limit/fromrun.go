package limit

import (
	"math"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// FromRun are limits that a good run holds, with room for its noise: rates may be lower by three
// half-widths of their interval or 5 %, whichever is more, what takes time may take half as long
// again, and no frame may be late if none was. What a disk keeps and how it recovers is measured
// after others have ended, and limited only if it is slowed by them: of disks that share evenly it
// is chance which one ends last.
func FromRun(a *analysis.Analysis) []scenario.Limit {
	var list []scenario.Limit
	seen := map[string]bool{}
	for i := range a.Phases {
		p := &a.Phases[i]
		name := trace.Unnumbered(p.Name)
		if p.Search != nil || seen[name] {
			continue
		}
		seen[name] = true
		for _, disk := range append([]string{""}, a.Order...) {
			for _, m := range scenario.Measures() {
				if m.Phases != (disk == "") || disk != "" && !isBusy(p, disk) {
					continue
				}
				if l := limitOf(p, disk, m.Name); l.Min != nil || l.Max != nil {
					l.Phase = name
					l.Disk = disk
					l.Measure = m
					list = append(list, l)
				}
			}
		}
	}
	return list
}

// limitOf has the bounds of one measure that a phase holds with room for its noise, or none.
func limitOf(p *analysis.PhaseResult, disk, name string) (l scenario.Limit) {
	r := Result{Measure: name, Disk: disk}
	e := r.measure(p)
	value := r.Value
	if value == nil {
		return l
	}
	slowed := p.Contention != nil &&
		(p.Contention.Disks[disk].Slowed || p.Contention.Disks[disk].Reference == "solo")
	room := 0.05 * *value
	if e.Known() {
		ci := e.Interval()
		room = max(room, 1.5*(math.Exp(ci[1])-math.Exp(ci[0])))
	}
	least := max(0, *value-room)
	most := 1.5**value + room
	switch {
	case (name == "kept" || name == "recovery") && !slowed:
	case name == "late_frames":
		most = 2 * *value
		l.Max = &most
	case name == "p99" && e.Known() || name == "recovery":
		l.Max = &most
	case name != "share" && name != "p99" && e.Known() && least > 0:
		// Without an interval nothing could be judged.
		l.Min = &least
	}
	return l
}
