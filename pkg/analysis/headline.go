package analysis

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// idea is a sentence about a run, without its full stop.
type idea struct {
	text   string
	detail string // what else to say of it as the headline; empty for nothing
	second string // how it reads just behind the headline: its load comes first, to set it apart
}

// ideas are what there is to say of a run, the one that makes its headline first: what became of streams, whose
// requests took longer, where fast caches end, who crowds out whom, and what the hub costs, which comes first if
// nobody is slowed.
func (en english) ideas() []idea {
	texts := slices.Concat(en.played(), en.slowed())
	for _, s := range en.Saturations {
		texts = append(texts, en.saturation(s, false)...)
	}
	costs := en.costs()
	var contests []idea
	for _, found := range en.Summary.Contests {
		contests = append(contests, en.contest(found).ideas()...)
	}
	if len(en.Answer.Loses) == 0 {
		texts, costs = slices.Concat(costs, texts), nil
	}
	plain := func(text string) idea { return idea{text: text, second: text} }
	out := slices.Concat(Each(texts, plain), contests, Each(costs, plain))
	if out == nil {
		out = Each(en.alone(), plain)
	}
	for i := range out {
		out[i].text, out[i].second = Capital(en.Order, out[i].text), Capital(en.Order, out[i].second)
	}
	return out
}

// costs say what a hub costs the disks that were measured on ports of their own as well.
func (en english) costs() []string {
	var lost, unsure, free []string
	for _, c := range en.HubCosts {
		switch {
		case c.Lost:
			lost = append(lost, fmt.Sprintf("your hub costs %s %.0f %% of its %s speed", c.Disk, 100*c.Loss, c.Op))
		case c.Nothing:
			free = append(free, c.Disk)
		default:
			unsure = append(unsure, fmt.Sprintf("whether your hub costs %s any %s speed is not sure", c.Disk, c.Op))
		}
	}
	if lost != nil || unsure != nil || free == nil {
		return append(lost, unsure...)
	}
	free = slices.Compact(ordered(en.Order, free)) // Most disks both write and read.
	as := pick(len(free) == 1, " is as fast as on its own port", " are as fast as on ports of their own")
	return []string{"your hub costs nothing: " + unit.List(free) + as}
}

// alone says how fast disks are each way if they were measured one at a time only. It names the fastest if all others
// are slower beyond their margins of error.
func (en english) alone() []string {
	var out []string
	for _, op := range []trace.Role{trace.Write, trace.Read} {
		alone := map[string]*Overlap{} // the fastest phase of each disk
		for _, p := range en.Phases {
			for name, d := range p.Disks {
				known := len(p.Disks) == 1 && d.Op == op && p.Overlap != nil && !p.Paced[name].Limited()
				if known && (alone[name] == nil || p.Overlap.Rate > alone[name].Rate) {
					alone[name] = p.Overlap
				}
			}
		}
		if len(alone) == 0 {
			continue
		}
		names := slices.SortedFunc(maps.Keys(alone), func(a, b string) int {
			return cmp.Compare(alone[b].Rate, alone[a].Rate)
		})
		best := alone[names[0]]
		text := fmt.Sprintf("%s %ss%s at %s", names[0], op, pick(len(names) > 1, " fastest,", ""), en.Rate(best.Rate))
		for _, name := range names[1:] {
			if ci := alone[name].CI95; ci == nil || best.CI95 == nil || ci[1] >= best.CI95[0] {
				text = fmt.Sprintf("the disks %s at up to %s", op, en.Rate(best.Rate))
			}
		}
		out = append(out, text)
	}
	return out
}

// Methods say when a disk is called slowed, and what the margins of error are about.
func Methods(a *Analysis) []string {
	var out []string
	if len(a.Summary.Contests) > 0 {
		out = append(out, "A disk is said to be slowed only if noise would explain it in less than 5 % of runs. "+
			"Where that is unclear, a longer phase of it alone, or more time after the others finish, would tell.")
	}
	if len(a.Searches) > 0 {
		out = append(out, "A search halves the range in which its answer lies, and repeats the values on both sides of it.")
	}
	if !a.Answer.Sure.Repeated {
		out = append(out, "Not every phase was repeated: what changes from run to run, such as heat, is not in the "+
			"margins of error.")
	}
	if text := hub.Source(a.ProfileOrigin).Text(); text != "" {
		out = append(out, "The disks are simulated, with figures that were "+text+": the margins of error are "+
			"the model's, not those of real disks.")
	}
	return out
}

// contest is disks that were busy together.
type contest struct {
	Contest
	scale     unit.Scale
	names     []string   // in the run's order
	op        trace.Role // what all of them do, or mixedOps
	all       bool       // the run has no other disks
	won, lost []string
	unsure    []string // the others that seem slower than their baselines but may not be
	changed   bool     // a rate changed by itself, so that it is unknown whether others slowed that disk
}

func (en english) contest(found Contest) contest {
	c := contest{Contest: found, scale: en.Scale, names: present(en.Order, found.Disks)}
	c.op, c.all = c.Disks[c.names[0]].Op, len(c.names) == len(en.Order)
	for _, name := range c.names {
		d := c.Disks[name]
		if d.Op != c.op {
			c.op = mixedOps
		}
		switch {
		case d.Changed != "":
			c.changed = true
		case d.Won:
			c.won = append(c.won, name)
		case d.Lost:
			c.lost = append(c.lost, name)
		case d.Kept > 0 && d.Kept < 1-minReported:
			c.unsure = append(c.unsure, name)
		}
	}
	return c
}

// minReported is the part of its speed that a disk must lose to be called slowed.
const minReported = 0.10

// who is "all three write", "A and C write", or "A and B read and C writes".
func (c contest) who() string {
	switch {
	case c.op == mixedOps || !c.all:
		var clauses []string
		for _, op := range []trace.Role{trace.Read, trace.Write} {
			names := only(c.names, func(name string) bool { return c.Disks[name].Op == op })
			if len(names) > 0 {
				clauses = append(clauses, subject(names, string(op), ""))
			}
		}
		return strings.Join(clauses, " and ")
	case len(c.names) == 2:
		return "both " + string(c.op)
	}
	return "all " + Count(len(c.names)) + " " + string(c.op)
}

// ideas say the contest: "C crowds out A and B: they drop to 47 % when all three write", those together that crowd
// out the same disks; and who else is slowed, or seems to be. Where nobody is known to crowd out others, they say how
// the disks share. If rates changed meanwhile, the stretch is named that this is of.
func (c contest) ideas() []idea {
	slowedBy := func(disk string) []string {
		return only(c.names, func(name string) bool { return slices.Contains(c.Disks[name].By, disk) })
	}
	var outcomes []string
	rest := c.lost
	for _, by := range grouped(c.won, func(a, b string) bool { return slices.Equal(slowedBy(a), slowedBy(b)) }) {
		if from := slowedBy(by[0]); len(from) > 0 {
			rest = only(rest, func(name string) bool { return !slices.Contains(from, name) })
			outcomes = append(outcomes, fmt.Sprintf("%s out %s: %s to %s", does(by, "crowd"), listed(from),
				pick(len(from) == 1, "it drops", "they drop"), c.kept(from)))
		}
	}
	switch {
	case outcomes == nil:
		outcomes = append(outcomes, c.shared())
	case len(rest) > 0:
		outcomes = append(outcomes, does(rest, "drop")+" to "+c.kept(rest))
	}
	if c.lost != nil && c.unsure != nil {
		outcomes = append(outcomes, c.unclear())
	}
	when := c.who()
	if outcomes[0] != changing {
		when += spansText(c.Spans)
	}
	out := Each(outcomes, func(text string) idea {
		text += " when " + when
		return idea{text: text, second: text}
	})
	out[0].second = "When " + when + ", " + outcomes[0]
	if len(c.won) == 1 {
		by, total := c.Disks[c.won[0]], 0.0
		for _, d := range c.Disks {
			total += d.Rate
		}
		out[0].detail = fmt.Sprintf("%s still %ss at %s of %s in total.", c.won[0], by.Op, c.scale.Number(by.Rate),
			c.scale.Rate(total))
	}
	return out
}

const changing = "speeds change by themselves"

func (c contest) unclear() string {
	return "it is unclear whether " + listed(c.unsure) + pick(len(c.unsure) == 1, " is", " are") + " slowed"
}

// shared says how the disks share if nobody is known to crowd out others.
func (c contest) shared() string {
	all := len(c.lost) == len(c.names)
	known, judged := false, false
	for _, d := range c.Disks {
		known, judged = known || d.CI95 != nil, judged || d.Reference != nil
	}
	switch even := c.op != mixedOps && c.Even; {
	case even && all:
		return "the hub is shared evenly: each drops to " + c.kept(c.lost)
	case even:
		return "the disks share evenly"
	case all:
		return pick(len(c.names) == 2, "both", "all") + " drop to " + c.kept(c.lost)
	case c.lost != nil:
		return does(c.lost, "drop") + " to " + c.kept(c.lost)
	case c.unsure != nil:
		return c.unclear()
	case c.changed:
		return changing
	case !known:
		return "too little was measured to say who is slowed"
	case !judged && c.op != mixedOps:
		return "the disks share unevenly"
	case !judged:
		return "no baseline shows who is slowed"
	}
	return "no disk is measurably slowed"
}

func (c contest) kept(names []string) string {
	return percents(Each(names, func(name string) float64 { return c.Disks[name].Kept }))
}

// percents are parts of speeds: "47 %", or "38 to 47 %" if they differ by 3 % or more.
func percents(parts []float64) string {
	low, high := slices.Min(parts), slices.Max(parts)
	if high-low < 0.03 {
		return fmt.Sprintf("%.0f %%", 50*(low+high))
	}
	return fmt.Sprintf("%.0f to %.0f %%", 100*low, 100*high)
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

// sure says how well the rates behind the answer are known.
func (en english) sure() string {
	sure := en.Answer.Sure
	if origin := hub.Source(en.ProfileOrigin); origin == hub.Specified {
		return "The disks are simulated, with figures " + origin.Text() + ": how far real ones differ is not known."
	}
	if sure.Widest == 0 {
		switch {
		case sure.Unknown:
			return "Too little was measured to give these rates a margin of error."
		case len(en.Summary.Contests) == 0:
			return "" // no disk went as fast as it can, at a rate of its own
		}
		return "All rates changed during the phases, so none has a margin of error."
	}
	runs := ", one run of each phase"
	switch {
	case sure.Repeated:
		runs = ", from repeated phases"
	case slices.ContainsFunc(en.Phases, func(p Phase) bool { return p.Repeats != "" }):
		runs = ", not every phase repeated"
	}
	unknown := pick(sure.Unknown, "; some rates have none, as too little was measured", "")
	return fmt.Sprintf("Margin of error: ±%s %% or less (95 %% confidence)%s%s.", twoFigures(100*sure.Widest), runs, unknown)
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
