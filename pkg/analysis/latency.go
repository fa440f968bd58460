package analysis

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/hubbench/hubbench/pkg/quantile"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// LatencyResult is how long a disk's requests took, from when each was handed to the system until
// it was done: those of its role's direction, in the overlap, or in all its time if there is none.
// Those of a probe, of streams and at a pace count from when they were due, however late they
// began.
//
// A latency line of the trace counts the requests that ended since the line before, about a second.
// It belongs to the overlap if that time, without the disk's own pauses, lies within its spans, give
// or take a hundredth of a second: what ended about the edges counts nowhere.
type LatencyResult struct {
	quantile.Figures
	// Alone is that of the disk alone at the same work; null if it was not recorded.
	Alone     *quantile.Figures `json:"alone"`
	AloneFrom string            `json:"alone_from,omitempty"` // AloneFrom names its phases.
	// Longer is for a disk that does not go as fast as it can; null if noise may have made the
	// difference.
	Longer *quantile.Slowdown `json:"longer,omitempty"`
	Note   string             `json:"note,omitempty"` // Note says why a figure is null.
}

// soloLatencies are what the disks' requests take alone, work by work.
type soloLatencies []*soloLatency

type soloLatency struct {
	disk   *diskPart // disk is the one of the first phase.
	phases []string  // phases are the sources.
	quantile.Figures
	found [3]*quantile.Quantile
}

// lookup returns what a disk's requests take alone at its work; nil if no phase has it.
func (s soloLatencies) lookup(disk *diskPart) *soloLatency {
	for _, alone := range s {
		if alone.disk.same(disk) {
			return alone
		}
	}
	return nil
}

// soloLatencies returns what the disks' requests take alone.
func (r *run) soloLatencies() (all soloLatencies) {
	solos := only(r.phases, func(p *phase) bool {
		return len(p.parts) == 1 && len(p.parts[0].lines) > 0
	})
	for _, set := range grouped(solos, func(p, q *phase) bool {
		return sameParts(p.parts, q.parts)
	}) {
		alone := &soloLatency{disk: set[0].parts[0]}
		var lines []quantile.Line
		for _, p := range set {
			lines = append(lines, p.parts[0].lines...)
			alone.phases = append(alone.phases, p.trace.Name)
		}
		alone.Figures, alone.found = quantile.Estimate(lines)
		all = append(all, alone)
	}
	return all
}

// slowerByChance returns the chance with which noise alone may make one quantile of one disk longer
// than alone: the median and p99 are compared of each disk that is known alone. What the latencies
// of a disk that goes as fast as it can would say, its rates say.
func (r *run) slowerByChance(alone soloLatencies) float64 {
	compared := 0
	for _, p := range r.phases {
		for _, part := range p.parts {
			if len(p.parts) > 1 && part.IsPaced() && alone.lookup(part) != nil {
				compared++
			}
		}
	}
	return falseClaimRate / float64(2*max(compared, 1))
}

// latencyOf returns how long the disk's requests took, beside what they take alone; nil if that was
// not recorded.
func (p *phase) latencyOf(part *diskPart, solos soloLatencies, alpha float64) *LatencyResult {
	if len(part.lines) == 0 {
		return nil
	}
	in := part.lines
	if len(p.window) > 0 {
		in = quantile.Within(in, p.window)
	}
	figures, found := quantile.Estimate(in)
	l := &LatencyResult{Figures: figures}
	if alone := solos.lookup(part); alone != nil && len(p.parts) > 1 {
		l.Alone = &alone.Figures
		l.AloneFrom = strings.Join(alone.phases, ", ")
		if part.IsPaced() {
			l.Longer = cmp.Or(found[1].Longer(alone.found[1], alpha),
				found[0].Longer(alone.found[0], alpha))
		}
	}
	l.Note = note(l)
	return l
}

// leftOut warns of requests that were due and not made.
func (p *phase) leftOut() (all warnings) {
	for _, g := range p.trace.Gauges {
		if g.Name == trace.LeftOut && g.Value > 0 {
			all.add(g.Disk, "left_out", RequestsValues{g.Value}, "%s were due and could not be "+
				"made before the phase ended: its latencies are without them, and would be "+
				"longer with them", unit.Plural(int(g.Value), "request"))
		}
	}
	return all
}

// note says which figures of a latency are missing, and why; empty where none is.
func note(l *LatencyResult) string {
	if l.Requests == 0 {
		return "no whole second of its requests lies within the overlap"
	}
	var fewer, unsure, texts []string
	for _, q := range []struct {
		name     string
		ns       *int64
		interval *[2]int64
		n        int64
	}{
		{"p50", l.P50NS, l.P50CI95, 2}, {"p99", l.P99NS, l.P99CI95, 100},
		{"p99.9", l.P999NS, l.P999CI95, 1000},
	} {
		switch {
		case q.ns == nil:
			fewer = append(fewer, q.name+" needs "+unit.FormatCount(int(quantile.MinRequests(q.n))))
		case q.interval == nil:
			unsure = append(unsure, q.name)
		}
	}
	if fewer != nil {
		requests := unit.FormatCount(int(l.Requests))
		texts = append(texts, "only "+requests+" requests: "+unit.List(fewer))
	}
	if unsure != nil {
		texts = append(texts, pick(l.Seconds < quantile.MinSeconds,
			fmt.Sprintf("no error bars: they need %d s of requests", quantile.MinSeconds),
			"no error bars for "+unit.List(unsure)+": the slow requests come from too few seconds"))
	}
	return strings.Join(texts, "; ")
}

// answered says how long the requests of a disk that does not go as fast as it can took: "C
// answered 4 KiB reads in 9.8 ms while B wrote and in 120 µs alone (p99; 82 times as long, 71 to 94
// with 95 % confidence)". It is empty where too few were recorded.
func (w writer) answered(p *PhaseResult, disk string) string {
	l := p.Disks[disk].Latency
	if l == nil {
		return ""
	}
	by := cmp.Or(l.Alone, &quantile.Figures{})
	now := l.P99NS
	alone := by.P99NS
	which := "p99"
	sure := l.P99CI95 != nil && by.P99CI95 != nil
	if now == nil || alone == nil && l.Alone != nil || l.Longer != nil && l.Longer.Quantile == 0.5 {
		now = l.P50NS
		alone = by.P50NS
		which = "median"
		sure = l.P50CI95 != nil && by.P50CI95 != nil
	}
	if now == nil {
		return ""
	}
	text := requestsOf(p, disk, "answered") + " in " + requestTime(*now)
	if others := neighbours(w.Order, p, disk); len(others) > 0 {
		text += " while " + did(p, others)
	}
	if alone == nil {
		return text + " (" + which + ")"
	}
	longer := pick(sure, "the difference is within noise", "too few requests to rule out noise")
	if c := l.Longer; c != nil {
		longer = twoFigures(c.Times) + " times as long"
		if c.CI95 != nil {
			longer += ", " + twoFigures(c.CI95[0]) + " to " + twoFigures(c.CI95[1]) +
				" with 95% confidence"
		}
	}
	return fmt.Sprintf("%s and in %s alone (%s; %s)", text, requestTime(*alone), which, longer)
}

// requestsOf returns "C answered 4 KiB reads", or "A answered its requests".
func requestsOf(p *PhaseResult, disk, verb string) string {
	what := "its requests"
	if probe := p.Paced[disk].Probe; probe > 0 {
		what = unit.FormatBlock(probe) + " " + string(p.Disks[disk].Op) + "s"
	}
	return disk + " " + verb + " " + what
}

// twoFigures writes a ratio with two significant figures, or all of those before the point.
func twoFigures(v float64) string {
	return strconv.FormatFloat(v, 'f', pick(v >= 10, 0, 1), 64)
}

func requestTime(ns int64) string { return unit.FormatSeconds(seconds(ns)) }

// longerRequests says whose requests took longer than alone, and when.
func (w writer) longerRequests() []string {
	var longer []situation
	for _, p := range w.Phases {
		for _, disk := range w.Order {
			l := p.Disks[disk].Latency
			if l != nil && l.Longer != nil && p.Search == nil {
				longer = append(longer, situation{
					PhaseResult: &p, disk: disk, what: requestsOf(&p, disk, "answers"),
					outcome: p.Name,
				})
			}
		}
	}
	distinguish(w.Order, longer)
	return Each(longer, func(s situation) string {
		l := s.Disks[s.disk].Latency.Longer
		return s.what + " in " + requestTime(l.ToNS) + " instead of " + requestTime(l.FromNS) +
			" " + s.when
	})
}
