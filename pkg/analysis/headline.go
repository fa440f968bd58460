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
	second string // the text as the second idea, if its load comes first to set it apart
}

// ideas returns what there is to say of a run, the one that makes its headline first: what became
// of streams, whose requests took longer, where fast caches end, who crowds out whom, and what the
// hub costs, which comes first if nobody is slowed.
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
		var tops []*Overlap // the fastest phase of each disk
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

// subject returns "C writes", "C slows steadily", or "A and B write": a verb, and what follows it.
func subject(names []string, verb, rest string) string {
	return unit.List(names) + " " + verb + pick(len(names) == 1, "s", "") + rest
}

func pick[T any](first bool, a, b T) T {
	if first {
		return a
	}
	return b
}
