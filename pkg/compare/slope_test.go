package compare

import (
	"fmt"
	"math"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/latency"
)

// Of requests of which one in n takes n microseconds or longer, a quantile goes with the inverse of its share: a slope of 1 in logarithms,
// one way or the other.
func TestSlope(t *testing.T) {
	all := latency.New()
	const n = 20_000
	for k := range n {
		latency.Record(all, int64(1e3*n/float64(k+1)), 1)
	}
	r := &requests{all: latency.NewSum(all)}
	for _, share := range []float64{0.5, 0.1, 0.01} {
		for _, step := range []float64{0.2, 0.5, 3} {
			if got := r.slope(share, step); math.Abs(math.Abs(got)-1) > 0.05 {
				t.Errorf("a share of %v, a step of %v: slope %v", share, step, got)
			}
		}
	}
	if got, want := r.at(100), 100e3; math.Abs(float64(got)-want) > 0.02*want {
		t.Errorf("one in a hundred takes %d ns, want %v", got, want)
	}
}

// A lag is known to half a second in either run.
func TestLagChanged(t *testing.T) {
	s := func(v float64) *float64 { return &v }
	p := &Phase{Recoveries: []Recovery{{Disk: "A", BaseLagS: s(4), LagS: s(5.1)}, {Disk: "B", BaseLagS: s(4), LagS: s(5)}, {Disk: "C", BaseLagS: s(4)}, {Disk: "D", LagS: s(9)}}}
	for disk, want := range map[string]bool{"A": true, "B": false, "C": false, "D": false, "": true} {
		check.Same(t, fmt.Sprintf("the lag of %q changed", disk), want, p.lagChanged(disk))
	}
	p.Recoveries[0].LagS = s(2.9)
	if !p.lagChanged("A") {
		t.Error("a shorter lag is no change")
	}
}
