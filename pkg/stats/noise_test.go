package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
)

// wander is a sequence with a known noise.
func wander(rnd *rand.Rand, steps int, n Noise) []float64 {
	x := make([]float64, steps)
	rho := math.Exp(-1 / n.Memory)
	v := rnd.NormFloat64()
	for i := range x {
		v = rho*v + math.Sqrt(1-rho*rho)*rnd.NormFloat64()
		x[i] = math.Sqrt(n.Sill)*v + math.Sqrt(n.Nugget)*rnd.NormFloat64()
	}
	return x
}

// TestNoiseVariance holds the variance of means and of their differences to the exact sums over the covariances.
func TestNoiseVariance(t *testing.T) {
	n := Noise{Nugget: 0.5, Sill: 2, Memory: 15}
	covariance := func(i, j int) float64 {
		c := n.Sill * math.Exp(-math.Abs(float64(i-j))/n.Memory)
		if i == j {
			c += n.Nugget
		}
		return c
	}
	for _, steps := range [][2]int{{10, 10}, {30, 80}, {300, 40}} {
		a, b := steps[0], steps[1]
		var meanA, difference float64
		for i := range a + b {
			for j := range a + b {
				weight := func(k int) float64 {
					if k < a {
						return 1 / float64(a)
					}
					return -1 / float64(b)
				}
				c := covariance(i, j) * weight(i) * weight(j)
				difference += c
				if i < a && j < a {
					meanA += c
				}
			}
		}
		check.Near(t, fmt.Sprintf("variance of the mean of %d", a), meanA, n.MeanVariance(a), 0.02*meanA)
		check.Near(t, fmt.Sprintf("variance of the difference of %d and %d", a, b), difference, n.DifferenceVariance(a, b), 0.03*difference)
	}
}

// TestEstimateNoise: over many sequences, in one stretch or in several at levels of their own, the variance of a mean
// comes out about right, and steps between the stretches count for nothing.
func TestEstimateNoise(t *testing.T) {
	for _, truth := range []Noise{{Nugget: 1, Memory: 1}, {Sill: 1, Memory: 5}, {Nugget: 0.2, Sill: 1, Memory: 10}} {
		for _, stretches := range []int{1, 3} {
			t.Run(fmt.Sprintf("%+v, %d stretches", truth, stretches), func(t *testing.T) {
				rnd := rand.New(rand.NewPCG(61, uint64(stretches)))
				var ratios []float64
				for range 200 {
					var in [][]float64
					for k := range stretches {
						x := wander(rnd, 600/stretches, truth)
						for i := range x {
							x[i] += 50 * float64(k)
						}
						in = append(in, x)
					}
					ratios = append(ratios, EstimateNoise(in).MeanVariance(100)/truth.MeanVariance(100))
				}
				if m := Median(ratios); m < 0.75 || m > 1.3 {
					t.Errorf("median of the variance estimated over the true one: %.2f", m)
				}
			})
		}
	}
}

// TestNoiseOfLittle: what shows no noise has none.
func TestNoiseOfLittle(t *testing.T) {
	for _, in := range [][][]float64{nil, {{1}}, {{1, 1, 1, 1}}, {{1, 2}, {3}}} {
		if n := EstimateNoise(in); math.IsNaN(n.MeanVariance(10)) || n.MeanVariance(10) < 0 {
			t.Errorf("%v: %+v", in, n)
		}
	}
}

// TestFisher: two tests of 5 % come together to the chance that Fisher's method has for their product, p (1 - ln p).
func TestFisher(t *testing.T) {
	for _, p := range []float64{0.05, 0.3, 1e-4} {
		if got, want := Fisher([]float64{p, p}), p*p*(1-2*math.Log(p)); math.Abs(got/want-1) > 1e-9 {
			t.Errorf("twice %g: %g, want %g", p, got, want)
		}
		check.Near(t, fmt.Sprintf("%g alone", p), p, Fisher([]float64{p}), 1e-9*p)
	}
}
