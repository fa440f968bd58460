package latency

import (
	"slices"
	"strings"
	"testing"
)

// Counts say what their text says, whatever the counts and gaps, in memory that the text bounds.
func TestCounts(t *testing.T) {
	even := New()
	for i := range even.counts { // a bit of text each
		even.counts[i] = 1 << 20
		even.n += 1 << 20
	}
	even.maxNS = MaxNS
	tests := map[string]*Histogram{
		"empty":         {},
		"zero":          histogramOf([]int64{0}),
		"longest":       histogramOf([]int64{MaxNS}),
		"far apart":     histogramOf([]int64{0, 1 << 30, 1 << 30, MaxNS}),
		"one by one":    histogramOf([]int64{0, 1, 2, 3}),
		"a long tail":   histogramOf(draw(1, 3000)),
		"many":          histogramOf(draw(2, 500_000)),
		"even and many": even,
	}
	for gap := range int64(40) {
		times := []int64{gap}
		for range gap {
			times = append(times, 3*gap+1)
		}
		tests["gap and count of "+strings.Repeat("i", int(gap))] = histogramOf(times)
	}
	for name, want := range tests {
		text := want.Encode()
		c, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if c.Encode() != text || want.Counts() != c {
			t.Errorf("%s: the counts' text is another one", name)
		}
		got := New()
		got.AddCounts(c)
		if c.N() != want.n || got.n != want.n || got.maxNS != want.maxNS || want.n > 0 && !slices.Equal(got.counts, want.counts) {
			t.Errorf("%s: %d times, the longest %d ns; want %d, %d", name, got.n, got.maxNS, want.n, want.maxNS)
		}
		if limit := maxPacked*len(text) + 16; len(c) > limit {
			t.Errorf("%s: counts of %d bytes for a text of %d", name, len(c), len(text))
		}
		last := int64(-1)
		c.Each(func(low, high, n int64) {
			if low <= last || high < low || n != int64(want.counts[bucketOf(low)]) {
				t.Errorf("%s: %d times from %d to %d ns after %d", name, n, low, high, last)
			}
			last = high
		})
	}
}

// To go over counts takes a small part of the time that their text takes.
func BenchmarkCounts(b *testing.B) {
	h := histogramOf(draw(4, 300_000))
	c, err := Parse(h.Encode())
	if err != nil {
		b.Fatal(err)
	}
	to := New()
	b.SetBytes(int64(len(c)))
	b.ReportAllocs()
	for b.Loop() {
		to.AddCounts(c)
	}
}
