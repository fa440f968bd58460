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
	"github.com/hubbench/hubbench/pkg/work"
)

// Headline returns the one idea of a run, and what else there is to say of it, sentence by sentence: what became of
// streams, whose requests took longer, where fast caches end, who crowds out whom, and what the hub costs, which
// comes first if nobody is slowed. The headline is empty if there is nothing of these.
func Headline(a *Analysis) (headline string, rest []string) {
	en := in(a)
	var caches, contests []string
	for _, s := range a.Saturations {
		caches = append(caches, en.saturation(s, false)...)
	}
	for _, found := range a.Summary.Contests {
		contests = append(contests, en.contest(found).ideas()...)
	}
	ideas := slices.Concat(en.played(), en.slowed(), caches)
	if len(en.Answer.Loses) > 0 {
		ideas = slices.Concat(ideas, contests, en.costs())
	} else {
		ideas = slices.Concat(en.costs(), ideas, contests)
	}
	if len(ideas) == 0 {
		ideas = en.alone()
	}
	for i, idea := range ideas {
		ideas[i] = Capital(en.Order, idea)
	}
	if len(ideas) == 0 {
		return "", nil
	}
	return ideas[0], ideas[1:]
}

// sentence says what belongs to the headline: the speed of a disk that crowds out others, and one idea more.
func (en english) sentence(headline string, rest []string) string {
	var out []string
	for _, found := range en.Summary.Contests {
		c := en.contest(found)
		if len(c.won) != 1 || Capital(en.Order, c.ideas()[0]) != headline {
			continue
		}
		total := 0.0
		for _, d := range c.Disks {
			total += d.Rate
		}
		by := c.Disks[c.won[0]]
		out = append(out, fmt.Sprintf("%s still %ss at %s of %s in total.", c.won[0], by.Op, en.Number(by.Rate),
			en.Rate(total)))
	}
	if len(rest) > 0 {
		next := rest[0]
		for _, found := range en.Summary.Contests { // the load first, to set it apart from the headline's
			if c := en.contest(found); Capital(en.Order, c.ideas()[0]) == next {
				next = "When " + c.who() + spansText(c.Spans) + ", " + c.outcomes()[0]
			}
		}
		out = append(out, next+".")
	}
	return strings.Join(out, " ")
}

// costs say what a hub costs the disks that were measured on ports of their own as well.
func (en english) costs() []string {
	var lost, unsure, free []string
	for _, c := range en.HubCosts {
		switch speed := string(c.Op) + " speed"; {
		case c.Lost:
			lost = append(lost, fmt.Sprintf("your hub costs %s %.0f %% of its %s", c.Disk, 100*c.Loss, speed))
		case c.Nothing:
			free = append(free, c.Disk)
		default:
			unsure = append(unsure, fmt.Sprintf("whether your hub costs %s any %s is not sure", c.Disk, speed))
		}
	}
	if lost == nil && unsure == nil && free != nil {
		free = slices.Compact(ordered(en.Order, free)) // Most disks both write and read.
		if len(free) == 1 {
			return []string{"your hub costs nothing: " + free[0] + " is as fast as on its own port"}
		}
		return []string{"your hub costs nothing: " + unit.List(free) + " are as fast as on ports of their own"}
	}
	return append(lost, unsure...)
}

// alone says how fast the fastest disk is each way if disks were measured one at a time only.
func (en english) alone() []string {
	var out []string
	for _, op := range []trace.Role{trace.Write, trace.Read} {
		alone := map[string]*Overlap{} // the fastest phase of each disk
		best := ""
		for i := range en.Phases {
			p := &en.Phases[i]
			for name, d := range p.Disks {
				if len(p.Disks) != 1 || d.Op != op || p.Overlap == nil || p.Paced[name].Limited() {
					continue
				}
				if o := alone[name]; o == nil || p.Overlap.Rate > o.Rate {
					alone[name] = p.Overlap
				}
				if best == "" || p.Overlap.Rate > alone[best].Rate {
					best = name
				}
			}
		}
		if best != "" {
			out = append(out, en.fastest(best, op, alone))
		}
	}
	return out
}

// fastest names the disk with the highest speed only if all others are slower beyond their margins of error.
func (en english) fastest(best string, op trace.Role, alone map[string]*Overlap) string {
	top := alone[best]
	if len(alone) == 1 {
		return fmt.Sprintf("%s %ss at %s", best, op, en.Rate(top.Rate))
	}
	for name, o := range alone {
		if name != best && (top.CI95 == nil || o.CI95 == nil || o.CI95[1] >= top.CI95[0]) {
			return fmt.Sprintf("the disks %s at up to %s", op, en.Rate(top.Rate))
		}
	}
	return fmt.Sprintf("%s %ss fastest, at %s", best, op, en.Rate(top.Rate))
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
	all       int      // disks of the run
	names     []string // in the run's order
	won, lost []string
	unsure    []string // the others that seem slower than their baselines but may not be
	changed   bool     // a rate changed by itself meanwhile, so that it is unknown whether others slowed that disk
}

func (en english) contest(found Contest) contest {
	c := contest{Contest: found, all: len(en.Order), names: present(en.Order, found.Disks)}
	for _, name := range c.names {
		switch d := found.Disks[name]; {
		case d.Changed != "":
			c.changed = true
		case d.Won:
			c.won = append(c.won, name)
		case d.Lost:
			c.lost = append(c.lost, name)
		default:
			if kept := d.Kept; kept > 0 && kept < 1-minReported {
				c.unsure = append(c.unsure, name)
			}
		}
	}
	return c
}

// minReported is the part of its speed that a disk must lose to be called slowed.
const minReported = 0.10

// even reports whether the disks do the same and have about the same.
func (c contest) even() bool { return c.oneOp() != "" && c.Even }

// oneOp is what all disks do; empty if they do not do the same.
func (c contest) oneOp() trace.Role {
	op := c.Disks[c.names[0]].Op
	if slices.ContainsFunc(c.names, func(name string) bool { return c.Disks[name].Op != op }) {
		return ""
	}
	return op
}

// who is "all three write", "A and C write", or "A and B read and C writes".
func (c contest) who() string {
	if op := c.oneOp(); op != "" && len(c.names) == c.all {
		if c.all == 2 {
			return "both " + string(op)
		}
		return "all " + Count(c.all) + " " + string(op)
	}
	does := func(disk string) work.Verb { return work.Work{Op: c.Disks[disk].Op}.Verb() }
	names := slices.Clone(c.names) // who reads, then who writes
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(does(a).One, does(b).One) })
	return strings.Join(work.Clauses(names, does, work.Verb.Of), " and ")
}

const changing = "speeds change by themselves"

// ideas say the contest: "C crowds out A and B: they drop to 47 % when all three write", and who else is slowed,
// or seems to be. If rates changed meanwhile, the stretch is named that this is of.
func (c contest) ideas() []string {
	when := " when " + c.who()
	var out []string
	for _, outcome := range c.outcomes() {
		if outcome += when; outcome != changing+when {
			outcome += spansText(c.Spans)
		}
		out = append(out, outcome)
	}
	if c.lost != nil && c.unsure != nil {
		out = append(out, c.unclear()+when+spansText(c.Spans))
	}
	return out
}

func (c contest) unclear() string {
	return "it is unclear whether " + c.named(c.unsure) + verb(c.unsure, " is", " are") + " slowed"
}

// outcomes are who crowds out whom, those together that crowd out the same disks, and who else is slowed; without
// any of these the one that says how the disks share.
func (c contest) outcomes() (out []string) {
	slowed := func(disk string) []string { // by the disk
		return slices.DeleteFunc(slices.Clone(c.names), func(name string) bool {
			return !slices.Contains(c.Disks[name].By, disk)
		})
	}
	rest := slices.Clone(c.lost)
	for _, by := range Grouped(c.won, func(name string) string { return strings.Join(slowed(name), "\x00") }) {
		from := slowed(by[0])
		if len(from) > 0 {
			out = append(out, c.named(by)+verb(by, " crowds", " crowd")+" out "+c.named(from)+": "+
				verb(from, "it drops", "they drop")+" to "+c.kept(from))
		}
		rest = slices.DeleteFunc(rest, func(name string) bool { return slices.Contains(from, name) })
	}
	switch {
	case out == nil:
		out = append(out, c.shared())
	case len(rest) > 0:
		out = append(out, c.named(rest)+verb(rest, " drops", " drop")+" to "+c.kept(rest))
	}
	return out
}

func verb(subject []string, one, many string) string {
	if len(subject) == 1 {
		return one
	}
	return many
}

// shared says how the disks share if nobody is known to crowd out others.
func (c contest) shared() string {
	all := len(c.lost) == len(c.names)
	known := slices.ContainsFunc(c.names, func(name string) bool { return c.Disks[name].CI95 != nil })
	judged := slices.ContainsFunc(c.names, func(name string) bool { return c.Disks[name].Reference != nil })
	switch {
	case c.even() && all:
		return "the hub is shared evenly: each drops to " + c.kept(c.lost)
	case c.even():
		return "the disks share evenly"
	case all && len(c.names) == 2:
		return "both drop to " + c.kept(c.lost)
	case all:
		return "all drop to " + c.kept(c.lost)
	case c.lost != nil:
		return c.named(c.lost) + verb(c.lost, " drops", " drop") + " to " + c.kept(c.lost)
	case c.unsure != nil:
		return c.unclear()
	case c.changed:
		return changing
	case !known:
		return "too little was measured to say who is slowed"
	case !judged && c.oneOp() != "":
		return "the disks share unevenly"
	case !judged:
		return "no baseline shows who is slowed"
	}
	return "no disk is measurably slowed"
}

// kept is the part of their speed that disks keep: "47 %", or "38 to 47 %" if that differs.
func (c contest) kept(names []string) string {
	low, high := 1e9, 0.0
	for _, name := range names {
		low, high = min(low, c.Disks[name].Kept), max(high, c.Disks[name].Kept)
	}
	from, to := fmt.Sprintf("%.0f", 100*low), fmt.Sprintf("%.0f", 100*high)
	if 100*(high-low) < alikePercent {
		return fmt.Sprintf("%.0f %%", 50*(low+high))
	}
	return from + " to " + to + " %"
}

// alikePercent is how far apart two disks keep about the same part of their speed, in percent of it.
const alikePercent = 3

// named lists the disks, or counts them if they are many.
func (c contest) named(names []string) string {
	if len(names) > maxNamed {
		return fmt.Sprintf("%d disks", len(names))
	}
	return unit.List(names)
}

// maxNamed is how many disks a headline names; more are counted.
const maxNamed = 4

func (en english) sure() string {
	sure, widest := en.Answer.Sure, en.Answer.Sure.Widest
	if origin := hub.Source(en.ProfileOrigin); origin == hub.Specified {
		return "The disks are simulated, with figures " + origin.Text() + ": how far real ones differ is not known."
	}
	runs := pick(sure.Repeated, ", from repeated phases", ", one run of each phase")
	if sure.Widest > 0 && !sure.Repeated &&
		slices.ContainsFunc(en.Phases, func(p Phase) bool { return p.Repeats != "" }) {
		runs = ", not every phase repeated"
	}
	switch {
	case widest == 0 && !sure.Unknown && len(en.Summary.Contests) == 0:
		return "" // no disk went as fast as it can, at a rate of its own
	case widest == 0 && !sure.Unknown:
		return "All rates changed during the phases, so none has a margin of error."
	case widest == 0:
		return "Too little was measured to give these rates a margin of error."
	}
	text := fmt.Sprintf("Margin of error: ±%s %% or less (95 %% confidence)%s", twoFigures(100*widest), runs)
	if sure.Unknown {
		text += "; some rates have none, as too little was measured"
	}
	return text + "."
}

// subject is "C writes", "C slows steadily", or "A and B write": a verb, and what follows it.
func subject(names []string, verb, rest string) string {
	if len(names) == 1 {
		verb += "s"
	}
	return unit.List(names) + " " + verb + rest
}

// advise writes how to connect the disks, and what the others gain by it.
func (en english) advise(advice *Advice) {
	switch advice.Kind {
	case AdviceShare:
		advice.Title = "Leave them on one hub"
		advice.Detail = "Every disk keeps at least 90 % of its speed."
	case AdviceUnmeasured:
		advice.Title = en.missing(advice.Missing)
		advice.Detail = "Which to move is unknown."
	case AdviceNone:
		advice.Title = "Nothing to move"
		advice.Detail = "No disk is shown to slow the others by more than a tenth."
		if len(en.Answer.Loses) > 0 || advice.Gain > 0 {
			advice.Title = "Measure for longer"
			advice.Detail = "Which disk to move is within the margin of error."
		}
	case AdviceAnyOwnPort:
		advice.Title = "Move one of " + unit.List(ordered(en.Order, advice.Disks)) + " to its own port"
		advice.Detail = "It makes little difference to the others which one."
	default:
		disk := advice.Disks[0]
		advice.Title = "Move " + disk + " to its own port"
		var clauses []string
		gains := en.gains(disk)
		for i, g := range gains {
			who := unit.List(g.names) + " then "
			if i > 0 && slices.Equal(g.names, gains[0].names) {
				who = ""
			}
			does := string(g.op)
			if len(g.names) == 1 {
				does += "s"
			}
			beside := ""
			if g.beside != g.op {
				beside = fmt.Sprintf(" while %s %ss", disk, g.beside)
			}
			clauses = append(clauses, fmt.Sprintf("%s%s at %s instead of %s%s", who, does, en.each(g.to, len(g.names)),
				en.Number(g.from), beside))
		}
		advice.Detail = strings.Join(clauses, ", and ") + "."
	}
	advice.Text = advice.Title + pick(advice.Kind == AdviceOwnPort, ": ", ". ") + advice.Detail
}

// missing says what to measure: "Measure A and B without C", or without each of several in turn.
func (en english) missing(phases []MissingPhase) string {
	var without []string
	for _, p := range phases {
		if !slices.Contains(without, p.Without) {
			without = append(without, p.Without)
		}
	}
	switch {
	case len(without) == 1:
		return "Measure " + unit.List(present(en.Order, phases[0].Roles)) + " without " + without[0]
	case len(without) <= len(phases[0].Roles):
		return "Measure without each of " + unit.List(ordered(en.Order, without)) + " in turn (study: matrix)"
	}
	return "Measure without each disk in turn (study: matrix)"
}

// gain is what disks that do the same gain without another one.
type gain struct {
	op       trace.Role
	names    []string
	from, to float64
	beside   trace.Role // what the other one did
}

// gains are for writing and for reading what the others gain at best without a disk.
func (en english) gains(without string) []gain {
	i := slices.IndexFunc(en.Summary.Removals, func(r Removal) bool { return r.Disk == without })
	var out []gain
	for _, op := range []trace.Role{trace.Write, trace.Read} {
		names := func(c RemovalCase) []string { // who gain, of those that do it
			all := slices.Sorted(maps.Keys(c.Disks))
			return slices.DeleteFunc(all, func(name string) bool { return c.Disks[name].Op != op })
		}
		// The case in which more disks gain, then one with a phase of its own, then the greater gain.
		best := slices.MaxFunc(en.Summary.Removals[i].Cases, func(c, than RemovalCase) int {
			own := pick(c.Without == "", 0, 1) - pick(than.Without == "", 0, 1)
			return cmp.Or(len(names(c))-len(names(than)), own, cmp.Compare(c.Gain, than.Gain))
		})
		g := gain{op: op, names: names(best), beside: op}
		for i := range en.Phases {
			if en.Phases[i].Name == best.Phase {
				g.beside = en.Phases[i].Roles[without]
			}
		}
		for _, name := range g.names {
			g.from, g.to = g.from+best.Disks[name].From/float64(len(g.names)), g.to+best.Disks[name].To/float64(len(g.names))
		}
		if len(g.names) > 0 {
			out = append(out, g)
		}
	}
	return out
}

func pick[T any](first bool, a, b T) T {
	if first {
		return a
	}
	return b
}
