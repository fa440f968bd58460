package compare

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
)

// MeasurementKey names what is measured in every run of a setup.
type MeasurementKey struct {
	Phase string   // without the number of a repeat
	Disk  string   // empty: all together
	Work  string   // work of the disk: only rates of the same work are of one kind
	What  Quantile // quantile of its latencies; empty: the rate
}

// Measurements is what one run measured, or one repeat of a phase: the logarithms of the values,
// with their errors by what varies within the run.
type Measurements map[MeasurementKey]stats.Estimate

// Variation is how much values differ from run to run, beyond what varies within one. Part of that
// is common to all values of a run, as of a cable that was plugged in again, and part is each
// value's own. Only the second kind is learned from many values at once.
type Variation struct {
	Source string `json:"source"` // runs | repeats | history
	Runs   int    `json:"runs"`   // how many runs, or repeats, it is known from
	// Common is the standard deviation that all values of a run share, as a share of each.
	Common float64 `json:"common"`
	Own    float64 `json:"own"` // standard deviation of each by itself

	prior  stats.Prior
	free   float64 // degrees of freedom of what is common
	share  float64 // common share of the variance: the correlation between values of a run
	values map[MeasurementKey]variance
}

// variance is that of one value: the squares of what its runs differ by, with their degrees of
// freedom, and those of its errors within runs, with their count.
type variance struct{ squares, free, within, count float64 }

// NewVariation pools what the runs of each group, which measured the same, differ by: the
// residuals of the logarithms about each group's mean. Their variances are moderated, value by
// value (stats.Moderate): if one disk varies more than others, a variance of all would often take
// that for a change. The correlation between the values of a run is the intraclass correlation of
// the residuals (Donner and Koval, "The Estimation of Intraclass Correlation in the Analysis of
// Family Data", Biometrics 36, 1980). It returns nil if no group has two runs.
func NewVariation(source string, ofLatencies bool, groups ...[]Measurements) *Variation {
	v := &Variation{Source: source, values: map[MeasurementKey]variance{}}
	var residuals []Measurements
	for _, group := range groups {
		if len(group) > 1 {
			v.Runs += len(group)
			v.free += float64(len(group) - 1)
			residuals = append(residuals, v.pool(group, ofLatencies)...)
		}
	}
	keys := Keys(residuals)
	if len(keys) == 0 {
		return nil
	}
	var variances, free []float64
	for _, key := range keys {
		variances = append(variances, v.values[key].squares/v.values[key].free)
		free = append(free, v.values[key].free)
	}
	v.prior = stats.Moderate(variances, free)
	var products, squares, total float64
	for _, residual := range residuals {
		sum, own, n := 0.0, 0.0, 0.0
		for _, key := range keys {
			if r, ok := residual[key]; ok {
				scaled := r.Mean / math.Sqrt(v.total(key).Mean)
				sum += scaled
				own += scaled * scaled
				n++
			}
		}
		products += sum*sum - own
		squares += (n - 1) * own
	}
	if squares > 0 {
		v.share = min(1, max(0, products/squares))
	}
	for _, key := range keys {
		total += v.total(key).Mean / float64(len(keys))
	}
	v.Common, v.Own = math.Sqrt(v.share*total), math.Sqrt((1-v.share)*total)
	return v
}

// Share returns the share of the variance between runs that is common to all values of a run.
func (v *Variation) Share() float64 { return v.share }

// pool adds a group's squares to those of each value, and returns the residuals of each of its
// runs.
func (v *Variation) pool(group []Measurements, ofLatencies bool) []Measurements {
	residuals := make([]Measurements, len(group))
	for i := range residuals {
		residuals[i] = Measurements{}
	}
	for _, key := range Keys(group) {
		values := Values(group, key)
		if len(values) < 2 || (key.What != "") != ofLatencies {
			continue
		}
		mean, value := meanOf(values).Mean, v.values[key]
		value.free += float64(len(values) - 1)
		value.count += float64(len(values))
		for i, sample := range group {
			if e, ok := sample[key]; ok {
				residuals[i][key] = stats.Estimate{Mean: e.Mean - mean}
				value.squares += (e.Mean - mean) * (e.Mean - mean)
				value.within += e.SE * e.SE
			}
		}
		v.values[key] = value
	}
	return residuals
}

// Keys returns the names of all that some samples have, in order.
func Keys(samples []Measurements) []MeasurementKey {
	all := map[MeasurementKey]bool{}
	for _, sample := range samples {
		for key := range sample {
			all[key] = true
		}
	}
	return slices.SortedFunc(maps.Keys(all), func(a, b MeasurementKey) int {
		return cmp.Or(
			cmp.Compare(a.Phase, b.Phase),
			cmp.Compare(a.Disk, b.Disk),
			cmp.Compare(a.Work, b.Work),
			cmp.Compare(a.What, b.What),
		)
	})
}

// total returns the variance of a value from run to run, that within a run included, with its
// degrees of freedom. Of a value that no group has it is that of the others.
func (v *Variation) total(key MeasurementKey) stats.Estimate {
	value := v.values[key]
	var own float64
	if value.free > 0 {
		own = value.squares / value.free
	}
	moderated, free := v.prior.Posterior(own, value.free)
	// Satterthwaite, "An Approximate Distribution of Estimates of Variance Components", Biometrics
	// Bulletin 2, 1946.
	parts := v.share*v.share/v.free + (1-v.share)*(1-v.share)/free
	return stats.Estimate{Mean: moderated, DegreesOfFreedom: 1 / parts}
}

// Difference returns the mean of the logarithms of the new runs less that of the base, with an
// error that holds what varies within each run and, if v is not nil, from run to run. All gates go
// by it.
func (v *Variation) Difference(key MeasurementKey, base, other []stats.Estimate) stats.Estimate {
	d := stats.Difference(meanOf(base), meanOf(other))
	return v.Widen(key, d, 1/float64(len(base))+1/float64(len(other)))
}

// Widen adds to an error within runs that many times the variance between runs: once to that of one
// run, to say what it tells of all.
func (v *Variation) Widen(key MeasurementKey, e stats.Estimate, times float64) stats.Estimate {
	return stats.Sum(e, v.between(key, times))
}

// between returns an error of that many times the variance of a value between runs, without what
// varies within them; zero if v is nil.
func (v *Variation) between(key MeasurementKey, times float64) stats.Estimate {
	if v == nil {
		return stats.Estimate{}
	}
	total := v.total(key)
	value := v.values[key]
	between := max(0, total.Mean-value.within/max(1, value.count))
	// Of the difference of two variances, the first of which alone is not known well.
	share := between / total.Mean
	return stats.Estimate{SE: math.Sqrt(between * times),
		DegreesOfFreedom: total.DegreesOfFreedom * share * share}
}

// meanOf returns the mean of several estimates, with the error by what they say of themselves.
func meanOf(list []stats.Estimate) stats.Estimate {
	return stats.Sum(list...).Times(1 / float64(len(list)))
}

// add notes the rates in the overlap of a phase, of each disk and of all together, and the
// latencies. They are named as in the base.
func (s Measurements) add(p *analysis.PhaseResult, name string, base *analysis.PhaseResult) {
	if p.Overlap == nil {
		return
	}
	rate := func(disk string, e stats.Estimate) {
		if e.Mean > 0 {
			s[RateKey(name, disk, base)] = LogRate(e)
		}
	}
	for disk, d := range p.Overlap.Disks {
		rate(disk, d.Estimate)
		latency := func(what Quantile, ns *int64, ci *[2]int64) {
			if ns != nil && *ns > 0 {
				key := MeasurementKey{Phase: name, Disk: disk, What: what}
				s[key] = LogLatency(float64(*ns), ci)
			}
		}
		if l := p.Disks[disk].Latency; l != nil {
			latency(P50, l.P50NS, l.P50CI95)
			latency(P99, l.P99NS, l.P99CI95)
		}
	}
	if len(p.Overlap.Disks) > 1 {
		rate("", p.Overlap.Estimate)
	}
}

// MeasurementsOf returns what a run measured. Its phases are named without the numbers of repeats.
func MeasurementsOf(a *analysis.Analysis) Measurements {
	var repeats []Measurements
	for i := range a.Phases {
		sample := Measurements{}
		sample.add(&a.Phases[i], trace.Unnumbered(a.Phases[i].Name), &a.Phases[i])
		repeats = append(repeats, sample)
	}
	return Pooled(repeats)
}

// RateKey returns what a rate of a phase is called, by the phase's name and the disks' work.
func RateKey(name, disk string, p *analysis.PhaseResult) MeasurementKey {
	key := MeasurementKey{Phase: name, Disk: disk}
	if w, known := p.Work[disk]; known {
		w.Op = p.Roles[disk]
		key.Work = w.Text()
	}
	return key
}

// Pooled returns the mean of samples, value by value.
func Pooled(samples []Measurements) Measurements {
	out := Measurements{}
	for _, key := range Keys(samples) {
		out[key] = meanOf(Values(samples, key))
	}
	return out
}

// Values returns those of the samples that have one.
func Values(samples []Measurements, key MeasurementKey) (values []stats.Estimate) {
	for _, sample := range samples {
		if e, ok := sample[key]; ok {
			values = append(values, e)
		}
	}
	return values
}

// LogRate returns the logarithm of a rate that the analysis measured.
func LogRate(e stats.Estimate) stats.Estimate {
	e = e.Log()
	if e.Known() {
		e.SE = max(minError, e.SE)
	}
	return e
}

// Log returns the logarithm of a value of which no more is left than its 95 % interval, and takes
// that to rest on as little as most do. Without one the error is not known.
func Log(value float64, ci *stats.Interval) stats.Estimate {
	if ci == nil {
		return stats.Estimate{Mean: math.Log(value)}
	}
	half := ci.Half()
	if ci[0] <= 0 { // cut off there
		half = ci[1] - value
	}
	t := stats.StudentQuantile(1-falseClaimRate/2, freeOfInterval)
	return LogRate(stats.Estimate{Mean: value, SE: half / t, DegreesOfFreedom: freeOfInterval})
}

// LogLatency is Log of a latency.
func LogLatency(ns float64, ci *[2]int64) stats.Estimate {
	if ci == nil {
		return Log(ns, nil)
	}
	return Log(ns, &stats.Interval{float64(ci[0]), float64(ci[1])})
}
