package latency

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"

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
	h := New()
	for _, ns := range times {
		Record(h, ns, 1)
	}
	return h
}

// Quantiles of a million values are those of the sorted values, within a thousandth (1 % is
// promised).
func TestQuantiles(t *testing.T) {
	times := draw(1, 1_000_000)
	h := NewSum(histogramOf(times[:400_000]), histogramOf(times[400_000:]))
	slices.Sort(times)
	for _, q := range []float64{0.001, 0.5, 0.9, 0.99, 0.999, 0.9999, 1} {
		want := times[max(0, int(math.Ceil(q*1e6))-1)]
		got := h.ValueAtQuantile(100 * q)
		evidence.Report(t, evidence.Within("latency",
			fmt.Sprintf("quantile %g of a million times", q), "ns", float64(want), float64(got),
			0.001))
		if got < want {
			t.Errorf("quantile %g: got %d ns, want %d or more", q, got, want)
		}
	}
}

// Every bucket of the recorder is one of the library, and holds its own times.
func TestBuckets(t *testing.T) {
	var r Recorder
	next := int64(0)
	for i := range hdrhistogram.New(1, MaxNS, significantFigures).Export().Counts {
		low := next
		one := New()
		Record(one, low, 1)
		if next = one.Max() + 1; bucketOf(low) != i || bucketOf(next-1) != i {
			t.Fatalf("%d to %d are in buckets %d and %d, want %d", low, next-1, bucketOf(low),
				bucketOf(next-1), i)
		}
		r.Record(low)
		r.Record(next - 1)
	}
	if next != MaxNS+1 {
		t.Errorf("the last bucket ends at %d, want %d", next-1, int64(MaxNS))
	}
	all := New()
	r.Drain(all)
	at := int64(0)
	for ns, n := range all.ForEachBucket {
		if ns != at || n != 2 {
			t.Fatalf("%d requests of %d ns, want 2 of %d", n, ns, at)
		}
		at = ns + (1 << max(0, bits.Len64(uint64(ns))-subBits-1))
	}
	check.Same(t, "buckets", int32(buckets), all.Populated())
}

// What several goroutines count while another drains is all there in the end, each value once.
func TestRecorderLosesNothing(t *testing.T) {
	var r Recorder
	times := draw(5, 100_000)
	quit := make(chan struct{})
	drained := New()
	var drainer, counters sync.WaitGroup
	drainer.Go(func() {
		for {
			select {
			case <-quit:
				return
			default:
				r.Drain(drained)
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
	r.Drain(drained)
	check.Same(t, "all that was counted", Encode(histogramOf(times)), Encode(drained))
}

// Without anybody else, a drained recorder is the histogram of the same values, and empty after
// that.
func TestDrain(t *testing.T) {
	var r Recorder
	for _, times := range [][]int64{{-5, 0, 1, MaxNS, MaxNS + 1}, {7}, draw(6, 1000), nil} {
		for _, ns := range times {
			r.Record(ns)
		}
		got := New()
		r.Drain(got)
		check.Same(t, fmt.Sprintf("%d values", len(times)), Encode(histogramOf(times)), Encode(got))
	}
}

// What is no text of ours is refused: none, one of an earlier version, cut short, or of another
// layout.
func TestDecodeRefuses(t *testing.T) {
	whole := Encode(histogramOf(draw(3, 50)))
	for n := range len(whole) {
		if _, err := Decode(whole[:n]); err == nil {
			t.Errorf("%q: no error", whole[:n])
		}
	}
	coarse, _ := hdrhistogram.NewPacked(1, MaxNS, 2).Encode()
	for text, want := range map[string]string{
		"": "analyse a run of an earlier hubbench with that build (run.json names it), or delete the run's latency lines",
		// Version 4 of the form of this package's own.
		"BPqQDwEAAP//": "analyse a run of an earlier hubbench",
		string(coarse): "want one of 1 to 4398046511103 ns with 3 significant figures",
	} {
		if _, err := Decode(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(Encode(histogramOf(draw(3, 50))))
	f.Add(Encode(histogramOf(draw(4, 50_000))))
	f.Fuzz(func(t *testing.T, text string) {
		h, err := Decode(text)
		if err != nil || h.TotalCount() > MaxCount {
			return
		}
		if !NewSum(decoded(t, h)).Equals(NewSum(h)) {
			t.Errorf("read as %s", Encode(h))
		}
	})
}

func decoded(t *testing.T, h *Histogram) *Histogram {
	t.Helper()
	again, err := Decode(Encode(h))
	check.Must(t, err)
	return again
}

func BenchmarkRecorder(b *testing.B) {
	times := draw(4, 4096)
	r := new(Recorder)
	b.ReportAllocs()
	for i := range b.N {
		r.Record(times[i&4095])
	}
}
