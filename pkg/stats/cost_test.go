package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestFitCost(t *testing.T) {
	rnd := rand.New(rand.NewPCG(19, 20))
	for _, want := range []Line{{0, 1 / 2e9}, {0.2, 1 / 1e9}, {0.001, 1 / 1e9}} {
		var size, time []float64
		for i := range 200 {
			b := 2e6 + rnd.Float64()*2e9
			noise := math.Exp(0.05 * rnd.NormFloat64())
			if i%10 == 0 {
				noise = 5 // a tenth are wild
			}
			size, time = append(size, b), append(time, want.Intercept+b*want.Slope*noise)
		}
		got, ok := FitCost(size, time)
		off := math.Abs(want.Slope/got.Slope - 1)
		if !ok || math.Abs(got.Intercept-want.Intercept) > 0.01 || off > 0.03 {
			t.Errorf("got %+v, %v, want %+v", got, ok, want)
		}
	}
	if _, ok := FitCost(nil, nil); ok {
		t.Error("a fit of nothing")
	}
}
