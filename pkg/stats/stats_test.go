package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// near reports whether got is want to 1e-9 of its size, or both are NaN.
func near(got, want float64) bool {
	if math.IsNaN(want) {
		return math.IsNaN(got)
	}
	return math.Abs(got-want) <= 1e-9*max(1, math.Abs(want))
}

func TestRegression(t *testing.T) {
	x := []float64{1, 2, 3, 4, 5, 6, 7}
	y := make([]float64, len(x))
	for i := range x {
		y[i] = 2 + 3*x[i]
	}
	for name, fit := range map[string]func(x, y []float64) (Line, bool){"OLS": OLS,
		"TheilSen": TheilSen} {
		if got, ok := fit(x, y); !ok || !near(got.Slope, 3) || !near(got.Intercept, 2) {
			t.Errorf("%s of a line: got %v, %v", name, got, ok)
		}
		for _, flat := range [][]float64{nil, {1}, {4, 4, 4}} {
			if got, ok := fit(flat, flat); ok {
				t.Errorf("%s of %v: got %v, want none", name, flat, got)
			}
		}
	}
	y[1], y[5] = 400, -900 // wild points
	if got, _ := TheilSen(x, y); !near(got.Slope, 3) {
		t.Errorf("TheilSen with wild points: slope %v, want 3", got.Slope)
	}
}

func TestTheilSenOfMany(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	n := 20_000
	x, y := make([]float64, n), make([]float64, n)
	for i := range x {
		x[i] = rnd.Float64()
		y[i] = 1 + 2*x[i] + rnd.NormFloat64()*0.1
	}
	first, ok := TheilSen(x, y)
	if again, _ := TheilSen(x, y); !ok || again != first {
		t.Errorf("two fits differ: %v, %v", first, again)
	}
	if math.Abs(first.Slope-2) > 0.01 || math.Abs(first.Intercept-1) > 0.01 {
		t.Errorf("got %v, want slope 2 and intercept 1 within 0.01", first)
	}
}

func TestMedian(t *testing.T) {
	rnd := rand.New(rand.NewPCG(25, 26))
	for trial := range 2000 {
		x := make([]float64, rnd.IntN(50))
		for i := range x {
			x[i] = math.Round(rnd.NormFloat64() * 10)
		}
		switch trial % 3 {
		case 1:
			slices.Sort(x)
		case 2:
			slices.Sort(x)
			slices.Reverse(x)
		}
		before := slices.Clone(x)
		got := Median(x)
		if want := Quantile(slices.Sorted(slices.Values(x)), 0.5); !near(got, want) {
			t.Fatalf("median of %v: got %v, want %v", x, got, want)
		}
		if !slices.Equal(x, before) {
			t.Fatalf("Median changed %v to %v", before, x)
		}
	}
}
