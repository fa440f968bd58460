package analysis

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// idea is a sentence about a run, without its full stop.
type idea struct {
	text   string
	detail string // It follows the text if that is the headline; it may be empty.
	second string // It is the text as the second idea, if its load comes first to set it apart.
}

// ideas are what there is to say of a run, the one that makes its headline first: what became of
// streams, whose requests took longer, where fast caches end, who crowds out whom, and what the hub
// costs, which comes first if nobody is slowed.
func (w writer) ideas() []idea {
	plain := func(text string) idea { return idea{text: text} }
	ideas := Each(slices.Concat(w.streamOutcomes(), w.longerRequests()), plain)
	for _, s := range w.Saturations {
		ideas = append(ideas, Each(w.cache(s), plain)...)
	}
	costs := Each(w.costs(), plain)
	if len(w.Answer.Loses) == 0 {
		ideas = slices.Concat(costs, ideas)
		costs = nil
	}
	for _, c := range w.Summary.Contests {
		ideas = append(ideas, w.contest(c)...)
	}
	ideas = append(w.inCommon(), ideas...)
	if ideas = append(ideas, costs...); ideas == nil {
		ideas = Each(w.alone(), plain)
	}
	for i := range ideas {
		text := Capital(w.Order, ideas[i].text)
		ideas[i].text, ideas[i].second = text, cmp.Or(ideas[i].second, text)
	}
	return ideas
}

// costs say what a hub costs the disks that were measured on ports of their own as well.
func (w writer) costs() []string {
	var lost, unsure, free []string
	for _, c := range w.HubCosts {
		switch {
		case c.Lost:
			lost = append(lost, fmt.Sprintf("your hub costs %s %.0f%% of its %s speed", c.Disk,
				100*c.Loss, c.Op))
		case c.Nothing:
			free = append(free, c.Disk)
		default:
			unsure = append(unsure, fmt.Sprintf("whether your hub costs %s any %s speed is not "+
				"sure", c.Disk, c.Op))
		}
	}
	if lost != nil || unsure != nil || free == nil {
		return append(lost, unsure...)
	}
	free = slices.Compact(ordered(w.Order, free)) // Most disks both write and read.
	as := " are as fast as on ports of their own"
	if len(free) == 1 {
		as = " is as fast as on its own port"
	}
	return []string{"your hub costs nothing: " + unit.List(free) + as}
}

// alone says how fast disks are each way if they were measured one at a time only. It names the
// fastest if all others are slower beyond their margins of error.
func (w writer) alone() []string {
	var out []string
	for _, op := range []trace.Role{trace.Write, trace.Read} {
		var tops []*Overlap // They are the fastest phase of each disk.
		for _, name := range w.Order {
			var top *Overlap
			for _, p := range w.Phases {
				alone := len(p.Disks) == 1 && p.Disks[name].Op == op && !p.Paced[name].IsPaced()
				if alone && p.Overlap != nil && (top == nil || p.Overlap.Rate > top.Rate) {
					top = p.Overlap
				}
			}
			if top != nil {
				tops = append(tops, top)
			}
		}
		if tops == nil {
			continue
		}
		slices.SortStableFunc(tops, func(a, b *Overlap) int { return cmp.Compare(b.Rate, a.Rate) })
		best := tops[0]
		name := present(w.Order, best.Disks)[0]
		rate := w.Rate(best.Rate)
		text := name + " " + string(op) + "s"
		if best.Disks[name].ReadRate > 0 {
			text = name + " reads and writes"
		}
		if len(tops) > 1 {
			text += " fastest,"
		}
		for _, other := range tops[1:] {
			if other.CI95 == nil || best.CI95 == nil || other.CI95[1] >= best.CI95[0] {
				text = "the disks " + string(op)
				rate = "up to " + w.Rate(best.Rate)
				break
			}
		}
		out = append(out, text+" at "+rate)
	}
	if len(out) == 2 && len(w.Order) == 1 { // one idea: how fast the disk is
		second := strings.TrimPrefix(out[1], w.Order[0]+" ")
		return []string{out[0] + " and " + second}
	}
	return out
}

// Methods say when a disk is called slowed, and what the margins of error are about.
func Methods(a *Analysis) []string {
	var out []string
	if len(a.Summary.Contests) > 0 {
		out = append(out, "A disk is said to be slowed only if noise would explain it in less "+
			"than 5% of runs. Where that is unclear, a longer phase of it alone, or more time "+
			"after the others finish, would tell.")
	}
	if len(a.Searches) > 0 {
		out = append(out, "A search halves the range in which its answer lies, and repeats the "+
			"values on both sides of it.")
	}
	if !a.Answer.Sure.Repeated {
		out = append(out, "Not every phase was repeated: what changes from run to run, such as "+
			"heat, is not in the margins of error.")
	}
	if text := hub.Source(a.ProfileOrigin).Text(); text != "" {
		out = append(out, "The disks are simulated, with figures that were "+text+": the margins "+
			"of error are the model's, not those of real disks.")
	}
	return out
}

// inCommon says what all disks of a phase did at once: they stood still for long, or dropped far. It
// comes before who slows whom.
func (w writer) inCommon() (ideas []idea) {
	for _, c := range w.Summary.Contests {
		i := slices.IndexFunc(w.Phases, func(p PhaseResult) bool { return p.Name == c.Phases[0] })
		if i < 0 || w.Phases[i].Overlap == nil {
			continue
		}
		p := &w.Phases[i]
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

// who is "all three write", "A and C write", or "A and B read and C writes".
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

// does is "A and B drop", or "A drops".
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

// precision says how well the rates behind the answer are known.
func (w writer) precision() string {
	sure := w.Answer.Sure
	if origin := hub.Source(w.ProfileOrigin); origin == hub.Specified {
		return "The disks are simulated, with figures " + origin.Text() +
			": how far real ones differ is not known."
	}
	if sure.Widest == 0 {
		switch {
		case sure.Unknown:
			return "Too little was measured to give these rates a margin of error."
		case len(w.Summary.Contests) == 0:
			return "" // No disk went as fast as it can, at a rate of its own.
		}
		return "All rates changed during the phases, so none has a margin of error."
	}
	runs := ", one run of each phase"
	switch {
	case sure.Repeated:
		runs = ", from repeated phases"
	case slices.ContainsFunc(w.Phases, func(p PhaseResult) bool { return p.Repeats != "" }):
		runs = ", not every phase repeated"
	}
	if sure.Unknown {
		runs += "; some rates have none, as too little was measured"
	}
	return fmt.Sprintf("Margin of error: ±%s%% or less (95%% confidence)%s.",
		twoFigures(100*sure.Widest), runs)
}

// subject is "C writes", "C slows steadily", or "A and B write": a verb, and what follows it.
func subject(names []string, verb, rest string) string {
	return unit.List(names) + " " + verb + pick(len(names) == 1, "s", "") + rest
}

func pick[T any](first bool, a, b T) T {
	if first {
		return a
	}
	return b
}
