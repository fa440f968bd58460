package analysis

import (
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/ledger"
	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stats"
)

// setting is disks that worked together, each at one work: the states of phases that repeat one
// another. Those in which no other disk had a part count alone if there are any.
type setting []*busySet

// busySet is the disks that worked together in one phase.
type busySet struct {
	*phase
	parts []*diskPart
	whole bool // No other disk had a part in the phase.
	// in is when they worked; if these are all of several, the part that is compared (see stretch).
	in []overlap.Span
	// The rates are by fresh and fallen; nil if unknown.
	rates map[*diskPart][2]*stretchRate
}

// stretchRate is a disk's rate in a stretch in which nothing changed, stalls aside.
type stretchRate struct {
	Rate float64 // Rate is 0 if unknown.
	// log is of its logarithm; where pauses between files take time, of that over the time in files.
	log stats.Estimate
	// The noise may last as long as the stretch, so the mean may be off by as much as the rate
	// varies: too vague for an interval, but enough to tell a large loss.
	vague bool
	in    []overlap.Span
}

// measureIn measures the disk's rate in a stretch. Its error is that of the rate over the time in
// files, for pauses between files are the program's, unless these take next to no time.
func (p *diskPart) measureIn(in []overlap.Span) stretchRate {
	in = overlap.Without(in, p.Stalls)
	bytes := p.Curve.BytesIn(in)
	var inFiles []overlap.Span
	for _, v := range in {
		inFiles = append(inFiles, overlap.Clip(p.inFiles, v)...)
	}
	if bytes <= 0 {
		return stretchRate{in: in}
	}
	length := overlap.Seconds(in)
	if overlap.Seconds(inFiles) >= (1-fewPauses)*length {
		inFiles = in
	}
	flow := p.Curve.Flow(inFiles)
	log, doubt := flow.LogMean()
	r := stretchRate{Rate: float64(bytes) / length, in: in}
	if doubt == stats.NoDoubt || doubt == stats.TooSlow {
		r.log = log
	}
	if r.vague = length < minIntervalS || doubt == stats.TooSlow; r.vague && r.log.Known() {
		r.log.SE = max(r.log.SE, stats.Summarize(flow.Rates).CV)
	}
	return r
}

// chanceAbove is the chance that noise alone puts r so far above others, a factor times o; 1 if
// that is not known.
func (r *stretchRate) chanceAbove(o *stretchRate, factor float64) float64 {
	if !r.log.Known() || !o.log.Known() {
		return 1
	}
	return stats.Difference(o.log, r.log).Above(math.Log(factor))
}

// over is the 95 % interval of r over o; nil if it is not known.
func (r *stretchRate) over(o *stretchRate) *stats.Interval {
	if !r.log.Known() || !o.log.Known() || r.vague || o.vague {
		return nil
	}
	return ratio(stats.Difference(o.log, r.log))
}

// ratio returns the interval of a ratio whose logarithm is given.
func ratio(log stats.Estimate) *stats.Interval {
	v := log.Interval()
	return &stats.Interval{math.Exp(v[0]), math.Exp(v[1])}
}

// estimate returns the rate with its error, as far as that is known well enough for an interval.
func (r *stretchRate) estimate() stats.Estimate {
	if r.vague {
		return stats.Estimate{Mean: r.Rate}
	}
	e := r.log.Times(r.Rate)
	e.Mean = r.Rate
	return e
}

// pool returns the mean rate of repeats.
func (r *run) pool(repeats []stats.Estimate) stats.Estimate {
	if len(repeats) == 1 {
		return repeats[0]
	}
	var logs []stats.Estimate
	for _, e := range repeats {
		logs = append(logs, e.Log())
	}
	return stats.Pool(logs, r.repeats).Exp()
}

// poolRates returns the mean of repeats.
func (r *run) poolRates(repeats []*stretchRate) stretchRate {
	if len(repeats) == 1 {
		return *repeats[0]
	}
	var out stretchRate
	var logs, withPauses []stats.Estimate
	for _, one := range repeats {
		logs = append(logs, one.log)
		e := one.log
		e.Mean = math.Log(one.Rate)
		withPauses = append(withPauses, e)
		out.vague = out.vague || one.vague
	}
	out.log = stats.Pool(logs, r.repeats)
	out.Rate = math.Exp(stats.Pool(withPauses, r.repeats).Mean)
	return out
}

// A disk that fell by itself is compared only with a time when it had fallen as well.
const (
	fresh = iota
	fallen
)

// newStates finds the sets of disks that worked together in the phase: all of them, and those that
// did before one started or after one ended.
func (p *phase) newStates() (all []*busySet) {
	working := p.others(nil)
	for _, stage := range p.stages {
		var present []*diskPart // They are between their starts and ends.
		for _, part := range working {
			if part.StartNS() <= stage.StartNS && part.EndNS() >= stage.EndNS {
				present = append(present, part)
			}
		}
		if len(all) == 0 || !slices.Equal(all[len(all)-1].parts, present) {
			all = append(all, &busySet{phase: p, parts: present,
				whole: len(present) == len(p.parts)})
		}
		if s := all[len(all)-1]; len(stage.Active) == len(present) {
			s.in = append(s.in, stage.Span)
		}
	}
	all = slices.DeleteFunc(all, func(s *busySet) bool { return len(s.in) == 0 })
	for _, s := range all {
		if s.whole && len(s.parts) > 1 {
			s.in = p.stretch()
		}
		s.rates = map[*diskPart][2]*stretchRate{}
		for _, part := range s.parts {
			s.rates[part] = s.measure(part)
		}
	}
	return all
}

// ownChange reports whether the disk's rate changed for a reason that is no neighbour's, or may
// be none. Where others gain what one disk alone loses, that one may have fallen by itself.
func (c *Change) ownChange(disk string) bool {
	switch c.Kind {
	case KindOwnFall, KindSharedFall, KindUnknown:
		return c.concerns(disk)
	case KindRedistribution:
		fell := 0
		for _, shift := range c.Each {
			if shift.ToRate < shift.FromRate {
				fell++
			}
		}
		one := c.Of(disk)
		return c.concerns(disk) && c.By == nil && fell == 1 && one.ToRate < one.FromRate
	}
	return false
}

// hasFallen reports whether the disk is at that time slower than at first by itself.
func (p *phase) hasFallen(disk string, ns int64) bool {
	left := 1.0
	for i := range p.out.Changes {
		c := &p.out.Changes[i]
		began := nanoseconds(c.StartS) <= ns
		ended := c.EndS > c.StartS && nanoseconds(c.EndS) <= ns
		if one := c.Of(disk); began && !ended && one.FromRate > 0 && c.ownChange(disk) {
			left *= one.ToRate / one.FromRate
		}
	}
	return left < minRetained
}

// stretch is the part of the window that is compared with other phases: the longest between
// changes of any disk, before one fell by itself if that is long enough.
func (p *phase) stretch() []overlap.Span {
	all := cutAt(p.window, p.cuts(""))
	var before [][]overlap.Span
	for _, in := range all {
		low := func(o *diskPart) bool { return p.hasFallen(o.Name(), in[0].StartNS) }
		if !slices.ContainsFunc(p.parts, low) {
			before = append(before, in)
		}
	}
	if best := longest(before); overlap.Seconds(best) >= ledger.LongS {
		return best
	}
	return longest(all)
}

// measure finds the disk's rates in the state, while nothing changed; none if it has no settled
// one.
func (s *busySet) measure(part *diskPart) (rates [2]*stretchRate) {
	if part.isUnsettled() {
		return rates
	}
	pieces := [][]overlap.Span{s.in}
	if !s.whole || len(s.parts) == 1 {
		settled := overlap.Between(s.settledNS(part), math.MaxInt64)
		pieces = cutAt(overlap.Clip(s.in, settled), s.cuts(part.Name()))
	}
	for _, in := range pieces {
		m := part.measureIn(in)
		when := fresh
		if s.hasFallen(part.Name(), in[0].StartNS) {
			when = fallen
		}
		best := rates[when]
		longest := best == nil || overlap.Seconds(in) >= overlap.Seconds(best.in)
		if longest && m.Rate > 0 && (s.whole || m.log.Known()) {
			rates[when] = &m
		}
	}
	return rates
}

// rate returns the disk's rate in the state, and whether it is one after the disk had fallen by
// itself. It is nil if none is known.
func (s *busySet) rate(disk *diskPart) (*stretchRate, int) {
	for when, r := range s.rates[disk] {
		if r != nil {
			return r, when
		}
	}
	return nil, fresh
}

// settledNS is since when the disk has the rate of the state: since its recovery if another disk
// had ended.
func (s *busySet) settledNS(part *diskPart) int64 {
	from := s.in[0].StartNS
	ended := int64(math.MinInt64) // ended is the latest end before the state.
	for _, o := range s.others(part) {
		if end := o.EndNS(); end <= from {
			ended = max(ended, end)
		}
	}
	if ended == math.MinInt64 {
		return from
	}
	for _, r := range s.out.Recoveries {
		switch {
		case r.Disk != part.Name() || math.Abs(r.AtS-seconds(ended)) > togetherS:
		case r.LagS != nil:
			return nanoseconds(r.AtS + *r.LagS)
		case r.Cut.Rose:
			return math.MaxInt64
		}
	}
	return from + recoveredNS
}

// findSettings puts the states of all phases together that are of the same work.
func (r *run) findSettings() {
	var whole, partial []*busySet
	for _, p := range r.phases {
		p.states = p.newStates()
		for _, s := range p.states {
			if s.whole {
				whole = append(whole, s)
			} else {
				partial = append(partial, s)
			}
		}
	}
	sameWork := func(a, b *busySet) bool { return sameParts(a.parts, b.parts) }
	for _, set := range grouped(append(whole, partial...), sameWork) {
		if set[0].whole {
			set = slices.DeleteFunc(set, func(s *busySet) bool { return !s.whole })
		}
		r.settings = append(r.settings, set)
	}
	r.repeats = repeatsDiffer(r.settings)
}

// repeatsDiffer returns by how much repeats differ in the run: the variance of the logarithms of
// each disk's rates in each setting, which are too few by themselves to say.
func repeatsDiffer(settings []setting) stats.Prior {
	var variances, free []float64
	for _, set := range settings {
		for _, disk := range set[0].parts {
			var logs []float64
			for _, state := range set {
				if rates := state.rates[state.part(disk.Name())]; rates[fresh] != nil {
					logs = append(logs, rates[fresh].log.Mean)
				}
			}
			if len(logs) > 1 {
				sd := stats.Summarize(logs).SD
				variances = append(variances, sd*sd)
				free = append(free, float64(len(logs)-1))
			}
		}
	}
	if len(variances) == 0 || stats.Median(variances) == 0 { // Simulated disks repeat exactly.
		return stats.Prior{}
	}
	return stats.Moderate(variances, free)
}

// typical is the disk's mean rate over all states; nil if none has one. A disk that fell in them
// but not here may have been low here from the start: then it is compared with the rate that is
// closer to the one here.
func (s setting) typical(disk *diskPart, when int, here float64) (best *reference) {
	for at := when; at <= fallen; at++ {
		var all []*stretchRate
		var phases []string
		for _, state := range s {
			for part, rates := range state.rates {
				if part.same(disk) && rates[at] != nil {
					all = append(all, rates[at])
					phases = append(phases, state.out.Name)
				}
			}
		}
		if len(all) == 0 {
			continue
		}
		mean := s[0].poolRates(all)
		if best == nil || math.Abs(math.Log(mean.Rate/here)) < math.Abs(math.Log(best.Rate/here)) {
			best = &reference{stretchRate: mean, of: all, from: FromPhases, phases: phases}
		}
	}
	return best
}

// reference is a disk's rate with fewer others.
type reference struct {
	stretchRate
	of     []*stretchRate // of are the rates that it is the mean of.
	from   string         // from is phases, start or end.
	phases []string       // phases are the sources.
	after  string         // after is the last disk that had ended.
}

// baseline looks for the disk's rate without some of the others: in phases that these have no part
// in, and in the state's phase before they had started or after they had ended. If these differ,
// the lower one counts: the disk was in another state, or what made it slow was not the others.
// There is none if the disk lost more as the others started than these can take.
func (s *busySet) baseline(disk *diskPart, without ...*diskPart) (best *reference) {
	here, when := s.rate(disk)
	if here == nil {
		return nil
	}
	left := only(s.parts, func(o *diskPart) bool { return !slices.Contains(without, o) })
	for _, set := range s.settings {
		if set[0].whole && sameParts(set[0].parts, left) {
			best = set.typical(disk, when, here.Rate)
			break
		}
	}
	for _, t := range s.states {
		there := t.rates[disk][when]
		if t.whole || !sameParts(t.parts, left) || there == nil {
			continue
		}
		var last *diskPart // last is the missing disk that ended last.
		var moved float64  // moved is what the missing disks move here.
		for _, o := range without {
			moved += o.measureIn(here.in).Rate
			if last == nil || o.EndNS() > last.EndNS() {
				last = o
			}
		}
		b := &reference{
			stretchRate: *there, of: []*stretchRate{there}, from: FromEnd, after: last.Name(),
		}
		from := here
		to := there
		if t.in[0].StartNS < s.in[0].StartNS {
			b.from = FromStart
			from = there
			to = here
			if there.Rate-here.Rate > maxWaste*moved {
				return nil
			}
		}
		changed := slices.ContainsFunc(s.cuts(disk.Name()), func(at int64) bool {
			return from.in[len(from.in)-1].EndNS-closeNS <= at && at <= to.in[0].StartNS+closeNS
		})
		if !changed && (best == nil || math.Log(best.Rate/b.Rate) > sameReference) {
			best = b
		}
	}
	return best
}
