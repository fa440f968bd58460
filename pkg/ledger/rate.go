package ledger

import (
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stats"
)

// Measured is a rate and how far the disk's noise may have put it off.
type Measured struct {
	Rate             float64
	Error            float64 // standard error, relative
	DegreesOfFreedom float64 // degrees of freedom of the error
	DurationS        float64 // the time that it is of, in seconds
}

// Measure is the disk's rate over the intervals, pauses included; not ok if it moved nothing.
func (d *Disk) Measure(in ...overlap.Span) (Measured, bool) {
	m, ok := d.measureUnder(d.noise, in...)
	if overlap.Seconds(in) >= LongS {
		m.DegreesOfFreedom = max(m.DegreesOfFreedom, LongDegreesOfFreedom)
	}
	return m, ok
}

// FreeOfLong is the minimum of degrees of freedom that the error of a rate over LongS or more is worth, however long
// the noise's memory: of 600 steady traces in each of the tuned classes, 15 s and 40 s long, Student's t with that many
// holds 99.8 % of the errors, unless a stall of seconds falls into 15 s.
const (
	LongDegreesOfFreedom = 3
	LongS                = 10
)

// minFree is the degrees of freedom credited if a jump shows that it was no wave.
const jumpDegreesOfFreedom = 10

// measureUnder is the same under a given noise.
func (d *Disk) measureUnder(n noise, in ...overlap.Span) (Measured, bool) {
	in = overlap.Without(in, d.Stalls) // stalls are reported separately
	var bytes int64
	var bins [][2]int
	for _, v := range in {
		bytes += d.Curve.Between(v).Bytes
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

// Differ measures two stretches, one after the other, to find out whether they differ: under the noise that there is
// without the change from one to the other.
func (d *Disk) Compare(before, after overlap.Span) (was, is Measured) {
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
		was.DegreesOfFreedom, is.DegreesOfFreedom = max(was.DegreesOfFreedom, jumpDegreesOfFreedom), max(is.DegreesOfFreedom, jumpDegreesOfFreedom)
	}
	return was, is
}

// How far a file's rate deviates from the next one's, relative: at least minScatter, and defaultScatter if there are too
// few to know.
const (
	minScatter     = 0.10 // of ten files or fewer; less of more
	defaultScatter = 0.30
)

// scatter is what the scatter of single files, as it must be assumed, adds to a noise's variance of a mean that rests on
// few of them.
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

// What a rate rests on.
const (
	MinFiles     = 5    // files at least, of ten that could come in any order one in 252 has the five slowest first,
	MaxFileShare = 0.35 // of which one takes no larger share of the time
)

// RestsOnFiles reports whether a stretch holds at least that many files, none of which takes more than a share of it.
func (d *Disk) RestsOnFiles(v overlap.Span, minFiles int, maxShare float64) bool {
	n, longest := 0, int64(0)
	for i := range d.Trace.Files {
		if f := &d.Trace.Files[i]; f.Usable() && f.StartNS < v.EndNS && f.EndNS > v.StartNS {
			n++
			longest = max(longest, min(f.EndNS, v.EndNS)-max(f.StartNS, v.StartNS))
		}
	}
	return n >= minFiles && float64(longest) <= maxShare*float64(v.EndNS-v.StartNS)
}

// ChanceAbove is the chance that noise alone puts m so far above other, if they are equal in truth.
func (m Measured) ChanceAbove(other Measured) float64 {
	if m.Rate <= 0 || other.Rate <= 0 || m.DegreesOfFreedom <= 0 || other.DegreesOfFreedom <= 0 {
		return 1 // one of them was not measured
	}
	z := math.Log(m.Rate/other.Rate) / math.Hypot(m.Error, other.Error)
	return stats.StudentTail(z, min(m.DegreesOfFreedom, other.DegreesOfFreedom))
}

// Pooled is the mean of rates measured separately. If they differ by more than their errors, what changed from
// one to the next counts as error as well.
func Pool(list []Measured) (out Measured) {
	var logs []float64
	n := float64(len(list))
	for _, m := range list {
		out.Rate += m.Rate / n
		out.Error += m.Error * m.Error
		out.DegreesOfFreedom = max(out.DegreesOfFreedom, m.DegreesOfFreedom)
		out.DurationS += m.DurationS
		logs = append(logs, math.Log(m.Rate))
	}
	out.Error = math.Sqrt(out.Error) / n
	if len(list) > 1 {
		if between := stats.Summarize(logs).SD / math.Sqrt(n); between > out.Error {
			out.Error, out.DegreesOfFreedom = between, n-1
		}
	}
	return out
}
