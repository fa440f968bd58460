package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

func anywhere(int) bool { return true }

func TestRankShift(t *testing.T) {
	rnd := rand.New(rand.NewPCG(13, 14))
	found := 0
	for range 50 {
		y := make([]float64, 120)
		for i := range y {
			y[i] = 2.9 + rnd.NormFloat64()*0.15
			if i >= 35 {
				y[i] -= 0.4
			}
		}
		if cut, p := RankShift(y, 5, anywhere); p <= 0.01 && math.Abs(float64(cut)-35) <= 2 {
			found++
		}
	}
	if found < 45 {
		t.Errorf("a shift of 2.7 deviations found within 2 values in %d of 50 samples, want 45", found)
	}
}

// TestRankShiftOfNothing: p must be small no more often than it says, also where neighbours are tied.
func TestRankShiftOfNothing(t *testing.T) {
	rnd := rand.New(rand.NewPCG(15, 16))
	const trials = 400
	small := 0
	for range trials {
		y := make([]float64, 60)
		for i := range y {
			y[i] = math.Round(rnd.NormFloat64() * 2)
		}
		if _, p := RankShift(y, 5, anywhere); p <= 0.05 {
			small++
		}
	}
	if small > trials*8/100 {
		t.Errorf("p <= 0.05 in %d of %d samples without a shift, want about 20", small, trials)
	}
}

func TestRankShiftCuts(t *testing.T) {
	y := []float64{1, 1, 1, 1, 1, 5, 5, 5, 5, 5}
	tests := []struct {
		name    string
		y       []float64
		minLen  int
		allowed func(int) bool
		cut     int
	}{
		{"free", y, 2, anywhere, 5},
		{"elsewhere only", y, 2, func(i int) bool { return i == 3 || i == 7 }, 3},
		{"none allowed", y, 2, func(int) bool { return false }, 0},
		{"too short", y, 6, anywhere, 0},
		{"empty", nil, 2, anywhere, 0},
	}
	for _, tt := range tests {
		cut, p := RankShift(tt.y, tt.minLen, tt.allowed)
		if cut != tt.cut || (cut == 0) != (p == 1) {
			t.Errorf("%s: cut %d with p %v, want cut %d", tt.name, cut, p, tt.cut)
		}
	}
	if _, p := RankShift([]float64{3, 3, 3, 3, 3, 3}, 1, anywhere); p != 1 {
		t.Errorf("all equal: p %v, want 1", p)
	}
}
