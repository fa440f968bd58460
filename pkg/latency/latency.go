// Package latency counts how long requests took, in buckets of nearly equal width on a logarithmic
// scale: any quantile is known to three significant digits, histograms of the same or other disks
// and seconds add up, and recording one value neither allocates nor searches. The layout is that of
// HdrHistogram (Gil Tene, hdrhistogram.org) with a lowest value of 1 ns; a histogram is encoded as
// text by Encode. Start at Histogram, and at Recorder if several goroutines count.
package latency

import (
	"compress/flate"
	"math"
	"math/bits"
	"sync/atomic"
)

const (
	// subBits is such that a bucket is less than a thousandth of its values wide.
	subBits = 10
	// MaxNS is the longest time that is counted exactly; longer ones count as this: 73 minutes.
	MaxNS = 1<<42 - 1
	// buckets is how many there are: 2^(subBits+1) of 1 ns, then 2^subBits for each doubling.
	buckets = (42-subBits-1)<<subBits + 1<<(subBits+1)
)

// Histogram counts times. The zero value is empty and ready. It is not safe for concurrent use.
type Histogram struct {
	counts []uint64 // by bucket; nil before the first value
	n      int64
	maxNS  int64

	deflate *flate.Writer // of Encode, for the next
}

// New is an empty histogram that has all its memory already.
func New() *Histogram { return &Histogram{counts: make([]uint64, buckets)} }

func (h *Histogram) grow() {
	if h.counts == nil {
		h.counts = make([]uint64, buckets)
	}
}

// Record counts one time. Those below zero count as zero, those above MaxNS as MaxNS.
func (h *Histogram) Record(ns int64) { h.RecordN(ns, 1) }

// RecordN counts one time n times.
func (h *Histogram) RecordN(ns, n int64) {
	h.grow()
	ns = min(max(ns, 0), MaxNS)
	h.counts[bucketOf(ns)] += uint64(n)
	h.n += n
	h.maxNS = max(h.maxNS, ns)
}

// bucketOf is the bucket of a time of 0 to MaxNS.
func bucketOf(ns int64) int {
	octave := max(0, bits.Len64(uint64(ns))-subBits-1)
	return octave<<subBits + int(ns>>octave)
}

// bounds are the shortest and the longest time of a bucket.
func bounds(bucket int) (low, high int64) {
	octave := max(0, bucket>>subBits-1)
	low = int64(bucket-octave<<subBits) << octave
	return low, low + 1<<octave - 1
}

// N is how many times were counted.
func (h *Histogram) N() int64 { return h.n }

// MaxNS is the longest time, exactly; zero of an empty histogram.
func (h *Histogram) MaxNS() int64 { return h.maxNS }

// Quantile is the shortest time that a share q of all were no longer than, rounded up to the end of
// its bucket, and never above the longest; zero of an empty histogram.
func (h *Histogram) Quantile(q float64) int64 {
	rank := max(1, int64(math.Ceil(q*float64(h.n))))
	var seen int64
	for i, n := range h.counts {
		if seen += int64(n); seen >= rank {
			_, high := bounds(i)
			return min(high, h.maxNS)
		}
	}
	return h.maxNS
}

// Reset empties it, and keeps its memory.
func (h *Histogram) Reset() {
	clear(h.counts)
	h.n, h.maxNS = 0, 0
}

// Recorder counts times for several goroutines at once, and gives them up to another that makes
// histograms of them. None of them waits, and nothing is allocated. The zero value is empty and
// ready.
type Recorder struct {
	counts [buckets]atomic.Uint32
	maxNS  atomic.Int64
}

// Record counts one time, as Histogram's Record does.
func (r *Recorder) Record(ns int64) {
	ns = min(max(ns, 0), MaxNS)
	for largest := r.maxNS.Load(); ns > largest && !r.maxNS.CompareAndSwap(largest, ns); largest = r.maxNS.Load() {
	}
	r.counts[bucketOf(ns)].Add(1)
}

// Drain moves what was counted to a histogram. What is counted meanwhile is moved now or by the
// next Drain, and is never lost; the longest time may then be off by the width of its bucket.
func (r *Recorder) Drain(to *Histogram) {
	to.grow()
	var n int64
	top := 0
	for i := range r.counts {
		if r.counts[i].Load() == 0 { // by far the most, and a look is cheaper than a change
			continue
		}
		count := r.counts[i].Swap(0)
		to.counts[i] += uint64(count)
		n += int64(count)
		top = i
	}
	if n == 0 {
		return
	}
	// The longest time of a value that is counted at this moment may be here before the value is.
	low, high := bounds(top)
	largest := r.maxNS.Swap(0)
	if largest < low || largest > high {
		largest = high
	}
	to.n += n
	to.maxNS = max(to.maxNS, largest)
}
