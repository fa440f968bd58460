package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/hubbench/hubbench/internal/test/check"
)

// leftOver is the sum of squares of y that the columns do not explain, by elimination on the normal equations.
func leftOver(y []float64, columns [][]float64) float64 {
	y = slices.Clone(y)
	var done [][]float64
	for _, c := range columns {
		c = slices.Clone(c)
		dot := func(a, b []float64) (sum float64) {
			for i := range a {
				sum += a[i] * b[i]
			}
			return sum
		}
		take := func(from, by []float64) {
			share := dot(from, by) / dot(by, by)
			for i := range from {
				from[i] -= share * by[i]
			}
		}
		for _, d := range done {
			take(c, d)
		}
		take(y, c)
		done = append(done, c)
	}
	return Mean(squared(y)) * float64(len(y))
}

func squared(x []float64) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = v * v
	}
	return out
}

// TestStepScanIsLeastSquares: the cut is the one whose step explains most, found by fitting each; except for those that a line and a
// constant leave too little of.
func TestStepScanIsLeastSquares(t *testing.T) {
	rnd := rand.New(rand.NewPCG(35, 36))
	for trial := range 60 {
		n := 12 + rnd.IntN(20)
		s := StepScan{Block: 1, Order: rnd.Perm(n), Smooth: [][]float64{make([]float64, n), make([]float64, n), make([]float64, n)}}
		for i := range n {
			s.Values = append(s.Values, rnd.NormFloat64())
			s.Effect = append(s.Effect, 0.2+rnd.Float64())
			s.Smooth[0][i], s.Smooth[1][i], s.Smooth[2][i] = 1, float64(i), 2 // the last says what the first does
		}
		if trial%3 == 0 {
			s.Values[0] += 9 // a step before all others but one
		}
		only := 1 + rnd.IntN(3)
		s.Cut = func(i int) bool { return i%only == 0 }
		clearest := func(values []float64) (best float64, at int) {
			for cut := 1; cut < n; cut++ {
				step := make([]float64, n)
				copy(step[cut:], s.Effect[cut:])
				apart := leftOver(step, s.Smooth[:1])
				if !s.Cut(cut) || leftOver(step, s.Smooth[:2]) <= minLeft*apart {
					continue
				}
				if gain := leftOver(values, s.Smooth[:2]) - leftOver(values, [][]float64{s.Smooth[0], s.Smooth[1], step}); gain > best {
					best, at = gain, cut
				}
			}
			return best, at
		}
		gain, want := clearest(s.Values)
		got, p := s.Find()
		if got != want {
			t.Errorf("trial %d: cut at %d, least squares at %d", trial, got, want)
		}
		if trial >= 5 {
			continue
		}
		// The surrogates are of what the line leaves, and that varies less than what it was drawn from.
		rest := slices.Clone(s.Values)
		for _, q := range orthonormal(s.Smooth) {
			floats.AddScaled(rest, -floats.Dot(q, rest), q)
		}
		check.Near(t, fmt.Sprintf("trial %d: p", trial), s.chance(rest, gain*float64(n-2)/float64(n), clearest), p, 1e-9)
	}
}

// TestStepChance: p by hand for surrogates whose statistics are given: 0.001, 0.002 ... 0.999 in some order.
func TestStepChance(t *testing.T) {
	rnd := rand.New(rand.NewPCG(37, 38))
	s := StepScan{Order: []int{0, 1, 2}}
	for _, tt := range []struct {
		name  string
		found float64
		want  float64
	}{
		// 50 are above 0.949, by 0.0255 on average: beyond, p falls by e for each 0.0255.
		{"above all", 1.2, 0.05 * math.Exp(-(1200-949)/25.5)},
		{"at the tail's foot", 0.949, 0}, // more than 19 are as clear: p is known before all are drawn
		{"in the tail", 0.985, 0.05 * math.Exp(-(985-949)/25.5)},
	} {
		order := rnd.Perm(stepDraws)
		drawn, asClear := 0, 0
		got := s.chance([]float64{5, 6, 7}, tt.found, func([]float64) (float64, int) {
			z := float64(order[drawn]+1) / 1000
			drawn++
			if z >= tt.found {
				asClear++
			}
			return z, 0
		})
		if tt.want == 0 {
			tt.want = 20 / float64(drawn)
			if asClear != 20 {
				t.Errorf("%s: drawing stopped after %d as clear", tt.name, asClear)
			}
		} else if drawn != 999 {
			t.Errorf("%s: %d drawn", tt.name, drawn)
		}
		check.Near(t, tt.name, tt.want, got, 1e-12)
	}
	// If the highest are all alike, there is no tail to go by.
	flat := func(z float64) func([]float64) (float64, int) {
		return func([]float64) (float64, int) { return z, 0 }
	}
	check.Near(t, "above what does not vary", 0.001, s.chance([]float64{5, 6, 7}, 2, flat(1)), 1e-12)
	check.Near(t, "as all", 1, s.chance([]float64{5, 6, 7}, 1, flat(1)), 1e-12)
	// Ten of a thousand lie above the rest, and what was found between: they, and the sample, are eleven.
	k := 0
	check.Near(t, "below the few", 0.05*math.Exp(-(0.5)/(float64(9*9+41)/50-1)), s.chance([]float64{5, 6, 7}, 1.5, func([]float64) (float64, int) {
		if k++; k%100 == 0 {
			return 9, 0
		}
		return 1, 0
	}), 1e-12)
}

// levels are values that alternate by 1 % about each level for that long.
func levels(steps ...[2]float64) []float64 {
	var x []float64
	for _, s := range steps {
		for i := range int(s[0]) {
			x = append(x, s[1]*(1+0.01*math.Sin(float64(i*i))))
		}
	}
	return x
}

func TestStepsOfSeveral(t *testing.T) {
	for _, tt := range []struct {
		name   string
		x      []float64
		minLen int
		known  int // of 100; negative: of all values
		want   []int
	}{
		{"down, up and down", levels([2]float64{60, 4}, [2]float64{50, 2}, [2]float64{70, 3}, [2]float64{90, 1}), 20, 100, []int{60, 110, 180}},
		{"a step below the ratio", levels([2]float64{60, 3}, [2]float64{60, 2.4}), 20, 100, nil},
		{"and above it", levels([2]float64{60, 3}, [2]float64{60, 2.2}), 20, 100, []int{60}},
		{"upwards", levels([2]float64{60, 2.2}, [2]float64{60, 3}), 20, 100, []int{60}},
		{"a stretch too short", levels([2]float64{60, 3}, [2]float64{15, 1}), 20, 100, []int{55}},
		{"too little known", levels([2]float64{60, 3}, [2]float64{60, 1}), 20, 11, nil},
		// 35 of 180 are known: the difference of 40 and 40 is estimated from 7 of each, which are too few.
		{"too little known of the second", levels([2]float64{100, 4}, [2]float64{40, 2}, [2]float64{40, 1}), 20, -35, []int{100}},
		{"just enough", levels([2]float64{100, 4}, [2]float64{40, 2}, [2]float64{40, 1}), 20, -36, []int{100, 140}},
		{"too little known of the first", levels([2]float64{40, 1}, [2]float64{40, 2}, [2]float64{100, 4}), 20, -35, []int{80}},
		{"just enough of that", levels([2]float64{40, 1}, [2]float64{40, 2}, [2]float64{100, 4}), 20, -36, []int{40, 80}},
		{"to nothing", levels([2]float64{60, 3}, [2]float64{60, 0}), 20, 100, nil},
		{"from nothing", levels([2]float64{60, 0}, [2]float64{60, 3}), 20, 100, nil},
		{"too few values", levels([2]float64{9, 3}, [2]float64{9, 1}), 10, 100, nil},
	} {
		known := len(tt.x) * tt.known / 100
		if tt.known < 0 {
			known = -tt.known
		}
		check.Same(t, tt.name, tt.want, Steps(tt.x, tt.minLen, known, 1.3))
	}
}
