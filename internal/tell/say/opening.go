package say

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// Opening says what several phases come to: what became of streams, whose requests took longer, where fast caches end, who
// wins and who loses. It is empty if there is nothing of these.
func Opening(a *analysis.Analysis) string {
	en, headline := in(a), ""
	for _, part := range []func() string{en.played, en.slowed, en.saturated, en.contests} {
		headline = joined(headline, part())
	}
	if headline != "" {
		headline = Capital(en.Order, headline) + "."
	}
	return headline
}

// Methods say what stands behind a win or a loss, and what the intervals are about.
func Methods(a *analysis.Analysis) []string {
	var out []string
	if len(a.Summary.Contests) > 0 {
		text := "A disk is said to win or lose only if noise would explain it in less than 5 % of runs"
		if strings.Contains(a.Answer.Headline, " may lose") {
			text += ": one that may lose seems to keep less, and a longer phase of it alone, or more time after the others finish, would tell"
		}
		out = append(out, text+".")
	}
	if !a.Answer.Sure.Repeated {
		out = append(out, "Not every phase was repeated: what changes from run to run, such as heat, is not in the intervals.")
	}
	if text := hub.Source(a.ProfileOrigin).Text(); text != "" {
		out = append(out, "The disks are simulated, with figures that were "+text+": the intervals are about the model, not about real disks.")
	}
	return out
}

// contests says who wins and who loses.
func (en english) contests() (headline string) {
	var outcomes []string
	when := map[string][]string{}
	for i := range en.Summary.Contests {
		c := en.contest(&en.Summary.Contests[i])
		outcome := c.outcome()
		if when[outcome] == nil {
			outcomes = append(outcomes, outcome)
		}
		when[outcome] = append(when[outcome], "when "+c.who())
	}
	for _, outcome := range outcomes {
		headline = joined(headline, outcome+" "+strings.Join(when[outcome], ", and "))
	}
	return headline
}

// contest is disks working together, to be told.
type contest struct {
	*analysis.Contest
	all       int      // disks of the run
	names     []string // in the run's order
	won, lost []string
	unsure    []string // of the others, those that seem to have less than without others but may not
	changed   bool     // a rate changed by itself meanwhile: nothing is said of what that disk lost
}

func (en english) contest(found *analysis.Contest) contest {
	c := contest{Contest: found, all: len(en.Order)}
	for _, name := range en.Order {
		d, ok := found.Disks[name]
		if !ok {
			continue
		}
		c.names = append(c.names, name)
		switch {
		case d.Changed != "":
			c.changed = true
		case d.Won:
			c.won = append(c.won, name)
		case d.Lost:
			c.lost = append(c.lost, name)
		default:
			if kept := d.Kept(); kept > 0 && kept < 1-worthTelling && mayLose(d.KeptCI) {
				c.unsure = append(c.unsure, name)
			}
		}
	}
	return c
}

// worthTelling is the part of its rate that a disk must lose for it to be told as a loss.
const worthTelling = 0.10

// mayLose reports whether an interval of what a disk keeps leaves open that it keeps all, or less.
func mayLose(kept *analysis.Interval) bool {
	return kept == nil || kept[1] >= 1 && kept[0]*kept[1] < (1-worthTelling)*(1-worthTelling)
}

// even reports whether the disks do the same and have about the same.
func (c contest) even() bool { return c.oneOp() != "" && c.Even }

// oneOp is what all disks do; empty if they do not do the same.
func (c contest) oneOp() trace.Role {
	op := c.Disks[c.names[0]].Op
	for _, name := range c.names {
		if c.Disks[name].Op != op {
			return ""
		}
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
	var texts []string
	for _, op := range []trace.Role{trace.Read, trace.Write} {
		names := slices.DeleteFunc(slices.Clone(c.names), func(n string) bool { return c.Disks[n].Op != op })
		if len(names) > 0 {
			texts = append(texts, subject(names, string(op)))
		}
	}
	return strings.Join(texts, " and ")
}

// outcome is who wins and who loses.
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
	for _, side := range []struct {
		names []string
		does  string
	}{{c.won, "win"}, {c.lost, "lose"}} {
		switch n := len(side.names); {
		case n > maxNamed:
			clauses = append(clauses, fmt.Sprintf("%d disks %s", n, side.does))
		case n > 0:
			clauses = append(clauses, subject(side.names, side.does))
		}
	}
	if c.unsure != nil {
		clauses = append(clauses, unit.List(c.unsure)+" may lose")
	}
	if clauses == nil && c.changed {
		return "rates change by themselves"
	}
	if known := func(d analysis.ContestDisk) bool { return d.CI95 != nil }; clauses == nil && !slices.ContainsFunc(slices.Collect(maps.Values(c.Disks)), known) {
		return "too little was moved to tell who loses"
	}
	if clauses == nil {
		return "no disk measurably loses"
	}
	return strings.Join(clauses, ", ")
}

// maxNamed is how many disks a headline names; more are counted.
const maxNamed = 4

// sure says how well the rates are known.
func (en english) sure() string {
	sure, widest := en.Answer.Sure, en.Answer.Sure.Widest
	if origin := hub.Source(en.ProfileOrigin); origin == hub.Specified {
		return "The disks are simulated, with figures " + origin.Text() + ": how far real ones differ is not known."
	}
	runs := pick(sure.Repeated, ", from repeated phases", ", from one run of each phase")
	if sure.Widest > 0 && !sure.Repeated && slices.ContainsFunc(en.Phases, func(p analysis.Phase) bool { return p.Repeats != "" }) {
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
		return fmt.Sprintf("Rates are known to ±%s %% (95 %% confidence)%s; some have no interval, as too little was moved.", figures(100*widest), runs)
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
