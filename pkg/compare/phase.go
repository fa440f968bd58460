package compare

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/trace"
)

// newPhase returns a phase that is in all runs, without its rates.
func newPhase(base *matchedRun, b *matchedPhase, others []*matchedRun) PhasePair {
	n := others[0].part(b.name)
	out := PhasePair{
		Name:       b.name,
		Title:      b.title(),
		Rates:      []Rate{},
		Recoveries: recoveries(b.result, n.result),
		Work:       b.works,
	}
	if n.ownName != b.name {
		out.NewPhase = n.ownName
	}
	for _, other := range others {
		ofRun := " of " + other.Label
		repeats := other.part(b.name).repeats
		var missing []string
		wasCut := len(repeats) < len(b.repeats) && other.Trace.Status == trace.Partial
		neverTogether := false
		for _, repeat := range repeats {
			for _, disk := range lost(base, b, repeat) {
				if !slices.Contains(missing, disk) {
					missing = append(missing, disk)
					out.losses = append(out.losses, disk+" ("+out.Title+")"+ofRun)
				}
			}
			wasCut = wasCut || repeat.traced.Status == trace.Partial
			neverTogether = neverTogether || len(repeat.window) == 0 && len(b.window) > 0
		}
		switch {
		case missing != nil:
		case wasCut:
			out.losses = append(out.losses, strconv.Quote(out.Title)+ofRun+", which was cut short")
		case neverTogether:
			out.losses = append(out.losses, strconv.Quote(out.Title)+ofRun+": "+neverAtOnce)
		}
		out.Lost = append(out.Lost, missing...)
		out.Incomplete = out.Incomplete || wasCut
		out.neverTogether = out.neverTogether || neverTogether
	}
	sameRoles := 0
	for _, disk := range base.Analysis.Order {
		if role := b.result.Roles[disk]; role == "" || role == trace.Idle ||
			n.result.Roles[disk] != role {
			continue
		}
		sameRoles++
		unlike := b.unlike(n, disk)
		switch out.Unlike = append(out.Unlike, unlike...); {
		case len(unlike) == 0:
			out.disks = append(out.disks, disk)
		case !slices.Contains(out.Lost, disk):
			out.losses = append(
				out.losses,
				disk+" ("+out.Title+") of "+others[0].Label+", whose work differs",
			)
		}
	}
	out.window = len(out.disks) > 1 && len(out.disks) == len(b.traced.Disks) &&
		len(out.disks) == len(n.traced.Disks)
	switch {
	case sameRoles == 0:
		out.Reason = "no disk has the same role in both runs"
	case len(b.window) == 0:
		out.Reason = "in the base, " + neverAtOnce
	case out.neverTogether:
		out.Reason = neverAtOnce
	case len(out.disks) == 0:
		out.Reason = "no disk has the same work in both runs"
	}
	return out
}

// recoveries matches recoveries by the disk and by the one that ended before.
func recoveries(base, other *analysis.PhaseResult) []Recovery {
	list := []Recovery{}
	for _, r := range base.Recoveries {
		list = append(list, Recovery{Disk: r.Disk, Op: r.Op, After: r.After, BaseLagS: r.LagS})
	}
	for _, r := range other.Recoveries {
		i := 0
		for i < len(list) && (list[i].Disk != r.Disk || list[i].After != r.After) {
			i++
		}
		if i == len(list) {
			list = append(list, Recovery{Disk: r.Disk, Op: r.Op, After: r.After})
		}
		list[i].LagS = r.LagS
	}
	return list
}

// whyNotRepeats is why the runs of a side are not repeats of one another in a phase; empty if they
// are.
func whyNotRepeats(runs []*matchedRun, phase string) string {
	a := runs[0].part(phase)
	for i, r := range runs[1:] {
		b := r.part(phase)
		for _, d := range a.traced.Disks {
			if b == nil {
				continue
			}
			for _, key := range a.differs(b, d.Name) {
				return fmt.Sprintf(
					"run %d of a side is not a repeat of the first: %s of %s is %s, not %s",
					i+2,
					key,
					d.Name,
					b.works[d.Name].Value(key),
					a.works[d.Name].Value(key),
				)
			}
		}
	}
	return ""
}

// Where a variation is known from.
const (
	FromRuns    = "runs"
	FromHistory = "history"
	FromRepeats = "repeats"
)
