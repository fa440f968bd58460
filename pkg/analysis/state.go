package analysis

import (
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stats"
)

// setting is disks that worked together, each at one work: in several phases if these repeat one
// another.
type setting struct {
	parts  []*part // of the first state
	states []*state
	whole  bool // no other disk had a part in the phases
}

// state is a setting in one phase.
type state struct {
	*phase
	parts []*part
	in    []overlap.Span
	whole bool
	rates map[*part]*[2]stretchRate // by fresh and fallen
}

// stretchRate is a disk's rate in a stretch in which nothing changed, stalls aside.
type stretchRate struct {
	Rate  float64 // 0: it is not known
	log   stats.Estimate
	known bool // The error is.
	// The noise may last as long as the stretch, so the mean may be off by as much as the rate
	// varies: too vague for an interval, but enough to tell a large loss.
	vague bool
	in    []overlap.Span
}

// measureIn measures the disk's rate in a stretch. Its error is that of the rate over the time in
// files, for pauses between files are the program's, unless these take next to no time.
func (p *part) measureIn(in []overlap.Span) stretchRate {
	in = overlap.Without(in, p.Stalls)
	var bytes int64
	var inFiles []overlap.Span
	for _, v := range in {
		bytes += p.Curve.Between(v).Bytes
		inFiles = append(inFiles, overlap.Clip(p.inFiles(), v)...)
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
	r := stretchRate{Rate: float64(bytes) / length, log: log, in: in}
	r.known = doubt == stats.NoDoubt || doubt == stats.TooSlow
	if r.vague = length < minIntervalS || doubt == stats.TooSlow; r.vague {
		r.log.SE = max(r.log.SE, stats.Summarize(flow.Rates).CV)
	}
	return r
}

// inFiles are the spans in which the disk had a file in transfer.
func (p *part) inFiles() []overlap.Span {
	const noPauseNS = 1_000_000
	if p.files == nil {
		p.files = overlap.Active(p.Trace, noPauseNS)
	}
	return p.files
}

// chanceAbove is the chance that noise alone puts r so far above others, a factor times o; 1 if
// that is not known.
func (r *stretchRate) chanceAbove(o *stretchRate, factor float64) float64 {
	if !r.known || !o.known {
		return 1
	}
	return stats.Difference(o.log, r.log).Above(math.Log(factor))
}

// over is the 95 % interval of r over o; nil if it is not known.
func (r *stretchRate) over(o *stretchRate) *stats.Interval {
	if !r.known || !o.known || r.vague || o.vague {
		return nil
	}
	v := stats.Difference(o.log, r.log).Interval()
	return &stats.Interval{math.Exp(v[0]), math.Exp(v[1])}
}

// interval is the rate's 95 % interval; nil if it is not known.
func (r *stretchRate) interval() *stats.Interval {
	return r.over(&stretchRate{known: true})
}

// meanRate is the mean of repeats. If they differ by more than their errors, what changed from
// one to the next counts as error as well.
func meanRate(all []*stretchRate) stretchRate {
	n := float64(len(all))
	var out stretchRate
	var logs []float64
	out.known = true
	for _, r := range all {
		out.Rate += r.Rate / n
		out.log.SE = math.Hypot(out.log.SE, r.log.SE/n)
		out.log.DegreesOfFreedom = max(out.log.DegreesOfFreedom, r.log.DegreesOfFreedom)
		out.known, out.vague = out.known && r.known, out.vague || r.vague
		logs = append(logs, r.log.Mean)
	}
	if between := stats.Summarize(logs).SD / math.Sqrt(n); n > 1 && between > out.log.SE {
		out.log.SE, out.log.DegreesOfFreedom, out.known = between, n-1, true
	}
	out.log.Mean = math.Log(out.Rate)
	return out
}

// A disk that fell by itself is compared only with a time when it had fallen as well.
const (
	fresh = iota
	fallen
)

// newStates finds the sets of disks that worked together in the phase: those that did before one
// started or after one ended, and all of them, which come last.
func (p *phase) newStates() []*state {
	p.compared = p.stretch()
	var edges []int64
	working := p.others(nil)
	for _, part := range working {
		edges = append(edges, part.StartNS(), part.EndNS())
	}
	slices.Sort(edges)
	var out []*state
	for i, from := range edges[:max(0, len(edges)-1)] {
		s := &state{phase: p}
		for _, part := range working {
			if part.StartNS() <= from && part.EndNS() >= edges[i+1] {
				s.parts = append(s.parts, part)
			}
		}
		for _, stage := range p.stages {
			if stage.StartNS >= from && stage.EndNS <= edges[i+1] && len(stage.Active) == len(s.parts) {
				s.in = append(s.in, stage.Span)
			}
		}
		if len(s.parts) < len(p.parts) && len(s.in) > 0 {
			out = append(out, s)
		}
	}
	if p.out.Overlap != nil {
		out = append(out, &state{phase: p, parts: p.parts, in: p.window, whole: true})
	}
	for _, s := range out {
		s.rates = map[*part]*[2]stretchRate{}
		for _, part := range s.parts {
			s.rates[part] = &[2]stretchRate{}
			if !part.wavers() {
				s.measure(part)
			}
		}
	}
	return out
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
		began, ended := nanoseconds(c.StartS) <= ns, c.EndS > c.StartS && nanoseconds(c.EndS) <= ns
		if one := c.Of(disk); began && !ended && one.FromRate > 0 && c.ownChange(disk) {
			left *= one.ToRate / one.FromRate
		}
	}
	return left < heldBack
}

// stretch is the part of the window that is compared with other phases: the longest between
// changes of any disk, before one fell by itself if that is long enough.
func (p *phase) stretch() []overlap.Span {
	all := cutAt(p.window, p.cuts(""))
	var before [][]overlap.Span
	for _, in := range all {
		low := false
		for _, o := range p.parts {
			low = low || p.hasFallen(o.Name(), in[0].StartNS)
		}
		if !low {
			before = append(before, in)
		}
	}
	if best := longest(before); overlap.Seconds(best) >= longS {
		return best
	}
	return longest(all)
}

// measure finds the disk's rates in the state, while nothing changed.
func (s *state) measure(part *part) {
	pieces := [][]overlap.Span{s.compared}
	if !s.whole || len(s.parts) == 1 {
		settled := overlap.Span{StartNS: s.settledNS(part), EndNS: math.MaxInt64}
		pieces = cutAt(overlap.Clip(s.in, settled), s.cuts(part.Name()))
	}
	for _, in := range pieces {
		m := part.measureIn(in)
		if m.Rate == 0 || !s.whole && !m.known {
			continue
		}
		best := &s.rates[part][fresh]
		if s.hasFallen(part.Name(), in[0].StartNS) {
			best = &s.rates[part][fallen]
		}
		if overlap.Seconds(in) >= overlap.Seconds(best.in) {
			*best = m
		}
	}
}

// rate returns the disk's rate in the state, and whether it is one after the disk had fallen by
// itself. It is nil if none is known.
func (s *state) rate(disk *part) (*stretchRate, int) {
	for when := range s.rates[disk] {
		if r := &s.rates[disk][when]; r.Rate > 0 {
			return r, when
		}
	}
	return nil, fresh
}

// settledNS is since when the disk has the rate of the state: since its recovery if another disk
// had ended.
func (s *state) settledNS(part *part) int64 {
	from := s.in[0].StartNS
	ended := int64(math.MinInt64) // the latest end before the state
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

// findSettings puts the states of all phases together that are of the same work. Those in which
// other disks had no part come first; the others count only without any of them.
func (r *run) findSettings() {
	var whole, parts []*state
	for _, p := range r.phases {
		p.states = p.newStates()
		for _, s := range p.states {
			if s.whole {
				whole = append(whole, s)
			} else {
				parts = append(parts, s)
			}
		}
	}
	alike := func(a, b *state) bool { return sameParts(a.parts, b.parts) }
	for _, group := range grouped(append(whole, parts...), alike) {
		set := &setting{parts: group[0].parts, whole: group[0].whole}
		for _, s := range group {
			if s.whole == set.whole {
				set.states = append(set.states, s)
			}
		}
		r.settings = append(r.settings, set)
	}
}

// setting is the one of just these disks at their work in phases of their own; nil if there is
// none.
func (r *run) setting(parts []*part) *setting {
	for _, s := range r.settings {
		if s.whole && sameParts(s.parts, parts) {
			return s
		}
	}
	return nil
}

// phases are those of the setting, by name.
func (s *setting) phases() []string {
	var names []string
	for _, state := range s.states {
		names = append(names, state.out.Name)
	}
	return names
}

// typical is the disk's mean rate over all states; nil if none has one. A disk that fell in them
// but not here may have been low here from the start: then it is compared with the rate that is
// closer to the one here.
func (s *setting) typical(disk *part, when int, here float64) (best *reference) {
	for at := when; at <= fallen; at++ {
		var all []*stretchRate
		for _, state := range s.states {
			for _, part := range state.parts {
				if r := &state.rates[part][at]; part.same(disk) && r.Rate > 0 {
					all = append(all, r)
				}
			}
		}
		if len(all) == 0 {
			continue
		}
		mean := meanRate(all)
		if best == nil || math.Abs(math.Log(mean.Rate/here)) < math.Abs(math.Log(best.Rate/here)) {
			best = &reference{stretchRate: mean, from: FromPhases, phases: s.phases()}
		}
	}
	return best
}

// reference is a disk's rate with fewer others.
type reference struct {
	stretchRate
	from   string   // phases, start or end
	phases []string // that it is from
	after  string   // the last disk that had ended
}

// baseline looks for the disk's rate beside just some of the others: in phases of their own, and
// in the state's phase before others had started or after they had ended. If these differ, the
// lower one counts: the disk was in another state, or what made it slow was not the others. There
// is none if the disk lost more as the others started than these can take.
func (s *state) baseline(disk *part, beside ...*part) (best *reference) {
	here, when := s.rate(disk)
	if here == nil {
		return nil
	}
	all := append([]*part{disk}, beside...)
	if set := s.setting(all); set != nil {
		best = set.typical(disk, when, here.Rate)
	}
	for _, t := range s.states {
		if t.whole || !sameParts(t.parts, all) || t.rates[disk][when].Rate == 0 {
			continue
		}
		there := &t.rates[disk][when]
		b, first, last := &reference{stretchRate: *there, from: FromEnd}, here, there
		if t.in[0].StartNS < s.in[0].StartNS {
			b.from, first, last = FromStart, there, here
		}
		var gone float64 // what the disks move that are missing
		var end int64
		for _, o := range s.parts {
			if !slices.Contains(all, o) {
				gone += o.measureIn(here.in).Rate
				if o.EndNS() > end {
					end, b.after = o.EndNS(), o.Name()
				}
			}
		}
		if b.from == FromStart && there.Rate-here.Rate > maxWaste*gone {
			return nil
		}
		from, to := first.in[len(first.in)-1].EndNS-closeNS, last.in[0].StartNS+closeNS
		changed := false
		for _, at := range s.cuts(disk.Name()) {
			changed = changed || from <= at && at <= to
		}
		if !changed && (best == nil || math.Log(best.Rate/b.Rate) > sameReference) {
			best = b
		}
	}
	return best
}
