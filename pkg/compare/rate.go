package compare

import (
	"fmt"
	"math"

	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stats"
)

const (
	// trim is the share of the files that are left out at each end: stalls, and files from a cache.
	trim = 0.2
	// minCorrelation is the rank correlation of twins' rates from which they are compared pair by pair.
	minCorrelation = 0.3
	// minError is the smallest error assumed for the difference of two rates, as a share: simulated disks
	// repeat to the nanosecond, and a difference that small is of no interest.
	minError = 0.0007
)

// windowRates compares the rate that some disks have together in the window, and its levels.
func windowRates(r Rate, b, n *part, disks []string) []Rate {
	base, other := b.flow(disks, b.window), n.flow(disks, n.window)
	return append([]Rate{flowRate(r, base, other)}, levelRates(r, b, n, disks, base, other)...)
}

// flowRate compares a rate over time.
func flowRate(r Rate, base, other stats.Flow) Rate {
	r.Unit = "wave"
	r.set(stats.Mean(base.Rates), stats.Mean(other.Rates), min(base.Known, other.Known))
	before, doubtBase := base.LogMean()
	after, doubtOther := other.LogMean()
	switch {
	case doubtBase != stats.NoDoubt:
		r.Reason = "in the base " + because(doubtBase, base)
	case doubtOther != stats.NoDoubt:
		r.Reason = because(doubtOther, other)
	case r.Change == nil:
		r.Reason = "nothing was moved"
	default:
		r.test(stats.Difference(before, after), minError)
	}
	r.memory = max(before.Memory, after.Memory)
	return r
}

// tooFew is why files cannot be compared; the places say where they lie.
const tooFew = "%sonly %d files lie completely in the overlap%s, and at least %d are needed"

// fileRate compares the typical rates of files: pair by pair if most of them have a twin in the other run, a
// file of the same position and size, and the rates of twins correlate. If they do not, pairs would only halve
// the evidence.
func fileRate(r Rate, base, other []file) Rate {
	fewer := min(len(base), len(other))
	if before, after := twins(base, other); len(before) >= stats.MinBins && len(before) >= fewer/2 {
		if b, n := rates(before), rates(after); stats.Spearman(b, n) >= minCorrelation {
			return pairedRate(r, b, n)
		}
	}
	r.Unit = "file"
	before, _ := stats.TrimmedMeanOf(rates(base), trim)
	after, _ := stats.TrimmedMeanOf(rates(other), trim)
	r.set(math.Exp(before.Mean), math.Exp(after.Mean), fewer)
	switch {
	case len(base) < stats.MinBins:
		r.Reason = fmt.Sprintf(tooFew, "in the base ", len(base), "", stats.MinBins)
	case len(other) < stats.MinBins:
		r.Reason = fmt.Sprintf(tooFew, "", len(other), "", stats.MinBins)
	default:
		r.test(stats.Difference(before, after), minError)
	}
	return r
}

// repeat compares what was measured in several runs of either side, or repeats.
func (r *Rate) repeat(unit string, base, other [][]*part) {
	b, n, ok := r.Test.repeat(unit, base, other, minError, func(p *part, where string) (stats.Estimate, string) {
		disks := []string{r.Disk}
		if r.Disk == "" {
			disks = nil
			for _, d := range p.traced.Disks {
				disks = append(disks, d.Name)
			}
		}
		switch {
		case len(p.window) == 0:
			return stats.Estimate{}, "in " + where + ", " + neverAtOnce
		case r.Disk != "" && p.traced.Disk(r.Disk) == nil:
			return stats.Estimate{}, fmt.Sprintf("disk %s does not work in %s", r.Disk, where)
		case r.Measure == Window:
			e, _ := p.flow(disks, p.window).LogMean()
			return e, ""
		}
		files := rates(p.files(r.Disk))
		if len(files) < stats.MinBins {
			return stats.Estimate{}, fmt.Sprintf(tooFew, "", len(files), " of a "+unit, stats.MinBins)
		}
		e, _ := stats.TrimmedMeanOf(files, trim)
		return e, ""
	})
	if ok {
		r.Base, r.New, r.Change = &b, &n, new(n/b-1)
	}
}

// twins are the files of the same position and size in both runs, in order.
func twins(base, other []file) (b, n []file) {
	for _, f := range base {
		for len(other) > 0 && other[0].place < f.place {
			other = other[1:]
		}
		if len(other) > 0 && other[0].place == f.place && other[0].bytes == f.bytes {
			b, n = append(b, f), append(n, other[0])
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

// pairedRate compares files with their twins. The rates shown are those of the pairs whose change is not among
// the smallest or the largest fifth, so that they agree with the change.
func pairedRate(r Rate, b, n []float64) Rate {
	r.Unit = "pair"
	change := make([]float64, len(b))
	for i := range b {
		change[i] = n[i] - b[i]
	}
	d, _ := stats.TrimmedMeanOf(change, trim)
	cut := int(trim * float64(len(b)))
	var before float64
	for _, i := range stats.Order(change)[cut : len(b)-cut] {
		before += b[i] / float64(len(b)-2*cut)
	}
	r.set(math.Exp(before), math.Exp(before+d.Mean), len(b))
	r.test(d, minError)
	return r
}

// set fills in what was measured, whether or not a test follows.
func (r *Rate) set(base, other float64, n int) {
	r.N, r.Verdict = n, TooLittle
	if base > 0 && other > 0 {
		r.Base, r.New, r.Change = &base, &other, new(other/base-1)
	}
}

const (
	// step is the smallest ratio of two levels that are compared separately: noise seldom makes one as large,
	// and smaller ones hardly hide a difference.
	step = 1.3
	// minLevel is the smallest part of a window that is a level, and minLevelS its shortest length in seconds.
	minLevel  = 0.04
	minLevelS = overlap.ShortS
)

// level is a stretch of a window in which the rate did not step up or down.
type level struct {
	time []overlap.Span
	from float64 // seconds into the window
	to   float64
}

// levels are those of the window, between the steps of a rate in it.
func (p *part) levels(f stats.Flow) []level {
	if _, doubt := f.Estimate(); doubt == stats.TooShort {
		return []level{{p.window, 0, f.Length}}
	}
	bin := f.Length / float64(len(f.Rates))
	shortest := max(stats.MinBins, int(minLevel*float64(len(f.Rates))), int(minLevelS/bin)+1)
	var list []level
	from := 0.0
	for _, cut := range append(stats.Steps(f.Rates, shortest, f.Known, step), len(f.Rates)) {
		to := float64(cut) * bin
		list = append(list, level{stretch(p.window, from, to), from, to})
		from = to
	}
	return list
}

// stretch is the time between two seconds of a window.
func stretch(window []overlap.Span, from, to float64) []overlap.Span {
	var list []overlap.Span
	before := 0.0
	for _, v := range window {
		a, b := max(from-before, 0), min(to-before, v.Seconds())
		if b > a {
			list = append(list, overlap.Span{StartNS: v.StartNS + ns(a), EndNS: v.StartNS + ns(b)})
		}
		before += v.Seconds()
	}
	return list
}

// levelRates compares the levels of the base with those of the other run, if either has a step. If both have as
// many, they are compared one by one: a cache that fills earlier or later is not slower for that. Else each
// level of the run with more is compared with the same time of the other.
func levelRates(r Rate, b, n *part, disks []string, base, other stats.Flow) []Rate {
	before, after := b.levels(base), n.levels(other)
	r.Measure = Level
	var rates []Rate
	add := func(x, y level) {
		if min(x.to-x.from, y.to-y.from) < minLevelS {
			return // the other run had ended by then
		}
		r := flowRate(r, b.flow(disks, x.time), n.flow(disks, y.time))
		r.BaseSpan, r.Span = &[2]float64{x.from, x.to}, &[2]float64{y.from, y.to}
		rates = append(rates, r)
	}
	switch {
	case len(before) == 1 && len(after) == 1:
	case len(before) == len(after):
		for i, x := range before {
			add(x, after[i])
		}
	case len(before) > len(after):
		for _, x := range before {
			add(x, n.at(other, x))
		}
	default:
		for _, y := range after {
			add(b.at(base, y), y)
		}
	}
	return rates
}

// at is the time of this part's window that a level has in the other's.
func (p *part) at(f stats.Flow, l level) level {
	from, to := min(l.from, f.Length), min(l.to, f.Length)
	return level{stretch(p.window, from, to), from, to}
}
