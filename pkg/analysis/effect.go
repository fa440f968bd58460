package analysis

import (
	"math"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Effect is how much of its rate a disk loses through a neighbour's presence: two measurements that differ in
// that neighbour alone. These effects decide who is slowed, who crowds out and what to move; nothing else does.
type Effect struct {
	Victim      string     `json:"victim"`
	VictimOp    trace.Role `json:"victim_op"`
	Neighbour   string     `json:"neighbour"`
	NeighbourOp trace.Role `json:"neighbour_op"`
	// Others are the further disks, which worked alike in both measurements.
	Others  []string `json:"others"`
	Rate    float64  `json:"rate"`         // beside the neighbour
	Without float64  `json:"without_rate"` // without it
	// Loss is the part of the rate without the neighbour; it is below 0 if the victim has more beside it.
	Loss float64 `json:"loss"`
	// CI covers the 95 % intervals of all repeats; null if one has none: then nobody can tell.
	CI *stats.Interval `json:"ci"`
	// Sure says that noise makes such a loss in less than 1 % of runs (Holm's correction over all effects).
	Sure bool   `json:"sure"`
	From string `json:"from"` // start | end: of the neighbour, within a phase; phases: with it and without
	// Phases have the neighbour, WithoutPhases do not; of a start or an end there are none of these.
	Phases        []string `json:"phases"`
	WithoutPhases []string `json:"without_phases,omitempty"`

	chance  float64
	setting *setting
}

// Where the rate without a neighbour is from.
const (
	FromPhases = "phases"
	FromStart  = "start"
	FromEnd    = "end"
)

// Limits of effects. Their noise has no limit of its own: see Effect.Sure.
const (
	// A disk that keeps more than heldBack of its baseline is not called slowed, and neither is the loss of less
	// than the rest called an effect.
	heldBack = 0.90
	// A disk kept its rate if it has heldBack of its baseline, and noise would show that much of a disk with only
	// clearlyLess in fewer than doubt of cases.
	clearlyLess = 0.80
	doubt       = 0.05
	// A disk that keeps more than mostKept of what it has alone was measured alone in another state.
	mostKept = 1.05
	// A disk that has less than evenShare of the total over the number of disks crowds out nobody. Measured totals
	// are known to 1 or 2 %.
	evenShare = 0.97
	minSteal  = 0.10 // above an even share, from which a disk has more than others
	// Rates within alikeShare of the highest are about the same.
	alikeShare = 0.9
	// As a logarithm: if the rate of a solo and a later one are this close, the solo is used.
	sameReference = 0.1
	// What starts takes from a disk no more than it moves itself, but for waste: 1.25 on hubs of the field notes.
	maxWaste    = 1.25
	fewPauses   = 0.02           // of a stretch: fewer pauses between files do not matter
	longS       = 10             // A stretch before a fall is compared if it is that long.
	aloneNS     = 1_000_000_000  // a rate must be seen for this long to count
	recoveredNS = 12_000_000_000 // disks have recovered by then: the slowest seen took 11 s (field notes)
)

// Where a disk's baseline comes from.
const (
	ReferenceSolo  = "solo"
	ReferenceLater = "later"
)

// Why a disk has no baseline although it was measured alone.
const (
	NoneChanged      = "changed"       // its rate changed by itself, here
	NoneAloneChanged = "alone_changed" // its rate alone did, so there is no one rate
	NoneTooLittle    = "too_little"    // it was too short alone to know its rate
	NoneUnlike       = "unlike"        // alone it did other work, or was connected elsewhere
	NoneExceeded     = "exceeded"      // it had clearly more here than alone
)

// setting is disks that worked together, each at one work: in several phases if these repeat one another.
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
	// The noise may last as long as the stretch, so the mean may be off by as much as the rate varies: too vague for an
	// interval, but enough to tell a large loss.
	vague bool
	in    []overlap.Span
}

// measureIn measures the disk's rate in a stretch. Its error is that of the rate over the time in files, for pauses
// between files are the program's, unless these take next to no time.
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

// chanceAbove is the chance that noise alone puts r so far above others, a factor times o; 1 if that is not known.
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

// meanRate is the mean of repeats. If they differ by more than their errors, what changed from one to the next counts
// as error as well.
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

// newStates finds the sets of disks that worked together in the phase: those that did before one started or after one
// ended, and all of them, which come last.
func (p *phase) newStates() []*state {
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
			if !part.Limited() && !part.wavers() {
				s.measure(part)
			}
		}
	}
	return out
}

// ownChange reports whether the disk's rate changed for a reason that is no neighbour's, or may be none. Where others
// gain what one disk alone loses, that one may have fallen by itself.
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

// stretch is the part of the window that is compared with other phases: the longest between changes of any disk,
// before one fell by itself if that is long enough.
func (p *phase) stretch() []overlap.Span {
	all := cutAt(p.window, p.cuts(""))
	var before [][]overlap.Span
	for _, in := range all {
		if !slices.ContainsFunc(p.parts, func(o *part) bool { return p.hasFallen(o.Name(), in[0].StartNS) }) {
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
	pieces := [][]overlap.Span{s.stretch()}
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

// rate returns the disk's rate in the state, and whether it is one after the disk had fallen by itself. It is nil if
// none is known.
func (s *state) rate(disk *part) (*stretchRate, int) {
	for when := range s.rates[disk] {
		if r := &s.rates[disk][when]; r.Rate > 0 {
			return r, when
		}
	}
	return nil, fresh
}

// settledNS is since when the disk has the rate of the state: since its recovery if another disk had ended.
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

// findSettings puts the states of all phases together that are of the same work. Those in which other disks had no
// part come first; the others count only without any of them.
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
	for _, group := range grouped(append(whole, parts...), func(a, b *state) bool { return sameParts(a.parts, b.parts) }) {
		set := &setting{parts: group[0].parts, whole: group[0].whole}
		for _, s := range group {
			if s.whole == set.whole {
				set.states = append(set.states, s)
			}
		}
		r.settings = append(r.settings, set)
	}
}

// setting is the one of just these disks at their work in phases of their own; nil if there is none.
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

// typical is the disk's mean rate over all states; nil if none has one. A disk that fell in them but not here may have
// been low here from the start: then it is compared with the rate that is closer to the one here.
func (s *setting) typical(j job, when int, here float64) (best *reference) {
	for at := when; at <= fallen; at++ {
		var all []*stretchRate
		for _, state := range s.states {
			for _, part := range state.parts {
				if r := &state.rates[part][at]; part.job.same(j) && r.Rate > 0 {
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

// baseline looks for the disk's rate beside just some of the others: in phases of their own, and in the state's
// phase before others had started or after they had ended. If these differ, the lower one counts: the disk was in
// another state, or what made it slow was not the others. There is none if the disk lost more as the others started
// than these can take.
func (s *state) baseline(disk *part, beside ...*part) (best *reference) {
	here, when := s.rate(disk)
	if here == nil {
		return nil
	}
	all := append([]*part{disk}, beside...)
	if set := s.setting(all); set != nil {
		best = set.typical(disk.job, when, here.Rate)
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
		changed := slices.ContainsFunc(s.cuts(disk.Name()), func(at int64) bool { return from <= at && at <= to })
		if !changed && (best == nil || math.Log(best.Rate/b.Rate) > sameReference) {
			best = b
		}
	}
	return best
}

// findEffects compares each disk of each setting with itself without each of the others.
func (r *run) findEffects() {
	var chances []float64
	for _, set := range r.settings {
		for _, neighbour := range set.parts {
			for _, victim := range set.parts {
				if victim == neighbour {
					continue
				}
				if e := set.effect(victim, neighbour); e != nil {
					r.effects = append(r.effects, e)
					chances = append(chances, e.chance)
				}
			}
		}
	}
	for i, p := range stats.Holm(chances, nil) {
		e := r.effects[i]
		e.Sure = p <= chance && e.CI != nil && e.Loss >= 1-heldBack
	}
}

// effect is the mean over the setting's states, and as sure as the median of them: half of the repeats must show it.
func (set *setting) effect(victim, neighbour *part) *Effect {
	e := &Effect{
		Victim: victim.Name(), VictimOp: victim.Trace.Op, Neighbour: neighbour.Name(), NeighbourOp: neighbour.Trace.Op,
		Others: []string{}, setting: set,
	}
	for _, o := range set.parts {
		if o != neighbour && o != victim {
			e.Others = append(e.Others, o.Name())
		}
	}
	var chances []float64
	var kept []*stats.Interval
	for _, s := range set.states {
		var beside []*part
		for _, name := range e.Others {
			beside = append(beside, s.part(name))
		}
		disk := s.part(victim.Name())
		b := s.baseline(disk, beside...)
		if b == nil {
			continue
		}
		here, _ := s.rate(disk)
		chances = append(chances, b.chanceAbove(here, 1))
		kept = append(kept, here.over(&b.stretchRate))
		e.Rate += here.Rate
		e.Without += b.Rate
		e.Loss += 1 - here.Rate/b.Rate
		e.Phases = append(e.Phases, s.out.Name)
		e.From, e.WithoutPhases = b.from, b.phases
	}
	n := float64(len(chances))
	if n == 0 {
		return nil
	}
	e.Rate, e.Without, e.Loss = e.Rate/n, e.Without/n, e.Loss/n
	if ci := hull(kept); ci != nil {
		e.CI = &stats.Interval{1 - ci[1], 1 - ci[0]}
	}
	slices.Sort(chances)
	e.chance = chances[len(chances)/2]
	return e
}

// effectOf is what a neighbour costs a disk in the phase, beside the others or else beside as many of them as were
// measured; nil if that was not measured at all.
func (p *phase) effectOf(neighbour, victim *part) (best *Effect) {
	for _, e := range p.effects {
		if e.isOf(victim, neighbour) && among(e.setting.parts, p.parts) && (best == nil || len(e.setting.parts) > len(best.setting.parts)) {
			best = e
		}
	}
	return best
}

func (e *Effect) isOf(victim, neighbour *part) bool {
	return e.Victim == victim.Name() && e.Neighbour == neighbour.Name() && among([]*part{victim, neighbour}, e.setting.parts)
}

// noReference is why the disk's rates alone in other phases are no baseline.
func (p *phase) noReference(part *part) (why string) {
	for _, q := range p.phases {
		alone := q.part(part.Name())
		switch {
		case part.Limited() || len(q.parts) != 1 || alone == nil || alone.Trace.Op != part.Trace.Op || alone.Limited():
		case part.wavers() || p.isDown(part):
			return NoneChanged
		case alone.job.same(part.job) && alone.wavers():
			return NoneAloneChanged
		case alone.job.same(part.job):
			return NoneTooLittle
		default:
			why = NoneUnlike
		}
	}
	return why
}

// fillContention compares the disks' rates in one stretch of the window with their baselines: alone, or else without
// the one neighbour that costs them most.
func (p *phase) fillContention() {
	if p.out.Overlap == nil || len(p.parts) < 2 {
		return
	}
	in, all := p.stretch(), cutAt(p.window, p.cuts(""))
	c := &Contention{Disks: map[string]DiskContention{}, Steals: []Steal{}, Even: p.even(all)}
	if len(all) > 1 {
		c.Spans = spans(in)
	}
	for _, part := range p.parts {
		part.window = part.measureIn(in)
		part.kept = DiskContention{Rate: part.window.Rate, NoReference: p.noReference(part)}
		p.fillBaseline(part)
	}
	for _, part := range p.parts {
		c.Disks[part.Name()] = part.kept
	}
	for _, part := range p.parts {
		c.Steals = append(c.Steals, p.crowdsOut(part)...)
	}
	p.out.Contention = c
}

// fillBaseline compares the disk with its baseline.
func (p *phase) fillBaseline(disk *part) {
	s := p.states[len(p.states)-1] // the whole one
	b, d := s.baseline(disk), &disk.kept
	if b != nil && b.from == FromPhases {
		d.Reference, d.ReferenceFrom, d.Alone = ReferenceSolo, strings.Join(b.phases, ", "), true
	} else if b != nil {
		d.Reference, d.ReferenceFrom, d.Alone = ReferenceLater, b.after, true
	}
	for _, o := range p.others(disk) {
		w := s.baseline(disk, slices.DeleteFunc(p.others(disk), func(x *part) bool { return x == o })...)
		if !d.Alone && w != nil && (b == nil || w.Rate > b.Rate) {
			b, d.Reference, d.ReferenceFrom = w, ReferenceLater, o.Name()
		}
	}
	if b == nil {
		return
	}
	here, _ := s.rate(disk)
	kept, ci := here.Rate/b.Rate, here.over(&b.stretchRate)
	d.Held = kept <= heldBack && b.chanceAbove(here, 1) < p.alpha.shared && !p.fallsForGood(disk)
	d.Kept = kept >= heldBack && here.chanceAbove(&b.stretchRate, clearlyLess) < doubt
	if kept > mostKept {
		d.Reference, d.ReferenceFrom, d.Alone, d.NoReference = "", "", false, NoneExceeded
		d.Kept = d.Kept && ci != nil && ci[0] <= 1
		return
	}
	d.NoReference, d.ReferenceRate, d.Retention, d.RetentionCI = "", number(b.Rate), number(kept), ci
}

// crowdsOut is what the disk takes from those that it surely slows, if it keeps at least an even share of what all
// move, and either all of its own rate or more than those that it slows.
func (p *phase) crowdsOut(by *part) (found []Steal) {
	total := 0.0
	for _, o := range p.parts {
		total += o.window.Rate
	}
	even := by.window.Rate >= evenShare*total/float64(len(p.parts))
	for _, from := range p.parts {
		e := p.effectOf(by, from)
		more := by.window.Rate >= (1+minSteal)*from.window.Rate && by.window.chanceAbove(&from.window, 1) < p.alpha.shared
		s := Steal{From: from.Name(), By: by.Name()}
		switch {
		case from == by || !p.comparable(by) || !p.comparable(from) || !by.kept.Kept && !more:
		case e != nil && e.Sure && even:
			s.Rate, s.Share = e.Without-e.Rate, e.Loss
			for _, o := range p.parts {
				if !among([]*part{o}, e.setting.parts) {
					s.Absent = append(s.Absent, o.Name())
				}
			}
		case p.mustTake(by, from):
			s.Deduced, s.Rate, s.Share = true, *from.kept.ReferenceRate-from.window.Rate, 1-*from.kept.Retention
		}
		if s.Share > 0 {
			found = append(found, s)
		}
	}
	return found
}

// mustTake reports whether a disk would have more without another although it was nowhere measured without it.
// What a disk moves alone fits through all that it shares. So if all that may share it move less than that without
// the other, the other shares it too. If the slowed disks move as much as each of them alone, no other disk has to.
func (p *phase) mustTake(by, from *part) bool {
	if slices.ContainsFunc(p.effects, func(e *Effect) bool { return e.isOf(from, by) }) {
		return false
	}
	var slowed []*part
	total, most := 0.0, 0.0
	for _, o := range p.parts {
		if o.kept.Held && o.kept.Alone {
			slowed = append(slowed, o)
			total, most = total+o.window.Rate, max(most, *o.kept.ReferenceRate)
		}
	}
	group := slowed
	if total < most {
		group = p.parts
	}
	if !slices.Contains(slowed, from) || !slices.Contains(group, by) {
		return false
	}
	rest := -by.window.Rate
	for _, o := range group {
		rest += o.window.Rate
	}
	above := by.window.Rate >= (1+minSteal)*(rest+by.window.Rate)/float64(len(group))
	return above && mostKept*rest < *from.kept.ReferenceRate
}

// comparable reports whether the disk wants as much as it can get and did not change by itself in the window.
func (p *phase) comparable(disk *part) bool {
	return disk.Contends() && !disk.wavers() && !p.isDown(disk)
}

// fallsForGood reports whether the disk has fallen by itself when the window ends.
func (p *phase) fallsForGood(disk *part) bool {
	return p.hasFallen(disk.Name(), p.window[len(p.window)-1].EndNS)
}

// isDown reports whether the disk fell by itself before the stretch that is compared.
func (p *phase) isDown(disk *part) bool {
	in := p.stretch()
	return len(in) > 0 && p.hasFallen(disk.Name(), in[0].StartNS)
}

// even reports whether all disks go as fast as they can, in one direction, at about the same rate in every stretch,
// beyond noise.
func (p *phase) even(all [][]overlap.Span) bool {
	for _, s := range all {
		var low, high stretchRate
		for _, part := range p.parts {
			m := part.measureIn(s)
			if m.Rate == 0 || part.Limited() || part.wavers() || part.Trace.Op != p.parts[0].Trace.Op {
				return false
			}
			if low.Rate == 0 || m.Rate < low.Rate {
				low = m
			}
			if m.Rate > high.Rate {
				high = m
			}
		}
		if low.Rate < alikeShare*high.Rate || low.chanceAbove(&high, clearlyLess) >= doubt {
			return false
		}
	}
	return len(all) > 0
}
