package stats

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
)

// figures are what testdata/methods.py says of an estimate.
type figures struct {
	Mean, SE, P, Above, Least float64
	Interval                  Interval
}

// closeTo checks values against those of testdata/methods.py.
func closeTo(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	check.Near(t, what, want, got, tolerance*math.Max(1e-3, math.Abs(want)))
}

func (f figures) check(t *testing.T, what string, e Estimate) {
	t.Helper()
	v := e.Interval()
	closeTo(t, what+": mean", e.Mean, f.Mean, 1e-9)
	closeTo(t, what+": error", e.SE, f.SE, 1e-9)
	closeTo(t, what+": p", e.P(), f.P, 1e-6)
	closeTo(t, what+": above", e.Above(f.Mean/2), f.Above, 1e-6)
	closeTo(t, what+": least", e.LowerBound(0.01), f.Least, 1e-6)
	closeTo(t, what+": low", v[0], f.Interval[0], 1e-6)
	closeTo(t, what+": high", v[1], f.Interval[1], 1e-6)
}

// TestAgainstMethods compares with figures of testdata/methods.py, which has each method a second
// time.
func TestAgainstMethods(t *testing.T) {
	data, err := os.ReadFile("testdata/methods.json")
	check.Must(t, err)
	var want struct {
		Series []struct {
			Name              string
			X, W, Waves       []float64
			Known             int
			Half, Memory      float64
			Likely, Longest   float64
			Error, Difference figures
		}
		Items []struct {
			Size, Time []float64
			Items      int
			SE, Free   float64
		}
		Windows []struct {
			Rates         []float64
			Steady, Since int
		}
		Ramps []float64 // the memory of 3, 13 ... 63 values that rise evenly
	}
	check.Must(t, json.Unmarshal(data, &want))
	for i, c := range want.Series {
		closeTo(t, c.Name+": half", HalfOfShort(c.X, 0.025), c.Half, 1e-9)
		closeTo(t, c.Name+": memory", Memory(c.X), c.Memory, 1e-9)
		waves := cosines(c.X, min(fittedWaves, len(c.X)-1, c.Known-1))
		if len(waves) != len(c.Waves) {
			t.Errorf("%s: %d cosines, want %d", c.Name, len(waves), len(c.Waves))
			continue
		}
		for j, v := range waves {
			closeTo(t, fmt.Sprintf("%s: cosine %d", c.Name, j), v, c.Waves[j], 1e-8)
		}
		likely, longest := fitMemory(waves)
		closeTo(t, c.Name+": likely memory", likely, c.Likely, 1e-9)
		closeTo(t, c.Name+": longest memory", longest, c.Longest, 1e-9)
		e, _ := MeanOf(c.X, c.Known)
		c.Error.check(t, c.Name+": error", e)
		next := want.Series[(i+1)%len(want.Series)]
		other, _ := MeanOf(next.X, next.Known)
		c.Difference.check(t, c.Name+": difference", Difference(e, other))
	}
	for _, c := range want.Items {
		got := Items{c.Size, c.Time}.Spread()
		if got.Items != c.Items || got.DegreesOfFreedom != c.Free {
			t.Errorf("%d items: %+v, want %+v", len(c.Size), got, c)
		}
		closeTo(t, "error of the rate", got.SE, c.SE, 1e-9)
	}
	for i, c := range want.Windows {
		since, ok := Steady(c.Rates)
		always, alwaysOK := SteadySince(c.Rates)
		if c.Steady < 0 && (ok || alwaysOK) || c.Steady >= 0 &&
			(!ok || !alwaysOK || since != c.Steady || always != c.Since) {
			t.Errorf("windows %d: steady from %d, %v, without a break from %d, %v; want %d, %d", i,
				since, ok, always, alwaysOK, c.Steady, c.Since)
		}
	}
	for i, memory := range want.Ramps {
		x := make([]float64, 3+10*i)
		for k := range x {
			x[k] = float64(k)
		}
		closeTo(t, fmt.Sprintf("the memory of %d values that rise", len(x)), Memory(x), memory,
			1e-9)
	}
}
