package latency

import (
	"fmt"
	"math"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
)

// Above is what counting the times themselves gives, except for those in the quantile's own bucket.
func TestTails(t *testing.T) {
	times := draw(3, 60_000)
	var parts [][]int64
	for from, n := 0, 500; from < len(times); from, n = from+n, n+500 { // of different lengths
		parts = append(parts, times[from:min(from+n, len(times))])
	}
	var stretches [][]*Histogram
	for _, part := range parts { // each of two lines
		half := len(part) / 2
		stretches = append(stretches,
			[]*Histogram{histogramOf(part[:half]), histogramOf(part[half:])})
	}
	all := NewSum(histogramOf(times))
	for _, share := range []float64{1.0 / 2, 1.0 / 100} {
		tail := NewTail(stretches, all, share)
		check.Same(t, fmt.Sprintf("share %g", tail.Share), all.ValueAtQuantile(100*(1-tail.Share)),
			tail.NS)
		average := float64(len(times)) / float64(len(parts))
		var sum float64
		for i, part := range parts {
			longer, near := 0.0, 0.0
			for _, ns := range part {
				switch {
				case float64(ns) > 1.001*float64(tail.NS):
					longer++
				case float64(ns) > 0.999*float64(tail.NS):
					near++
				}
			}
			fewest := (longer - tail.Share*float64(len(part))) / average
			if got := tail.Above[i]; got < fewest-1e-9 || got > fewest+near/average+1e-9 {
				t.Errorf("share %g, stretch %d: got %g, want %g, or up to %g more", tail.Share, i,
					got, fewest, near/average)
			}
			sum += tail.Above[i]
		}
		if math.Abs(sum) > 1e-9 {
			t.Errorf("share %g: the sum over the stretches is %g, want 0", tail.Share, sum)
		}
	}
}

// Worth is how many stretches share the slow requests evenly.
func TestTailWorth(t *testing.T) {
	const n = 10
	for _, slow := range []int{1, 4, n} {
		all := NewSum()
		var stretches [][]*Histogram
		for i := range n {
			h := New()
			for k := range 100 {
				if k < 5*n/slow && i < slow {
					Record(h, 1e6, 1)
				} else {
					Record(h, 1e3, 1)
				}
			}
			h.MergeInto(all)
			stretches = append(stretches, []*Histogram{h})
		}
		check.Near(t, fmt.Sprintf("slow requests in %d of %d stretches: worth", slow, n),
			float64(slow), NewTail(stretches, all, 0.01).Worth, 1e-9)
	}
}
