package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
)

// TestCostsOfLargeValues: a mean a billion times as large as the differences must not drown them.
func TestCostsOfLargeValues(t *testing.T) {
	errorOf := squaredErrors([]float64{1e9, 1e9 + 1, 1e9 + 1, 1e9 + 3})
	// Their mean is 1e9 + 1.25.
	if got, want := errorOf(0, 4), 4.75; math.Abs(got-want) > 1e-6 {
		t.Errorf("cost %v, want %v", got, want)
	}
}

// TestSplitIsOptimal compares the cost with that of every cut.
func TestSplitIsOptimal(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	for range 500 {
		x := make([]float64, rnd.IntN(40))
		for i := range x {
			x[i] = 1e3 + float64(rnd.IntN(9))
		}
		minLen := 1 + rnd.IntN(5)
		at := Split(x, minLen)
		if len(x) < 2*minLen {
			if at != 0 {
				t.Fatalf("%d values cut at %d, into parts of %d or more", len(x), at, minLen)
			}
			continue
		}
		best := math.Inf(1)
		for i := minLen; i <= len(x)-minLen; i++ {
			best = min(best, SplitCost(x, i))
		}
		if at < minLen || at > len(x)-minLen || SplitCost(x, at) > best+1e-9 {
			t.Fatalf("%v cut at %d with an error of %g, and the least is %g", x, at, SplitCost(x, at), best)
		}
	}
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
		{"a stretch too short", levels([2]float64{60, 3}, [2]float64{15, 1}), 20, 100, nil},
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
