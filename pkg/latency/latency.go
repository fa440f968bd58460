// Package latency counts how long requests took, in HdrHistograms (Gil Tene, hdrhistogram.org) of
// three significant figures: any quantile is known to less than a thousandth, histograms of the
// same or other disks and seconds add up, and counting one request neither allocates nor searches.
// Package hdrhistogram merges, encodes and decodes them and finds their quantiles; here is the
// layout that all of them share. Start at Histogram, and at Recorder if several goroutines count.
package latency

import (
	"errors"
	"fmt"
	"math/bits"
	"strings"
	"sync/atomic"

	"github.com/HdrHistogram/hdrhistogram-go"
)

const (
	// MaxNS is the longest time that is told apart; longer ones count as this: 73 minutes.
	MaxNS = 1<<42 - 1
	// MaxCount bounds the sum of a histogram's counts, so that those of a whole run add up.
	MaxCount = 1 << 50

	// significantFigures makes a bucket less than a thousandth of its times wide: each doubling has
	// 2^subBits buckets of equal width, and those up to 2^(subBits+1) ns are of 1 ns each.
	significantFigures = 3
	subBits            = 10
	buckets            = (42-subBits-1)<<subBits + 1<<(subBits+1)

	// textPrefix begins every text of the library: it is what says the version of the format.
	textPrefix = "HISTFAAA"
)

// Histogram counts times, in memory for the buckets that counted something.
type Histogram = hdrhistogram.PackedHistogram

// New returns an empty histogram.
func New() *Histogram { return hdrhistogram.NewPacked(1, MaxNS, significantFigures) }

// Sum is the sum of many histograms. It has memory for all buckets, and adds faster for that.
type Sum = hdrhistogram.Histogram

// NewSum adds up histograms.
func NewSum(list ...*Histogram) *Sum {
	sum := hdrhistogram.New(1, MaxNS, significantFigures)
	for _, h := range list {
		h.MergeInto(sum)
	}
	return sum
}

// Record counts one time n times. Those below zero count as zero, those above MaxNS as MaxNS.
func Record(h *Histogram, ns, n int64) {
	_ = h.RecordValues(min(max(ns, 0), MaxNS), n) // fails for other times
}

// Encode returns the histogram in the text form that all HdrHistogram libraries read (V2,
// compressed, base64). A second of 500,000 requests takes some 9 KB.
func Encode(h *Histogram) string {
	text, _ := h.Encode() // to memory
	return string(text)
}

// Decode reads what Encode has written.
func Decode(text string) (*Histogram, error) {
	if !strings.HasPrefix(text, textPrefix) {
		return nil,
			errors.New("not an HdrHistogram (V2, compressed): analyse a run of an earlier " +
				"hubbench with that build (run.json names it), or delete the run's latency lines")
	}
	h, err := hdrhistogram.DecodePacked([]byte(text))
	if err != nil {
		return nil, fmt.Errorf("latency histogram: %w", err)
	}
	if h.LowestTrackableValue() != 1 || h.HighestTrackableValue() != MaxNS ||
		h.SignificantFigures() != significantFigures {
		return nil,
			fmt.Errorf("latency histogram: want one of 1 to %d ns with %d significant figures",
				int64(MaxNS), significantFigures)
	}
	h.Compact()
	return h, nil
}

// Recorder counts times for several goroutines at once, and gives them up to another that makes
// histograms of them. None of them waits, and nothing is allocated. The zero value is empty and
// ready.
type Recorder struct{ counts [buckets]atomic.Uint32 }

// Record counts one time. Those below zero count as zero, those above MaxNS as MaxNS.
func (r *Recorder) Record(ns int64) { r.counts[bucketOf(min(max(ns, 0), MaxNS))].Add(1) }

// bucketOf returns the bucket of a time of 0 to MaxNS.
func bucketOf(ns int64) int {
	octave := max(0, bits.Len64(uint64(ns))-subBits-1)
	return octave<<subBits + int(ns>>octave)
}

// Drain moves what was counted to a histogram. What is counted meanwhile is moved now or by the
// next Drain, and is never lost.
func (r *Recorder) Drain(to *Histogram) {
	for bucket := range r.counts {
		if r.counts[bucket].Load() == 0 { // by far the most, and a look is cheaper than a change
			continue
		}
		octave := max(0, bucket>>subBits-1)
		Record(to, int64(bucket-octave<<subBits)<<octave, int64(r.counts[bucket].Swap(0)))
	}
}
