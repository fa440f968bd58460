package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
)

func TestPool(t *testing.T) {
	one := Estimate{Mean: 3, SE: 0.2, DegreesOfFreedom: 5}
	for _, tt := range []struct {
		name    string
		repeats []Estimate
		want    Estimate
	}{
		{"one", []Estimate{one}, one},
		{"none", nil, Estimate{}},
		{"alike", []Estimate{{2.9, 0.2, 5, 0.01}, {3.1, 0.2, 5, 0.02}},
			Estimate{3, 0.2 / math.Sqrt2, 10, 0.02}},
		// Three means with a variance of 1, of which .04 is their own: 1/3 in all.
		{"apart", []Estimate{{2, 0.2, 5, 0}, {3, 0.2, 5, 0}, {4, 0.2, 5, 0}},
			Estimate{3, math.Sqrt(1. / 3), 1 / (0.96*0.96/2 + 3*0.04*0.04/9/5*9/9), 0}},
		{"without errors", []Estimate{{2, 0, 0, 0}, {3, 0, 0, 0}, {4, 0, 0, 0}},
			Estimate{3, math.Sqrt(1. / 3), 2, 0}},
		{"one without an error", []Estimate{{2, 0.2, 5, 0}, {3, 0.2, 5, 0}, {4, 0, 0, 0}},
			Estimate{3, math.Sqrt(1. / 3), 2, 0}},
		{"exact", []Estimate{Certain(2, 0), Certain(2, 0)}, Certain(2, 0)},
	} {
		got := Pool(tt.repeats, Prior{})
		check.Near(t, tt.name+": mean", tt.want.Mean, got.Mean, 1e-9)
		check.Near(t, tt.name+": error", tt.want.SE, got.SE, 1e-9)
		check.Near(t, tt.name+": freedom", tt.want.DegreesOfFreedom, got.DegreesOfFreedom, 1e-6)
		check.Near(t, tt.name+": memory", tt.want.Memory, got.Memory, 1e-9)
	}
	// Others differ by half as much, so these have differed by chance.
	others := Moderate([]float64{0.5, 0.5, 0.5}, []float64{2, 2, 2})
	got := Pool([]Estimate{{2, 0.2, 5, 0}, {3, 0.2, 5, 0}, {4, 0.2, 5, 0}}, others)
	check.Near(t, "error beside others", math.Sqrt(0.5/3), got.SE, 1e-9)
	check.Near(t, "freedom beside others", 1/(0.92*0.92/6+0.08*0.08/15), got.DegreesOfFreedom, 1e-6)
	short := Estimate{Mean: 3.4, SE: 2, DegreesOfFreedom: 5}
	if got = Pool([]Estimate{one, short}, Prior{}); got.Interval().Half() > one.Interval().Half() {
		t.Errorf("a second repeat that is known badly leaves ±%g of ±%g",
			got.Interval().Half(), one.Interval().Half())
	}
}

// TestPoolNarrows: where nothing varies between repeats, more of them are never less sure, and
// eight have at most half the margin of one; and however repeats vary, most intervals hold the
// truth.
func TestPoolNarrows(t *testing.T) {
	rnd := rand.New(rand.NewPCG(71, 72))
	const trials, free = 600, 5
	for _, tt := range []struct {
		between float64 // standard deviation, in standard errors of one repeat
		hold    int     // percent, from three repeats on
	}{{0, 93}, {0.5, 93}, {1, 90}, {4, 87}} {
		last := math.Inf(1)
		var alone float64
		for _, n := range []int{1, 2, 3, 5, 8} {
			what := fmt.Sprintf("%g between, %d repeats", tt.between, n)
			var margins []float64
			hold := 0
			for range trials {
				repeats := make([]Estimate, n)
				for i := range repeats {
					var squares float64
					for range free {
						z := rnd.NormFloat64()
						squares += z * z / free
					}
					repeats[i] = Estimate{Mean: rnd.NormFloat64() + tt.between*rnd.NormFloat64(),
						SE: math.Sqrt(squares), DegreesOfFreedom: free}
				}
				v := Pool(repeats, Prior{}).Interval()
				margins = append(margins, v.Half())
				if v[0] <= 0 && 0 <= v[1] {
					hold++
				}
			}
			slices.Sort(margins)
			margin := margins[trials/2]
			if n == 1 {
				alone = margin
			}
			t.Logf("%s: ±%.2f, 9 of 10 below ±%.2f, %d of %d hold", what, margin,
				margins[trials*9/10], hold, trials)
			if tt.between == 0 && (margin > last || n == 8 && margin > alone/2) {
				t.Errorf("%s: ±%g, ±%g with fewer, ±%g alone", what, margin, last, alone)
			}
			if n >= 3 && hold < trials*tt.hold/100 {
				t.Errorf("%s: %d of %d intervals hold the truth", what, hold, trials)
			}
			last = margin
		}
	}
}
