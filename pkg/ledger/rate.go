package ledger

import (
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stats"
)

// Measured is a rate and the error that the disk's noise may have given it.
type Measured struct {
	Rate             float64
	Error            float64 // Error is the relative standard error.
	DegreesOfFreedom float64 // DegreesOfFreedom are those of the error.
	DurationS        float64 // DurationS is how long the rate was measured.
}

// Measure returns the disk's rate over the intervals, pauses included; not ok if it moved nothing.
func (d *History) Measure(in ...overlap.Span) (Measured, bool) {
	m, ok := d.measureUnder(d.noise, in...)
	if overlap.Seconds(in) >= LongS {
		m.DegreesOfFreedom = max(m.DegreesOfFreedom, LongDegreesOfFreedom)
	}
	return m, ok
}

// measureUnder is Measure under a given noise.
func (d *History) measureUnder(n noise, in ...overlap.Span) (Measured, bool) {
	in = overlap.Without(in, d.Stalls) // Stalls are reported separately.
	bytes := d.Curve.BytesIn(in)
	var bins [][2]int
	for _, v := range in {
		if from, to := d.rates.time.bin(v.StartNS), d.rates.time.bin(v.EndNS); from < to {
			bins = append(bins, [2]int{from, to})
		}
	}
	if len(bins) == 0 && len(d.rates.y) > 0 && overlap.Seconds(in) >= pieceNS/1e9 {
		at := min(d.rates.time.bin(in[0].StartNS), len(d.rates.y)-1)
		bins = [][2]int{{at, at + 1}} // It moved something in less time than a bin lasts.
	}
	if bytes <= 0 || len(bins) == 0 {
		return Measured{}, false
	}
	n.variance = max(n.variance, minNoise*minNoise)
	variance, _ := n.ofMean(d.rates, bins...)
	variance += d.rates.scatter(n, bins)
	_, samples := n.ofMean(d.rates, [2]int{0, len(d.rates.y)})
	lastsS := overlap.Seconds(in)
	return Measured{float64(bytes) / lastsS, math.Sqrt(variance), max(1, samples-1), lastsS}, true
}

// Compare measures two stretches, one after the other, to find out whether they differ: under the
// noise that remains without the change from one to the other.
func (d *History) Compare(before, after overlap.Span) (was, is Measured) {
	q := d.rates
	edges := q.edgesOf(d.Levels)
	for _, ns := range []int64{before.StartNS, before.EndNS, after.StartNS, after.EndNS} {
		edges = append(edges, q.time.bin(ns))
	}
	slices.Sort(edges)
	edges = slices.Compact(edges)
	noise := q.noiseOf(edges)
	was, _ = d.measureUnder(noise, before)
	is, _ = d.measureUnder(noise, after)
	if q.jumps(q.time.bin(after.StartNS), edges) {
		was.DegreesOfFreedom = max(was.DegreesOfFreedom, jumpDegreesOfFreedom)
		is.DegreesOfFreedom = max(is.DegreesOfFreedom, jumpDegreesOfFreedom)
	}
	return was, is
}

// scatter returns what the scatter of single files, as it must be assumed, adds to a noise's
// variance of a mean that rests on few of them.
func (q *sequence) scatter(n noise, in [][2]int) float64 {
	rests := q.filesIn(in...)
	if rests >= MinFiles || len(q.y) == 0 {
		return 0
	}
	scatter := defaultScatter
	if files := float64(q.file[len(q.y)-1] - q.file[0] + 1); files >= MinFiles {
		scatter = minScatter / math.Sqrt(max(1, files/10))
	}
	return max(0, scatter*scatter-n.fileVariance) / rests
}

// RestsOnFiles reports whether a stretch holds enough files, none of which takes most of it.
func (d *History) RestsOnFiles(v overlap.Span) bool {
	n := 0
	longest := int64(0)
	for i := range d.Trace.Files {
		if f := &d.Trace.Files[i]; f.Usable() && f.StartNS < v.EndNS && f.EndNS > v.StartNS {
			n++
			longest = max(longest, min(f.EndNS, v.EndNS)-max(f.StartNS, v.StartNS))
		}
	}
	return n >= MinFiles && float64(longest) <= maxFileShare*float64(v.EndNS-v.StartNS)
}

// Log returns the logarithm of the rate, with its error.
func (m Measured) Log() stats.Estimate {
	return stats.Estimate{
		Mean: math.Log(m.Rate), SE: m.Error, DegreesOfFreedom: m.DegreesOfFreedom,
	}
}

// ChanceAbove returns the chance that noise alone puts m so far above other, if they are equal in
// truth.
func (m Measured) ChanceAbove(other Measured) float64 {
	if m.Rate <= 0 || other.Rate <= 0 || m.DegreesOfFreedom <= 0 || other.DegreesOfFreedom <= 0 {
		return 1 // One of them was not measured.
	}
	z := math.Log(m.Rate/other.Rate) / math.Hypot(m.Error, other.Error)
	return stats.StudentTail(z, min(m.DegreesOfFreedom, other.DegreesOfFreedom))
}
