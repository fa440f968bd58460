package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
)

func TestRepeatedDifference(t *testing.T) {
	// As Welch's t of the means, by R's t.test: t = 2.4495 at 4 degrees of freedom.
	d, _ := RepeatedDifference([]Estimate{{Mean: 1, SE: 0}, {Mean: 2, SE: 0}, {Mean: 3, SE: 0}}, []Estimate{{Mean: 3, SE: 0}, {Mean: 4, SE: 0}, {Mean: 5, SE: 0}})
	check.Near(t, "three against three: p", 0.07048, d.P(), 1e-4)
	// What measurements say of themselves is the least error.
	d, _ = RepeatedDifference([]Estimate{{Mean: 1, SE: 2}, {Mean: 1, SE: 2}}, []Estimate{{Mean: 3, SE: 2}, {Mean: 3, SE: 2}})
	check.Near(t, "error", 2.0, d.SE, 1e-9)
	// One against three varies as the three do.
	d, _ = RepeatedDifference([]Estimate{{Mean: 1, SE: 0}}, []Estimate{{Mean: 3, SE: 0}, {Mean: 4, SE: 0}, {Mean: 5, SE: 0}})
	check.Near(t, "one against three: error", math.Sqrt(4.0/3), d.SE, 1e-9)
	// And three against one as well, with as many degrees of freedom.
	d, _ = RepeatedDifference([]Estimate{{Mean: 3, SE: 0}, {Mean: 4, SE: 0}, {Mean: 5, SE: 0}}, []Estimate{{Mean: 1, SE: 0}})
	if want := math.Sqrt(4.0 / 3); d.Mean != -3 || math.Abs(d.SE-want) > 1e-9 || d.DegreesOfFreedom != 2 {
		t.Errorf("three against one: %v with an error of %v and %v degrees of freedom, want -3 with %v and 2", d.Mean, d.SE, d.DegreesOfFreedom, want)
	}
	// Two against three: variances 2 and 1 of means 1 and 1/3, with (4/3)² / (1 + 1/18) degrees of freedom.
	d, _ = RepeatedDifference([]Estimate{{Mean: 1, SE: 0.1}, {Mean: 3, SE: 0}}, []Estimate{{Mean: 3, SE: 0}, {Mean: 4, SE: 0}, {Mean: 5, SE: 0}})
	if want := math.Sqrt(4.0 / 3); math.Abs(d.SE-want) > 1e-9 || math.Abs(d.DegreesOfFreedom-(16./9)/(1+1./18)) > 1e-9 {
		t.Errorf("two against three: error %v with %v degrees of freedom", d.SE, d.DegreesOfFreedom)
	}
	if _, ok := RepeatedDifference([]Estimate{{Mean: 1, SE: 0}}, []Estimate{{Mean: 3, SE: 0}, {Mean: 4, SE: 0}}); !ok {
		t.Error("no difference of one against two")
	}
	if _, ok := RepeatedDifference(nil, []Estimate{{Mean: 3, SE: 0}, {Mean: 4, SE: 0}, {Mean: 5, SE: 0}}); ok {
		t.Error("a difference of none against three")
	}
	if _, ok := RepeatedDifference([]Estimate{{Mean: 1, SE: 0}}, []Estimate{{Mean: 3, SE: 0}}); ok {
		t.Error("a difference of one against one")
	}
}

func TestSteps(t *testing.T) {
	rnd := rand.New(rand.NewPCG(21, 22))
	found, wrong := 0, 0
	const trials = 60
	for range trials {
		x := series(rnd, 300, 0.7) // a memory of 3 values
		for i := range x {
			x[i] = 1 + 0.05*x[i]
		}
		wrong += len(Steps(x, 20, len(x), 1.3))
		for i := 150; i < 300; i++ {
			x[i] *= 0.6
		}
		if steps := Steps(x, 20, len(x), 1.3); len(steps) == 1 && math.Abs(float64(steps[0]-150)) <= 3 {
			found++
		}
	}
	if found < trials*95/100 || wrong > 0 {
		t.Errorf("a step found in %d of %d series, and %d where there is none", found, trials, wrong)
	}
}
