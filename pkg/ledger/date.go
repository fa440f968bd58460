package ledger

import (
	"math"
	"sort"

	"github.com/hubbench/hubbench/pkg/overlap"
)

// redate moves cuts to where they fit best under the noise: if files are draws, the jump inside a
// file dates a change, not the beginning of the next. Excursions are not clipped, for clipping may
// look like a jump.
func (q *sequence) redate(cuts []int) []int {
	unclipped := q.withValues(q.raw)
	edges := q.edges(cuts)
	for i := range cuts {
		from := max(edges[i]+q.bins(q.minS), cuts[i]-q.bins(fileEdgeS))
		to := min(edges[i+2]-q.bins(q.minS), cuts[i]+q.bins(fileEdgeS))
		lowestCost := math.Inf(1)
		best := cuts[i]
		for at := from; at <= to; at++ {
			edges[i+1] = at
			fit := unclipped.fileEffectsFit(edges)
			if cost := fit(q.residual.fileVariance).cost; cost < lowestCost {
				lowestCost = cost
				best = at
			}
		}
		edges[i+1] = best
	}
	return edges[1 : len(edges)-1]
}

// crossing returns the moment about a change at which the bytes say that the rate went from before
// to after: within a bin of ns if the disk's progress was sampled, else within the files there.
func (d *History) crossing(ns int64, before, after float64) int64 {
	files := d.Trace.Files
	i := sort.Search(len(files), func(k int) bool { return files[k].EndNS > ns })
	if i == len(files) {
		return ns
	}
	bin := int64(d.rates.time.binNS)
	v := overlap.Between(ns-bin, ns+bin)
	if len(files[i].Samples()) == 0 {
		v = overlap.Of(&files[i])
		if i > 0 && v.StartNS > ns-SampleNS {
			v.StartNS = files[i-1].StartNS
		}
		if i+1 < len(files) && v.EndNS < ns+SampleNS {
			v.EndNS = files[i+1].EndNS
		}
	}
	share := (d.RateIn(v) - after) / (before - after)
	return v.StartNS + int64(min(max(share, 0), 1)*float64(v.EndNS-v.StartNS))
}

// DateErrorNS returns how long before or after its time noise may have dated the change from one
// rate to the next. Noise with a memory misdates it by what is new in each bin, for a wave does not
// jump.
func (d *History) DateErrorNS(before, after float64) int64 {
	q := d.rates
	variance := d.noise.variance
	if d.noise.fileVariance > 0 {
		variance, _ = d.noise.ofMean(q, [2]int{0, len(q.y)})
		variance *= float64(len(q.y))
	}
	change := (after - before) / max(before, after)
	return int64(min(maxDateErrorNS, 1e9*dateErrorFactor*variance*q.binS/(change*change)))
}
