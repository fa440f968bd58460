package analysis

import (
	"cmp"
	"slices"

	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/quantile"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
	"github.com/hubbench/hubbench/pkg/work"
)

// Latency is how long a disk's requests took, from when each was handed to the system until it was done: those of its
// role's direction, in the overlap, or in all its time if there is none. Those of a probe, of streams and at a pace
// count from when they were due, however late they began.
//
// A latency line of the trace counts the requests that ended since the line before, about a second. It belongs to the
// overlap if that time lies within one of its spans, give or take a hundredth of a second: what ended about the edges
// counts nowhere.
type Latency struct {
	quantile.Figures
	// Of the disk alone at the same work; null if that was not recorded.
	Alone     *quantile.Figures `json:"alone"`
	AloneFrom string            `json:"alone_from,omitempty"` // the phases of it
	// Of a disk that does not go as fast as it can: null if noise may have made the difference.
	Longer *quantile.Change `json:"longer,omitempty"`
	Note   string           `json:"note,omitempty"` // why a figure is null
}

// latenciesAlone are those of the disks alone, by their jobs.
func (r *run) latenciesAlone() solos {
	r.eachDisk(func(_ *phase, part *part) { part.lines = quantile.Lines(part.Trace, part.Active) })
	alone := slices.DeleteFunc(slices.Clone(r.phases), func(p *phase) bool {
		return len(p.parts) != 1 || len(p.parts[0].lines) == 0
	})
	solos, groups := newSolos(alone)
	for i, group := range groups {
		var lines []quantile.Line
		for _, p := range group {
			lines = append(lines, p.parts[0].lines...)
		}
		solos[i].Figures, solos[i].found = quantile.Estimate(lines)
	}
	return solos
}

// latencies reports how long the disks' requests took, beside what they take alone.
func (r *run) latencies() {
	solos := r.latenciesAlone()
	// Noise alone may make one quantile of one disk longer than alone with a chance of alpha: the median and p99 are
	// compared of each disk that is known alone.
	compared := 0
	for _, p := range r.phases {
		for _, g := range p.trace.Gauges {
			if g.Name == trace.LeftOut && g.Value > 0 {
				p.warnOf(g.Disk, Warning{Code: "left_out", Values: RequestsValues{g.Value},
					Text: unit.Plural(int(g.Value), "request") + " were due and could not be made before the phase ended: its " +
						"latencies are without them, and would be longer with them"})
			}
		}
		for _, part := range p.parts {
			if len(p.parts) > 1 && part.Limited() && solos.find(part.job) != nil {
				compared++
			}
		}
	}
	alpha := chance / float64(2*max(compared, 1))
	r.eachDisk(func(p *phase, part *part) {
		if len(part.lines) == 0 {
			return
		}
		if part.in = part.lines; len(p.window) > 0 {
			part.in = quantile.Within(part.lines, p.window)
		}
		figures, found := quantile.Estimate(part.in)
		l := &Latency{Figures: figures}
		if by := solos.find(part.job); by != nil && len(p.parts) > 1 {
			l.Alone, l.AloneFrom = &by.Figures, by.from()
			if part.Limited() { // of the others, it says what their rates say
				l.Longer = cmp.Or(found[1].Longer(by.found[1], alpha), found[0].Longer(by.found[0], alpha))
			}
		}
		l.Note = note(l)
		part.out.Latency = l
	})
}

// LatencyRow is how long one disk's requests took while one set of others worked: of the stages of all phases in which
// just these did, as far as latency lines lie within them. A search's tries are left out: each is other work.
type LatencyRow struct {
	Disk   string                `json:"disk"`
	Op     trace.Role            `json:"op"`
	Beside map[string]trace.Role `json:"beside"` // who else worked; none: it worked alone
	// Of all these, those that do not go as fast as they can.
	Paced      map[string]work.Work `json:"paced,omitempty"`
	Connection string               `json:"connection,omitempty"` // the disk's
	Test       string               `json:"test,omitempty"`
	Phases     []string             `json:"phases"` // where that was recorded
	quantile.Figures
}

// occasion is what was recorded of a disk's requests while one set of disks worked.
type occasion struct {
	phase *phase
	disk  *part
	jobs  []job // the disk's, and those of the others in the run's order
	lines []quantile.Line
}

// occasions are what was recorded of each disk's requests in the stages of the phase, by who else worked.
func (p *phase) occasions() (all []occasion) {
	if !slices.ContainsFunc(p.parts, func(part *part) bool { return len(part.lines) > 0 }) {
		return nil
	}
	sets := grouped(p.stages, func(s, t overlap.Stage) bool { return slices.Equal(s.Active, t.Active) })
	for i, part := range p.parts {
		for _, stages := range sets {
			if !slices.Contains(stages[0].Active, i) {
				continue
			}
			var in []overlap.Span
			for _, s := range stages {
				in = append(in, s.Span)
			}
			o := occasion{phase: p, disk: part, jobs: []job{part.job}, lines: quantile.Within(part.lines, in)}
			for _, k := range stages[0].Active {
				if k != i {
					o.jobs = append(o.jobs, p.parts[k].job)
				}
			}
			if len(o.lines) > 0 {
				all = append(all, o)
			}
		}
	}
	return all
}

// latencyMatrix lists the disks in the run's order, each alone first, then beside one other, and so on.
func latencyMatrix(phases []*phase, order []string) []LatencyRow {
	var all []occasion
	for _, p := range phases {
		if p.trace.Search == nil {
			all = append(all, p.occasions()...)
		}
	}
	alike := func(a, b occasion) bool {
		return slices.EqualFunc(a.jobs, b.jobs, func(x, y job) bool { return x.same(y) })
	}
	var rows []LatencyRow
	for _, group := range grouped(all, alike) {
		first := group[0]
		row := LatencyRow{
			Disk: first.disk.Name(), Op: first.disk.Trace.Op, Beside: map[string]trace.Role{}, Paced: map[string]work.Work{},
			Connection: first.disk.job.connection, Test: first.phase.trace.Test,
		}
		for _, j := range first.jobs {
			if j.disk != row.Disk {
				row.Beside[j.disk] = j.work.Op
			}
			if paced, ok := first.phase.out.Paced[j.disk]; ok {
				row.Paced[j.disk] = paced
			}
		}
		var lines []quantile.Line
		for _, o := range group {
			lines, row.Phases = append(lines, o.lines...), append(row.Phases, o.phase.out.Name)
		}
		row.Phases = slices.Compact(row.Phases)
		if slices.Equal(lines, first.disk.in) { // often they are all that is known
			row.Figures = first.disk.out.Latency.Figures
		} else {
			row.Figures, _ = quantile.Estimate(lines)
		}
		rows = append(rows, row)
	}
	slices.SortStableFunc(rows, func(a, b LatencyRow) int {
		return cmp.Or(
			cmp.Compare(slices.Index(order, a.Disk), slices.Index(order, b.Disk)), cmp.Compare(a.Op, b.Op),
			cmp.Compare(len(a.Beside), len(b.Beside)))
	})
	return rows
}
