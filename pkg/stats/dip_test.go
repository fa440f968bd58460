package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
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

// TestDipOfOneMode: a normal sample is further from two modes than a uniform one, so hardly any is called bimodal.
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

// TestDipPBetween: at a quantile of the table p is its own; between two it lies as far between theirs, and beyond the last its
// logarithm falls with the square of the dip.
func TestDipPBetween(t *testing.T) {
	row := func(n int, quantile float64) float64 { return quantile / math.Sqrt(float64(n)) }
	between := func(low, high float64) float64 { return low + math.Log(1.5)/math.Log(2)*(high-low) } // 150 of 100 and 200
	for _, tt := range []struct {
		n    int
		d    float64
		want float64
	}{
		{5, row(5, 0.4164), 0.05},
		{10, row(10, 0.4418), 0.05},
		{20, row(20, 0.4704), 0.05},
		{50, row(50, 0.4962), 0.05},
		{200, row(200, 0.5213), 0.05},
		{500, row(500, 0.5299), 0.05},
		{1000, row(1000, 0.5358), 0.05},
		{2000, row(2000, 0.5384), 0.05},
		{100, row(100, 0.5117), 0.05},
		{100, row(100, (0.5117+0.5578)/2), 0.035},
		{150, row(150, between(0.5117, 0.5213)), 0.05},
		{5000, row(5000, 0.3759), 0.5},
		{20_000, row(20_000, 0.5437), 0.05},
		{100, row(100, 0.6899), 0.001},
		{100, row(100, math.Sqrt(2*0.6899*0.6899-0.5905*0.5905)), 0.0001},
		{4, row(4, 0.4), 1},
		{100, 0, 1},
	} {
		check.Near(t, "p", tt.want, DipP(tt.d, tt.n), 1e-9)
	}
}
