package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// sequences are noise of n values around zero, in which neighbours go together as their name says.
func sequences() []struct {
	name  string
	n     int
	noise func(*rand.Rand) func() float64
} {
	wave := func(memory float64) func(*rand.Rand) func() float64 {
		return func(rnd *rand.Rand) func() float64 {
			rho := 0.0
			if memory > 0 {
				rho = math.Exp(-1 / memory)
			}
			v := rnd.NormFloat64()
			return func() float64 {
				v = rho*v + math.Sqrt(1-rho*rho)*rnd.NormFloat64()
				return v
			}
		}
	}
	return []struct {
		name  string
		n     int
		noise func(*rand.Rand) func() float64
	}{
		{"8 independent values", 8, wave(0)},
		{"50 independent values", 50, wave(0)},
		{"50 values, memory of 1.5", 50, wave(1.5)},
		{"600 values, memory of 2", 600, wave(2)},
		{"600 values, memory of 14", 600, wave(14)},
		{"600 values, memory of 30", 600, wave(30)},
		{"a slow wave under fast noise", 600, func(rnd *rand.Rand) func() float64 {
			fast, slow := wave(0)(rnd), wave(30)(rnd)
			return func() float64 { return fast() + 0.2*slow() }
		}},
	}
}

// TestDifferenceLevel: of two sequences with the same mean, a twentieth may be told apart at 0.05. It comes to 4 % where
// neighbours are independent, and to 7 % where a slow wave hides under fast noise; a plain t-test comes to 30 or 80 %.
func TestDifferenceLevel(t *testing.T) {
	const trials = 1500
	for _, tt := range sequences() {
		rnd := rand.New(rand.NewPCG(7, uint64(tt.n)))
		draw := func() []float64 {
			x, next := make([]float64, tt.n), tt.noise(rnd)
			for i := range x {
				x[i] = next()
			}
			return x
		}
		apart, paired := 0, 0
		for range trials {
			a, b := draw(), draw()
			if d, _ := Difference(a, b, 0.2); d.Worth >= 5 && d.P() <= 0.05 {
				apart++
			}
			if d, _ := PairedDifference(a, b, 0.2); d.Worth >= 5 && d.P() <= 0.05 {
				paired++
			}
		}
		if limit := trials * 8 / 100; apart > limit || paired > limit {
			t.Errorf("%s: of %d equal pairs, %d were told apart, %d as twins; want at most %d", tt.name, trials, apart, paired, limit)
		}
		if least := trials * 2 / 100; tt.name == "50 independent values" && (apart < least || paired < least) {
			t.Errorf("%s: only %d and %d of %d equal pairs told apart: no power is left", tt.name, apart, paired, trials)
		}
	}
}

func TestDifference(t *testing.T) {
	if _, ok := Difference(repeat(20, 1), make([]float64, MinBlocks-1), 0); ok {
		t.Error("a difference from too few values")
	}
	if _, ok := PairedDifference(make([]float64, MinBlocks-1), make([]float64, MinBlocks-1), 0); ok {
		t.Error("a paired difference from too few values")
	}
	// Neighbours on opposite sides have nothing in common, so the error is that of plain or trimmed means.
	x := []float64{3, 11, 4, 12, 5, 13, 6, 14, 2, 40}
	y := []float64{13, 1, 14, 2, 15, 3, 16, 4, 12, 0}
	winsorized := []float64{4, 11, 4, 12, 5, 13, 6, 13, 4, 13}
	error2 := func(x []float64, by float64) float64 { return math.Pow(Summarize(x).SD/by, 2) / float64(len(x)) }
	tests := []struct {
		name           string
		a, b           []float64
		cut            float64
		mean, se, free float64
	}{
		{"plain", x, repeat(10, 1), 0, -10, math.Sqrt(error2(x, 1)), 9},
		{"trimmed", repeat(10, 8), x, 0.2, 0.5, math.Sqrt(error2(winsorized, 0.6)), 5},
		{"two of like error", x, x, 0, 0, math.Sqrt(2 * error2(x, 1)), 18},
		{"two of unlike error", x, y, 0, -3, math.Sqrt(error2(x, 1) + error2(y, 1)), 14.516},
		{"flat", repeat(30, 7), repeat(30, 8), 0.2, 1, 0, 34},
	}
	for _, tt := range tests {
		d, _ := Difference(tt.a, tt.b, tt.cut)
		if !near(d.Mean, tt.mean) || !near(d.SE, tt.se) || math.Abs(d.Free-tt.free) > 1e-3 {
			t.Errorf("%s: got %+v, want mean %v, error %v, %v degrees of freedom", tt.name, d, tt.mean, tt.se, tt.free)
		}
	}
	// Twins share what varies between the pairs.
	for i := range x {
		y[i] = x[i] + 1 + 0.3*float64(i%2)
	}
	if d, _ := PairedDifference(x, y, 0); !near(d.Mean, 1.15) || !near(d.SE, 0.05) || !near(d.Free, 9) {
		t.Errorf("twins: got %+v, want mean 1.15, error 0.05, 9 degrees of freedom", d)
	}
	// A thousand values that climb are one event, not a thousand.
	climb := make([]float64, 1000)
	for i := range climb {
		climb[i] = float64(i)
	}
	if d, _ := Difference(climb, repeat(1000, 0), 0); d.Worth > 3 {
		t.Errorf("climb: got %+v, want the worth of 3 blocks at most", d)
	}
}

// TestEstimate compares with what R's t.test says of Student's sleep data (1908): p = 0.07939, 95 % interval
// -0.2054832 to 3.3654832, at 17.776 degrees of freedom.
func TestEstimate(t *testing.T) {
	e := Estimate{Mean: 1.58, SE: math.Sqrt((1.789010*1.789010 + 2.002249*2.002249) / 10), Free: 17.776}
	ci := e.Interval()
	for _, check := range []struct {
		what      string
		got, want float64
	}{{"p", e.P(), 0.07939}, {"low", ci[0], -0.20548}, {"high", ci[1], 3.36548}} {
		if math.Abs(check.got-check.want) > 1e-4*math.Max(1, math.Abs(check.want)) {
			t.Errorf("%s = %v, want %v", check.what, check.got, check.want)
		}
	}
	if got := (Estimate{Free: 5}).P(); got != 1 {
		t.Errorf("no difference and no error: p = %v, want 1", got)
	}
	if got := (Estimate{Mean: 1, Free: 5}).P(); got != 0 {
		t.Errorf("a difference without error: p = %v, want 0", got)
	}
}

func TestHolm(t *testing.T) {
	tests := []struct{ p, want []float64 }{
		{nil, []float64{}},
		{[]float64{0.03}, []float64{0.03}},
		{[]float64{0.01, 0.02, 0.03, 0.04, 0.05}, []float64{0.05, 0.08, 0.09, 0.09, 0.09}}, // as R's p.adjust
		{[]float64{0.9, 0.001, 0.5}, []float64{1, 0.003, 1}},
	}
	for _, tt := range tests {
		if got := Holm(tt.p); !slices.EqualFunc(got, tt.want, near) {
			t.Errorf("Holm(%v) = %v, want %v", tt.p, got, tt.want)
		}
	}
}
