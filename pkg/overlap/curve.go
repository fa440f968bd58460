package overlap

import (
	"math"
	"slices"
	"sort"

	"github.com/hubbench/hubbench/pkg/trace"
)

// Curve is the sum of a disk's bytes over time. It refers to the disk's files, which must not change meanwhile.
type Curve struct {
	files []trace.File
	sums  []int64 // sums[i]: bytes of files[:i]
	ends  []int64 // ends[i]: the latest end among files[:i+1]; nil if no files overlap
	open  []trace.Sample
}

// Amount is a number of bytes, with the bounds that hold however unevenly they flowed between known points.
type Amount struct {
	Bytes int64
	Low   int64
	High  int64
}

// NewCurve returns the curve of the disk's usable files, and of its unfinished one from its first sample on.
func NewCurve(d *trace.DiskTrace) *Curve {
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

// At is the number of bytes done by ns.
func (c *Curve) At(ns int64) int64 { return c.at(ns).Bytes }

// Between is the number of bytes done within v. Neighbouring intervals add up exactly.
func (c *Curve) Between(v Interval) Amount {
	from, to := c.at(v.StartNS), c.at(v.EndNS)
	return Amount{Bytes: to.Bytes - from.Bytes, Low: max(0, to.Low-from.High), High: to.High - from.Low}
}

// at is the number of bytes done by ns, with bounds from the nearest known points.
func (c *Curve) at(ns int64) Amount {
	started := sort.Search(len(c.files), func(i int) bool { return c.files[i].StartNS >= ns })
	sum := c.sums[started]
	a := Amount{sum, sum, sum}
	for i := started - 1; i >= 0 && c.latest(i) > ns; i-- {
		f := &c.files[i]
		done := doneOf(f, ns)
		a.Bytes -= f.Bytes - done.Bytes
		a.Low -= f.Bytes - done.Low
		a.High -= f.Bytes - done.High
	}
	if n := len(c.open); n > 0 && ns > c.open[0].TNS {
		done := between(c.open, c.open[0], c.open[n-1], min(ns, c.open[n-1].TNS))
		a.Bytes += done.Bytes - c.open[0].Bytes
		a.Low += done.Low - c.open[0].Bytes
		a.High += done.High - c.open[0].Bytes
	}
	return a
}

func (c *Curve) latest(i int) int64 {
	if c.ends == nil {
		return c.files[i].EndNS
	}
	return c.ends[i]
}

// doneOf is how much of a file is done by ns.
func doneOf(f *trace.File, ns int64) Amount {
	return between(f.Samples, trace.Sample{TNS: f.StartNS}, trace.Sample{TNS: f.EndNS, Bytes: f.Bytes}, ns)
}

// between interpolates at ns from first to last, with samples in between; before them it is what first has, after them
// what last has.
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

// Rates joins the intervals end to end, cuts them into n pieces of equal length, and returns the rate in each, in
// bytes per second.
func (c *Curve) Rates(intervals []Interval, n int) []float64 {
	lengthNS := Seconds(intervals) * 1e9 / float64(n)
	rates := make([]float64, n)
	part, before := 0, int64(0) // the interval the piece's end lies in, and the length of those before it
	var done, carried int64     // bytes up to the last piece's end, and in the intervals before
	for k := range rates {
		at := int64(float64(k+1) * lengthNS)
		for part < len(intervals)-1 && at > before+intervals[part].EndNS-intervals[part].StartNS {
			before += intervals[part].EndNS - intervals[part].StartNS
			carried += c.Between(intervals[part]).Bytes
			part++
		}
		end := min(intervals[part].StartNS+at-before, intervals[part].EndNS)
		now := carried + c.At(end) - c.At(intervals[part].StartNS)
		rates[k] = float64(now-done) / lengthNS * 1e9
		done = now
	}
	return rates
}
