package analysis

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/unit"
	"github.com/hubbench/hubbench/pkg/work"
)

// verdict says a phase in one sentence, after one for each disk that plays or records streams or is probed.
func (en english) verdict(p *Phase) string {
	sentences := outcomes(p)
	for _, disk := range en.Order {
		if text := en.answered(p, disk); text != "" && p.Paced[disk].Probe > 0 {
			sentences = append(sentences, text+".")
		}
	}
	return strings.Join(append(sentences, en.rates(p)), " ")
}

// Progress is the verdict as a run shows it when the phase ends. Of a try of a search, of which there are many,
// it says only what came of the streams.
func Progress(p *Phase) string {
	if sentences := outcomes(p); p.Search != nil && len(sentences) > 0 {
		return strings.Join(sentences, " ")
	}
	return p.Verdict
}

func outcomes(p *Phase) []string {
	return Each(p.StreamTotals, func(t StreamTotal) string { return outcome(&t, p) + "." })
}

// rates says in one sentence how much the disks of a phase moved.
func (en english) rates(p *Phase) string {
	v := phaseText{en, p, present(en.Order, p.Disks)}
	if len(v.names) == 0 {
		return "No disk worked in this phase."
	}
	all := map[string]work.Work{}
	for _, name := range v.names {
		all[name] = workOf(p, name)
	}
	o, who, several := p.Overlap, Doing(v.names, all), len(v.names) > 1
	if o == nil {
		return fmt.Sprintf("%s: no overlap, %s.", who, noOverlap(p.NoOverlap))
	}
	clauses := []string{fmt.Sprintf("%s%s: %s%s for %s", who, pick(several, "", " alone"), en.Rate(o.Rate),
		pick(several, " together", ""), unit.FormatSeconds(o.DurationS))}
	if several {
		if parties := v.parties(); parties != nil {
			clauses = append(clauses, strings.Join(parties, ", "))
		}
	}
	for _, name := range v.names {
		if t := p.Disks[name].Throttle; t != nil {
			alone := pick(several, " with no other disk involved", "")
			clauses = append(clauses, en.fell(name, t.Steps)+alone+en.freed(t))
		}
	}
	if steady := v.steady(); steady != "" {
		clauses = append(clauses, steady)
	}
	return strings.Join(clauses, "; ") + "."
}

// SteadySince says since when the disks of a phase were steady, and at which rate; empty if they were not, or need not be.
func SteadySince(a *Analysis, p *Phase) string {
	text := phaseText{in(a), p, a.Order}.steady()
	if text == "" {
		return ""
	}
	return unit.Capital(text) + "."
}

// steady says since when the disks were steady, and at which rate. The rule is not SNIA's to the letter: it is
// guarded against noise, and windows may be shorter.
func (v phaseText) steady() string {
	var texts []string
	window := ""
	for _, name := range v.names {
		s := v.Disks[name].Steady
		if s == nil {
			continue
		}
		text := name + " " + v.Rate(s.Rate)
		if s.CI95 != nil {
			text += fmt.Sprintf(" (95 %% confidence: %s to %s)", v.Rate(s.CI95[0]), v.Rate(s.CI95[1]))
		}
		texts = append(texts, text+" from "+unit.FormatSeconds(s.SinceS)+" on")
		window = unit.FormatSeconds(s.WindowS)
	}
	if texts == nil {
		return ""
	}
	return fmt.Sprintf("steady (SNIA PTS, %s windows): %s", window, unit.List(texts))
}

// phaseText is a phase to be told, and its disks in the run's order.
type phaseText struct {
	english
	*Phase
	names []string
}

// Doing is "Three disks writing", or "C writing, A and B reading".
func Doing(disks []string, all map[string]work.Work) string {
	does := func(disk string) work.Verb { return work.Verb{Ing: all[disk].Verb().Ing + all[disk].Listed()} }
	texts := work.Clauses(disks, does, func(v work.Verb, _ int) string { return v.Ing })
	if len(texts) == 1 && len(disks) > 1 {
		return unit.Capital(Count(len(disks))) + " disks " + does(disks[0]).Ing
	}
	return strings.Join(texts, ", ")
}

// parties are the clauses about the disks that go as fast as they can: those that were not slowed, those of
// which that is not known, and those that were slowed, alike ones together.
func (v phaseText) parties() []string {
	outcomes := map[string][]string{}
	free := slices.DeleteFunc(slices.Clone(v.names), func(n string) bool { return v.Paced[n].Limited() })
	for _, name := range free {
		c := v.Contention.Disks[name]
		verb := "ran at"
		switch {
		case c.Held:
			verb = dropped
		case c.Kept:
			verb = keptFull
		}
		outcomes[verb] = append(outcomes[verb], name)
	}
	if all := Alike(free, v.rateOf); v.Contention.Even {
		text := "evenly shared, " + v.each(all[0])
		if len(outcomes[dropped]) == len(v.names) {
			text += " " + v.against(all[0])
		}
		return []string{text}
	}
	var texts []string
	for _, verb := range []string{keptFull, "ran at", dropped} {
		for _, group := range Alike(outcomes[verb], v.rateOf) {
			text := unit.List(group) + " " + verb + " " + v.each(group)
			if verb == dropped {
				text += " " + v.against(group)
			}
			texts = append(texts, text)
		}
	}
	return texts
}

// What a disk is said to have done if that is known.
const (
	keptFull = "kept full speed at"
	dropped  = "dropped to"
)

// rateOf is a disk's rate in the overlap, which is what all outputs print of it.
func (v phaseText) rateOf(name string) float64 { return v.Overlap.Disks[name].Rate }

// each is the group's common rate in the overlap: "0.74 GB/s each".
func (v phaseText) each(group []string) string {
	var sum float64
	for _, n := range group {
		sum += v.rateOf(n)
	}
	return v.english.each(sum/float64(len(group)), len(group))
}

// retained is how many percent of their baselines the disks kept, on average.
func retained(p *Phase, disks []string) (percent float64) {
	for _, name := range disks {
		percent += 100 * *p.Contention.Disks[name].Retention / float64(len(disks))
	}
	return percent
}

// against is "(50 % of the 1.40 GB/s baseline without C) and recovered 11.7 s after C had finished".
func (v phaseText) against(group []string) string {
	var reference float64
	where := ""
	for _, n := range group {
		c := v.Contention.Disks[n]
		reference += *c.ReferenceRate
		from := baseline(c.Reference, c.ReferenceFrom)
		if where != "" && where != from { // of disks that were last, each has another
			from = " baseline after others finished"
		}
		where = from
	}
	text := fmt.Sprintf("(%.0f %% of the %s%s%s)", retained(v.Phase, group), v.Rate(reference/float64(len(group))),
		where, between(v.Phase))
	last := map[string]Recovery{}
	for _, r := range v.Recoveries {
		last[r.Disk] = r
	}
	var lags []float64
	for _, n := range group {
		r := last[n]
		if r.LagS == nil {
			return text // not all of them are known to have recovered
		}
		lags = append(lags, *r.LagS)
	}
	return text + fmt.Sprintf(" and recovered %s after %s had finished",
		secondsRange(slices.Min(lags), slices.Max(lags)), last[group[0]].After)
}

// baseline names a disk's rate without the others, and who those are if it was not alone.
func baseline(kind, from string) string {
	if kind == ReferenceLater {
		return " baseline without " + from
	}
	return " baseline"
}

// noOverlap says why the disks of a phase were never active together.
func noOverlap(n *NoOverlap) string {
	switch {
	case n == nil || len(n.Disks) == 0 && n.BeganS == 0:
		return "the disks' pauses left no moment in which all were active"
	case len(n.Disks) == 2 && n.BeganS > 0:
		return fmt.Sprintf("disk %s ended at %.1f s, before disk %s began at %.1f s", n.Disks[0], n.EndedS,
			n.Disks[1], n.BeganS)
	default:
		return fmt.Sprintf("disk %s moved nothing", unit.List(n.Disks))
	}
}
