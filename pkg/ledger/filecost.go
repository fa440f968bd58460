package ledger

import (
	"math"

	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stats"
)

// WholeFiles returns the bytes and seconds of the files that lie within v, or of a sample of them
// if there are very many.
func (d *History) WholeFiles(v overlap.Span) (sizes, times []float64) {
	var within []int
	for i := range d.Trace.Files {
		f := &d.Trace.Files[i]
		if f.Usable() && f.StartNS >= v.StartNS && f.EndNS <= v.EndNS {
			within = append(within, i)
		}
	}
	for k := 0; k < len(within); k += 1 + len(within)/maxFitted {
		f := &d.Trace.Files[within[k]]
		sizes = append(sizes, float64(f.Bytes))
		times = append(times, seconds(f.EndNS-f.StartNS))
	}
	return sizes, times
}

// withoutSizes returns the series less what the sizes of the disk's files explain, if each file
// takes a fixed time besides that of its bytes: a run of small files is slow for that alone. It
// returns nil if no such time is found.
func (d *History) withoutSizes(q *sequence) *sequence {
	sizes, times := d.WholeFiles(overlap.Between(d.StartNS(), d.EndNS()))
	if len(sizes) < MinFiles {
		return nil
	}
	cost, _ := stats.FitCost(sizes, times)
	if cost.Intercept <= 0 {
		return nil
	}
	expected := make([]float64, len(q.y))
	next := 0
	for bin := range expected {
		v := overlap.Between(q.time.startNS(bin), q.time.startNS(bin+1))
		for next < len(d.Trace.Files) && d.Trace.Files[next].EndNS <= v.StartNS {
			next++
		}
		var bytes, files float64 // in the bin, in parts of files
		for i := next; i < len(d.Trace.Files) && d.Trace.Files[i].StartNS < v.EndNS; i++ {
			f := &d.Trace.Files[i]
			if in := overlap.Of(f).Within(v); f.Usable() && in.EndNS > in.StartNS {
				part := float64(in.EndNS-in.StartNS) / float64(f.EndNS-f.StartNS)
				bytes += part * float64(f.Bytes)
				files += part
			}
		}
		if bytes > 0 {
			expected[bin] = -math.Log(cost.Intercept*files/bytes + cost.Slope)
		} else if bin > 0 {
			expected[bin] = expected[bin-1]
		}
	}
	mean := stats.Mean(expected)
	y, raw := make([]float64, len(q.y)), make([]float64, len(q.y))
	for i, e := range expected {
		y[i] = q.y[i] - e + mean
		raw[i] = q.raw[i] - e + mean
	}
	out := newSequence(y, q.file, q.binS, q.time)
	out.raw = raw
	out.falseChangeRate = q.falseChangeRate
	out.neighbourEdges = q.neighbourEdges
	return out
}
