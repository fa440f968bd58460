package analysis

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/trace"
)

// What a finding needs beyond what its number needs to be there at all.
const (
	evenJain   = 0.98 // fairness from which a sharing is even
	duplexGain = 1.10 // mixed traffic must carry a tenth more than one way
	hubCost    = 0.10 // of its rate on a port of its own
)

// findings are what is worth reporting of all phases, by descending weight.
func findings(phases []Phase, order []string, solos solos, saturations []Saturation, alpha float64) []Finding {
	f := finder{order: order, alpha: alpha, found: []Finding{}}
	f.connections(solos)
	f.saturations(saturations)
	for i := range phases {
		f.phase = &phases[i]
		f.failures()
		if f.phase.Search != nil {
			continue // what a search finds is its answer
		}
		f.drops()
		f.contention()
		f.recoveries()
		f.changes()
		f.totals()
		f.bottlenecks()
		f.gauges()
		for _, disk := range f.order {
			if d, ok := f.phase.Disks[disk]; ok {
				f.disk(disk, d)
			}
		}
	}
	for i := range f.found {
		f.found[i].cite(phases)
	}
	slices.SortStableFunc(f.found, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(a.Phase, b.Phase), cmp.Compare(a.Disk, b.Disk))
	})
	return f.found
}

// cite notes which entries of the ledger a finding rests on: those of its kind that concern its disks and, if another disk is
// part of what it says, were caused by that one.
func (f *Finding) cite(phases []Phase) {
	kinds := map[string][]string{
		"throttle": {KindOwnFall}, CauseHeat: {KindOwnFall}, CauseCacheFull: {KindOwnFall}, "recovery": {KindRecovery},
		"steal": {KindStart, KindRecovery, KindRedistribution}, "held": {KindStart, KindRecovery},
	}[f.Code]
	if f.Change != nil {
		kinds = []string{f.Change.Kind}
	}
	i := slices.IndexFunc(phases, func(p Phase) bool { return p.Phase == f.Phase })
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

// finder gathers findings, of one phase at a time.
type finder struct {
	order []string
	alpha float64 // chance of one claim by noise alone
	phase *Phase
	found []Finding
}

func (f *finder) add(found Finding) {
	found.Phase = f.phase.Phase
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

// strongest adds what may hold of the same disks in several phases: for the one that shows it most, with the number of others.
func (f *finder) strongest(found Finding) {
	i := slices.IndexFunc(f.found, func(g Finding) bool { return g.Code == found.Code && slices.Equal(g.Disks, found.Disks) })
	if i < 0 {
		f.add(found)
		return
	}
	f.found[i].MorePhases++
	if found.Weight > f.found[i].Weight {
		found.Phase, found.MorePhases = f.phase.Phase, f.found[i].MorePhases
		f.found[i] = found
	}
}

// connections reports what a disk alone loses by being on the hub, if phases show both.
func (f *finder) connections(solos solos) {
	for _, hub := range solos {
		if hub.connection != trace.OnHub {
			continue
		}
		moved := hub.job
		moved.connection = trace.Direct
		direct := solos.find(moved)
		if direct == nil || hub.Rate > (1-hubCost)*direct.Rate || direct.ChanceAbove(hub.Measured) > f.alpha {
			continue
		}
		f.found = append(f.found, Finding{
			Code: "hub_cost", Phase: hub.phase, Disk: hub.disk, Other: direct.phase, Weight: 1 - hub.Rate/direct.Rate,
			Values: ReferenceValues{Rate: hub.Rate, Reference: direct.Rate},
		})
	}
}

// saturations reports disks that fell once they had written enough.
func (f *finder) saturations(all []Saturation) {
	for _, s := range all {
		if s.Fall == nil {
			continue
		}
		values := SaturationValues{AtBytes: s.Fall.AtBytes, FromRate: s.Fall.FromRate, ToRate: s.Fall.ToRate}
		if s.Back != nil {
			values.RestS = s.Back.RestS
		}
		f.found = append(f.found, Finding{Code: "saturation", Phase: s.Alone, Disk: s.Disk, Values: values, Weight: 2 - s.Fall.ToRate/s.Fall.FromRate})
	}
}

// saturated reports whether the current phase is a step of what has been reported of the disk already.
func (f *finder) saturated(disk string) bool {
	return f.phase.Saturation != nil && slices.ContainsFunc(f.found, func(g Finding) bool { return g.Code == "saturation" && g.Disk == disk })
}

func (f *finder) failures() {
	for _, w := range f.phase.Warnings {
		if w.Code == "partial" {
			f.add(Finding{Code: "partial", Disk: w.Disk, Other: w.Other, Values: w.Values, Weight: 2})
		}
	}
}

func (f *finder) contention() {
	c, o := f.phase.Contention, f.phase.Overlap
	if c == nil {
		return
	}
	f.steals()
	f.uneven()
	var held []string
	for _, name := range f.order {
		if c.Disks[name].Held {
			held = append(held, name)
		}
	}
	if even := len(held) == len(c.Disks) && c.Even && o.Jain >= evenJain; even {
		low, high := f.retentions(held)
		f.add(Finding{Code: "even", Disks: held, Values: EvenValues{Jain: o.Jain, Low: low, High: high}, Weight: (1 - high) / 2})
	} else {
		f.held(held)
	}
	if g, ci := c.DuplexGain, c.DuplexCI95; g != nil && *g >= duplexGain && ci != nil && ci[0] > 1 {
		f.once(Finding{Code: "duplex", Values: DuplexValues{Rate: o.Rate, Gain: *g - 1}, Weight: *g - 1})
	}
	f.ceiling()
}

// retentions are the lowest and the highest of the disks'.
func (f *finder) retentions(names []string) (low, high float64) {
	low = math.Inf(1)
	for _, name := range names {
		r := *f.phase.Contention.Disks[name].Retention
		low, high = min(low, r), max(high, r)
	}
	return low, high
}

// uneven reports disks that got more than an even share when nothing says from whom: those alike together.
func (f *finder) uneven() {
	c := f.phase.Contention
	var names []string
	for _, name := range f.order {
		took := slices.ContainsFunc(c.Steals, func(s Steal) bool { return s.By == name })
		if d, ok := c.Disks[name]; ok && d.AboveEven > 0 && !took {
			names = append(names, name)
		}
	}
	more := func(name string) float64 { return c.Disks[name].AboveEven }
	for _, group := range Alike(names, more) {
		above := meanOf(group, more)
		f.add(about(group, Finding{Code: "uneven", Values: RateValues{Rate: above}, Weight: above / f.phase.Overlap.Rate / 2}))
	}
}

func about(disks []string, f Finding) Finding {
	f.Disks = disks
	if len(disks) == 1 {
		f.Disk = disks[0]
	}
	return f
}

func meanOf(disks []string, value func(string) float64) float64 {
	var sum float64
	for _, name := range disks {
		sum += value(name) / float64(len(disks))
	}
	return sum
}

// steals reports each disk that took from others, and from which.
func (f *finder) steals() {
	c := f.phase.Contention
	for _, by := range f.order {
		var from []string
		var taken, had, fair float64
		for _, s := range c.Steals {
			if s.By == by {
				from = append(from, s.From)
				taken += s.Rate
				had += c.Disks[s.From].Rate
				fair += c.Disks[s.From].FairRate
			}
		}
		if n := float64(len(from)); n > 0 {
			f.add(Finding{
				Code: "steal", Disk: by, Disks: from, Values: StealValues{Rate: taken, Had: had / n, Fair: fair / n}, Weight: taken / fair,
			})
		}
	}
}

// held reports disks that had less than without others, when nothing says who took it: those alike together.
func (f *finder) held(names []string) {
	c := f.phase.Contention
	bySource := map[string][]string{} // who says what they have without others: solo phases, or one disk that ended
	var sources []string
	for _, name := range names {
		if slices.ContainsFunc(c.Steals, func(s Steal) bool { return s.From == name }) {
			continue
		}
		source := ""
		if c.Disks[name].Reference == ReferenceLater {
			source = c.Disks[name].ReferenceFrom
		}
		if bySource[source] == nil {
			sources = append(sources, source)
		}
		bySource[source] = append(bySource[source], name)
	}
	rateOf := func(name string) float64 { return c.Disks[name].Rate }
	for _, source := range sources {
		for _, group := range Alike(bySource[source], rateOf) {
			had, reference := meanOf(group, rateOf), meanOf(group, func(name string) float64 { return *c.Disks[name].ReferenceRate })
			var from []string
			for _, name := range group {
				if of := c.Disks[name].ReferenceFrom; !slices.Contains(from, of) {
					from = append(from, of)
				}
			}
			f.add(about(group, Finding{
				Code: "held", Other: strings.Join(from, ", "), Weight: (1 - had/reference) / 2,
				Values: ReferenceValues{Rate: had, Reference: reference},
			}))
		}
	}
}

// changes reports the entries of the ledger that no other finding covers: a disk's own start or end needs none; recoveries,
// lasting falls and what these leave to others have findings of their own.
func (f *finder) changes() {
	p := f.phase
	var stalls []Change
	for i := range p.Changes {
		c := &p.Changes[i]
		finding := Finding{Code: c.Kind, Change: c, Working: len(p.Disks), Weight: 0.5}
		if c.FromRate > 0 && c.ToRate > 0 {
			finding.Weight = min(1, math.Abs(1-min(c.FromRate, c.ToRate)/max(c.FromRate, c.ToRate)))
		}
		switch c.Kind {
		case KindEnd, KindRecovery:
			continue
		case KindStart:
			if c.By == nil {
				continue
			}
		case KindStall:
			stalls = append(stalls, *c)
			continue
		case KindOwnFall:
			if d := p.Disks[c.Disks[0]]; d.Throttle != nil {
				continue
			}
		case KindRedistribution:
			if c.By != nil && slices.ContainsFunc(p.Changes, func(o Change) bool { return o.Kind == KindOwnFall && o.concerns(*c.By) }) {
				continue
			}
		case KindWarmUp:
			if slices.ContainsFunc(f.found, func(g Finding) bool { return g.Code == KindWarmUp && slices.Equal(g.Disks, c.Disks) }) {
				continue
			}
		}
		f.add(about(c.Disks, finding))
	}
	f.stalls(stalls)
}

// stalls reports those of the same disks together.
func (f *finder) stalls(stalls []Change) {
	for len(stalls) > 0 {
		first := stalls[0]
		var group, rest []Change
		for _, c := range stalls {
			if slices.Equal(c.Disks, first.Disks) && c.Cause == first.Cause {
				group = append(group, c)
			} else {
				rest = append(rest, c)
			}
		}
		finding := Finding{Code: KindStall, Change: &first, Working: len(f.phase.Disks), Weight: 1}
		if len(group) > 1 {
			finding.Changes = group
		}
		f.add(about(first.Disks, finding))
		stalls = rest
	}
}

// recoveries reports what the disks gained after each that ended, those alike together.
func (f *finder) recoveries() {
	type key struct {
		after string
		atS   float64
	}
	byEnd := map[key]map[string]Recovery{}
	var ends []key
	for _, r := range f.phase.Recoveries {
		if r.LagS == nil {
			continue
		}
		k := key{r.After, r.AtS}
		if byEnd[k] == nil {
			byEnd[k] = map[string]Recovery{}
			ends = append(ends, k)
		}
		byEnd[k][r.Disk] = r
	}
	for _, k := range ends {
		var names []string
		for _, name := range f.order {
			if _, ok := byEnd[k][name]; ok {
				names = append(names, name)
			}
		}
		for _, group := range Alike(names, func(n string) float64 { return *byEnd[k][n].ToRate }) {
			f.recovery(k.after, group, byEnd[k])
		}
	}
}

func (f *finder) recovery(after string, group []string, recovered map[string]Recovery) {
	from := meanOf(group, func(name string) float64 { return recovered[name].FromRate })
	to := meanOf(group, func(name string) float64 { return *recovered[name].ToRate })
	shortest, longest := math.Inf(1), 0.0
	for _, name := range group {
		shortest, longest = min(shortest, *recovered[name].LagS), max(longest, *recovered[name].LagS)
	}
	f.add(about(group, Finding{
		Code: "recovery", Other: after, Weight: (1 - from/to) * min(1, longest/10),
		Values: RecoveryValues{From: from, To: to, LagLow: shortest, LagHigh: longest},
	}))
}

func (f *finder) disk(name string, d Disk) {
	if l := d.Latency; l != nil && l.Longer != nil {
		c := l.Longer
		f.add(Finding{
			Code: "latency", Disk: name, Other: l.AloneFrom, Weight: 0.8 * (1 - 1/c.Times),
			Values: LatencyValues{FromNS: float64(c.FromNS), ToNS: float64(c.ToNS), Times: c.Times, Quantile: c.Quantile},
		})
	}
	if t := d.Throttle; t != nil && !f.saturated(name) { // the steps of that preset are one finding
		fall := 1 - t.ToRate/t.FromRate
		f.add(Finding{Code: "throttle", Disk: name, Weight: 1 + fall})
		if t.Cause != CauseUnknown {
			f.add(Finding{Code: t.Cause, Disk: name, Weight: 0.9 + fall}) // just behind the fall itself
		}
	}
	if k := d.SizeKnee; k != nil {
		change := k.AboveRate/k.BelowRate - 1
		f.add(Finding{Code: "size_knee", Disk: name, Weight: min(1, max(change, -change)) / 2})
	}
	if d.Modes != nil && d.Throttle == nil && len(f.phase.Disks) == 1 {
		f.add(Finding{Code: "bimodal", Disk: name, Weight: 0.3 * (1 - d.Modes[0]/d.Modes[1])})
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
