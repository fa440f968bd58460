package latency

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

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

// What is no text of ours is refused: none, another version, cut short anywhere, or with more behind it.
func TestDecodeRefuses(t *testing.T) {
	whole := histogramOf(draw(3, 50)).Encode()
	texts := []string{"", "!", "AA", "AQ", "AgE", "AgEB", whole + "AAAA", whole + "gA"}
	for n := range len(whole) {
		if n != len("Ag") { // an empty one
			texts = append(texts, whole[:n])
		}
	}
	for _, text := range texts {
		if err := new(Histogram).Decode(text); err == nil {
			t.Errorf("%q: no error", text)
		}
	}
}

// The counts of a whole run add up to no more than can be counted.
func TestDecodeRefusesTooMany(t *testing.T) {
	var h Histogram
	h.Record(1000)
	h.counts[bucketOf(1000)], h.n = MaxCount, MaxCount
	text := h.Encode()
	var sum Histogram
	if err := sum.Decode(text); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&h, &sum, cmp.AllowUnexported(Histogram{})); diff != "" {
		t.Error(diff)
	}
	if sum.Decode(text) == nil {
		t.Error("twice as many as can be counted: no error")
	}
}

// Every histogram is read as it was written, whatever its counts and gaps.
func TestTextOfAnyHistogram(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	for range 300 {
		h := New()
		for range rng.IntN(40) {
			ns := rng.Int64N(MaxNS) >> rng.IntN(42)
			for range rng.IntN(5) + 1 {
				count := uint64(1) << rng.IntN(1+rng.IntN(40))
				i := min(bucketOf(ns)+rng.IntN(3), buckets-1)
				low, _ := bounds(i)
				h.counts[i] += count
				h.n += int64(count)
				h.maxNS = max(h.maxNS, low)
			}
		}
		got := New()
		if err := got.Decode(h.Encode()); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(h.counts, got.counts) || h.n != got.n || h.maxNS != got.maxNS {
			t.Fatalf("%s is read as %s", h.Encode(), got.Encode())
		}
	}
}

// A second's text is short, at any rate that a disk has.
func TestTextIsShort(t *testing.T) {
	for _, tt := range []struct {
		name      string
		n         int
		middleNS  float64
		deviation float64 // of the logarithm
		largest   int     // bytes
	}{
		{"8 MiB, 4 deep, 3 GB/s", 360, 11e6, 0.3, 500},
		{"4 KiB, 1 deep", 10_000, 90e3, 0.3, 1400},
		{"4 KiB, 64 deep, 400 MB/s", 100_000, 640e3, 0.3, 2300},
		{"4 KiB, 64 deep, 2 GB/s, widely spread", 500_000, 128e3, 0.6, 5400},
	} {
		rng := rand.New(rand.NewPCG(8, 1))
		h := New()
		for range tt.n {
			h.Record(int64(tt.middleNS * math.Exp(tt.deviation*rng.NormFloat64())))
		}
		if got := len(h.Encode()); got > tt.largest {
			t.Errorf("%s: %d bytes, want %d at most", tt.name, got, tt.largest)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(histogramOf(draw(3, 50)).Encode())
	f.Add(histogramOf(draw(4, 50_000)).Encode())
	f.Add("Ag")
	f.Fuzz(func(t *testing.T, text string) {
		var h Histogram
		if h.Decode(text) != nil {
			return
		}
		var again Histogram
		if err := again.Decode(h.Encode()); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(h.counts, again.counts) || h.n != again.n || h.maxNS != again.maxNS {
			t.Errorf("read as %s", again.Encode())
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

// The text of a second of a fast disk, written and read.
func BenchmarkText(b *testing.B) {
	h := histogramOf(draw(4, 300_000))
	text := h.Encode()
	b.Run("encode", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			text = h.Encode()
		}
	})
	b.Run("parse", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			if _, err := Parse(text); err != nil {
				b.Fatal(err)
			}
		}
	})
}
