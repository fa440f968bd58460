package ledger

import (
	"cmp"
	"math"
	"sort"

	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stats"
)

// Measured is a rate and how far the disk's noise may have put it off.
type Measured struct {
	Rate   float64
	Error  float64 // standard error, relative
	Free   float64 // degrees of freedom of the error
	LastsS float64 // the time that it is of, in seconds
}

// Measure is the disk's rate over the intervals, pauses included; not ok if it moved nothing.
func (p *Disk) Measure(in ...overlap.Span) (Measured, bool) {
	m, ok := p.measureUnder(p.series.noise, in...)
	if overlap.Seconds(in) >= LongS {
		m.Free = max(m.Free, FreeOfLong)
	}
	return m, ok
}

// FreeOfLong is the minimum of degrees of freedom that the error of a rate over LongS or more is worth, however long
// the noise's memory: of 600 steady traces in each of the tuned classes, 15 s and 40 s long, Student's t with that many
// holds 99.8 % of the errors, unless a stall of seconds falls into 15 s.
const (
	FreeOfLong = 3
	LongS      = 10
)

// measureUnder is the same under a given noise.
func (p *Disk) measureUnder(n stats.Noise, in ...overlap.Span) (Measured, bool) {
	var bytes int64
	bins := 0
	in = overlap.Without(in, p.Stalls) // stalls are reported separately
	for _, v := range in {
		bytes += p.Curve.Between(v).Bytes
		bins += p.series.bin(v.EndNS) - p.series.bin(v.StartNS)
	}
	if bytes <= 0 || bins < 1 {
		return Measured{}, false
	}
	return Measured{
		Rate: float64(bytes) / overlap.Seconds(in), Error: p.errorOver(n, bins, in), Free: freeOf(len(p.series.log), n),
		LastsS: overlap.Seconds(in),
	}, true
}

// errorOver is the relative standard error of a rate over that many bins of a noise.
func (p *Disk) errorOver(n stats.Noise, bins int, in []overlap.Span) float64 {
	return math.Sqrt(n.MeanVariance(bins) + p.scatterVariance(in))
}

// How far a file's rate deviates from the next one's, relative: at least minScatter, and defaultScatter if too few
// were seen to measure it.
const (
	minScatter     = 0.10 // of ten files or fewer; less of more
	defaultScatter = 0.30
	minScatterS    = 0.1 // a file of less time says nothing of longer ones
)

// FileScatter is the robust spread of the rates of the disk's files about its levels (the median absolute deviation
// of their logarithms).
func (p *Disk) FileScatter() float64 {
	var logs []float64
	for i := 0; i < len(p.Trace.Files); i += 1 + len(p.Trace.Files)/maxSampled {
		f := &p.Trace.Files[i]
		if !f.Usable() || seconds(f.EndNS-f.StartNS) < minScatterS {
			continue
		}
		level := 1.0
		if len(p.Solid) > 1 {
			l := p.Solid[At(p.Solid, f.StartNS)]
			if f.EndNS > l.EndNS {
				continue // it is of two
			}
			level = max(l.Rate, 1)
		}
		logs = append(logs, math.Log(float64(f.Bytes)/float64(f.EndNS-f.StartNS)/level))
	}
	n := float64(len(logs))
	if n < MinFiles {
		return cmp.Or(p.Scatter, defaultScatter)
	}
	middle := stats.Median(logs)
	for i := range logs {
		logs[i] = math.Abs(logs[i] - middle)
	}
	return max(minScatter/math.Sqrt(max(1, n/10)), stats.NormalMAD*stats.Median(logs))
}

// What a rate rests on.
const (
	MinFiles   = 5    // files at least, of ten that could come in any order one in 252 has the five slowest first,
	MaxOfOne   = 0.35 // of which one takes no larger share of the time
	maxSampled = 500  // files at most that the scatter is judged by: some of very many will do
)

// RestsOnFiles reports whether a stretch holds at least that many files, none of which takes more than a share of it.
func (p *Disk) RestsOnFiles(v overlap.Span, minFiles int, maxShare float64) bool {
	n, longest := 0, int64(0)
	for i := range p.Trace.Files {
		if f := &p.Trace.Files[i]; f.Usable() && f.StartNS < v.EndNS && f.EndNS > v.StartNS {
			n++
			longest = max(longest, min(f.EndNS, v.EndNS)-max(f.StartNS, v.StartNS))
		}
	}
	return n >= minFiles && float64(longest) <= maxShare*float64(v.EndNS-v.StartNS)
}

// scatterVariance is the variance that the scatter of single files adds to a rate that rests on few of them: within
// a file it does not show.
func (p *Disk) scatterVariance(in []overlap.Span) float64 {
	var squares float64
	total, files := overlap.Seconds(in), p.Trace.Files
	for _, v := range in {
		first := sort.Search(len(files), func(i int) bool { return files[i].EndNS > v.StartNS })
		for i := first; i < len(files) && files[i].StartNS < v.EndNS; i++ {
			f := &files[i]
			share := seconds(min(f.EndNS, v.EndNS)-max(f.StartNS, v.StartNS)) / total
			squares += share * share
		}
	}
	if squares < 1.0/MinFiles {
		return 0
	}
	scatter := p.FileScatter()
	return scatter * scatter * squares
}

// ChanceAbove is the chance that noise alone puts m so far above other, if they are equal in truth.
func (m Measured) ChanceAbove(other Measured) float64 {
	if m.Rate <= 0 || other.Rate <= 0 || m.Free <= 0 || other.Free <= 0 {
		return 1 // one of them was not measured
	}
	z := math.Log(m.Rate/other.Rate) / math.Hypot(m.Error, other.Error)
	return stats.StudentTail(z, min(m.Free, other.Free))
}

// Pooled is the mean of rates measured separately. If they differ by more than their errors, what changed from
// one to the next counts as error as well.
func Pooled(list []Measured) (out Measured) {
	var logs []float64
	n := float64(len(list))
	for _, m := range list {
		out.Rate += m.Rate / n
		out.Error += m.Error * m.Error
		out.Free = max(out.Free, m.Free)
		out.LastsS += m.LastsS
		logs = append(logs, math.Log(m.Rate))
	}
	out.Error = math.Sqrt(out.Error) / n
	if len(list) > 1 {
		if between := stats.Summarize(logs).SD / math.Sqrt(n); between > out.Error {
			out.Error, out.Free = between, n-1
		}
	}
	return out
}
