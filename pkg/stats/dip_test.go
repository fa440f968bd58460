package stats

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestDip(t *testing.T) {
	tests := []struct {
		name string
		x    []float64
		want float64
	}{
		{"none", nil, 0},
		{"one", []float64{5}, 0.5},
		{"even steps", []float64{0, 3, 6, 9}, 0.125},
		{"all equal", []float64{2, 2, 2, 2, 2}, 0.1},
		{"two points of equal weight", []float64{0, 0, 0, 0, 1, 1, 1, 1}, 0.25},
	}
	for _, tt := range tests {
		if got := Dip(tt.x); !near(got, tt.want) {
			t.Errorf("%s: dip %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestDipP(t *testing.T) {
	tests := []struct {
		d         float64
		n         int
		low, high float64
	}{
		{0.0512, 100, 0.045, 0.055},
		{0.03, 100, 0.5, 1},
		{0.1, 100, 1e-9, 1e-6},
		{0.0512, 150, 0.001, 0.02},
		{0.0075, 20_000, 1e-8, 1e-5},
		{0.25, 4, 1, 1},
	}
	for _, tt := range tests {
		if got := DipP(tt.d, tt.n); got < tt.low || got > tt.high {
			t.Errorf("DipP(%v, %d) = %v, want %v to %v", tt.d, tt.n, got, tt.low, tt.high)
		}
	}
}

// TestDipOfOneMode: a normal sample is further from two modes than a uniform one, so hardly any is taken for bimodal.
func TestDipOfOneMode(t *testing.T) {
	rnd := rand.New(rand.NewPCG(11, 12))
	wrong := 0
	for range 400 {
		x := make([]float64, 100)
		for i := range x {
			x[i] = rnd.NormFloat64()
		}
		slices.Sort(x)
		if DipP(Dip(x), len(x)) < 0.05 {
			wrong++
		}
	}
	if wrong > 8 {
		t.Errorf("%d of 400 normal samples taken for bimodal, want at most 8", wrong)
	}
}
