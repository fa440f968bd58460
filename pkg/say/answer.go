package say

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
	"github.com/hubbench/hubbench/pkg/work"
)

// Opening says what several phases come to: what became of streams, whose requests took longer, where fast
// caches end, who wins and who loses. It is empty if there is nothing of these.
func Opening(a *analysis.Analysis) string {
	en := in(a)
	caches := Each(a.Saturations, func(s analysis.Saturation) string { return en.saturation(s, false) })
	contests := Grouped(Each(a.Summary.Contests, en.contest), contest.outcome)
	clauses := slices.Concat(en.played(), en.slowed(), caches, Each(contests, func(alike []contest) string {
		when := Each(alike, func(c contest) string { return "when " + c.who() })
		return alike[0].outcome() + " " + strings.Join(when, ", and ")
	}))
	if clauses == nil {
		return ""
	}
	return Capital(en.Order, strings.Join(clauses, "; ")) + "."
}

// Methods say what stands behind a win or a loss, and what the intervals are about.
func Methods(a *analysis.Analysis) []string {
	var out []string
	if len(a.Summary.Contests) > 0 {
		text := "A disk is said to win or lose only if noise would explain it in less than 5 % of runs"
		if strings.Contains(a.Answer.Headline, " may lose") {
			text += ": one that may lose seems to keep less, and a longer phase of it alone, or more time after the " +
				"others finish, would tell"
		}
		out = append(out, text+".")
	}
	if !a.Answer.Sure.Repeated {
		out = append(out, "Not every phase was repeated: what changes from run to run, such as heat, is not in the "+
			"intervals.")
	}
	if text := hub.Source(a.ProfileOrigin).Text(); text != "" {
		out = append(out, "The disks are simulated, with figures that were "+text+": the intervals are about the "+
			"model, not about real disks.")
	}
	return out
}

// contest is disks working together, to be told.
type contest struct {
	analysis.Contest
	all       int      // disks of the run
	names     []string // in the run's order
	won, lost []string
	unsure    []string // of the others, those that seem to have less than without others but may not
	changed   bool     // a rate changed by itself meanwhile: nothing is said of what that disk lost
}

func (en english) contest(found analysis.Contest) contest {
	c := contest{Contest: found, all: len(en.Order), names: among(en.Order, found.Disks)}
	for _, name := range c.names {
		switch d := found.Disks[name]; {
		case d.Changed != "":
			c.changed = true
		case d.Won:
			c.won = append(c.won, name)
		case d.Lost:
			c.lost = append(c.lost, name)
		default:
			if kept := d.Kept; kept > 0 && kept < 1-worthTelling {
				c.unsure = append(c.unsure, name)
			}
		}
	}
	return c
}

// worthTelling is the part of its rate that a disk must lose for it to be told as a loss.
const worthTelling = 0.10

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

func (c contest) outcome() string {
	switch {
	case c.even() && len(c.lost) == len(c.names):
		return "all lose alike"
	case c.even():
		return "the disks share evenly"
	case c.won == nil && c.unsure == nil && len(c.lost) == len(c.names):
		return "all lose"
	}
	var clauses []string
	for i, names := range [][]string{c.won, c.lost} {
		does := []string{"win", "lose"}[i]
		switch n := len(names); {
		case n > maxNamed:
			clauses = append(clauses, fmt.Sprintf("%d disks %s", n, does))
		case n > 0:
			clauses = append(clauses, subject(names, does))
		}
	}
	if c.unsure != nil {
		clauses = append(clauses, unit.List(c.unsure)+" may lose")
	}
	known := slices.ContainsFunc(c.names, func(name string) bool { return c.Disks[name].CI95 != nil })
	judged := slices.ContainsFunc(c.names, func(name string) bool { return c.Disks[name].Reference != nil })
	switch {
	case clauses != nil:
		return strings.Join(clauses, ", ")
	case c.changed:
		return "rates change by themselves"
	case !known:
		return "too little was moved to tell who loses"
	case !judged && c.oneOp() != "":
		return "the disks share unevenly"
	case !judged:
		return "who loses is not known, as no disk was measured without the others"
	}
	return "no disk measurably loses"
}

// maxNamed is how many disks a headline names; more are counted.
const maxNamed = 4

func (en english) sure() string {
	sure, widest := en.Answer.Sure, en.Answer.Sure.Widest
	if origin := hub.Source(en.ProfileOrigin); origin == hub.Specified {
		return "The disks are simulated, with figures " + origin.Text() + ": how far real ones differ is not known."
	}
	runs := pick(sure.Repeated, ", from repeated phases", ", from one run of each phase")
	if sure.Widest > 0 && !sure.Repeated &&
		slices.ContainsFunc(en.Phases, func(p analysis.Phase) bool { return p.Repeats != "" }) {
		runs = "; not every phase was repeated"
	}
	switch {
	case widest == 0 && !sure.Unknown && len(en.Summary.Contests) == 0:
		return "" // no disk went as fast as it can, at a rate of its own
	case widest == 0 && !sure.Unknown:
		return "All rates changed during the phases, so none has a confidence interval."
	case widest == 0:
		return "Too little was moved to give these rates a confidence interval."
	case sure.Unknown:
		return fmt.Sprintf("Rates are known to ±%s %% (95 %% confidence)%s; some have no interval, as too little was "+
			"moved.", figures(100*widest), runs)
	}
	return fmt.Sprintf("Rates are known to ±%s %% or better (95 %% confidence)%s.", figures(100*widest), runs)
}

// subject is "C writes", "C stands still", or "A and B write".
func subject(names []string, verb string) string {
	if len(names) == 1 {
		one, rest, _ := strings.Cut(verb, " ")
		verb = strings.TrimSpace(one + "s " + rest)
	}
	return unit.List(names) + " " + verb
}

// advice is how to connect the disks, and what the others gain by it.
func (en english) advice() string {
	advice := en.Answer.Advice[0]
	switch advice.Kind {
	case analysis.AdviceShare:
		return "Together on one hub, none of them loses more than a tenth of its rate."
	case analysis.AdviceUnmeasured:
		return "How to connect them: not measured; that takes phases without each disk in turn (study: matrix)."
	case analysis.AdviceNone:
		return "No disk is shown to cost the others more than a tenth of their rate."
	}
	disk := advice.Disks[0]
	if advice.Kind == analysis.AdviceAnyOwnPort {
		return fmt.Sprintf("Give one of %s a port of its own; which one makes little difference to the others.",
			unit.List(inOrder(en.Order, advice.Disks)))
	}
	var clauses []string
	gains := en.gains(disk)
	for i, g := range gains {
		who, to := subject(g.names, string(g.op)), en.each(g.to, len(g.names))
		if i > 0 && slices.Equal(g.names, gains[0].names) { // who and the unit have been said
			who, to = strings.TrimPrefix(who, unit.List(g.names)+" "), en.Number(g.to)
		}
		clauses = append(clauses, fmt.Sprintf("%s %s instead of %s", who, to, en.Number(g.from)))
	}
	return fmt.Sprintf("Give %s a port of its own: without it %s.", disk, strings.Join(clauses, ", and "))
}

// gain is what disks that do the same gain without another one.
type gain struct {
	op       trace.Role
	names    []string
	from, to float64
}

// gains are for writing and for reading what the others gain at best without a disk.
func (en english) gains(without string) []gain {
	i := slices.IndexFunc(en.Summary.Removals, func(r analysis.Removal) bool { return r.Disk == without })
	var out []gain
	for _, op := range []trace.Role{trace.Write, trace.Read} {
		names := func(c analysis.RemovalCase) []string { // who gain, of those that do it
			all := slices.Sorted(maps.Keys(c.Disks))
			return slices.DeleteFunc(all, func(name string) bool { return c.Disks[name].Op != op })
		}
		// The case in which more disks gain, then one with a phase of its own, then the greater gain.
		best := slices.MaxFunc(en.Summary.Removals[i].Cases, func(c, than analysis.RemovalCase) int {
			own := pick(c.Without == "", 0, 1) - pick(than.Without == "", 0, 1)
			return cmp.Or(len(names(c))-len(names(than)), own, cmp.Compare(c.Gain, than.Gain))
		})
		g := gain{op: op, names: names(best)}
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
