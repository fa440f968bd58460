package analysis

import (
	"cmp"
	"slices"

	"github.com/hubbench/hubbench/pkg/latency"
	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Latency is how long a disk's requests took, from when each was handed to the system until it was done: those of its
// role's direction, in the overlap, or in all its time where there is none.
//
// A latency line of the trace counts the requests that ended since the line before, about a second. It belongs to the
// overlap where that time lies within one of its spans, but for a hundredth of a second: what ended about the edges
// counts nowhere.
type Latency struct {
	LatencyFigures
	Alone     *LatencyFigures `json:"alone"`                // of the disk alone at the same work; null where that was not recorded
	AloneFrom string          `json:"alone_from,omitempty"` // the phases of it
	Longer    *LatencyChange  `json:"longer,omitempty"`     // of a disk that does not go as fast as it can: null where noise may have made the difference
	Note      string          `json:"note,omitempty"`       // why a figure is null; filled in by say
	Series    *LatencySeries  `json:"series,omitempty"`     // of the whole phase
}

// LatencyFigures are quantiles of some requests. One is null where too few requests were slower to tell it: see
// LeastRequests. How they are told is said at quantile.
type LatencyFigures struct {
	Requests int64   `json:"requests"`
	Seconds  float64 `json:"seconds"` // in which they ended: the sum over the latency lines
	P50NS    *int64  `json:"p50_ns"`
	P99NS    *int64  `json:"p99_ns"`
	P999NS   *int64  `json:"p999_ns"`
	MaxNS    int64   `json:"max_ns"`
	// 95 % confidence intervals; null where there is no figure, or where the slow requests come from too few seconds.
	P50CI95  *[2]int64 `json:"p50_ci95_ns"`
	P99CI95  *[2]int64 `json:"p99_ci95_ns"`
	P999CI95 *[2]int64 `json:"p999_ci95_ns"`
}

// LeastRequests is how many requests it takes to tell the time that one in n exceeds (100 for p99): ten must have been
// slower, or it rests on the luck of a few.
func LeastRequests(n int64) int64 { return 10 * n }

// How the time of a latency line is told.
const (
	lineNS     = 1_000_000_000 // a line is of the time since the one before, but of no more than
	lineMostNS = 1_500_000_000
	edgeNS     = 10_000_000 // of it may lie outside
)

// LatencyLine is a latency line and its time.
type LatencyLine struct {
	overlap.Interval
	Hist latency.Counts
}

func (p *part) latencyLines() []LatencyLine { return LatencyLines(p.Trace, p.Active) }

// LatencyLines are those of the disk's role; active is when the disk is.
func LatencyLines(d *trace.DiskTrace, active []overlap.Interval) []LatencyLine {
	lines := make([]LatencyLine, 0, len(d.Latencies))
	for _, l := range d.Latencies {
		if l.Op != d.Op {
			continue
		}
		v := overlap.Interval{StartNS: l.TNS - lineNS, EndNS: l.TNS}
		if n := len(lines); n > 0 && l.TNS-lines[n-1].EndNS < lineMostNS {
			v.StartNS = lines[n-1].EndNS
		} else if len(active) > 0 && active[0].StartNS < l.TNS {
			v.StartNS = max(v.StartNS, active[0].StartNS)
		}
		lines = append(lines, LatencyLine{v, l.Hist})
	}
	return lines
}

// LinesWithin are the lines of which no more than edgeNS lies outside all of the intervals, which are disjoint and ascending,
// as the lines are.
func LinesWithin(lines []LatencyLine, intervals []overlap.Interval) []LatencyLine {
	var in []LatencyLine
	k := 0
	for _, l := range lines {
		for k < len(intervals) && intervals[k].EndNS+edgeNS < l.EndNS {
			k++
		}
		if k < len(intervals) && intervals[k].StartNS-edgeNS <= l.StartNS {
			in = append(in, l)
		}
	}
	return in
}

// requests are those of some latency lines together.
type requests struct {
	latency.Histogram
	seconds float64
}

// gatherRequests counts the lines' requests.
func gatherRequests(lines []LatencyLine) *requests {
	r := &requests{}
	for _, l := range lines {
		r.AddCounts(l.Hist)
		r.seconds += l.Seconds()
	}
	return r
}

// figuresOf are the figures of the lines' requests, and the quantiles: p50, p99, p99.9.
func figuresOf(lines []LatencyLine, r *requests) (LatencyFigures, []*quantile) {
	f := LatencyFigures{Requests: r.N(), Seconds: r.seconds, MaxNS: r.MaxNS()}
	found := quantiles(lines, r, 2, 100, 1000)
	for i, to := range []struct {
		ns       **int64
		interval **[2]int64
	}{{&f.P50NS, &f.P50CI95}, {&f.P99NS, &f.P99CI95}, {&f.P999NS, &f.P999CI95}} {
		if q := found[i]; q != nil {
			*to.ns, *to.interval = &q.NS, q.interval()
		}
	}
	return f, found
}

// latencies tells how long the disks' requests took, beside what they take alone.
func (p *phase) latencies(alone soloLatencies, alpha float64) {
	for i := range p.parts {
		part := &p.parts[i]
		lines := part.latencyLines()
		if len(lines) == 0 {
			continue
		}
		in := lines
		if len(p.window) > 0 {
			in = LinesWithin(lines, p.window)
		}
		figures, found := figuresOf(in, gatherRequests(in))
		p.figures[part.Name()] = toldFigures{in, figures}
		l := &Latency{LatencyFigures: figures, Series: latencySeries(lines)}
		if by := alone.find(p.job(part)); by != nil && len(p.parts) > 1 {
			l.Alone, l.AloneFrom = &by.LatencyFigures, by.phases
			if part.Limited() { // of the others, it says what their rates say
				l.Longer = cmp.Or(found[1].longer(by.found[1], alpha), found[0].longer(by.found[0], alpha))
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
	LatencyFigures
	phases string
	lines  []LatencyLine
	found  []*quantile
}

// find is those of a disk alone in a job; nil where no phase says them.
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
		s.LatencyFigures, s.found = figuresOf(s.lines, gatherRequests(s.lines))
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

// toldFigures are figures that were told of some lines.
type toldFigures struct {
	lines []LatencyLine
	LatencyFigures
}

// of reports whether they are those of other lines.
func (t toldFigures) of(lines []LatencyLine) bool { return slices.Equal(t.lines, lines) }
