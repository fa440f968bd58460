package analysis

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// Advice is how to connect the disks.
type Advice struct {
	Kind string `json:"kind"`
	// Disks is the one to move, or, for any_own_port, any one of them, the best first.
	Disks []string `json:"disks"`
	// Gain is that of the others together: 1 is twice as much.
	Gain  float64 `json:"gain,omitempty"`
	Error float64 `json:"gain_error,omitempty"`
	// Missing are the phases that would tell which disk to move, if they were measured.
	Missing []MissingPhase `json:"missing,omitempty"`
	// Title says what to do, Detail what comes of it, and Text both.
	Title  string `json:"title"`
	Detail string `json:"detail"`
	Text   string `json:"text"`
}

// MissingPhase is a phase to measure: what the disks of another one do but for one of them.
type MissingPhase struct {
	Without string                `json:"without"`
	Roles   map[string]trace.Role `json:"roles"`
}

// The kinds of advice.
const (
	AdviceOwnPort    = "own_port"     // One disk should move to its own port.
	AdviceAnyOwnPort = "any_own_port" // One should move; it makes little difference which.
	AdviceShare      = "share"        // All can share the hub: none loses more than a tenth.
	AdviceNone       = "none"         // No disk is shown to cost the others more than a tenth.
	AdviceUnmeasured = "unmeasured"   // No phase shows what the others have without one disk.
)

// advice returns how to connect the disks: the move that gains the others most, if that is beyond
// doubt, and if none that was not measured could gain them more.
func (w writer) advice() Advice {
	removals := w.Summary.Removals
	var best Removal // It stays empty if no move is worth it.
	if len(removals) > 0 && removals[0].Gain >= minEffect {
		best = removals[0]
	}
	slowed := best.Gain > 0 // or that is unclear
	for _, c := range w.Summary.Contests {
		for _, d := range c.Disks {
			slowed = slowed || !d.Keeps && d.Kept < minRetained
		}
	}
	var like []string // the best, and those that make little difference
	sure := best.Gain > best.Error &&
		slices.ContainsFunc(best.Cases, func(c RemovalCase) bool { return len(c.Disks) > 0 })
	for _, r := range removals {
		ahead := best.Gain - r.Gain
		off := math.Hypot(best.Error, r.Error)
		switch {
		case r.Disk == best.Disk || ahead <= minMoveLead && off <= minMoveLead:
			like = append(like, r.Disk)
		case ahead <= max(minMoveLead, off):
			sure = false // That one may gain them more.
		}
	}
	missing, measure := w.missing(max(minEffect, best.Gain))
	out := Advice{Kind: AdviceNone, Disks: []string{}, Gain: best.Gain, Error: best.Error}
	end := ". "
	switch {
	case !slowed:
		out.Kind = AdviceShare
		out.Title = "Leave them on one hub"
		out.Detail = "Every disk keeps at least 90% of its speed."
	case missing != nil:
		out.Kind, out.Missing, out.Title = AdviceUnmeasured, missing, measure
		out.Detail = "Which to move is unknown."
	case !sure && len(w.Answer.Loses) == 0 && best.Gain == 0:
		out.Title = "Nothing to move"
		out.Detail = "No disk is shown to slow the others by more than a tenth."
	case !sure:
		out.Title = "Measure for longer"
		out.Detail = "Which disk to move is within the margin of error."
	case len(like) > 1:
		out.Kind = AdviceAnyOwnPort
		out.Disks = append(like[:1], ordered(w.Order, like[1:])...)
		out.Title = "Move one of " + unit.List(ordered(w.Order, like)) + " to its own port"
		out.Detail = "It makes little difference to the others which one."
	default:
		out.Kind = AdviceOwnPort
		out.Disks = like
		out.Title = "Move " + best.Disk + " to its own port"
		out.Detail = w.gains(&best)
		end = ": "
	}
	out.Text = out.Title + end + out.Detail
	return out
}

// missing returns the phases without one disk of a contest that were not measured although the
// others might gain that much in them, and the advice to measure these. Without a disk the others
// gain no more than what it moves.
func (w writer) missing(atLeast float64) (phases []MissingPhase, measure string) {
	var without []string
	for _, c := range w.Summary.Contests {
		for _, disk := range present(w.Order, c.Disks) {
			roles := map[string]trace.Role{}
			others := 0.0
			for name, d := range c.Disks {
				if name != disk {
					roles[name] = d.Op
					others += d.Rate
				}
			}
			known := func(r Removal) bool { return r.Disk == disk }
			if others == 0 || c.Disks[disk].Rate < atLeast*others ||
				slices.ContainsFunc(w.Summary.Removals, known) {
				continue
			}
			phases = append(phases, MissingPhase{Without: disk, Roles: roles})
			if !slices.Contains(without, disk) {
				without = append(without, disk)
			}
		}
	}
	switch {
	case phases == nil:
		return nil, ""
	case len(without) == 1:
		others := unit.List(present(w.Order, phases[0].Roles))
		return phases, "Measure " + others + " without " + without[0]
	case len(without) <= len(phases[0].Roles):
		each := unit.List(ordered(w.Order, without))
		return phases, "Measure without each of " + each + " in turn (study: matrix)"
	}
	return phases, "Measure without each disk in turn (study: matrix)"
}

// gains say for writing and for reading what the others gain at best without a disk: "A and B then
// write at 1.48 GB/s each instead of 0.700, and read at 1.50 GB/s each instead of 1.10."
func (w writer) gains(without *Removal) string {
	var clauses []string
	var before []string // The clause before this one is about these disks.
	for _, op := range []trace.Role{trace.Write, trace.Read} {
		gaining := func(c RemovalCase) []string {
			does := func(name string) bool { return c.Disks[name].Op == op }
			return only(slices.Sorted(maps.Keys(c.Disks)), does)
		}
		// The case in which more disks gain, then one with its own phase, then the greater gain.
		best := slices.MaxFunc(without.Cases, func(c, than RemovalCase) int {
			own := pick(c.Without == "", 0, 1) - pick(than.Without == "", 0, 1)
			return cmp.Or(len(gaining(c))-len(gaining(than)), own, cmp.Compare(c.Gain, than.Gain))
		})
		names := gaining(best)
		if len(names) == 0 {
			continue
		}
		from := meanOf(names, func(name string) float64 { return best.Disks[name].From })
		to := meanOf(names, func(name string) float64 { return best.Disks[name].To })
		text := fmt.Sprintf("%s%s%s at %s instead of %s",
			pick(slices.Equal(names, before), "", unit.List(names)+" then "), op,
			pick(len(names) == 1, "s", ""), w.each(to, len(names)), w.Number(from))
		if p := w.phase(best.Phase); p != nil && p.Roles[without.Disk] != op {
			text += fmt.Sprintf(" while %s %ss", without.Disk, p.Roles[without.Disk])
		}
		clauses = append(clauses, text)
		before = names
	}
	return strings.Join(clauses, ", and ") + "."
}
