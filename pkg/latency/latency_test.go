package latency

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
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
		if got < want || float64(got) > 1.001*float64(want) {
			t.Errorf("quantile %g: got %d ns, want %d or up to 0.1 %% more", q, got, want)
		}
	}
	if got, want := h.MaxNS(), times[len(times)-1]; got != want {
		t.Errorf("max: got %d, want %d", got, want)
	}
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

// What is written down and read back, in parts, is the whole.
func TestTextAddsUp(t *testing.T) {
	times := draw(2, 10_000)
	whole := histogramOf(times)
	var sum Histogram
	for part := range slices.Chunk(times, 700) {
		if err := sum.Decode(histogramOf(part).Encode()); err != nil {
			t.Fatal(err)
		}
	}
	var added Histogram
	added.Add(histogramOf(times[:100]))
	added.Add(histogramOf(times[100:]))
	for name, got := range map[string]*Histogram{"decoded": &sum, "added": &added} {
		if diff := cmp.Diff(whole, got, cmp.AllowUnexported(Histogram{})); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	for _, text := range []string{"", "!", "AA", "Ag", "AQ", "AQEA", "AQEBAA", "AQEB", "AQH///////////8B"} {
		if err := new(Histogram).Decode(text); err == nil {
			t.Errorf("%q: no error", text)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(histogramOf(draw(3, 50)).Encode())
	f.Add("AQEBAQ")
	f.Fuzz(func(t *testing.T, text string) {
		var h Histogram
		if h.Decode(text) != nil {
			return
		}
		var again Histogram
		if err := again.Decode(h.Encode()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(&h, &again, cmp.AllowUnexported(Histogram{})); diff != "" {
			t.Error(diff)
		}
	})
}

func BenchmarkRecord(b *testing.B) {
	times := draw(4, 4096)
	h := New()
	b.ReportAllocs()
	for i := range b.N {
		h.Record(times[i&4095])
	}
}
