package analysis_test

import (
	"fmt"
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/trace"
)

// verdict is what a run's analysis is worth.
type verdict struct {
	missing []string // true changes that are not reported
	wrong   []string // what is claimed and is not so
	caused  int      // reported changes of the right kind, with the right cause or none
	told    int      // reported changes
	uncause []string // how the other causes are wrong
}

// judge compares what is claimed of a scene with what the model knows.
func (s *scene) judge(r *reading, noise float64) *verdict {
	v := &verdict{}
	for i := range s.Changes {
		v.change(r, s.Changes, &s.Changes[i], noise)
	}
	for _, got := range r.changes {
		if !got.isEdge(s.Run) && !slices.ContainsFunc(flat(s.Changes), func(want truthChange) bool {
			return near([]change{got}, &want) != nil
		}) {
			v.false("there is no %s of %v", got.Kind, got.Disks)
		}
	}
	for _, q := range s.Quotes {
		if got := r.quotes[q.Phase+"/"+q.Disk]; math.Abs(got/q.Rate-1) > 0.035+noise/5 {
			v.false("the recommended figure of %s is no settled rate", q.Disk)
		}
	}
	for _, pattern := range s.Must {
		if !slices.ContainsFunc(r.claims, func(c claim) bool { return c.matches(pattern) }) {
			v.missing = append(v.missing, fmt.Sprintf("%s %s", pattern.Disk, pattern.Code))
		}
	}
	for _, c := range r.claims {
		if slices.ContainsFunc(s.False, c.matches) {
			v.false("%s: %s", c.Code, c.Disk)
			continue
		}
		s.judgeClaim(v, c, noise)
	}
	for _, e := range r.Effects {
		significant := e.CI != nil && e.CI[0] > 1-1/freedAbove
		if significant && !slices.ContainsFunc(e.Phases, func(phase string) bool {
			return s.known[phase] != nil && s.known[phase].isTaking(e.Neighbour, e.Victim)
		}) {
			v.false("effect of %s on %s", e.Neighbour, e.Victim)
		}
	}
	return v
}

func (v *verdict) false(format string, values ...any) {
	if text := fmt.Sprintf(format, values...); !slices.Contains(v.wrong, text) {
		v.wrong = append(v.wrong, text)
	}
}

// flat lists changes and the parts that they consist of.
func flat(changes []truthChange) []truthChange {
	all := slices.Clone(changes)
	for _, c := range changes {
		all = append(all, c.Parts...)
	}
	return all
}

// isEdge reports whether the change is the start or the end of a disk, which blames nobody.
func (c *change) isEdge(run *trace.Run) bool { return c.By == "" && c.edge(run) }

// change finds out whether a true change is reported, and rightly.
func (v *verdict) change(r *reading, all []truthChange, want *truthChange, noise float64) {
	var found []change
	var told bool
	if want.EndS > 0 && want.Kinds[0] != "stall" && want.Kinds[0] != "warm_up" {
		found, told = v.lasting(r, want, noise)
	} else {
		found = atStep(r.changes, want)
		told = want.toldBy(found, flat(all), noise)
		v.rates(found, want, noise)
	}
	if want.Optional {
		return
	}
	if !told {
		v.missing = append(v.missing, fmt.Sprintf("%s of %v", want.Kinds[0], want.Disks))
		return
	}
	v.told++
	for _, c := range found {
		beside := c.Kind == "stall" && want.Kinds[0] != "stall" && len(found) > 1
		if !beside && !c.rightly(want) {
			v.uncause = append(v.uncause, fmt.Sprintf("%s of %v told as %s, cause %q, by %q",
				want.Kinds[0],
				want.Disks, c.Kind, c.Cause, c.By))
			return
		}
	}
	v.caused++
}

// atStep are the changes that may tell of a true one. A change that was undone later is a second
// one at its end, from its later rate back to the former.
func atStep(all []change, want *truthChange) []change {
	found := near(all, want)
	back := map[string]string{"own_fall": "own_rise", "own_rise": "own_fall",
		"shared_fall": "shared_rise", "shared_rise": "shared_fall", "unknown": "unknown",
		"redistribution": "redistribution"}
	for i := range found {
		c := &found[i]
		if want.EndS > 0 || back[c.Kind] == "" ||
			math.Abs(c.EndS-want.AtS) >= math.Abs(c.StartS-want.AtS) {
			continue
		}
		c.Kind, c.FromRate, c.ToRate, c.Each = back[c.Kind], c.ToRate, c.FromRate,
			slices.Clone(c.Each)
		for k, each := range c.Each {
			c.Each[k] = shift{each.Disk, each.ToRate, each.FromRate}
		}
	}
	return found
}

// toldBy reports whether all disks of a step or a stall are told of, at rates that are right.
func (want *truthChange) toldBy(found []change, all []truthChange, noise float64) bool {
	if want.One {
		found = slices.DeleteFunc(slices.Clone(found),
			func(c change) bool { return len(c.Disks) < len(want.Disks) })
	}
	if want.Kinds[0] == "stall" {
		maxOffS := 0.1
		if len(want.Disks) > 1 { // These do not stop in the same tenth of a second.
			maxOffS = 0.3
		}
		found = slices.DeleteFunc(slices.Clone(found), func(c change) bool {
			offS := math.Abs(c.EndS - c.StartS - want.EndS + want.AtS)
			return c.CountOf <= 1 && offS > maxOffS
		})
	}
	return tells(found, want, all, noise)
}

// rates notes rates that no disk had after a step.
func (v *verdict) rates(found []change, want *truthChange, noise float64) {
	for _, c := range found {
		for _, each := range c.each() {
			to := want.To[each.Disk]
			if to > 0 && c.EndS-c.StartS <= 1 && math.Abs(each.ToRate/to-1) > 0.25+noise {
				v.false("%s is said to change to another rate", each.Disk)
			}
		}
	}
}

// each lists the disks' rates, of one disk those of the change itself.
func (c *change) each() []shift {
	if len(c.Each) > 0 || len(c.Disks) > 1 {
		return c.Each
	}
	return []shift{{c.Disks[0], c.FromRate, c.ToRate}}
}

// lasting finds the entries that tell of a swing, of dips or of a drift as a whole, or of all
// parts.
func (v *verdict) lasting(r *reading, want *truthChange, noise float64) (found []change,
	told bool) {
	for _, c := range near(r.changes, want) {
		all := !slices.ContainsFunc(want.Disks, func(d string) bool {
			return !slices.Contains(c.Disks, d)
		})
		none := slices.ContainsFunc(c.Disks, func(d string) bool {
			return !slices.Contains(want.Disks, d)
		})
		switch {
		case none || c.Kind == "unknown" && want.Kinds[0] != "unknown":
			continue
		case want.PeriodS > 0 && c.PeriodS > 0 && math.Abs(c.PeriodS/want.PeriodS-1) > 0.1:
			v.false("the period of %v is off", want.Disks)
			continue
		case want.Curve != nil && c.Kind == "drift" && len(c.Disks) == 1:
			from, to := want.Curve(c.StartS), want.Curve(c.EndS)
			if math.Abs(c.FromRate/from-1) > 0.1+noise || math.Abs(c.ToRate/to-1) > 0.1+noise {
				v.false("the ends of the drift of %v are off", want.Disks)
				continue
			}
		}
		if all || !want.One {
			found = append(found, c)
		}
	}
	seen := map[string]bool{}
	for _, c := range found {
		for _, d := range c.Disks {
			seen[d] = true
		}
	}
	if !slices.ContainsFunc(want.Disks, func(d string) bool { return !seen[d] }) {
		return found, true
	}
	found = nil
	for i := range want.Parts {
		part := atStep(r.changes, &want.Parts[i])
		if !tells(part, &want.Parts[i], want.Parts, noise) {
			return nil, false
		}
		for _, c := range part { // Only those stay that are not what the part is.
			if !c.rightly(&want.Parts[i]) {
				found = append(found, c)
			}
		}
	}
	return found, len(want.Parts) > 0
}

// judgeClaim notes a claim about who shares, is slowed or crowds out that the model contradicts.
func (s *scene) judgeClaim(v *verdict, c claim, noise float64) {
	k := s.known[c.Phase]
	if k == nil && c.Code != codeMove {
		v.false("%s: %s in no phase", c.Code, c.Disk)
		return
	}
	isFalse := false
	switch c.Code {
	case codeLoses, codeSlowed:
		isFalse = !k.isSlowed(c.Disk)
	case codeRobbed:
		isFalse = !k.isTaking(c.Other, c.Disk)
	case codeCrowds, codeTakes:
		isFalse = !k.isTaking(c.Disk)
	case codeEven:
		isFalse = 2*k.even < k.times
	case codeKept:
		isFalse = k.kept(c.Disk) < 0.9-noise/2
	case codeThrottle:
		isFalse = !s.fallsForGood(c.Phase, c.Disk, c.Other)
	case codeKnee:
		isFalse = true
	case codeModes:
		isFalse = !slices.ContainsFunc(s.Changes, func(t truthChange) bool {
			return t.Phase == c.Phase && slices.Contains(t.Disks, c.Disk)
		})
	case codeRetention:
		isFalse = c.Value > 1.05 || s.isSteady(c.Phase, c.Disk) &&
			(c.Value < k.kept(c.Disk)-0.06-noise ||
				c.Other == "solo" && c.Value > k.kept(c.Disk)+0.06+noise)
	case codeBaseline:
		most := 0.0
		for _, phase := range s.known {
			most = max(most, phase.most[c.Disk])
		}
		isFalse = c.Value > most*(1.07+noise/2)
	case codeMove:
		isFalse = !s.isBestMove(c.Disk)
	}
	if isFalse {
		v.false("%s: %s", c.Code, c.Disk)
	}
}

// isSteady reports whether nothing changes a disk's rate in a phase, nor in its solo.
func (s *scene) isSteady(phase, disk string) bool {
	return !slices.ContainsFunc(s.Changes, func(t truthChange) bool {
		return slices.Contains(t.Disks, disk) &&
			(t.Phase == phase || len(s.known[t.Phase].could) == 1)
	})
}

// fallsForGood reports whether a disk ends lower than it was, for a reason of its own that may
// have the cause.
func (s *scene) fallsForGood(phase, disk, cause string) bool {
	fell, rose := math.Inf(-1), math.Inf(-1)
	for _, t := range flat(s.Changes) {
		if t.Phase != phase || !slices.Contains(t.Disks, disk) {
			continue
		}
		switch t.Kinds[0] {
		case "own_fall":
			fell = max(fell, t.AtS)
			if slices.Contains(t.Not, "cache_full") && cause != "link" {
				return false
			}
		case "own_rise":
			rose = max(rose, t.AtS)
		}
	}
	return fell > rose
}

// isBestMove reports whether the others gain by moving the disk to its own port, about as much as
// by any other move.
func (s *scene) isBestMove(disk string) bool {
	working := 0
	for _, k := range s.known {
		working = max(working, k.disks)
	}
	gains, phases := map[string]float64{}, 0.0
	for _, k := range s.known {
		if k.disks < working || k.times == 0 {
			continue
		}
		phases++
		for other := range k.could {
			gains[other] += k.gain(other)
		}
	}
	best := 0.0
	for _, gain := range gains {
		best = max(best, gain/phases)
	}
	gain := gains[disk] / max(phases, 1)
	return gain >= 0.08 && gain >= best-0.07
}
