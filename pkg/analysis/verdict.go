package analysis

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/unit"
	"github.com/hubbench/hubbench/pkg/work"
)

// verdict says a phase in one sentence, after one for each disk that plays or records streams or is
// probed.
func (w writer) verdict(p *PhaseResult) string {
	sentences := outcomes(p)
	for _, disk := range w.Order {
		if text := w.answered(p, disk); text != "" && p.Paced[disk].Probe > 0 {
			sentences = append(sentences, text+".")
		}
	}
	return strings.Join(append(sentences, w.rates(p)), " ")
}

// Progress returns the verdict as a run shows it when the phase ends. Of a try of a search, of
// which there are many, it says only what came of the streams.
func Progress(p *PhaseResult) string {
	if sentences := outcomes(p); p.Search != nil && len(sentences) > 0 {
		return strings.Join(sentences, " ")
	}
	return p.Verdict
}

func outcomes(p *PhaseResult) []string {
	return Each(p.StreamTotals, func(t StreamTotal) string { return outcome(&t, p) + "." })
}

// rates says in one sentence how much the disks of a phase moved.
func (w writer) rates(p *PhaseResult) string {
	names := present(w.Order, p.Disks)
	if len(names) == 0 {
		return "No disk worked in this phase."
	}
	does := func(disk string) work.Verb {
		w := workOf(p, disk)
		return work.Verb{Ing: w.Verb().Ing + w.Listed()}
	}
	doing := work.Clauses(names, does, func(v work.Verb, _ int) string { return v.Ing })
	who := strings.Join(doing, ", ")
	several := len(names) > 1
	if several && len(doing) == 1 {
		who = unit.Capital(Count(len(names))) + " disks " + does(names[0]).Ing
	}
	o := p.Overlap
	if o == nil {
		return fmt.Sprintf("%s: no overlap, %s.", who, noOverlap(p.NoOverlap))
	}
	alone := " alone"
	together := ""
	byItself := ""
	var parties []string
	if several {
		alone = ""
		together = " together"
		byItself = " with no other disk involved"
		parties = w.parties(p, names)
	}
	clauses := []string{fmt.Sprintf("%s%s: %s%s for %s", who, alone, w.Rate(o.Rate), together,
		unit.FormatSeconds(o.DurationS))}
	if parties != nil {
		clauses = append(clauses, strings.Join(parties, ", "))
	}
	for _, name := range names {
		if t := p.Disks[name].Throttle; t != nil {
			clauses = append(clauses, w.fell(name, t.Steps)+byItself+w.freedText(t))
		}
	}
	if steady := w.steady(p); steady != "" {
		clauses = append(clauses, steady)
	}
	return strings.Join(clauses, "; ") + "."
}

// SteadySince says since when the disks of a phase were steady, and at which rate; empty if they
// were not, or need not be.
func SteadySince(a *Analysis, p *PhaseResult) string {
	text := in(a).steady(p)
	if text == "" {
		return ""
	}
	return unit.Capital(text) + "."
}

// steady says since when the disks were steady, and at which rate. The rule is not SNIA's to the
// letter: it is guarded against noise, and windows may be shorter.
func (w writer) steady(p *PhaseResult) string {
	var texts []string
	var windowS float64
	for _, name := range w.Order {
		s := p.Disks[name].Steady
		if s == nil {
			continue
		}
		text := name + " " + w.Rate(s.Rate)
		if s.CI95 != nil {
			text += " (95% confidence: " + w.Rate(s.CI95[0]) + " to " + w.Rate(s.CI95[1]) + ")"
		}
		texts = append(texts, text+" from "+unit.FormatSeconds(s.SinceS)+" on")
		windowS = s.WindowS
	}
	if texts == nil {
		return ""
	}
	return "steady (SNIA PTS, " + unit.FormatSeconds(windowS) + " windows): " + unit.List(texts)
}

// parties returns the clauses about the disks that go as fast as they can: those that were not
// slowed, those of which that is not known, and those that were slowed, alike ones together.
func (w writer) parties(p *PhaseResult, names []string) []string {
	rateOf := func(name string) float64 { return p.Overlap.Disks[name].Rate }
	slowed := func(name string) bool { return p.Contention.Disks[name].Slowed }
	did := func(group []string, what string) string {
		text := what + " " + w.each(meanOf(group, rateOf), len(group))
		if len(only(group, slowed)) == len(group) {
			text += " " + w.against(p, group)
		}
		return text
	}
	if p.Contention.Even {
		return []string{did(names, "evenly shared,")}
	}
	var kept, ran, dropped []string
	for _, name := range names {
		switch c := p.Contention.Disks[name]; {
		case p.Paced[name].IsPaced():
		case c.Slowed:
			dropped = append(dropped, name)
		case c.Kept:
			kept = append(kept, name)
		default:
			ran = append(ran, name)
		}
	}
	var texts []string
	add := func(disks []string, verb string) {
		for _, group := range withinTenth(disks, rateOf) {
			texts = append(texts, unit.List(group)+" "+did(group, verb))
		}
	}
	add(kept, "kept full speed at")
	add(ran, "ran at")
	add(dropped, "dropped to")
	return texts
}

// against returns "(50 % of the 1.40 GB/s baseline without C) and recovered 11.7 s after C had
// finished".
func (w writer) against(p *PhaseResult, group []string) string {
	text := "(" + w.retained(p, group) + between(p) + ")"
	last := map[string]Recovery{}
	for _, r := range p.Recoveries {
		last[r.Disk] = r
	}
	var lags []float64
	for _, name := range group {
		r := last[name]
		if r.LagS == nil {
			return text // Not all of them are known to have recovered.
		}
		lags = append(lags, *r.LagS)
	}
	return text + fmt.Sprintf(" and recovered %s after %s had finished",
		secondsRange(slices.Min(lags), slices.Max(lags)), last[group[0]].After)
}

// retained returns what disks had of their baselines, on average: "50 % of the 1.40 GB/s baseline
// without C".
func (w writer) retained(p *PhaseResult, group []string) string {
	c := p.Contention.Disks
	without := Each(group, func(name string) string {
		if c[name].Reference == ReferenceLater {
			return " without " + c[name].ReferenceFrom
		}
		return ""
	})
	where := without[0]
	if len(slices.Compact(without)) > 1 { // Disks that worked last have different ones.
		where = " after others finished"
	}
	return fmt.Sprintf("%.0f%% of the %s baseline%s",
		100*meanOf(group, func(name string) float64 { return *c[name].Retention }),
		w.Rate(meanOf(group, func(name string) float64 { return *c[name].ReferenceRate })), where)
}

// noOverlap says why the disks of a phase were never active together.
func noOverlap(n *NoOverlap) string {
	switch {
	case n.BeganS > 0:
		return fmt.Sprintf("disk %s ended at %.1f s, before disk %s began at %.1f s", n.Disks[0],
			n.EndedS,
			n.Disks[1], n.BeganS)
	case len(n.Disks) > 0:
		return fmt.Sprintf("disk %s moved nothing", unit.List(n.Disks))
	}
	return "the disks' pauses left no moment in which all were active"
}
