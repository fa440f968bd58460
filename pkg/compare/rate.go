package compare

import (
	"fmt"
	"math"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/stats"
)

const (
	// trim is the share of the files left out at each end: stalls, and files served by a cache.
	trim = 0.2
	// alike is the rank correlation of twins' rates from which they are compared pair by pair.
	alike = 0.3
	// minError is the least error the difference of two rates is credited with, as a share: simulated disks repeat to
	// the nanosecond, and a difference that small is of no interest.
	minError = 0.0007
)

// flowRate compares a rate over time.
func flowRate(m Measure, base, other stats.Flow) Rate {
	r := Rate{Measure: m, Unit: "wave"}
	r.set(stats.Mean(base.Rates), stats.Mean(other.Rates), min(base.Known, other.Known))
	switch {
	case doubt(base) != "":
		r.Reason = "in the base " + doubt(base)
	case doubt(other) != "":
		r.Reason = doubt(other)
	case r.Change == nil:
		r.Reason = "nothing was moved"
	default:
		r.test(base.Change(other))
	}
	return r
}

// fileRate compares the typical rates of files: pair by pair where most of them have a twin, a file of the same place
// and size, in the other run, and twins are alike. Where they are not, pairs would only halve the evidence.
func fileRate(base, other []file) Rate {
	fewer := min(len(base), len(other))
	if before, after := twins(base, other); len(before) >= stats.MinBins && len(before) >= fewer/2 {
		if b, n := rates(before), rates(after); stats.Spearman(b, n) >= alike {
			return pairedRate(b, n)
		}
	}
	r := Rate{Measure: File, Unit: "file"}
	b, n := rates(base), rates(other)
	before, after := stats.Summarize(b).Trimmed20, stats.Summarize(n).Trimmed20
	r.set(math.Exp(before), math.Exp(after), fewer)
	switch {
	case len(base) < stats.MinBins:
		r.Reason = fmt.Sprintf("in the base only %d files lie wholly in the overlap, and %d are needed", len(base), stats.MinBins)
	case len(other) < stats.MinBins:
		r.Reason = fmt.Sprintf("only %d files lie wholly in the overlap, and %d are needed", len(other), stats.MinBins)
	default:
		d, _ := stats.Difference(stats.TrimmedSpectrum(b, trim), stats.TrimmedSpectrum(n, trim))
		r.test(d)
	}
	return r
}

// twins are the files of equal place and size in both runs, in order.
func twins(base, other []file) (b, n []file) {
	byPlace := map[int]file{}
	for _, f := range other {
		byPlace[f.place] = f
	}
	for _, f := range base {
		if twin, ok := byPlace[f.place]; ok && twin.bytes == f.bytes {
			b, n = append(b, f), append(n, twin)
		}
	}
	return b, n
}

// rates are the logarithms of the files' rates.
func rates(files []file) []float64 {
	out := make([]float64, len(files))
	for i, f := range files {
		out[i] = f.rate
	}
	return out
}

// pairedRate compares files with their twins. The rates shown are those of the pairs whose change is not among the
// lowest or the highest fifth, so that they agree with the change.
func pairedRate(b, n []float64) Rate {
	r := Rate{Measure: File, Unit: "pair"}
	change := make([]float64, len(b))
	for i := range b {
		change[i] = n[i] - b[i]
	}
	d, _ := stats.TrimmedSpectrum(change, trim).Error()
	cut := int(trim * float64(len(b)))
	var before float64
	for _, i := range stats.Order(change)[cut : len(b)-cut] {
		before += b[i] / float64(len(b)-2*cut)
	}
	r.set(math.Exp(before), math.Exp(before+d.Mean), len(b))
	r.test(d)
	return r
}

// set fills in what there is to see, whether or not a test follows.
func (r *Rate) set(base, other float64, n int) {
	r.N, r.Verdict = n, TooLittle
	if base > 0 && other > 0 {
		change := other/base - 1
		r.Base, r.New, r.Change = &base, &other, &change
	}
}

// test fills in what the difference of the logarithms says.
func (r *Rate) test(difference stats.Estimate) {
	if difference.SE() < minError { // set, not estimated: as good as free of doubt itself
		difference = stats.Certain(difference.Mean, minError)
	}
	p := difference.P()
	r.evidence, r.P = difference, &p
}

// read fills in what the evidence says.
func (r *Rate) read() {
	p, ci := r.evidence.P(), r.evidence.Interval()
	r.P = &p
	r.CI95 = &analysis.Interval{math.Expm1(ci[0]), math.Expm1(ci[1])}
	fall := max(0, -math.Expm1(r.evidence.LowerBound(Chance)))
	r.ExcludedFall = &fall
}
