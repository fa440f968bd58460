package overlap

import (
	"sort"

	"github.com/hubbench/hubbench/pkg/trace"
)

// Points returns the curve over v at moments at least stepNS apart, the ends of v among them, for callers that want
// rates: the difference of two neighbours. Moments at which the bytes are known (samples, starts and ends of files)
// are taken, and nothing is interpolated, except if files of the disk overlap: there they are evenly spaced. The
// last two may lie up to half as close.
func (c *Curve) Points(v Interval, stepNS int64) []trace.Sample {
	points := []trace.Sample{{TNS: v.StartNS, Bytes: c.At(v.StartNS)}}
	take := func(ns int64) {
		if ns >= points[len(points)-1].TNS+stepNS && ns < v.EndNS {
			points = append(points, trace.Sample{TNS: ns, Bytes: c.At(ns)})
		}
	}
	n := len(c.files)
	if c.ends != nil || n > 0 && len(c.open) > 0 && c.open[0].TNS < c.files[n-1].EndNS {
		for ns := v.StartNS + stepNS; ns < v.EndNS; ns += stepNS {
			take(ns)
		}
	} else {
		first := sort.Search(n, func(i int) bool { return c.files[i].EndNS >= v.StartNS })
		for i := first; i < n && c.files[i].StartNS <= v.EndNS; i++ {
			f := &c.files[i]
			take(f.StartNS)
			for _, s := range f.Samples {
				take(s.TNS)
			}
			take(f.EndNS)
		}
		for _, s := range c.open {
			take(s.TNS)
		}
	}
	if last := len(points) - 1; last > 0 && v.EndNS-points[last].TNS < stepNS/2 {
		points = points[:last]
	}
	return append(points, trace.Sample{TNS: v.EndNS, Bytes: c.At(v.EndNS)})
}
