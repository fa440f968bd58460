package latency

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/internal/test/evidence"
)

// draw makes n times of a distribution with a long tail, from 20 us to seconds.
func draw(seed uint64, n int) []int64 {
	rng := rand.New(rand.NewPCG(seed, 1))
	times := make([]int64, n)
	for i := range times {
		times[i] = int64(20e3 + 80e3*math.Exp(1.5*rng.NormFloat64()))
	}
	return times
}

func histogramOf(times []int64) *Histogram {
	var h Histogram
	for _, ns := range times {
		h.Record(ns)
	}
	return &h
}

// Quantiles of a million values are those of the sorted values, within a thousandth (1 % is promised).
func TestQuantiles(t *testing.T) {
	times := draw(1, 1_000_000)
	h := histogramOf(times)
	slices.Sort(times)
	for _, q := range []float64{0, 0.001, 0.5, 0.9, 0.99, 0.999, 0.9999, 1} {
		want := times[max(0, int(math.Ceil(q*1e6))-1)]
		got := h.Quantile(q)
		evidence.Report(t, evidence.Within("latency", fmt.Sprintf("quantile %g of a million times", q), "ns", float64(want), float64(got), 0.001))
		if got < want {
			t.Errorf("quantile %g: got %d ns, want %d or more", q, got, want)
		}
	}
	check.Same(t, "max", times[len(times)-1], h.MaxNS())
}

// Every bucket begins where the one before ends, and holds its own times.
func TestBuckets(t *testing.T) {
	next := int64(0)
	for i := range buckets {
		low, high := bounds(i)
		if low != next || bucketOf(low) != i || bucketOf(high) != i {
			t.Fatalf("bucket %d: %d to %d, of buckets %d and %d; want it to begin at %d", i, low, high, bucketOf(low), bucketOf(high), next)
		}
		next = high + 1
	}
	if next != MaxNS+1 {
		t.Errorf("the last bucket ends at %d, want %d", next-1, int64(MaxNS))
	}
}

// What several goroutines count while another drains is all there in the end, each value once.
func TestRecorderLosesNothing(t *testing.T) {
	var r Recorder
	times := draw(5, 100_000)
	quit := make(chan struct{})
	var drained Histogram
	var drainer, counters sync.WaitGroup
	drainer.Go(func() {
		for {
			select {
			case <-quit:
				return
			default:
				var part Histogram
				r.Drain(&part)
				drained.AddCounts(part.Counts())
			}
		}
	})
	for part := range slices.Chunk(times, len(times)/4) {
		counters.Go(func() {
			for _, ns := range part {
				r.Record(ns)
			}
		})
	}
	counters.Wait()
	close(quit)
	drainer.Wait()
	r.Drain(&drained)
	want := histogramOf(times)
	if got := drained.MaxNS(); float64(got) < float64(want.MaxNS())*0.999 || float64(got) > float64(want.MaxNS())*1.001 {
		t.Errorf("max: got %d, want %d within a bucket", got, want.MaxNS())
	}
	drained.maxNS = want.maxNS
	if diff := cmp.Diff(want, &drained, equal()); diff != "" {
		t.Error(diff)
	}
}

// Without anybody else, a drained recorder is the histogram of the same values, and empty after that.
func TestDrain(t *testing.T) {
	var r Recorder
	for _, times := range [][]int64{{-5, 0, 1, MaxNS, MaxNS + 1}, {7}, draw(6, 1000), nil} {
		for _, ns := range times {
			r.Record(ns)
		}
		got := New()
		r.Drain(got)
		want := New()
		want.AddCounts(histogramOf(times).Counts())
		if diff := cmp.Diff(want, got, equal()); diff != "" {
			t.Errorf("%d values: %s", len(times), diff)
		}
	}
}

// What a longest time came to that was noted for a value not yet counted lies in the bucket of the longest counted one.
func TestDrainBoundsTheLongest(t *testing.T) {
	for _, noted := range []int64{5, 9_000_000} {
		var r Recorder
		r.counts[bucketOf(1_000_000)].Add(1)
		r.maxNS.Store(noted)
		var got Histogram
		r.Drain(&got)
		if low, high := bounds(bucketOf(1_000_000)); got.MaxNS() < low || got.MaxNS() > high {
			t.Errorf("noted %d: max is %d, want it from %d to %d", noted, got.MaxNS(), low, high)
		}
	}
}

func BenchmarkRecorder(b *testing.B) {
	times := draw(4, 4096)
	r := new(Recorder)
	b.ReportAllocs()
	for i := range b.N {
		r.Record(times[i&4095])
	}
}
