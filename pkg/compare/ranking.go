package compare

import (
	"cmp"
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/stats"
)

// Ranking orders three runs or more, such as of hubs with the same disks, by what the disks move
// together in the loads that all of the runs have.
type Ranking struct {
	// Places are the runs, the fastest first.
	Places []Place `json:"places"`
	// Loads are those with most disks, which decide the places, and then the others.
	Loads []RankedLoad `json:"loads"`
	// Tests is the number of pairs of runs. Each is tested once by the mean of the loads that
	// decide, and once in each load; either kind is corrected by itself.
	Tests     int `json:"tests"`
	LoadTests int `json:"load_tests"`
}

// Place is a run in a ranking.
type Place struct {
	Run string `json:"run"`
	// Rank is 1 for the fastest run and all that cannot be told apart from it. The first of the
	// others is the first of the next group, and so on.
	Rank   int      `json:"place"`
	Rate   *float64 `json:"rate"`   // geometric mean over the loads that decide
	Behind *Test    `json:"behind"` // the run against the fastest; null for that itself
}

// RankedLoad is a load in all runs, in the order of their places.
type RankedLoad struct {
	Phase   string       `json:"phase"`
	Title   string       `json:"title"`
	Disks   int          `json:"disks"`
	Decides bool         `json:"decides"`
	Runs    []RankedRate `json:"runs"`

	key MeasurementKey
}

// RankedRate is what the disks of a load move together in one run.
type RankedRate struct {
	Rate   *float64 `json:"rate"`
	Behind *Test    `json:"behind"` // the run against the first place; null for that itself
}

// Best returns the first place if every other run is significantly slower, and nil if not.
func (r *Ranking) Best() *Place {
	for _, p := range r.Places[1:] {
		if p.Behind.Verdict != Slower {
			return nil
		}
	}
	return &r.Places[0]
}

// rank ranks the base and the runs of all pairs; nil if they have no load in common.
func (c *Comparison) rank(runs []*matchedRun, earlier []Measurements) *Ranking {
	loads := c.commonLoads(runs[0])
	if len(loads) == 0 {
		return nil
	}
	var phases []string
	for _, l := range loads {
		phases = append(phases, l.Phase)
	}
	samples := make([][]Measurements, len(runs))
	labels := make([]string, len(runs))
	for i, r := range runs {
		labels[i] = r.Label
		samples[i] = r.repeats(runs[0], phases)
	}
	return rankBy(labels, loads, samples, renamed(earlier, runs[0].parts))
}

// commonLoads lists the phases in which the same disks do the same work in all runs, as fast as
// they can. Those with most disks decide.
func (c *Comparison) commonLoads(base *matchedRun) (loads []RankedLoad) {
	most := 0
	for _, b := range base.parts {
		common := b.traced.Search == nil && len(b.works) > 0
		for _, w := range b.works {
			common = common && !w.IsPaced()
		}
		for _, pair := range c.Pairs {
			common = common && pair.hasAll(b)
		}
		if !common {
			continue
		}
		disk := ""
		if len(b.works) == 1 {
			disk = b.traced.Disks[0].Name
		}
		loads = append(loads, RankedLoad{Phase: b.name, Title: b.title(), Disks: len(b.works),
			key: RateKey(b.name, disk, b.result)})
		most = max(most, len(b.works))
	}
	for i := range loads {
		loads[i].Decides = loads[i].Disks == most
	}
	slices.SortStableFunc(loads, func(x, y RankedLoad) int { return cmp.Compare(y.Disks, x.Disks) })
	return loads
}

// hasAll reports whether the other run has a phase of the base with all its disks and no more.
func (p *Pair) hasAll(b *matchedPhase) bool {
	for _, phase := range p.Phases {
		if phase.Name == b.name {
			together := phase.window || len(b.works) == 1
			return phase.Reason == "" && together && len(phase.disks) == len(b.works)
		}
	}
	return false
}

// rankBy ranks runs, each with its repeats, by the mean of the logarithms of their rates in the
// loads that decide.
func rankBy(labels []string, loads []RankedLoad, samples [][]Measurements,
	earlier []Measurements) *Ranking {
	var deciding []MeasurementKey
	for _, l := range loads {
		if l.Decides {
			deciding = append(deciding, l.key)
		}
	}
	means := make([][]Measurements, len(samples))
	order := make([]int, len(samples))
	for i := range samples {
		means[i] = meansOf(samples[i], deciding)
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int {
		return cmp.Compare(meanIn(means[y]), meanIn(means[x]))
	})
	out := &Ranking{Loads: loads}
	overall := newRivals(means, order, meansOf(earlier, deciding))
	rates, tests := overall.compare(MeasurementKey{})
	out.Tests = len(overall.tests)
	correct(overall.tests, Faster, Slower)
	leader := 0
	for i, run := range order {
		place := Place{Run: labels[run], Rate: rates[i]}
		if i > 0 {
			place.Behind = tests[pair{0, i}]
			if tests[pair{leader, i}].Verdict == Slower {
				leader = i
			}
		}
		place.Rank = leader + 1
		out.Places = append(out.Places, place)
	}
	byLoad := newRivals(samples, order, earlier)
	for k := range loads {
		rates, tests := byLoad.compare(loads[k].key)
		for i, rate := range rates {
			loads[k].Runs = append(loads[k].Runs, RankedRate{rate, tests[pair{0, i}]})
		}
	}
	out.LoadTests = len(byLoad.tests)
	correct(byLoad.tests, Faster, Slower)
	return out
}

// meansOf returns the mean of some values of each sample that has them all.
func meansOf(samples []Measurements, keys []MeasurementKey) (means []Measurements) {
	for _, sample := range samples {
		var values []stats.Estimate
		for _, key := range keys {
			if e, ok := sample[key]; ok {
				values = append(values, e)
			}
		}
		if len(values) == len(keys) {
			means = append(means, Measurements{{}: meanOf(values)})
		}
	}
	return means
}

// meanIn returns the mean of such means; without any a run comes last.
func meanIn(means []Measurements) float64 {
	if len(means) == 0 {
		return math.Inf(-1)
	}
	return meanOf(Values(means, MeasurementKey{})).Mean
}

// rivals compares runs with one another by Welch's t.
type rivals struct {
	samples   [][]Measurements // of each run, the fastest first
	own       []*Variation     // of each run from repeat to repeat
	variation *Variation       // of all of them, or from run to run by earlier ones
	tests     []*Test          // all that were made
}

// pair is two runs, the faster one first.
type pair struct{ first, second int }

// newRivals takes the runs in an order.
func newRivals(samples [][]Measurements, order []int, earlier []Measurements) *rivals {
	r := &rivals{}
	for _, run := range order {
		r.samples = append(r.samples, samples[run])
		r.own = append(r.own, NewVariation(FromRepeats, false, samples[run]))
	}
	r.variation = NewVariation(FromRepeats, false, r.samples...)
	if len(earlier) > 0 {
		r.variation = NewVariation(FromHistory, false, earlier)
	}
	return r
}

// compare compares a value of each run with that of each other.
func (r *rivals) compare(key MeasurementKey) (rates []*float64, tests map[pair]*Test) {
	tests = map[pair]*Test{}
	var between []stats.Estimate
	for i, samples := range r.samples {
		values := Values(samples, key)
		if len(values) == 0 {
			rates = append(rates, nil)
		} else {
			rates = append(rates, new(math.Exp(meanOf(values).Mean)))
		}
		between = append(between, r.between(i, key, len(values)))
		for k := range i {
			t := &Test{}
			t.take(r.variation, stats.Sum(between[k], between[i]), Values(r.samples[k], key),
				values)
			tests[pair{k, i}] = t
			r.tests = append(r.tests, t)
		}
	}
	return rates, tests
}

// between returns what a run's mean of so many repeats varies by beyond their own errors: as that
// of all runs does, or more if its own repeats say so, of which there are few.
func (r *rivals) between(run int, key MeasurementKey, repeats int) stats.Estimate {
	if r.variation != nil && r.variation.Source == FromHistory {
		return r.variation.between(key, 1)
	}
	all := r.variation.between(key, 1/float64(repeats))
	own := r.own[run].between(key, 1/float64(repeats))
	if own.SE > all.SE {
		return own
	}
	return all
}
