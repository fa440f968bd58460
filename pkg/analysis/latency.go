package analysis

import (
	"cmp"
	"slices"

	"github.com/hubbench/hubbench/pkg/quantile"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Latency is how long a disk's requests took, from when each was handed to the system until it was done: those of its
// role's direction, in the overlap, or in all its time if there is none. Those of a probe, of streams and at a pace count
// from when they were due, however late they began.
//
// A latency line of the trace counts the requests that ended since the line before, about a second. It belongs to the
// overlap if that time lies within one of its spans, give or take a hundredth of a second: what ended about the edges
// counts nowhere.
type Latency struct {
	quantile.Figures
	Alone     *quantile.Figures `json:"alone"`                // of the disk alone at the same work; null if that was not recorded
	AloneFrom string            `json:"alone_from,omitempty"` // the phases of it
	Longer    *quantile.Change  `json:"longer,omitempty"`     // of a disk that does not go as fast as it can: null if noise may have made the difference
	Note      string            `json:"note,omitempty"`       // why a figure is null; filled in by say
	Series    *quantile.HeatMap `json:"series,omitempty"`     // of the whole phase
}

func (p *part) latencyLines() []quantile.Line { return quantile.Lines(p.Trace, p.Active) }

// latencies reports how long the disks' requests took, beside what they take alone.
func (p *phase) latencies(alone soloLatencies, alpha float64) {
	for _, g := range p.trace.Gauges {
		if g.Name == trace.LeftOut && g.Value > 0 {
			p.warn(Warning{Code: "left_out", Disk: g.Disk, Values: RequestsValues{Requests: g.Value}})
		}
	}
	for i := range p.parts {
		part := &p.parts[i]
		lines := part.latencyLines()
		if len(lines) == 0 {
			continue
		}
		in := lines
		if len(p.window) > 0 {
			in = quantile.Within(lines, p.window)
		}
		figures, found := quantile.Estimate(in)
		p.figures[part.Name()] = knownFigures{in, figures}
		l := &Latency{Figures: figures, Series: quantile.NewHeatMap(lines)}
		if by := alone.find(p.job(part)); by != nil && len(p.parts) > 1 {
			l.Alone, l.AloneFrom = &by.Figures, by.phases
			if part.Limited() { // of the others, it says what their rates say
				l.Longer = cmp.Or(found[1].Longer(by.found[1], alpha), found[0].Longer(by.found[0], alpha))
			}
		}
		d := p.out.Disks[part.Name()]
		d.Latency = l
		p.out.Disks[part.Name()] = d
	}
}

// soloLatencies are those of the disks alone.
type soloLatencies []*soloLatency

type soloLatency struct {
	job
	quantile.Figures
	phases string
	lines  []quantile.Line
	found  []*quantile.Quantile
}

// find returns those of a disk alone in a job; nil if no phase has them.
func (s soloLatencies) find(j job) *soloLatency {
	if i := slices.IndexFunc(s, func(alone *soloLatency) bool { return alone.same(j) }); i >= 0 {
		return s[i]
	}
	return nil
}

// latenciesAlone gathers the latencies of the phases in which a disk worked by itself.
func latenciesAlone(phases []*phase) soloLatencies {
	var all soloLatencies
	for _, p := range phases {
		if len(p.parts) != 1 {
			continue
		}
		part := &p.parts[0]
		lines := part.latencyLines()
		if len(lines) == 0 {
			continue
		}
		s := all.find(p.job(part))
		if s == nil {
			s = &soloLatency{job: p.job(part)}
			all = append(all, s)
		} else {
			s.phases += ", "
		}
		s.phases += p.out.Phase
		s.lines = append(s.lines, lines...)
	}
	for _, s := range all {
		s.Figures, s.found = quantile.Estimate(s.lines)
	}
	return all
}

// alpha is the chance by which noise alone may make one quantile of one disk longer than alone: the median and p99 are compared
// of each disk that is known alone.
func (s soloLatencies) alpha(phases []*phase) float64 {
	n := 0
	for _, p := range phases {
		for i := range p.parts {
			if len(p.parts) > 1 && p.parts[i].Limited() && s.find(p.job(&p.parts[i])) != nil {
				n++
			}
		}
	}
	return chance / float64(2*max(n, 1))
}

// knownFigures caches the figures of some lines.
type knownFigures struct {
	lines []quantile.Line
	quantile.Figures
}

// of reports whether they are those of other lines.
func (t knownFigures) of(lines []quantile.Line) bool { return slices.Equal(t.lines, lines) }
