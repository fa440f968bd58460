package latency

import "sync/atomic"

// Recorder counts times for several goroutines at once, and gives them up to another that makes histograms of them.
// None of them waits, and nothing is allocated. The zero value is empty and ready.
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

// Drain moves what was counted to a histogram. What is counted meanwhile is moved now or by the next Drain, and is never
// lost; the longest time may then be off by the width of its bucket.
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
