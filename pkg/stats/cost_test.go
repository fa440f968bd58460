package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
)

func TestFitCost(t *testing.T) {
	rnd := rand.New(rand.NewPCG(19, 20))
	for _, want := range []CostLine{{0, 2e9}, {0.2, 1e9}, {0.001, 1e9}} {
		var size, time []float64
		for i := range 200 {
			b := 2e6 + rnd.Float64()*2e9
			noise := math.Exp(0.05 * rnd.NormFloat64())
			if i%10 == 0 {
				noise = 5 // a tenth are wild
			}
			size, time = append(size, b), append(time, want.Cost+b/want.Rate*noise)
		}
		got, ok := FitCost(size, time)
		if !ok || math.Abs(got.Cost-want.Cost) > 0.01 || math.Abs(got.Rate/want.Rate-1) > 0.03 {
			t.Errorf("got %+v, %v, want %+v", got, ok, want)
		}
	}
	if _, ok := FitCost(nil, nil); ok {
		t.Error("a fit of nothing")
	}
}

// TestRefined: the logarithms are 0, 0.1 and 0.3, the last drawn in to 1.5 deviations of 0.14826; the rate decides half of each time.
func TestRefined(t *testing.T) {
	const far = 1.5 * 1.4826 * 0.1
	size := []float64{10, 10, 10}
	for _, sign := range []float64{1, -1} {
		time := []float64{2, 2 * math.Exp(sign*0.1), 2 * math.Exp(sign*0.3)}
		check.Near(t, "the rate", 10*math.Exp(-sign*0.5*(0.1+far)/0.75), refined(size, time, CostLine{1, 10}), 1e-9)
	}
	check.Near(t, "of unlike sizes", 10*math.Exp(-0.1*(0.5+0.75)/(0.25+0.5625)), refined([]float64{10, 30}, []float64{2 * math.Exp(0.1), 4 * math.Exp(0.1)}, CostLine{1, 10}), 1e-9)
	// A fit's rate is refined so: about the middle one, the logarithms are -0.1, 0 and 0.2.
	fit, _ := FitCost(size, []float64{1, math.Exp(0.1), math.Exp(0.3)})
	check.Near(t, "a fit's rate", 10*math.Exp(-0.1-0.1/3), fit.Rate, 1e-9)
	check.Same(t, "if no time depends on it the rate is", 10.0, refined([]float64{0}, []float64{2}, CostLine{1, 10}))
}

// costed draws sizes in order, and what they take: a cost, and a second for 2 below a cut and for 0.5 above.
func costed(rnd *rand.Rand, n, cut int, cost, noise float64) (size, time []float64) {
	for i := range n {
		s, rate := 1+float64(i)+rnd.Float64(), 2.0
		if i >= cut {
			rate = 0.5
		}
		size, time = append(size, s), append(time, (cost+s/rate)*math.Exp(noise*rnd.NormFloat64()))
	}
	return size, time
}

// TestFitCostIsMinimal compares with a fine search: no cost serves much better than the one found, none at all among them, which
// the Schwarz criterion favours.
func TestFitCostIsMinimal(t *testing.T) {
	rnd := rand.New(rand.NewPCG(31, 32))
	none := 0
	for trial := range 300 {
		n := 8 + rnd.IntN(20)
		size, time := costed(rnd, n, n, 3*rnd.Float64()*float64(trial%3), 0.2)
		loss := func(cost float64) float64 {
			rate, ok := rateAbove(size, time, cost)
			if !ok {
				return math.Inf(1)
			}
			l := costLoss(size, time, CostLine{cost, rate})
			if cost == 0 {
				l /= math.Pow(float64(n), 0.5/float64(n))
			}
			return l
		}
		got, ok := FitCost(size, time)
		if !ok {
			t.Fatalf("trial %d: no fit", trial)
		}
		if got.Cost == 0 {
			none++
		}
		lowest, top := loss(0), Median(time)
		for k := range 1000 {
			lowest = min(lowest, loss(top*float64(k+1)/1000))
		}
		if l := loss(got.Cost); l > 1.04*lowest {
			t.Errorf("trial %d: a cost of %v leaves %v, the least is %v", trial, got.Cost, l, lowest)
		}
	}
	if none < 50 || none > 200 {
		t.Errorf("no cost in %d of 300", none)
	}
}

func TestFitCostStep(t *testing.T) {
	rnd := rand.New(rand.NewPCG(33, 34))
	for _, cost := range []float64{0, 1.5} {
		size, time := costed(rnd, 40, 25, cost, 0)
		below, above, ok := FitCostStep(size, time, 25)
		if !ok || below.Cost != above.Cost {
			t.Fatalf("%+v, %+v, %v", below, above, ok)
		}
		check.Near(t, "cost", cost, below.Cost, 0.02*cost)
		check.Near(t, "rate below", 2, below.Rate, 0.02*cost)
		check.Near(t, "rate above", 0.5, above.Rate, 0.005*cost)
	}
	size, time := costed(rnd, 10, 0, 0, 0)
	if _, _, ok := FitCostStep(size, time, 0); ok {
		t.Error("a rate below the first")
	}
}
