package latency

import (
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

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
				drained.Add(&part)
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
	if diff := cmp.Diff(want, &drained, cmp.AllowUnexported(Histogram{})); diff != "" {
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
		want.Add(histogramOf(times))
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(Histogram{})); diff != "" {
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
