package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
)

// wandering are rates with a memory, in values.
func wandering(n int, memory float64) []float64 {
	rates := series(rand.New(rand.NewPCG(3, 4)), n, math.Exp(-1/memory))
	for i := range rates {
		rates[i] += 100
	}
	return rates
}

func TestDoubt(t *testing.T) {
	flow := func(rates []float64, known, items int) Flow {
		return Flow{Rates: rates, Known: known, Spread: Spread{Items: items}}
	}
	apart := flow(wandering(100, 50), 100, 3)
	apart.Spread.SE, apart.Spread.DegreesOfFreedom = 1, 2
	for _, tt := range []struct {
		what string
		f    Flow
		want Doubt
	}{
		{"enough", flow(make([]float64, 8), 8, 3), NoDoubt},
		{"7 rates", flow(make([]float64, 7), 8, 3), TooShort},
		{"7 known", flow(make([]float64, 8), 7, 3), TooShort},
		{"2 items", flow(make([]float64, 8), 8, 2), TooFew},
		{"7 rates of 2 items", flow(make([]float64, 7), 8, 2), TooShort},
		{"a short memory", flow(wandering(300, 3), 300, 3), NoDoubt},
		{"a long memory", flow(wandering(100, 50), 100, 3), TooSlow},
		{"a long memory of files that differ as much", apart, NoDoubt},
	} {
		_, doubt := tt.f.Estimate()
		check.Same(t, tt.what, tt.want, doubt)
	}
}
