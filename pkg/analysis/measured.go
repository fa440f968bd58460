package analysis

import (
	"cmp"
	"math"
	"sort"

	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
)

// measured is a rate and how far the disk's noise may have put it off.
type measured struct {
	rate  float64
	error float64 // standard error, relative
	free  float64 // degrees of freedom of the error
	busy  *busy   // nil if the pauses between files take next to no time, or it is not known
}

// measure is the disk's rate over the intervals, pauses included; not ok if it moved nothing.
func (p *part) measure(in ...overlap.Interval) (measured, bool) {
	m, ok := p.measureUnder(p.series.noise, in...)
	if overlap.Seconds(in) >= longLevelS {
		m.free = max(m.free, freeOfLevel)
	}
	if ok {
		m.busy = p.busyIn(m, in)
	}
	return m, ok
}

// freeOfLevel is the least degrees of freedom that the error of a rate over longLevelS or more is worth, however long
// the noise's memory: of 600 steady traces in each of the tuned classes, 15 s and 40 s long, Student's t with so many
// holds 99.8 % of the errors, unless a stall of seconds falls into 15 s.
const (
	freeOfLevel = 3
	longLevelS  = 10
)

// measureUnder is the same under a noise of its own.
func (p *part) measureUnder(n stats.Noise, in ...overlap.Interval) (measured, bool) {
	var bytes int64
	bins := 0
	in = without(in, p.stalls) // stalls are told by themselves
	for _, v := range in {
		bytes += p.curve.Between(v).Bytes
		bins += p.series.bin(v.EndNS) - p.series.bin(v.StartNS)
	}
	if bytes <= 0 || bins < 1 {
		return measured{}, false
	}
	return measured{
		rate: float64(bytes) / overlap.Seconds(in), error: p.errorOver(n, bins, in), free: freeOf(len(p.series.log), n),
	}, true
}

// errorOver is the relative standard error of a rate over so many bins of a noise.
func (p *part) errorOver(n stats.Noise, bins int, in []overlap.Interval) float64 {
	return math.Sqrt(n.MeanVariance(bins) + p.unseenLuck(in))
}

// How far a file's rate strays from the next one's, relative: at least leastLuck, and someLuck if too few were seen
// to tell.
const (
	leastLuck = 0.10 // of ten files or fewer; less of more
	someLuck  = 0.30
	luckS     = 0.1 // a file of less time says nothing of longer ones
)

// fileLuck is the robust spread of the rates of the disk's files about its levels (the median absolute deviation of their
// logarithms).
func (p *part) fileLuck() float64 {
	var logs []float64
	for i := 0; i < len(p.trace.Files); i += 1 + len(p.trace.Files)/mostFitted {
		f := &p.trace.Files[i]
		if !f.Usable() || seconds(f.EndNS-f.StartNS) < luckS {
			continue
		}
		level := 1.0
		if len(p.solid) > 1 {
			l := p.solid[levelAt(p.solid, f.StartNS)]
			if f.EndNS > l.EndNS {
				continue // it is of two
			}
			level = max(l.rate, 1)
		}
		logs = append(logs, math.Log(float64(f.Bytes)/float64(f.EndNS-f.StartNS)/level))
	}
	n := float64(len(logs))
	if n < leastFiles {
		return cmp.Or(p.luck, someLuck)
	}
	middle := stats.Median(logs)
	for i := range logs {
		logs[i] = math.Abs(logs[i] - middle)
	}
	return max(leastLuck/math.Sqrt(max(1, n/10)), stats.NormalMAD*stats.Median(logs))
}

// shareLuck lets the phases in which a disk moved few files know how its files differ in those of the same direction in which
// it moved more: the largest spread counts.
func shareLuck(phases []*phase) {
	type side struct {
		disk string
		op   trace.Role
	}
	known := map[side]float64{}
	for _, p := range phases {
		for i := range p.parts {
			if part := &p.parts[i]; part.hasFiles() && len(part.trace.Files) >= 2*leastFiles {
				s := side{part.name(), part.trace.Op}
				known[s] = max(known[s], part.fileLuck())
			}
		}
	}
	for _, p := range phases {
		for i := range p.parts {
			p.parts[i].luck = known[side{p.parts[i].name(), p.parts[i].trace.Op}]
		}
	}
}

// unseenLuck is the variance that the luck of single files adds to a rate that rests on few of them: within a file it
// does not show.
func (p *part) unseenLuck(in []overlap.Interval) float64 {
	var squares float64
	total := overlap.Seconds(in)
	for _, v := range in {
		for i := sort.Search(len(p.trace.Files), func(i int) bool { return p.trace.Files[i].EndNS > v.StartNS }); i < len(p.trace.Files); i++ {
			f := &p.trace.Files[i]
			if f.StartNS >= v.EndNS {
				break
			}
			share := seconds(min(f.EndNS, v.EndNS)-max(f.StartNS, v.StartNS)) / total
			squares += share * share
		}
	}
	if squares < 1.0/leastFiles {
		return 0
	}
	luck := p.fileLuck()
	return luck * luck * squares
}

// chanceAbove is the chance that noise alone puts m so far above other, if they are equal in truth.
func (m measured) chanceAbove(other measured) float64 {
	if m.rate <= 0 || other.rate <= 0 || m.free <= 0 || other.free <= 0 {
		return 1 // one of them was not measured
	}
	z := math.Log(m.rate/other.rate) / math.Hypot(m.error, other.error)
	return stats.StudentTail(z, min(m.free, other.free))
}

// pooled is the mean of rates measured apart from one another. If they differ by more than their errors, what changed from
// one to the next counts as error as well.
func pooled(list []measured) measured {
	var out measured
	var logs []float64
	for _, m := range list {
		out.rate += m.rate / float64(len(list))
		out.error += m.error * m.error
		out.free = max(out.free, m.free)
		logs = append(logs, math.Log(m.rate))
	}
	n := float64(len(list))
	out.error = math.Sqrt(out.error) / n
	out.busy = pooledBusy(list)
	if len(list) > 1 {
		if between := stats.Summarize(logs).SD / math.Sqrt(n); between > out.error {
			out.error, out.free = between, n-1
		}
	}
	return out
}
