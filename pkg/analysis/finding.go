package analysis

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// What a finding needs beyond what its number needs to be there at all.
const (
	evenJain   = 0.98 // fairness from which a sharing is even
	duplexGain = 1.10 // mixed traffic must carry a tenth more than one way
)

// findings are what is worth reporting of all phases, by descending weight. It writes the texts of saturations too.
func findings(a *Analysis) []Finding {
	f := finder{english: in(a), found: []Finding{}}
	f.connections()
	for i := range a.Saturations { // disks that fell once they had written enough
		s := &a.Saturations[i]
		s.Text = strings.Join(f.saturation(*s, true), "; ")
		if s.Fall == nil {
			continue
		}
		values := SaturationValues{AtBytes: s.Fall.AtBytes, FromRate: s.Fall.FromRate, ToRate: s.Fall.ToRate}
		if s.Back != nil {
			values.RestS = s.Back.RestS
		}
		f.found = append(f.found, Finding{
			Code: "saturation", Phase: s.Alone, Disk: s.Disk, Values: values, Weight: 2 - s.Fall.ToRate/s.Fall.FromRate,
			TextWithoutPhase: s.Text,
		})
	}
	for i := range a.Phases {
		p := &a.Phases[i]
		f.phase = p
		for _, w := range p.Warnings {
			if w.Code == "partial" {
				f.add(Finding{Code: "partial", Disk: w.Disk, Other: w.Other, Values: w.Values, Weight: 2,
					TextWithoutPhase: w.Text})
			}
		}
		if p.Search != nil {
			continue // what a search finds is its answer
		}
		for _, t := range p.StreamTotals {
			if t.Late > 0 {
				f.add(Finding{
					Code: "drops", Disk: t.Disk, Disks: t.LateOnlyWhile, Weight: 2.5 + float64(t.Late)/float64(t.Due),
					Values:           DropsValues{Due: float64(t.Due), Late: float64(t.Late), LongestStallS: t.LongestStallS},
					TextWithoutPhase: outcome(&t, p),
				})
			}
		}
		if p.Contention != nil {
			f.contention()
		}
		f.recoveries()
		f.changes()
		f.totals()
		f.bottlenecks()
		f.gauges()
		for _, disk := range f.Order {
			if d, ok := p.Disks[disk]; ok {
				f.disk(disk, d)
			}
		}
	}
	for i := range f.found {
		found := &f.found[i]
		found.cite(a.Phases)
		if found.MorePhases > 0 {
			found.TextWithoutPhase += "; likewise in " + unit.Plural(found.MorePhases, "more phase")
		}
		found.Text = f.Title(found.Phase) + ": " + found.TextWithoutPhase + "."
	}
	slices.SortStableFunc(f.found, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(a.Phase, b.Phase), cmp.Compare(a.Disk, b.Disk))
	})
	return f.found
}

// cite notes which entries of the ledger a finding rests on: those of its kind that concern its disks and, if another
// disk is part of what it says, were caused by that one.
func (f *Finding) cite(phases []Phase) {
	kinds := map[string][]string{
		"throttle": {KindOwnFall}, CauseHeat: {KindOwnFall}, CauseCacheFull: {KindOwnFall}, "recovery": {KindRecovery},
		"steal": {KindStart, KindRecovery, KindRedistribution}, "held": {KindStart, KindRecovery},
	}[f.Code]
	if f.Change != nil {
		kinds = []string{f.Change.Kind}
	}
	i := slices.IndexFunc(phases, func(p Phase) bool { return p.Name == f.Phase })
	if i < 0 || kinds == nil {
		return
	}
	about := slices.Clone(f.Disks)
	if f.Disk != "" && f.Code != "steal" {
		about = append(about, f.Disk)
	}
	for k := range phases[i].Changes {
		c := &phases[i].Changes[k]
		by := c.By == nil || f.Code != "recovery" && f.Code != "steal" || *c.By == f.Other || *c.By == f.Disk
		if slices.Contains(kinds, c.Kind) && by && slices.ContainsFunc(about, c.concerns) {
			f.Cites = append(f.Cites, k)
		}
	}
}

// finder gathers findings, of one phase at a time, and writes their sentences.
type finder struct {
	english
	phase *Phase
	found []Finding
}

func (f *finder) add(found Finding) {
	found.Phase = f.phase.Name
	f.found = append(f.found, found)
}

// once adds what may hold in several phases: for the first that shows it, with the number of others.
func (f *finder) once(found Finding) {
	if i := slices.IndexFunc(f.found, func(g Finding) bool { return g.Code == found.Code }); i >= 0 {
		f.found[i].MorePhases++
		return
	}
	f.add(found)
}

// strongest adds what may hold of the same disks in several phases: for the one that shows it most, with the number
// of others.
func (f *finder) strongest(found Finding) {
	i := slices.IndexFunc(f.found, func(g Finding) bool {
		return g.Code == found.Code && slices.Equal(g.Disks, found.Disks)
	})
	if i < 0 {
		f.add(found)
		return
	}
	f.found[i].MorePhases++
	if found.Weight > f.found[i].Weight {
		found.Phase, found.MorePhases = f.phase.Name, f.found[i].MorePhases
		f.found[i] = found
	}
}

func about(disks []string, f Finding) Finding {
	f.Disks = disks
	if len(disks) == 1 {
		f.Disk = disks[0]
	}
	return f
}

// connections reports what a disk alone loses by being on the hub.
func (f *finder) connections() {
	for _, c := range f.HubCosts {
		if c.Lost {
			f.found = append(f.found, Finding{
				Code: "hub_cost", Phase: c.Phase, Disk: c.Disk, Other: c.DirectPhase, Weight: c.Loss, MorePhases: c.morePhases,
				Values: ReferenceValues{Rate: c.Rate, Reference: c.DirectRate},
				TextWithoutPhase: fmt.Sprintf("%s alone on the hub %ss at %s, %.0f %% less than %s on its own port (%s)", c.Disk, c.Op,
					f.Rate(c.Rate), 100*(1-c.Rate/c.DirectRate), f.Rate(c.DirectRate), f.Title(c.DirectPhase)),
			})
		}
	}
}

// contention reports how the disks shared what they had.
func (f *finder) contention() {
	c, o := f.phase.Contention, f.phase.Overlap
	took := func(name string) bool {
		return slices.ContainsFunc(c.Steals, func(s Steal) bool { return s.By == name && len(s.Absent) == 0 })
	}
	for _, by := range only(f.Order, took) { // and from which
		for _, deduced := range []bool{false, true} {
			f.steal(by, deduced)
		}
	}
	held := only(f.Order, func(name string) bool { return c.Disks[name].Held })
	if len(held) == len(c.Disks) && c.Even && o.Jain >= evenJain {
		low, high := math.Inf(1), 0.0
		for _, name := range held {
			kept := *c.Disks[name].Retention
			low, high = min(low, kept), max(high, kept)
		}
		part := fmt.Sprintf("%.0f to %.0f %%", 100*low, 100*high)
		if high-low < 0.02 {
			part = fmt.Sprintf("%.0f %%", 100*(low+high)/2)
		}
		f.add(Finding{Code: "even", Disks: held, Values: EvenValues{Jain: o.Jain, Low: low, High: high},
			Weight:           (1 - high) / 2,
			TextWithoutPhase: fmt.Sprintf("the disks shared evenly (Jain's index %.2f): each kept %s of its speed", o.Jain, part)})
	} else {
		f.held(held)
	}
	if g, ci := c.DuplexGain, c.DuplexCI95; g != nil && *g >= duplexGain && ci != nil && ci[0] > 1 {
		f.once(Finding{Code: "duplex", Values: DuplexValues{Rate: o.Rate, Gain: *g - 1}, Weight: *g - 1,
			TextWithoutPhase: fmt.Sprintf("mixed reads and writes reached %s in total, %.0f %% more than these disks reached in one "+
				"direction", f.Rate(o.Rate), 100*(*g-1))})
	}
	if limit := c.Ceiling; limit != nil && limit.Without != "" { // adding disks moved no more
		total, op := 0.0, o.Disks[limit.Added[0]].Op
		working := only(f.Order, func(name string) bool { d, ok := o.Disks[name]; return ok && d.Op == op })
		for _, name := range working {
			total += o.Disks[name].Rate
		}
		less := slices.DeleteFunc(working, func(name string) bool { return slices.Contains(limit.Added, name) })
		f.add(Finding{
			Code: "ceiling", Disks: less, Added: limit.Added, Other: limit.Without, Weight: 0.1,
			Values: CeilingValues{Without: limit.WithoutRate, Rate: total, Alone: limit.AloneRate},
			TextWithoutPhase: fmt.Sprintf("%s%s reached %s (%s), and adding %s gave no more (%s), although the %s add up to %s alone: "+
				"something they share limits them", unit.List(less), pick(len(less) > 1, " together", ""),
				f.Rate(limit.WithoutRate), f.Title(limit.Without), unit.List(limit.Added), f.Rate(total),
				Count(len(less)+len(limit.Added)), f.Rate(limit.AloneRate)),
		})
	}
}

// steal reports from whom the disk took bandwidth, by measurements without it or deduced from what each has alone.
func (f *finder) steal(by string, deduced bool) {
	var from []string
	var taken, had float64
	for _, s := range f.phase.Contention.Steals {
		if s.By == by && s.Deduced == deduced && len(s.Absent) == 0 {
			from = append(from, s.From)
			taken, had = taken+s.Rate, had+f.phase.Contention.Disks[s.From].Rate
		}
	}
	if len(from) == 0 {
		return
	}
	n := float64(len(from))
	f.add(Finding{
		Code: "steal", Disk: by, Disks: from, Weight: taken / (had + taken),
		Values: StealValues{Rate: taken, Had: had / n, Without: (had + taken) / n},
		TextWithoutPhase: fmt.Sprintf("%s took bandwidth from %s: %s instead of %s %s%s", by, unit.List(from),
			f.each(had/n, len(from)), f.Number((had+taken)/n), pick(deduced, "alone", "without it"), between(f.phase)),
	})
}

func meanOf(disks []string, value func(string) float64) float64 {
	var sum float64
	for _, name := range disks {
		sum += value(name) / float64(len(disks))
	}
	return sum
}

// held reports disks that had less than without others, when nothing says who took it: those alike together.
func (f *finder) held(names []string) {
	c, o := f.phase.Contention, f.phase.Overlap
	names = slices.DeleteFunc(names, func(name string) bool {
		return slices.ContainsFunc(c.Steals, func(s Steal) bool { return s.From == name && len(s.Absent) == 0 })
	})
	source := func(name string) string { // who says what it has without others: solo phases, or one disk that ended
		if d := c.Disks[name]; d.Reference == ReferenceLater {
			return d.ReferenceFrom
		}
		return ""
	}
	rateOf := func(name string) float64 { return o.Disks[name].Rate }
	for _, of := range grouped(names, func(a, b string) bool { return source(a) == source(b) }) {
		for _, group := range Alike(of, rateOf) {
			had, reference := meanOf(group, rateOf), meanOf(group, func(name string) float64 {
				return *c.Disks[name].ReferenceRate
			})
			var from []string
			for _, name := range group {
				if of := c.Disks[name].ReferenceFrom; !slices.Contains(from, of) {
					from = append(from, of)
				}
			}
			others := strings.Join(from, ", ")
			f.add(about(group, Finding{
				Code: "held", Other: others, Weight: (1 - had/reference) / 2,
				Values: ReferenceValues{Rate: had, Reference: reference},
				TextWithoutPhase: fmt.Sprintf("%s dropped to %s, %s", unit.List(group), f.each(had, len(group)),
					f.retained(f.phase, group)),
			}))
		}
	}
}

// changes reports the entries of the ledger that no other finding covers: a disk's own start or end needs none;
// recoveries, lasting falls and what these leave to others have findings of their own.
func (f *finder) changes() {
	p := f.phase
	var stalls []Change
	for i := range p.Changes {
		c := &p.Changes[i]
		finding := Finding{Code: c.Kind, Change: c, Weight: 0.5}
		if c.FromRate > 0 && c.ToRate > 0 {
			finding.Weight = min(1, math.Abs(1-min(c.FromRate, c.ToRate)/max(c.FromRate, c.ToRate)))
		}
		covered := false
		switch c.Kind {
		case KindEnd, KindRecovery:
			covered = true
		case KindStart:
			covered = c.By == nil
		case KindStall:
			stalls, covered = append(stalls, *c), true
		case KindOwnFall:
			covered = p.Disks[c.Disks[0]].Throttle != nil
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
			finding.TextWithoutPhase = f.change(c)
			f.add(about(c.Disks, finding))
		}
	}
	for _, group := range grouped(stalls, func(a, b Change) bool {
		return slices.Equal(a.Disks, b.Disks) && a.Cause == b.Cause
	}) {
		finding := Finding{Code: KindStall, Change: &group[0], Weight: 1, TextWithoutPhase: f.stall(group, len(p.Disks))}
		if len(group) > 1 {
			finding.Changes = group
		}
		f.add(about(group[0].Disks, finding))
	}
}

// recoveries reports what the disks gained after each that ended, those alike together.
func (f *finder) recoveries() {
	seen := slices.DeleteFunc(slices.Clone(f.phase.Recoveries), func(r Recovery) bool { return r.LagS == nil })
	for _, end := range grouped(seen, func(a, b Recovery) bool { return a.After == b.After && a.AtS == b.AtS }) {
		of := map[string]Recovery{}
		for _, r := range end {
			of[r.Disk] = r
		}
		names := only(f.Order, func(name string) bool { return of[name].LagS != nil })
		to := func(name string) float64 { return *of[name].ToRate }
		for _, group := range Alike(names, to) {
			v := RecoveryValues{
				From: meanOf(group, func(name string) float64 { return of[name].FromRate }), To: meanOf(group, to),
				LagLow: math.Inf(1),
			}
			for _, name := range group {
				v.LagLow, v.LagHigh = min(v.LagLow, *of[name].LagS), max(v.LagHigh, *of[name].LagS)
			}
			f.add(about(group, Finding{Code: "recovery", Other: end[0].After,
				Weight: (1 - v.From/v.To) * min(1, v.LagHigh/10), Values: v,
				TextWithoutPhase: fmt.Sprintf("%s recovered %s after %s had ended (from %s to %s)", unit.List(group),
					secondsRange(v.LagLow, v.LagHigh), end[0].After, f.Rate(v.From), f.each(v.To, len(group)))}))
		}
	}
}

// totals reports what fio would have shown for the phase: of the first in the run's order in which that is wrong by
// more than chance, and how many more there are.
func (f *finder) totals() {
	o, others := f.phase.Overlap, f.phase.OtherToolRates
	if o == nil || others == nil || len(o.Disks) < 2 || len(f.phase.Paced) > 0 {
		return
	}
	oneWay := others.FioReadRate == nil
	reading, writing := others.FioReadRate, others.FioWriteRate
	if oneWay && o.WriteRate > 0 {
		writing = others.FioRate
	} else if oneWay {
		reading = others.FioRate
	}
	var worst float64
	var values OthersValues
	moving := "moved"
	for _, way := range []struct {
		op   trace.Role
		verb string
		fio  *float64
	}{{trace.Read, "read", reading}, {trace.Write, "wrote", writing}} {
		total, half, ok := o.oneWay(way.op)
		if way.fio == nil || !ok || math.Abs(*way.fio-total) <= half {
			continue
		}
		if wrong := *way.fio/total - 1; math.Abs(wrong) >= max(math.Abs(worst), misleading) {
			worst, values = wrong, OthersValues{Rate: *way.fio, Overlap: total}
			if !oneWay {
				moving = way.verb
			}
		}
	}
	if worst != 0 {
		f.once(Finding{Code: "others", Other: moving, Values: values, Weight: math.Abs(worst) / 4,
			TextWithoutPhase: fmt.Sprintf("by fio's rule (all bytes over the longest job's time) the rate would be %s: %.0f %% %s "+
				"than the %s the disks %s with all of them busy", f.Rate(values.Rate), 100*math.Abs(worst),
				pick(worst > 0, "more", "less"), f.Rate(values.Overlap), moving)})
	}
}

// bottlenecks find the link that the disks' rates come close to: of each set of disks and direction the one that they
// fill most. It says how much of the link they fill, not that the link held them: see ceilings for that.
func (f *finder) bottlenecks() {
	for _, same := range grouped(f.phase.Links, func(t, u LinkUse) bool {
		return t.Op == u.Op && slices.Equal(t.Disks, u.Disks)
	}) {
		u := same[0]
		for _, next := range same[1:] {
			if next.Share >= u.Share { // of the same cable, the hub's end is what people know
				u = next
			}
		}
		if u.Share < nearLimit || u.Share > beyondLimit {
			continue
		}
		// A link that limits shows in phase after phase: the finding is of the first, with how many more.
		if i := slices.IndexFunc(f.found, func(g Finding) bool { return g.Link != nil && g.Link.id == u.id }); i >= 0 {
			f.found[i].MorePhases++
			continue
		}
		found := about(u.Disks, Finding{
			Code: "bottleneck", Other: string(u.Op), Link: &u, Weight: 0.2,
			Values: BottleneckValues{Rate: u.Rate, Capacity: u.Capacity}, TextWithoutPhase: f.bottleneck(&u),
		})
		if u.Could != "" {
			found.Weight = 0.5 // a better cable or port would help
		}
		f.add(found)
	}
}

// gauges reports what the meters found in a phase.
func (f *finder) gauges() {
	if c := f.phase.CPUPercent; c != nil && *c >= busyCPU {
		f.once(Finding{Code: "host_bound", Values: PercentValues{Percent: *c}, Weight: 0.8,
			TextWithoutPhase: fmt.Sprintf("your CPU may be the bottleneck, not the disks: its cores were %.0f %% busy (close other "+
				"programs, and measure again)", *c)})
	}
	for _, name := range f.Order {
		d := f.phase.Disks[name].Device
		if d == nil || d.Disks[0] != name {
			continue
		}
		if t := d.Foreign; t != nil {
			share := t.Bytes / float64(max(1, d.CountedReadBytes+d.CountedWriteBytes))
			// Readings are a second apart, and what is written through the system's cache reaches the device up to
			// a file later than it was counted: of shorter traffic neither the rate nor the ends are sure.
			roughly := pick(t.ToS-t.FromS < 5, "about ", "")
			f.strongest(about(d.Disks, Finding{
				Code: "foreign_traffic", Weight: 1 + min(1, share),
				Values: ForeignValues{Bytes: t.Bytes, Rate: t.Rate, FromS: t.FromS, ToS: t.ToS, Share: share},
				TextWithoutPhase: fmt.Sprintf("something else used %s: its own counters show %s more than hubbench moved, %s%s from "+
					"%s%.1f s to %.1f s (close backup, indexing and sync programs, and measure again)", unit.List(d.Disks),
					byteSize(t.Bytes), roughly, unit.FormatRate(t.Rate), roughly, t.FromS, t.ToS),
			}))
		}
		if d.CachedBytes > 0 {
			bytes, counted := float64(d.CachedBytes), float64(d.CountedReadBytes)
			f.strongest(about(d.Disks, Finding{
				Code: "cached", Weight: 1 + bytes/counted,
				Values: CachedValues{Bytes: bytes, Share: bytes / counted, Counted: counted, Device: float64(*d.ReadBytes)},
				TextWithoutPhase: fmt.Sprintf("%.0f %% of what %s read came from a cache: %s were read, but the disk's own counters "+
					"show %s; do not quote this rate as the disk's", 100*bytes/counted, unit.List(d.Disks), byteSize(counted),
					byteSize(float64(*d.ReadBytes))),
			}))
		}
	}
}

// Alike groups names whose values lie within a tenth of the highest in the group: the groups from high to low, each
// in the order of names.
func Alike(names []string, value func(string) float64) [][]string {
	order := names
	names = slices.SortedStableFunc(slices.Values(names), func(a, b string) int { return cmp.Compare(value(b), value(a)) })
	var groups [][]string
	for _, n := range names {
		if last := len(groups) - 1; last >= 0 && value(n) >= 0.9*value(groups[last][0]) {
			groups[last] = append(groups[last], n)
			continue
		}
		groups = append(groups, []string{n})
	}
	for _, group := range groups {
		slices.SortFunc(group, func(a, b string) int { return slices.Index(order, a) - slices.Index(order, b) })
	}
	return groups
}
