package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// scanOf is a scan of values of spread 1, with sizes drawn in order, that any cut with five values on either side may part.
func scanOf(values []float64) StepScan {
	n := len(values)
	s := StepScan{Values: values, Effect: make([]float64, n), Smooth: [][]float64{make([]float64, n)}, Order: make([]int, n)}
	for i := range n {
		s.Effect[i], s.Smooth[0][i], s.Order[i] = 1, 1, i
	}
	s.Cut = func(i int) bool { return i >= 5 && n-i >= 5 }
	return s
}

func TestStepScanFinds(t *testing.T) {
	rnd := rand.New(rand.NewPCG(13, 14))
	found := 0
	for range 50 {
		y := make([]float64, 120)
		for i := range y {
			y[i] = rnd.NormFloat64()
			if i >= 35 {
				y[i] -= 2.5
			}
		}
		if cut, p := scanOf(NormalScores(y)).Find(); p <= 1e-6 && math.Abs(float64(cut)-35) <= 2 {
			found++
		}
	}
	if found < 45 {
		t.Errorf("a step of 2.5 deviations found within 2 values in %d of 50 samples, want 45", found)
	}
}

// TestStepScanOfNothing: p must be small no more often than it says, also if neighbours in time go together and the
// blocks are that long.
func TestStepScanOfNothing(t *testing.T) {
	rnd := rand.New(rand.NewPCG(15, 16))
	const trials = 400
	for _, tt := range []struct {
		memory float64
		block  int
	}{{0, 1}, {0.5, 6}} {
		small := 0
		for range trials {
			y := make([]float64, 80)
			last := rnd.NormFloat64()
			for i := range y {
				last = tt.memory*last + math.Sqrt(1-tt.memory*tt.memory)*rnd.NormFloat64()
				y[i] = last
			}
			scan := scanOf(y)
			scan.Block = tt.block
			if _, p := scan.Find(); p <= 0.05 {
				small++
			}
		}
		if small > trials*10/100 {
			t.Errorf("memory %v: p <= 0.05 in %d of %d samples without a step, want about 20", tt.memory, small, trials)
		}
	}
}

func TestStepScanBendIsNoStep(t *testing.T) {
	rnd := rand.New(rand.NewPCG(17, 18))
	y, line := make([]float64, 100), make([]float64, 100)
	for i := range y {
		line[i] = float64(i)
		y[i] = 0.05*line[i] + rnd.NormFloat64()
	}
	scan := scanOf(y)
	if _, p := scan.Find(); p > 0.001 {
		t.Errorf("a line, taken for a step: p %v, want small", p)
	}
	scan.Smooth = append(scan.Smooth, line)
	if _, p := scan.Find(); p < 0.01 {
		t.Errorf("a line, with lines taken out: p %v, want none", p)
	}
}

func TestStepScanWithoutPlace(t *testing.T) {
	scan := scanOf([]float64{1, 1, 1, 1, 1, 5, 5, 5, 5})
	if cut, p := scan.Find(); cut != 0 || p != 1 {
		t.Errorf("cut %d, p %v, want none", cut, p)
	}
}

func TestStepScanOfOnePlace(t *testing.T) {
	scan := scanOf([]float64{-1, -1.1, -0.9, -1, -1, 1, 1.1, 0.9, 1, 1})
	if cut, p := scan.Find(); cut != 5 || p > 0.05 {
		t.Errorf("cut %d, p %v, want 5 and a small one", cut, p)
	}
}
