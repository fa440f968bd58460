package compare

import (
	"fmt"
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
)

// newPhase compares the rates and recoveries of a phase that is in both runs.
func newPhase(base, other Run, name string) Phase {
	b, n := newPart(base, name), newPart(other, name)
	out := Phase{Phase: name, Title: b.found.Title, NewPhase: other.called[name], Rates: []Rate{},
		Recoveries: recoveries(b.found, n.found), Lost: lost(base, b, n), Incomplete: n.traced.Status == trace.Partial}
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
		if !before.works[disk].Limited() && !after.works[disk].Limited() {
			rates = append(rates, fileRate(b.files(disk), n.files(disk)))
		}
		for _, r := range rates {
			r.Disk, r.Op = disk, b.found.Roles[disk]
			out.Rates = append(out.Rates, r)
		}
	}
	out.Latencies = latencies(b, n, disks)
	if len(disks) > 1 && len(disks) == len(b.traced.Disks) && len(disks) == len(n.traced.Disks) {
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

// part is a phase of one run, with the data of its rates.
type part struct {
	found  *analysis.Phase
	traced *trace.Phase
	window []overlap.Interval        // the time in which all disks of the phase were active
	curves map[string]*overlap.Curve // of the disks whose rates were asked for
	flows  map[string]stats.Flow     // and their rates in the window
}

// disks are those that work.
func (p part) disks() []string {
	var names []string
	for _, d := range p.traced.Disks {
		names = append(names, d.Name)
	}
	return names
}

func newPart(r Run, name string) part {
	found, traced := r.phase(name)
	p := part{found: found, traced: traced, curves: map[string]*overlap.Curve{}, flows: map[string]stats.Flow{}}
	if found.Overlap != nil {
		for _, span := range found.Overlap.Spans {
			p.window = append(p.window, overlap.Interval{StartNS: ns(span[0]), EndNS: ns(span[1])})
		}
	}
	return p
}

func ns(seconds float64) int64 { return int64(math.Round(seconds * 1e9)) }

// flow is the rate that some disks have together in a time in which all are active.
func (p part) flow(disks []string, time []overlap.Interval) stats.Flow {
	flows := make([]stats.Flow, len(disks))
	for i, disk := range disks {
		if p.curves[disk] == nil {
			p.curves[disk] = overlap.NewCurve(p.traced.Disk(disk))
		}
		var known bool
		whole := slices.Equal(time, p.window)
		if flows[i], known = p.flows[disk]; !known || !whole {
			flows[i] = p.curves[disk].Flow(time)
		}
		if whole {
			p.flows[disk] = flows[i]
		}
	}
	return stats.Total(flows)
}

// doubt says why a flow is too little evidence; empty if it is enough.
func doubt(f stats.Flow) string {
	switch {
	case f.Length < overlap.ShortS:
		return fmt.Sprintf("only %.1f s were measured", f.Length)
	case f.Doubt() == stats.TooShort:
		return fmt.Sprintf("the progress is known at only %d points in time", f.Known+1)
	case f.Doubt() == stats.TooFew:
		return "one or two files took almost all of the time, so how files differ is not known"
	default:
		return ""
	}
}

// file is a transfer that lies in the window.
type file struct {
	place int // among all the disk's files, even those outside the window
	bytes int64
	rate  float64 // its logarithm
}

// files are the disk's files that lie in the window and do not overlap another file of the disk.
func (p part) files(disk string) []file {
	var files []file
	d, place, ended := p.traced.Disk(disk), -1, int64(math.MinInt64)
	for i := range d.Files {
		f := &d.Files[i]
		if f.Filler || !f.Usable() {
			continue
		}
		place++
		alone := f.StartNS >= ended && (i+1 == len(d.Files) || d.Files[i+1].StartNS >= f.EndNS)
		ended = max(ended, f.EndNS)
		within := func(v overlap.Interval) bool { return v.StartNS <= f.StartNS && f.EndNS <= v.EndNS }
		if alone && slices.ContainsFunc(p.window, within) {
			files = append(files, file{place, f.Bytes, math.Log(float64(f.Bytes) / float64(f.EndNS-f.StartNS) * 1e9)})
		}
	}
	return files
}
