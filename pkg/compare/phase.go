package compare

import (
	"slices"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/trace"
)

// newPhase compares the rates and recoveries of a phase that is in both runs.
func newPhase(base, other Run, name string) Phase {
	b, n := newPart(base, name), newPart(other, name)
	out := Phase{Phase: name, Title: b.found.Title, NewPhase: other.called[name], Rates: []Rate{}, Recoveries: recoveries(b.found, n.found), Lost: lost(base, b, n), Incomplete: n.traced.Status == trace.Partial}
	disks := shared(base, b.found, n.found)
	switch {
	case len(disks) == 0:
		out.Reason = "no disk has the same role in both runs"
	case len(b.window) == 0:
		out.Reason = "in the base, the disks never worked all at once"
	case len(n.window) == 0:
		out.Unmeasured = true
		out.Reason = "the disks never worked all at once"
	}
	before, after := base.asked(b.traced), other.asked(n.traced)
	out.Work = before.works
	disks = slices.DeleteFunc(disks, func(disk string) bool {
		unlike := before.unlike(after, disk)
		out.Unlike = append(out.Unlike, unlike...)
		return len(unlike) > 0
	})
	if out.Reason == "" && len(disks) == 0 {
		out.Reason = "no disk has the same work in both runs"
	}
	if out.Reason != "" {
		return out
	}
	for _, disk := range disks {
		rates := windowRates(b, n, []string{disk})
		if !before.limited(after, disk) {
			rates = append(rates, fileRate(b.files(disk), n.files(disk)))
		}
		for _, r := range rates {
			r.Disk, r.Op = disk, b.found.Roles[disk]
			out.Rates = append(out.Rates, r)
		}
	}
	out.Latencies = latencies(b, n, disks)
	if len(disks) > 1 && len(disks) == len(b.curves) && len(disks) == len(n.curves) {
		out.Rates = append(out.Rates, windowRates(b, n, disks)...)
	}
	return out
}

// windowRates compares the rate that some disks have together in the window, and its levels.
func windowRates(b, n part, disks []string) []Rate {
	base, other := b.flow(disks, b.window), n.flow(disks, n.window)
	return append([]Rate{flowRate(Window, base, other)}, levelRates(b, n, disks, base, other)...)
}

// shared are the disks that work in the phase in the same direction in both runs, in the base's order.
func shared(base Run, b, n *analysis.Phase) []string {
	var disks []string
	for _, name := range base.Analysis.Order {
		role := b.Roles[name]
		if (role == trace.Read || role == trace.Write) && n.Roles[name] == role {
			disks = append(disks, name)
		}
	}
	return disks
}

// recoveries matches recoveries by the disk and by the one that ended before.
func recoveries(base, other *analysis.Phase) []Recovery {
	type key struct{ disk, after string }
	list := []Recovery{}
	at := map[key]int{}
	for _, r := range base.Recoveries {
		at[key{r.Disk, r.After}] = len(list)
		list = append(list, Recovery{Disk: r.Disk, Op: r.Op, After: r.After, BaseLagS: r.LagS})
	}
	for _, r := range other.Recoveries {
		i, ok := at[key{r.Disk, r.After}]
		if !ok {
			i = len(list)
			list = append(list, Recovery{Disk: r.Disk, Op: r.Op, After: r.After})
		}
		list[i].LagS = r.LagS
	}
	return list
}
