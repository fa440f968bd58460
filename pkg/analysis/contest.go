package analysis

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// inCommon says what all disks of a phase did at once: they stood still for long, or dropped far. It
// comes before who slows whom.
func (w writer) inCommon() (ideas []idea) {
	for _, c := range w.Summary.Contests {
		p := w.phase(c.Phases[0])
		if p == nil || p.Overlap == nil {
			continue
		}
		names := present(w.Order, c.Disks)
		when := " when " + who(names, c.Disks, len(w.Order))
		still := 0.0
		for k := range p.Changes {
			change := &p.Changes[k]
			fell := 1 - change.ToRate/change.FromRate
			switch {
			case len(change.Disks) < len(names):
			case change.Kind == KindStall && change.StartS < p.Overlap.EndS:
				still += change.EndS - change.StartS
			case change.Kind == KindSharedFall && fell >= minCommonFall:
				ideas = append(ideas, idea{
					text: fmt.Sprintf("each drops to %.0f%% after %.0f s%s", 100*(1-fell),
						change.StartS, when),
					detail: Capital(w.Order, w.change(change)) + ".",
				})
			}
		}
		if still >= minCommonStallS && still >= minEffect*p.Overlap.DurationS {
			ideas = append(ideas, idea{
				text: "nothing moves for " + unit.FormatSeconds(still) + " in all" + when,
			})
		}
	}
	return ideas
}

// contest says what came of disks that were busy together, or why nothing is said of it. If rates
// changed meanwhile, the stretch is named that this is of.
func (w writer) contest(c Contest) []idea {
	names := present(w.Order, c.Disks)
	disks := Each(names, func(name string) ContestDisk { return c.Disks[name] })
	some := func(holds func(d ContestDisk) bool) bool { return slices.ContainsFunc(disks, holds) }
	mixed := some(func(d ContestDisk) bool { return d.Op != disks[0].Op })
	when := who(names, c.Disks, len(w.Order))
	stretch := spansText(c.Spans)
	outcomes := c.outcomes(names, c.Even && !mixed)
	switch {
	case outcomes != nil:
	case some(func(d ContestDisk) bool { return d.Changed != "" }):
		outcomes = []string{"speeds change by themselves"}
		stretch = ""
	case !some(func(d ContestDisk) bool { return d.CI95 != nil }):
		outcomes = []string{"too little was measured to say who is slowed"}
	case some(func(d ContestDisk) bool { return d.Reference != nil }):
		outcomes = []string{"no disk is measurably slowed"}
	case mixed:
		outcomes = []string{"no baseline shows who is slowed"}
	default:
		outcomes = []string{"the disks share unevenly"}
	}
	when += stretch
	out := Each(outcomes, func(text string) idea { return idea{text: text + " when " + when} })
	out[0].second = "When " + when + ", " + outcomes[0]
	out[0].detail = w.winner(names, c.Disks)
	return out
}

// winner says how fast the one disk still is that crowds out others; empty if it is not one.
func (w writer) winner(names []string, disks map[string]ContestDisk) string {
	var won []string
	total := 0.0
	for _, name := range names {
		d := disks[name]
		total += d.Rate
		if d.Won && d.Changed == "" {
			won = append(won, name)
		}
	}
	if len(won) != 1 {
		return ""
	}
	d := disks[won[0]]
	return fmt.Sprintf("%s still %ss at %s of %s in total.", won[0], d.Op, w.Number(d.Rate),
		w.Rate(total))
}

// outcomes say who is slowed: "C crowds out A and B: they drop to 47 %", and who else is, or seems
// to be; or that the disks share evenly.
func (c Contest) outcomes(names []string, even bool) []string {
	by := func(name string) []string { // Disks whose own rates changed do not count.
		steady := func(other string) bool { return c.Disks[other].Changed == "" }
		return only(c.Disks[name].By, steady)
	}
	to := func(names []string) string {
		kept := func(name string) float64 { return c.Disks[name].Kept }
		return " to " + percents(Each(names, kept))
	}
	var lost, unsure []string // The last seem slower than their baselines but may not be.
	for _, name := range names {
		d := c.Disks[name]
		switch {
		case d.Changed != "" || d.Won: // If it changed, it is unknown whether others slowed it.
		case d.Lost:
			lost = append(lost, name)
		case d.Kept > 0 && d.Kept < minRetained:
			unsure = append(unsure, name)
		}
	}
	var out []string
	add := func(text string) { out = append(out, text) }
	crowded := only(names, func(name string) bool { return len(by(name)) > 0 })
	sameBy := func(a, b string) bool { return slices.Equal(by(a), by(b)) }
	for _, from := range grouped(crowded, sameBy) {
		drop := pick(len(from) == 1, ": it drops", ": they drop")
		add(does(by(from[0]), "crowd") + " out " + listed(from) + drop + to(from))
	}
	rest := only(lost, func(name string) bool { return len(by(name)) == 0 })
	all := len(rest) == len(names)
	switch {
	case even && all:
		add("the hub is shared evenly: each drops" + to(rest))
	case even && len(crowded) == 0:
		add("the disks share evenly")
	case all:
		add(pick(len(names) == 2, "both", "all") + " drop" + to(rest))
	case len(rest) > 0:
		add(does(rest, "drop") + to(rest))
	}
	if unsure != nil && (lost != nil || out == nil) {
		is := pick(len(unsure) == 1, " is", " are")
		add("it is unclear whether " + listed(unsure) + is + " slowed")
	}
	return out
}

// who returns "all three write", "A and C write", or "A and B read and C writes".
func who(names []string, disks map[string]ContestDisk, inRun int) string {
	var clauses []string
	for _, op := range []trace.Role{trace.Read, trace.Write} {
		do := only(names, func(name string) bool { return disks[name].Op == op })
		switch {
		case len(do) == inRun:
			return pick(inRun == 2, "both ", "all "+Count(inRun)+" ") + string(op)
		case len(do) > 0:
			clauses = append(clauses, subject(do, string(op), ""))
		}
	}
	return strings.Join(clauses, " and ")
}

// percents are parts of speeds: "47 %", or "38 to 47 %" if they differ by 3 % or more.
func percents(parts []float64) string {
	low, high := slices.Min(parts), slices.Max(parts)
	if high-low < 0.03 {
		return fmt.Sprintf("%.0f%%", 50*(low+high))
	}
	return fmt.Sprintf("%.0f to %.0f%%", 100*low, 100*high)
}

// does returns "A and B drop", or "A drops".
func does(disks []string, verb string) string {
	return listed(disks) + " " + verb + pick(len(disks) == 1, "s", "")
}

// listed names the disks, or counts them if they are more than a headline has room for.
func listed(disks []string) string {
	if len(disks) > 4 {
		return fmt.Sprintf("%d disks", len(disks))
	}
	return unit.List(disks)
}
