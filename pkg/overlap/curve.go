package overlap

import (
	"math"
	"slices"
	"sort"

	"github.com/hubbench/hubbench/pkg/trace"
)

// Curve is the sum of a disk's bytes over time. It refers to the disk's files, which must not
// change meanwhile.
type Curve struct {
	files []trace.File
	sums  []int64 // sums[i] is the bytes of files[:i].
	ends  []int64 // ends[i] is the latest end among files[:i+1]; nil if no files overlap.
	open  []trace.Sample

	seconds, squares float64 // sums over files of their times, and of the squares of these
}

// Amount is a number of bytes, with the bounds that hold however unevenly they flowed between known
// points.
type Amount struct {
	Bytes int64
	Low   int64
	High  int64
}

// NewCurve returns the curve of the disk's usable files, and of its unfinished one from its first
// sample on.
func NewCurve(d *trace.DiskRecord) *Curve {
	c := &Curve{files: d.Files}
	unusable := func(f trace.File) bool { return !f.Usable() }
	if slices.ContainsFunc(c.files, unusable) {
		c.files = slices.DeleteFunc(slices.Clone(c.files), unusable)
	}
	if _, ok := openSpan(d); ok {
		c.open = d.Open
	}
	c.sums = make([]int64, len(c.files)+1)
	overlapping := false
	for i := range c.files {
		c.sums[i+1] = c.sums[i] + c.files[i].Bytes
		s := Of(&c.files[i]).Seconds()
		c.seconds += s
		c.squares += s * s
		overlapping = overlapping || i > 0 && c.files[i].StartNS < c.files[i-1].EndNS
	}
	if overlapping {
		c.ends = make([]int64, len(c.files))
		latest := int64(math.MinInt64)
		for i := range c.files {
			latest = max(latest, c.files[i].EndNS)
			c.ends[i] = latest
		}
	}
	return c
}

// At returns the number of bytes done by ns.
func (c *Curve) At(ns int64) int64 { return c.at(ns).Bytes }

// Between returns the number of bytes done within v. Neighbouring spans add up exactly.
func (c *Curve) Between(v Span) Amount {
	from, to := c.at(v.StartNS), c.at(v.EndNS)
	return Amount{
		Bytes: to.Bytes - from.Bytes, Low: max(0, to.Low-from.High), High: to.High - from.Low,
	}
}

// BytesIn returns the number of bytes done within spans.
func (c *Curve) BytesIn(spans []Span) int64 {
	var bytes int64
	for _, v := range spans {
		bytes += c.Between(v).Bytes
	}
	return bytes
}

// at returns the number of bytes done by ns, with bounds from the nearest known points.
func (c *Curve) at(ns int64) Amount {
	started := sort.Search(len(c.files), func(i int) bool { return c.files[i].StartNS >= ns })
	sum := c.sums[started]
	a := Amount{sum, sum, sum}
	for i := started - 1; i >= 0; i-- {
		f := &c.files[i]
		if c.ends == nil && f.EndNS <= ns || c.ends != nil && c.ends[i] <= ns {
			break
		}
		a.add(doneOf(f, ns), -f.Bytes)
	}
	if len(c.open) > 0 {
		a.add(c.doneOfOpen(ns), -c.open[0].Bytes)
	}
	return a
}

// add adds an amount and a number of bytes.
func (a *Amount) add(b Amount, bytes int64) {
	a.Bytes += b.Bytes + bytes
	a.Low += b.Low + bytes
	a.High += b.High + bytes
}

// doneOfOpen returns how much of the unfinished file is done by ns.
func (c *Curve) doneOfOpen(ns int64) Amount {
	return between(c.open, c.open[0], c.open[len(c.open)-1], ns)
}

// doneOf returns how much of a file is done by ns.
func doneOf(f *trace.File, ns int64) Amount {
	return between(f.Samples(), trace.Sample{TNS: f.StartNS},
		trace.Sample{TNS: f.EndNS, Bytes: f.Bytes}, ns)
}

// between interpolates at ns from first to last, with samples in between; before them it is what
// first has, after them what last has.
func between(samples []trace.Sample, first, last trace.Sample, ns int64) Amount {
	next := sort.Search(len(samples), func(i int) bool { return samples[i].TNS > ns })
	if next > 0 {
		first = samples[next-1]
	}
	if next < len(samples) {
		last = samples[next]
	}
	if ns >= last.TNS {
		return Amount{last.Bytes, last.Bytes, last.Bytes}
	}
	if ns <= first.TNS {
		return Amount{first.Bytes, first.Bytes, first.Bytes}
	}
	share := float64(ns-first.TNS) / float64(last.TNS-first.TNS)
	done := first.Bytes + int64(math.Round(share*float64(last.Bytes-first.Bytes)))
	return Amount{done, first.Bytes, last.Bytes}
}

// Rates joins the spans end to end, cuts them into n pieces of equal length, and returns the rate
// in each, in bytes per second.
func (c *Curve) Rates(spans []Span, n int) []float64 {
	lengthNS := Seconds(spans) * 1e9 / float64(n)
	rates := make([]float64, n)
	// part is the interval that the piece's end lies in, and before the length of those before it.
	part := 0
	before := int64(0)
	var done, carried int64 // done is bytes up to the last piece's end, and in the spans before.
	for k := range rates {
		at := int64(float64(k+1) * lengthNS)
		for part < len(spans)-1 && at > before+spans[part].EndNS-spans[part].StartNS {
			before += spans[part].EndNS - spans[part].StartNS
			carried += c.Between(spans[part]).Bytes
			part++
		}
		end := min(spans[part].StartNS+at-before, spans[part].EndNS)
		now := carried + c.At(end) - c.At(spans[part].StartNS)
		rates[k] = float64(now-done) / lengthNS * 1e9
		done = now
	}
	return rates
}

// Points returns the curve over v at moments at least stepNS apart, the ends of v among them, for
// callers that want rates: the difference of two neighbours. Moments at which the bytes are known
// (samples, starts and ends of files) are taken, and nothing is interpolated, except if files of
// the disk overlap: there they are evenly spaced. The last two may lie up to half as close.
func (c *Curve) Points(v Span, stepNS int64) []trace.Sample {
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
		for rest := c.files; ; rest = rest[1:] {
			next := points[len(points)-1].TNS + stepNS // Files that end before have none.
			rest = rest[sort.Search(len(rest), func(i int) bool { return rest[i].EndNS >= next }):]
			if len(rest) == 0 || rest[0].StartNS > v.EndNS {
				break
			}
			take(rest[0].StartNS)
			for _, s := range rest[0].Samples() {
				take(s.TNS)
			}
			take(rest[0].EndNS)
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

// maxSteps is the maximum number of steps in a series: as many as a chart can show, and few enough
// for a file.
const maxSteps = 240

// Series returns the rates of several disks over time, by curve and step, in bytes per second. The
// steps are of one length, 1, 2 or 5 times a power of ten nanoseconds, and go from zero to endNS,
// where the last one ends, shorter or not. A file under way counts as far as its progress is known.
func Series(curves []*Curve, endNS int64) (stepNS int64, rates [][]float64) {
	least := float64(endNS) / maxSteps
	power := math.Pow10(int(math.Floor(math.Log10(max(least, 1)))))
	for _, factor := range []float64{10, 5, 2, 1} {
		if factor*power >= least {
			stepNS = int64(factor * power)
		}
	}
	rates = make([][]float64, len(curves))
	for i, curve := range curves {
		for from := int64(0); from < endNS; from += stepNS {
			step := Span{from, min(from+stepNS, endNS)}
			rates[i] = append(rates[i], float64(curve.Between(step).Bytes)/step.Seconds())
		}
	}
	return stepNS, rates
}
