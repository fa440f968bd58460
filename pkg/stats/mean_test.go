package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
)

// series is first-order autoregressive noise of variance 1.
func series(rnd *rand.Rand, n int, rho float64) []float64 {
	x := make([]float64, n)
	v := rnd.NormFloat64()
	for i := range x {
		v = rho*v + math.Sqrt(1-rho*rho)*rnd.NormFloat64()
		x[i] = v
	}
	return x
}

// TestMeanHolds: of 400 series whose noise has a memory of up to a tenth of them, at least 90 % of
// the intervals hold the truth; and of 400 pairs at most 4 % have a p of 1 % or less.
func TestMeanHolds(t *testing.T) {
	const trials = 400
	for _, tt := range []struct {
		n      int
		memory float64
	}{{300, 0}, {300, 3}, {300, 10}, {300, 30}, {50, 0}, {50, 3}, {10, 0}} {
		t.Run(fmt.Sprintf("%d values, memory %v", tt.n, tt.memory), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(17, 18))
			rho := 0.0
			if tt.memory > 0 {
				rho = math.Exp(-1 / tt.memory)
			}
			hold, apart := 0, 0
			for range trials {
				a, _ := MeanOf(series(rnd, tt.n, rho), tt.n)
				b, _ := MeanOf(series(rnd, tt.n, rho), tt.n)
				if v := a.Interval(); v[0] <= 0 && 0 <= v[1] {
					hold++
				}
				if Difference(a, b).P() <= 0.01 {
					apart++
				}
			}
			if hold < trials*90/100 {
				t.Errorf("%d of %d intervals hold the truth", hold, trials)
			}
			if apart > trials*4/100 {
				t.Errorf("%d of %d equal pairs have p <= 0.01", apart, trials)
			}
		})
	}
}

// TestFitMemory: how often noise is taken to last longer than a tenth of the series.
func TestFitMemory(t *testing.T) {
	const n, trials = 300, 400
	for _, tt := range []struct {
		share     float64
		low, high int // percent
	}{{0.01, 0, 1}, {0.05, 0, 12}, {0.2, 55, 85}, {0.5, 80, 100}} {
		rnd := rand.New(rand.NewPCG(19, 20))
		lasting := 0
		for range trials {
			if e, _ := MeanOf(series(rnd, n, math.Exp(-1/(tt.share*n))), n); e.Memory > maxMemory {
				lasting++
			}
		}
		if lasting < trials*tt.low/100 || lasting > trials*tt.high/100 {
			t.Errorf("a memory of %v of the series is taken for too long in %d of %d, want %d to %d %%",
				tt.share, lasting, trials, tt.low, tt.high)
		}
	}
	likely, longest := fitMemory(make([]float64, fittedWaves))
	check.Same(t, "memories of what does not vary", [2]float64{}, [2]float64{likely, longest})
}

// TestEstimate compares with what R's t.test says of Student's sleep data (1908): p = 0.07939, 95 %
// interval -0.2054832 to 3.3654832, at 17.776 degrees of freedom.
func TestEstimate(t *testing.T) {
	e := Difference(Estimate{Mean: 0.75, SE: 1.789010 / math.Sqrt(10), DegreesOfFreedom: 9},
		Estimate{Mean: 2.33, SE: 2.002249 / math.Sqrt(10), DegreesOfFreedom: 9})
	v := e.Interval()
	for _, row := range []struct {
		what      string
		got, want float64
	}{
		{"degrees of freedom", e.DegreesOfFreedom, 17.776}, {"p", e.P(), 0.07939},
		{"above 0", e.Above(0), 0.07939 / 2},
		{"low", v[0], -0.20548}, {"high", v[1], 3.36548},
	} {
		check.Near(t, row.what, row.want, row.got, 1e-4*math.Max(1, math.Abs(row.want)))
	}
	if got := (Estimate{Mean: 1}).Above(0); got != 0 {
		t.Errorf("without an error or degrees of freedom: %v above 0", got)
	}
	if sure := Certain(1, 0); sure.P() != 0 || sure.Above(0) != 0 || sure.Above(2) != 1 ||
		sure.Above(1) != 0.5 {
		t.Errorf("without an error: p %v, above 0 %v, above 2 %v", sure.P(), sure.Above(0),
			sure.Above(2))
	}
}

// TestHolmLevels: a test's p is no more than its level for just those that Holm's method believes.
func TestHolmLevels(t *testing.T) {
	rnd := rand.New(rand.NewPCG(61, 62))
	believed := 0
	for range 2000 {
		p, weights := make([]float64, 1+rnd.IntN(9)), []float64{}
		for i := range p {
			p[i] = rnd.Float64() * rnd.Float64() * 0.1
			weights = append(weights, 0.1+rnd.Float64())
		}
		corrected, levels := Holm(p, weights, 0.05)
		for i := range p {
			if corrected[i] <= 0.05 {
				believed++
			}
			if (p[i] <= levels[i]) != (corrected[i] <= 0.05) {
				t.Fatalf("%v by %v: p %v at the level %v, corrected to %v", p, weights, p[i],
					levels[i], corrected[i])
			}
		}
	}
	if believed < 1000 {
		t.Errorf("%d believed: the test has nothing to go by", believed)
	}
}

func TestHolm(t *testing.T) {
	tests := []struct{ p, weights, want []float64 }{
		{nil, nil, []float64{}},
		{[]float64{0.03}, nil, []float64{0.03}},
		// As R's p.adjust.
		{[]float64{0.01, 0.02, 0.03, 0.04, 0.05}, nil, []float64{0.05, 0.08, 0.09, 0.09, 0.09}},
		{[]float64{0.9, 0.001, 0.5}, nil, []float64{1, 0.003, 1}},
		{[]float64{0.01, 0.01, 0.01}, []float64{1, 1, 0.5}, []float64{0.025, 0.025, 0.025}},
		{[]float64{0.01, 0.001}, []float64{1, 0.25}, []float64{0.01, 0.005}},
	}
	for _, tt := range tests {
		if got, _ := Holm(tt.p, tt.weights, 0.05); !slices.EqualFunc(got, tt.want, near) {
			t.Errorf("Holm(%v, %v) = %v, want %v", tt.p, tt.weights, got, tt.want)
		}
	}
}
