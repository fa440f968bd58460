package latency

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hubbench/hubbench/internal/test/check"
)

// equal is what makes two histograms one.
func equal() cmp.Option {
	return cmp.Options{cmp.AllowUnexported(Histogram{}), cmpopts.IgnoreFields(Histogram{}, "deflate"), cmpopts.EquateEmpty()}
}

// What is written down and read back, in parts, is the whole; and so are the parts added up.
func TestTextAddsUp(t *testing.T) {
	times := draw(2, 10_000)
	whole := histogramOf(times)
	var added Histogram
	for part := range slices.Chunk(times, 700) {
		added.AddCounts(countsOf(t, histogramOf(part)))
	}
	if diff := cmp.Diff(whole, &added, equal()); diff != "" {
		t.Error(diff)
	}
}

// counted makes a histogram of counts by bucket.
func counted(counts map[int]uint64) *Histogram {
	h := New()
	for i, n := range counts {
		h.counts[i] += n
		h.n += int64(n)
		low, _ := bounds(i)
		h.maxNS = max(h.maxNS, low)
	}
	return h
}

// Every histogram is read as it was written, whatever its counts and gaps, in memory that the text bounds.
func TestTextOfAnyHistogram(t *testing.T) {
	even, rng := map[int]uint64{}, rand.New(rand.NewPCG(7, 1))
	for i := range buckets {
		even[i] = 1 << 20
	}
	tests := []*Histogram{
		{}, histogramOf([]int64{0}), histogramOf([]int64{MaxNS}), histogramOf([]int64{0, 1 << 30, 1 << 30, MaxNS}), histogramOf([]int64{0, 1, 2, 3}),
		histogramOf(draw(2, 500_000)), counted(even), counted(map[int]uint64{0: 1, 8: 1 << 49, 9: 1, 11: 1<<49 - 3}),
	}
	for range 300 {
		counts := map[int]uint64{}
		for range rng.IntN(40) {
			for range rng.IntN(5) + 1 {
				counts[min(bucketOf(rng.Int64N(MaxNS)>>rng.IntN(42))+rng.IntN(3), buckets-1)] = 1 << rng.IntN(1+rng.IntN(40))
			}
		}
		tests = append(tests, counted(counts))
	}
	var p Parser // one for all: nothing of a text is left for the next
	for _, want := range tests {
		text := want.Encode()
		c, err := p.Parse(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if len(c) > 8*len(text) || c != want.Counts() {
			t.Errorf("counts of %d bytes for a text of %d, or they are not those that were written", len(c), len(text))
		}
		got := New()
		got.AddCounts(c)
		if got.Encode() != text {
			t.Errorf("%s is written as %s once it has been read", text, got.Encode())
		}
		if want.grow(); !slices.Equal(got.counts, want.counts) || got.n != want.n || got.maxNS != want.maxNS || c.N() != want.n {
			t.Fatalf("%s: %d times, the longest %d ns; want %d, %d", text, got.n, got.maxNS, want.n, want.maxNS)
		}
		last := -1
		_, _, err = c.scan(func(bucket int, n uint64) {
			if bucket <= last || n != want.counts[bucket] {
				t.Errorf("%d times in bucket %d after %d", n, bucket, last)
			}
			last = bucket
		})
		check.Must(t, err)
	}
}

// What is no text of ours is refused: none, another version, cut short anywhere, or with more behind it.
func TestDecodeRefuses(t *testing.T) {
	whole := histogramOf(draw(3, 50)).Encode()
	texts := []string{"", "!", "AA", "AQ", "AgE", "AgEB", whole + "AAAA", whole + "gA"}
	for n := range len(whole) {
		texts = append(texts, whole[:n])
	}
	var p Parser
	for _, text := range texts {
		if _, err := p.Parse(text); err == nil {
			t.Errorf("%q: no error", text)
		}
		if c, err := p.Parse(whole); err != nil || c.N() != 50 {
			t.Errorf("%d times after %q, %v; want 50", c.N(), text, err)
		}
	}
	for _, padded := range []Counts{"\x80\x00", "\x85\x80\x00", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"} {
		if _, end := padded.uvarint(0); end <= len(padded) {
			t.Errorf("%q ends at %d", padded, end)
		}
	}
	for n, want := range map[uint64]bool{MaxCount: true, MaxCount + 1: false} {
		c, err := p.Parse(counted(map[int]uint64{1000: n}).Encode())
		if (err == nil) != want || want && c.N() != MaxCount {
			t.Errorf("%d times: read as %d, %v", n, c.N(), err)
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
		{"8 MiB, 4 deep, 3 GB/s", 360, 11e6, 0.3, 520},
		{"4 KiB, 1 deep", 10_000, 90e3, 0.3, 1600},
		{"4 KiB, 64 deep, 400 MB/s", 100_000, 640e3, 0.3, 2700},
		{"4 KiB, 64 deep, 2 GB/s, widely spread", 500_000, 128e3, 0.6, 6300},
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
	f.Fuzz(func(t *testing.T, text string) {
		c, err := new(Parser).Parse(text)
		if err != nil {
			return
		}
		var h, again Histogram
		h.AddCounts(c)
		again.AddCounts(countsOf(t, &h))
		if !slices.Equal(h.counts, again.counts) || h.n != again.n || h.maxNS != again.maxNS {
			t.Errorf("read as %s", again.Encode())
		}
	})
}
