package compare

import (
	"iter"
	"math"

	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stats"
)

const (
	// falseClaimRate is the chance, for a whole comparison, that any rate is called faster or
	// slower by mistake, half of it each way. Each interval by itself misses the truth as often.
	falseClaimRate = 0.05
	// minError is the smallest error assumed for the difference of two rates, as a share: simulated
	// disks repeat to the nanosecond, and a difference that small is of no interest.
	minError = 0.0007
	// freeOfInterval is the number of degrees of freedom that an interval of package analysis has
	// unless its files are few: of the five cosines that it rests on (stats.MeanOf).
	freeOfInterval = 5
)

// FallOutcome is what the data say about a fall by more than a limit.
type FallOutcome string

// The outcomes.
const (
	// By more than the limit, significantly after the correction for all gated values.
	Fell       FallOutcome = "fell"
	DidNotFall FallOutcome = "did_not_fall" // a fall by so much is excluded
	CannotTell FallOutcome = "cannot_tell"
)

// Judge returns the one rule of all gates. Each estimate is of how far a value lies above its
// limit. It fell if the one-sided test that it lies below is significant after Holm's correction
// for all of them, and did not if such a test of the contrary is by itself: all must be above to
// pass, so these need no correction (Berger, "Multiparameter Hypothesis Testing and Acceptance
// Sampling", Technometrics 24, 1982). A nil is a value that is not known. It also returns the level
// of each test: an interval at twice that level says what the outcome says.
func Judge(above []*stats.Estimate) (outcomes []FallOutcome, levels []float64) {
	outcomes = make([]FallOutcome, len(above))
	chances := make([]float64, len(above))
	for i, e := range above {
		outcomes[i] = CannotTell
		chances[i] = 1
		if e != nil {
			chances[i] = 1 - e.Above(0)
		}
	}
	corrected, levels := stats.Holm(chances, nil, falseClaimRate/2)
	for i, e := range above {
		switch {
		case e == nil:
		case corrected[i] <= falseClaimRate/2:
			outcomes[i] = Fell
		case e.Above(0) <= falseClaimRate/2:
			outcomes[i] = DidNotFall
			levels[i] = falseClaimRate / 2
		}
	}
	return outcomes, levels
}

// fill compares a value of both sides, and returns it if both have it.
func (t *Test) fill(v *Variation, key MeasurementKey, sides [][]Measurements) (before,
	after *float64) {
	return t.test(v, key, Values(sides[0], key), Values(sides[1], key))
}

func (t *Test) test(v *Variation, key MeasurementKey, base, other []stats.Estimate) (before,
	after *float64) {
	between := v.between(key, 1/float64(len(base))+1/float64(len(other)))
	return t.take(v, between, base, other)
}

// take compares two sides, which vary by so much beyond their own errors, as v knows.
func (t *Test) take(v *Variation, between stats.Estimate, base,
	other []stats.Estimate) (before, after *float64) {
	t.N = min(len(base), len(other))
	t.Unit = "run"
	t.Verdict = TooLittle
	if v != nil && v.Source == FromRepeats {
		t.Unit = "repeat"
	}
	if t.N == 0 {
		t.Reason = "not every run has measured it"
		return nil, nil
	}
	d := stats.Sum(stats.Difference(meanOf(base), meanOf(other)), between)
	before, after = new(math.Exp(meanOf(base).Mean)), new(math.Exp(meanOf(other).Mean))
	t.Change = new(*after / *before - 1)
	for _, side := range [][]stats.Estimate{base, other} {
		if len(side) == 1 && side[0].DegreesOfFreedom == 0 {
			t.Reason = variationUnknown
			return before, after
		}
	}
	if d.SE < minError {
		d = stats.Certain(d.Mean, minError)
	}
	ci := d.Interval()
	t.evidence = d
	t.P = new(d.P())
	t.CI95 = &stats.Interval{math.Expm1(ci[0]), math.Expm1(ci[1])}
	return before, after
}

const variationUnknown = "how far it varies within a run is not known"

// levels returns the times, between the changes of a disk's rate that the ledger found in the
// overlap, that a gate goes by: the first, the last, and that of the lowest rate. Of these so many
// count: all three are the whole overlap if nothing changed, and the lowest may be the first or
// last.
func (p *matchedPhase) levels(disk string) (levels [3][]overlap.Span, count int) {
	var list [][]overlap.Span
	for _, in := range p.result.Stretches(disk, p.window) {
		if overlap.Seconds(in) >= overlap.ShortS {
			list = append(list, in)
		}
	}
	if len(list) < 2 {
		return [...][]overlap.Span{p.window, p.window, p.window}, len(list)
	}
	lowest, last := 0, len(list)-1
	for i, in := range list {
		if p.rateIn(disk, in).Mean < p.rateIn(disk, list[lowest]).Mean {
			lowest = i
		}
	}
	if count = 3; lowest == 0 || lowest == last {
		count = 2
	}
	return [...][]overlap.Span{list[0], list[last], list[lowest]}, count
}

// rateIn returns the rate of a disk in a level. Noise that lasts as long as a level is no doubt:
// the ledger has seen the change in spite of it. If the level rests on too few files for an error
// of its own, that is the one that the ledger gives to what the disk alone fell to.
func (p *matchedPhase) rateIn(disk string, in []overlap.Span) stats.Estimate {
	e, doubt := overlap.NewCurve(p.traced.Disk(disk)).Flow(in).LogMean()
	if doubt == stats.NoDoubt || doubt == stats.TooSlow {
		return e
	}
	for _, c := range p.result.Changes {
		if c.CI != nil && len(c.Disks) == 1 && c.Disks[0] == disk && ns(c.EndS) == in[0].StartNS {
			return Log(c.ToRate, c.CI)
		}
	}
	return stats.Estimate{Mean: e.Mean}
}

// levelRates compares a disk's levels if a run of either side has several: the first with the
// first, the last with the last, however early or late a cache filled, and the lowest if that is
// neither. Each new run is compared with the base.
func levelRates(v *Variation, key MeasurementKey, r Rate, base,
	other []*matchedPhase) (rates []Rate) {
	r.Measure = Level
	for _, p := range other {
		first, ofBase := base[0].levels(r.Disk)
		levels, count := p.levels(r.Disk)
		if count = max(count, ofBase); count < 2 {
			continue
		}
		for i, in := range levels[:count] {
			r := r
			r.Test = Test{}
			var before []stats.Estimate
			for _, b := range base {
				in, _ := b.levels(r.Disk)
				before = append(before, b.rateIn(r.Disk, in[i]))
			}
			r.BaseSpan, r.Span = secondsOf(first[i]), secondsOf(in)
			r.Base, r.New = r.test(v, key, before, []stats.Estimate{p.rateIn(r.Disk, in)})
			rates = append(rates, r)
		}
	}
	return rates
}

func secondsOf(in []overlap.Span) *[2]float64 {
	return &[2]float64{float64(in[0].StartNS) / 1e9, float64(in[len(in)-1].EndNS) / 1e9}
}

// phases goes over those of all pairs.
func (c *Comparison) phases() iter.Seq2[*Pair, *PhasePair] {
	return func(yield func(*Pair, *PhasePair) bool) {
		for i := range c.Pairs {
			for j := range c.Pairs[i].Phases {
				if !yield(&c.Pairs[i], &c.Pairs[i].Phases[j]) {
					return
				}
			}
		}
	}
}

// stepped reports whether levels of a disk are compared, or of any.
func (p *PhasePair) stepped(disk string) bool {
	for _, r := range p.Rates {
		if r.Measure == Level && (disk == "" || r.Disk == disk) {
			return true
		}
	}
	return false
}

// gated reports whether a rate is judged by gates: if levels are compared, they are, and not the
// mean of all. What the work limits, and the sum of all disks, need no judgement if how far they
// vary is not known.
func (p *PhasePair) gated(r *Rate) bool {
	needed := r.P != nil || r.Disk != "" && !p.Work[r.Disk].IsPaced()
	return needed && (r.Measure == Level || !p.stepped(r.Disk))
}

// judge gives the verdicts on rates and, by themselves, on latencies.
func (c *Comparison) judge() {
	var rates []*Rate
	var tests, latencies []*Test
	for _, phase := range c.phases() {
		for i := range phase.Rates {
			r := &phase.Rates[i]
			r.stepped = phase.stepped(r.Disk) // A step looks like noise that lasts.
			rates, tests = append(rates, r), append(tests, &r.Test)
		}
		for i := range phase.Latencies {
			latencies = append(latencies, &phase.Latencies[i].Test)
		}
	}
	correct(tests, Faster, Slower)
	correct(latencies, Longer, Shorter)
	c.Tests, c.LatencyTests = len(tests), len(latencies)
	for _, r := range rates {
		if r.P != nil {
			r.ExcludedFall = new(max(0, -r.CI95[0]))
		}
	}
}

// correct corrects tests for their number, and gives the verdicts. If noise that lasts as long as
// a phase leaves half of the values without an interval, none is believed: the same machine made
// the others.
func correct(tests []*Test, above, below TestResult) {
	lasting := 0
	for _, t := range tests {
		if t.lasting && !t.stepped {
			lasting++
		}
	}
	for _, t := range tests {
		if t.P != nil && lasting > 0 && 2*lasting >= len(tests) {
			t.P = nil
			t.CI95 = nil
			t.Reason = variationUnknown
		}
	}
	var judged []*Test
	var chances []float64
	for _, t := range tests {
		if t.P != nil {
			judged = append(judged, t)
			chances = append(chances, *t.P)
		}
	}
	corrected, levels := stats.Holm(chances, nil, falseClaimRate)
	for i, t := range judged {
		t.Corrected = &corrected[i]
		switch {
		case corrected[i] > falseClaimRate:
			t.Verdict = NotShown
		case *t.Change > 0:
			t.Verdict = above
		default:
			t.Verdict = below
		}
		ci := t.evidence.IntervalAt(levels[i])
		t.Interval = &stats.Interval{math.Expm1(ci[0]), math.Expm1(ci[1])}
	}
}
