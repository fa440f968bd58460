package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestSplitIsOptimal compares the cost with that of every cut.
func TestSplitIsOptimal(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	for range 500 {
		x := make([]float64, rnd.IntN(40))
		for i := range x {
			x[i] = 1e3 + float64(rnd.IntN(9))
		}
		minLen := 1 + rnd.IntN(5)
		at := Split(x, minLen)
		if len(x) < 2*minLen {
			if at != 0 {
				t.Fatalf("%d values cut at %d, into parts of %d or more", len(x), at, minLen)
			}
			continue
		}
		best := math.Inf(1)
		for i := minLen; i <= len(x)-minLen; i++ {
			best = min(best, SplitCost(x, i))
		}
		if at < minLen || at > len(x)-minLen || SplitCost(x, at) > best+1e-9 {
			t.Fatalf("%v cut at %d with an error of %g, and the least is %g", x, at,
				SplitCost(x, at), best)
		}
	}
}
