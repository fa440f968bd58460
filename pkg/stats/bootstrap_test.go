package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestMeanIntervalsCover: of 500 series with autocorrelation, 90 to 98 % of the 95 % intervals must hold the truth.
func TestMeanIntervalsCover(t *testing.T) {
	tests := []struct {
		bins int
		rho  float64
	}{{300, 0}, {300, 0.6}, {300, 0.9}, {600, 0.95}}
	for _, tt := range tests {
		rnd := rand.New(rand.NewPCG(17, 18))
		const trials = 500
		held := 0
		for range trials {
			x := make([]float64, tt.bins)
			v := rnd.NormFloat64() / math.Sqrt(1-tt.rho*tt.rho)
			for i := range x {
				v = tt.rho*v + rnd.NormFloat64()
				x[i] = v
			}
			if ci := MeanIntervals([][]float64{x})[0]; ci[0] <= 0 && ci[1] >= 0 {
				held++
			}
		}
		if held < trials*90/100 || held > trials*98/100 {
			t.Errorf("%d bins, correlation %v: %d of %d intervals hold the truth", tt.bins, tt.rho, held, trials)
		}
	}
}

func TestMeanIntervals(t *testing.T) {
	if got := MeanIntervals(nil); got != nil {
		t.Errorf("no series: got %v", got)
	}
	if got := MeanIntervals([][]float64{make([]float64, MinBins-1)}); got != nil {
		t.Errorf("too few bins: got %v", got)
	}
	flat := repeat(40, 7)
	if got := MeanIntervals([][]float64{flat})[0]; !near(got[0], 7) || !near(got[1], 7) {
		t.Errorf("constant series: got %v, want 7 to 7", got)
	}
	// What one series loses the other gains: the total is certain, the parts are not.
	rnd := rand.New(rand.NewPCG(19, 20))
	a, b, both := make([]float64, 100), make([]float64, 100), make([]float64, 100)
	for i := range a {
		a[i] = 5 + rnd.NormFloat64()
		b[i] = 10 - a[i]
		both[i] = a[i] + b[i]
	}
	got := MeanIntervals([][]float64{a, b, both})
	if math.Abs(got[2][1]-got[2][0]) > 1e-9 || got[0][1]-got[0][0] < 0.2 {
		t.Errorf("complementary series: intervals %v", got)
	}
	if diff := cmp.Diff(got, MeanIntervals([][]float64{a, b, both})); diff != "" {
		t.Errorf("second call differs (-first +second):\n%s", diff)
	}
}
