package size

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
)

func TestFindModes(t *testing.T) {
	// Files of 1 MB that take a time each; the rates of a group spread a little.
	timed := func(seconds ...float64) []Transfer {
		var each [][2]float64
		for i, s := range seconds {
			each = append(each, [2]float64{s * (1 + 0.01*float64(i%7)), 1e6})
		}
		return filesOf(each...)
	}
	half := append(slices.Repeat([]float64{1}, 20), slices.Repeat([]float64{2}, 20)...)
	mixed := slices.Clone(half)
	rand.New(rand.NewPCG(1, 79)).Shuffle(len(mixed), func(i, k int) {
		mixed[i], mixed[k] = mixed[k], mixed[i]
	})
	var turns, between []float64
	for i := range 40 {
		turns = append(turns, 1+float64(i%2))
		between = append(between, 1+float64(i*17%40)/40)
	}
	few := slices.Clone(mixed[:12])
	for i := range few {
		few[i] = 1 + float64((i+1)/11)
	}
	for _, tt := range []struct {
		name    string
		seconds []float64
		clear   bool
		maxP    float64
		minP    float64
	}{
		{"two groups in random order", mixed, true, 1e-4, 0},
		{"one after the other", half, false, 1e-4, 0},
		{"in turns", turns, false, 1e-4, 0},
		{"as many midway", between, false, 1, 0.1},
		{"two files of twelve", few, false, 1, 0},
	} {
		m := FindModes(timed(tt.seconds...))
		if m.Clear != tt.clear || m.P > tt.maxP || m.P < tt.minP {
			t.Errorf("%s: %+v, want clear: %v and a chance from %g to %g", tt.name, *m, tt.clear,
				tt.minP, tt.maxP)
		}
	}
	m := FindModes(timed(mixed...))
	check.Near(t, "slower", 0.5e6, m.Rates[0], 0.03e6)
	check.Near(t, "faster", 1e6, m.Rates[1], 0.06e6)
	if m := FindModes(timed(mixed[:minModeFiles-1]...)); m != nil {
		t.Errorf("%+v of nine files", *m)
	}
}
