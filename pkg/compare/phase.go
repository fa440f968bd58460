package compare

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/trace"
)

// newPhase is a phase that is in all runs, without its rates.
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
		of, all := " of "+other.Label, other.part(b.name).repeats
		var gone []string
		cut := len(all) < len(b.repeats) && other.Trace.Status == trace.Partial
		apart := false
		for _, again := range all {
			for _, disk := range lost(base, b, again) {
				if !slices.Contains(gone, disk) {
					gone = append(gone, disk)
					out.losses = append(out.losses, disk+" ("+out.Title+")"+of)
				}
			}
			cut = cut || again.traced.Status == trace.Partial
			apart = apart || len(again.window) == 0 && len(b.window) > 0
		}
		switch {
		case gone != nil:
		case cut:
			out.losses = append(out.losses, strconv.Quote(out.Title)+of+", which was cut short")
		case apart:
			out.losses = append(out.losses, strconv.Quote(out.Title)+of+": "+neverAtOnce)
		}
		out.Lost = append(out.Lost, gone...)
		out.Incomplete = out.Incomplete || cut
		out.neverTogether = out.neverTogether || apart
	}
	alike := 0
	for _, disk := range base.Analysis.Order {
		if role := b.result.Roles[disk]; role == "" || role == trace.Idle ||
			n.result.Roles[disk] != role {
			continue
		}
		alike++
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
	case alike == 0:
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
