package analysis

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/unit"
)

// findings returns what is worth reporting of all phases, by descending weight.
func findings(a *Analysis) []Finding {
	f := finder{writer: in(a), phase: &PhaseResult{}, found: []Finding{}}
	for _, c := range f.HubCosts {
		if c.Lost {
			f.add(Finding{
				Code: "hub_cost", Phase: c.Phase, MorePhases: c.morePhases, Disk: c.Disk,
				Other: c.DirectPhase, Weight: c.Loss,
				Values: ReferenceValues{Rate: c.Rate, Reference: c.DirectRate},
			}, "%s alone on the hub %ss at %s, %.0f%% less than %s on its own port (%s)", c.Disk,
				c.Op, f.Rate(c.Rate), 100*c.Loss, f.Rate(c.DirectRate), f.Title(c.DirectPhase))
		}
	}
	for _, s := range a.Saturations {
		if s.Fall == nil {
			continue
		}
		from, to := s.Fall.FromRate, s.Fall.ToRate
		values := SaturationValues{AtBytes: s.Fall.AtBytes, FromRate: from, ToRate: to}
		if s.Back != nil {
			values.RestS = s.Back.RestS
		}
		f.add(Finding{
			Code: "saturation", Phase: s.Alone, Disk: s.Disk, Values: values, Weight: 2 - to/from,
		}, "%s", s.Text)
	}
	for _, p := range a.Phases {
		f.phase = &p
		for _, w := range p.Warnings {
			if w.Code == "partial" {
				f.add(Finding{
					Code: "partial", Disk: w.Disk, Other: w.Other, Values: w.Values, Weight: 2,
				}, "%s", w.Text)
			}
		}
		if p.Search != nil {
			continue // A search reports what it found as its answer.
		}
		for _, t := range p.StreamTotals {
			if due, late := float64(t.Due), float64(t.Late); late > 0 {
				f.add(Finding{
					Code: "drops", Disk: t.Disk, Disks: t.LateOnlyWhile, Weight: 2.5 + late/due,
					Values: DropsValues{Due: due, Late: late, LongestStallS: t.LongestStallS},
				}, "%s", outcome(&t, &p))
			}
		}
		if p.Contention != nil {
			f.contention()
		}
		f.recoveries()
		f.changes()
		f.bottlenecks()
		f.gauges()
		for _, name := range present(f.Order, p.Disks) {
			f.disk(name, p.Disks[name])
		}
	}
	for i := range f.found {
		found := &f.found[i]
		if found.MorePhases > 0 {
			found.TextWithoutPhase += "; likewise in " + unit.Plural(found.MorePhases, "more phase")
		}
		found.Text = f.Title(found.Phase) + ": " + found.TextWithoutPhase + "."
	}
	slices.SortStableFunc(f.found, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(a.Phase, b.Phase),
			cmp.Compare(a.Disk, b.Disk))
	})
	return f.found
}

// finder gathers findings, of one phase at a time, and writes their sentences.
type finder struct {
	writer
	phase *PhaseResult
	found []Finding
}

// add adds a finding of the phase, with the entries of the ledger that it rests on: those of its
// kind that concern its disks and, if another disk is part of what it says, were caused by that
// one.
func (f *finder) add(found Finding, text string, args ...any) {
	found.Phase = cmp.Or(found.Phase, f.phase.Name)
	found.TextWithoutPhase = fmt.Sprintf(text, args...)
	if len(found.Disks) == 1 && found.Disk == "" {
		found.Disk = found.Disks[0]
	}
	kinds := map[string][]string{
		"throttle": {KindOwnFall}, CauseHeat: {KindOwnFall}, CauseCacheFull: {KindOwnFall},
		"recovery": {KindRecovery}, "held": {KindStart, KindRecovery},
		"steal": {KindStart, KindRecovery, KindRedistribution},
	}[found.Code]
	if found.Change != nil {
		kinds = []string{found.Change.Kind}
	}
	disks := found.Disks
	by := cmp.Or(found.Other, found.Disk)
	if disks == nil {
		disks = []string{found.Disk}
	}
	for i, c := range f.phase.Changes {
		byOne := found.Code == "recovery" || found.Code == "steal"
		another := byOne && c.By != nil && *c.By != by
		if slices.Contains(kinds, c.Kind) && !another && slices.ContainsFunc(disks, c.concerns) {
			found.Cites = append(found.Cites, i)
		}
	}
	f.found = append(f.found, found)
}

// dedupe adds what may hold in several phases, with their number: for disks or a link once for the
// phase that shows it most, for all disks together once for the first.
func (f *finder) dedupe(found Finding, text string, args ...any) {
	i := slices.IndexFunc(f.found, func(g Finding) bool {
		if found.Link != nil && g.Link != nil {
			return g.Link.id == found.Link.id
		}
		return g.Code == found.Code && slices.Equal(g.Disks, found.Disks)
	})
	f.add(found, text, args...)
	if i < 0 {
		return
	}
	first := &f.found[i]
	last := len(f.found) - 1
	if found.Disks != nil && found.Weight > first.Weight {
		f.found[last].MorePhases = first.MorePhases
		*first = f.found[last]
	}
	first.MorePhases++
	f.found = f.found[:last]
}

// contention reports how the disks shared what they had.
func (f *finder) contention() {
	c := f.phase.Contention
	o := f.phase.Overlap
	var stolen []string
	for _, taken := range grouped(c.Steals, func(a, b Steal) bool {
		return a.By == b.By && a.Deduced == b.Deduced
	}) {
		taken = slices.DeleteFunc(taken, func(s Steal) bool { return len(s.Absent) > 0 })
		if len(taken) == 0 {
			continue
		}
		by := taken[0].By
		from := Each(taken, func(s Steal) string { return s.From })
		var rate, had float64
		for _, s := range taken {
			rate += s.Rate
			had += c.Disks[s.From].Rate
		}
		n := float64(len(from))
		without := (had + rate) / n
		f.add(Finding{
			Code: "steal", Disk: by, Disks: from, Weight: rate / (had + rate),
			Values: StealValues{Rate: rate, Had: had / n, Without: without},
		}, "%s took bandwidth from %s: %s instead of %s %s%s", by, unit.List(from),
			f.each(had/n, len(from)), f.Number(without),
			pick(taken[0].Deduced, "alone", "without it"), between(f.phase))
		stolen = append(stolen, from...)
	}
	slowed := only(f.Order, func(name string) bool { return c.Disks[name].Slowed })
	if len(slowed) == len(c.Disks) && c.Even && o.Jain >= evenJain {
		kept := Each(slowed, func(name string) float64 { return *c.Disks[name].Retention })
		low, high := slices.Min(kept), slices.Max(kept)
		f.add(Finding{
			Code: "even", Disks: slowed, Weight: (1 - high) / 2,
			Values: EvenValues{Jain: o.Jain, Low: low, High: high},
		}, "the disks shared evenly (Jain's index %.2f): each kept %s of its speed", o.Jain,
			percents(kept))
	} else {
		f.slowed(only(slowed, func(name string) bool { return !slices.Contains(stolen, name) }))
	}
	if g, ci := c.DuplexGain, c.DuplexCI95; g != nil && *g >= 1+minEffect && ci != nil &&
		ci[0] > 1 {
		gain := *g - 1
		f.dedupe(Finding{
			Code: "duplex", Values: DuplexValues{Rate: o.Rate, Gain: gain}, Weight: gain,
		}, "mixed reads and writes reached %s in total, %.0f%% more than these disks reached in "+
			"one direction", f.Rate(o.Rate), 100*gain)
	}
}

func meanOf[T any](list []T, value func(T) float64) float64 {
	var sum float64
	for _, one := range list {
		sum += value(one) / float64(len(list))
	}
	return sum
}

// slowed reports disks that had less than without others, when nothing says who took it: those
// alike together, and apart those whose baseline is from other phases and those whose is from one
// disk's end.
func (f *finder) slowed(names []string) {
	c := f.phase.Contention.Disks
	later := func(name string) string {
		return pick(c[name].Reference == ReferenceLater, c[name].ReferenceFrom, "")
	}
	rateOf := func(name string) float64 { return f.phase.Overlap.Disks[name].Rate }
	for _, of := range Grouped(names, later) {
		for _, group := range withinTenth(of, rateOf) {
			rate := meanOf(group, rateOf)
			reference := meanOf(group, func(name string) float64 { return *c[name].ReferenceRate })
			var from []string
			for _, name := range group {
				if !slices.Contains(from, c[name].ReferenceFrom) {
					from = append(from, c[name].ReferenceFrom)
				}
			}
			f.add(Finding{
				Code: "held", Disks: group, Other: strings.Join(from, ", "),
				Values: ReferenceValues{Rate: rate, Reference: reference},
				Weight: (1 - rate/reference) / 2,
			}, "%s dropped to %s, %s", unit.List(group), f.each(rate, len(group)),
				f.retained(f.phase, group))
		}
	}
}

// changes reports the entries of the ledger that no other finding covers: a disk's own start or end
// needs none; recoveries, lasting falls and what these leave to others have findings of their own.
// Stalls of the same disks with one cause are one finding.
func (f *finder) changes() {
	p := f.phase
	for _, group := range grouped(p.Changes, func(a, b Change) bool {
		stalls := a.Kind == KindStall && b.Kind == KindStall
		return stalls && slices.Equal(a.Disks, b.Disks) && a.Cause == b.Cause
	}) {
		c := &group[0]
		covered := false
		stalls := ""
		found := Finding{Code: c.Kind, Disks: c.Disks, Change: c, Weight: 0.5}
		if low, high := min(c.FromRate, c.ToRate), max(c.FromRate, c.ToRate); low > 0 {
			found.Weight = 1 - low/high
		}
		switch c.Kind {
		case KindEnd, KindRecovery:
			covered = true
		case KindStart:
			covered = c.By == nil
		case KindStall:
			found.Weight = 1
			stalls = f.stall(group, len(p.Disks))
			if len(group) > 1 {
				found.Changes = group
			}
		case KindOwnFall:
			throttle := p.Disks[c.Disks[0]].Throttle
			covered = throttle != nil && throttle.isOf(c)
		case KindRedistribution:
			covered = c.By != nil && slices.ContainsFunc(p.Changes, func(o Change) bool {
				return o.Kind == KindOwnFall && o.concerns(*c.By)
			})
		case KindWarmUp:
			covered = slices.ContainsFunc(f.found, func(g Finding) bool {
				return g.Code == KindWarmUp && slices.Equal(g.Disks, c.Disks)
			})
		}
		if !covered {
			f.add(found, "%s", cmp.Or(stalls, f.change(c)))
		}
	}
}

// recoveries reports what the disks gained after each that ended, those alike together.
func (f *finder) recoveries() {
	for _, end := range grouped(f.phase.Recoveries, func(a, b Recovery) bool {
		return a.After == b.After && a.AtS == b.AtS
	}) {
		of := map[string]Recovery{}
		for _, r := range end {
			if r.LagS != nil {
				of[r.Disk] = r
			}
		}
		from := func(name string) float64 { return of[name].FromRate }
		to := func(name string) float64 { return *of[name].ToRate }
		for _, group := range withinTenth(present(f.Order, of), to) {
			lags := Each(group, func(name string) float64 { return *of[name].LagS })
			v := RecoveryValues{
				From: meanOf(group, from), To: meanOf(group, to),
				LagLow: slices.Min(lags), LagHigh: slices.Max(lags),
			}
			f.add(Finding{
				Code: "recovery", Disks: group, Other: end[0].After, Values: v,
				Weight: (1 - v.From/v.To) * min(1, v.LagHigh/10),
			}, "%s recovered %s after %s had ended (from %s to %s)", unit.List(group),
				secondsRange(v.LagLow, v.LagHigh), end[0].After, f.Rate(v.From),
				f.each(v.To, len(group)))
		}
	}
}

// withinTenth groups names whose values lie within a tenth of the highest in the group: the groups
// from high to low, each in the order of names.
func withinTenth(names []string, value func(string) float64) [][]string {
	falling := slices.SortedStableFunc(slices.Values(names), func(a, b string) int {
		return cmp.Compare(value(b), value(a))
	})
	groups := grouped(falling, func(first, next string) bool {
		return value(next) >= minRetained*value(first)
	})
	return Each(groups, func(group []string) []string { return ordered(names, group) })
}
