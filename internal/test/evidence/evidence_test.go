package evidence

import (
	"math"
	"testing"
)

func TestForms(t *testing.T) {
	for _, tt := range []struct {
		name string
		got  Finding
		low  float64
		high float64
		pass bool
	}{
		// The intervals of counts are those of Wilson's paper, to two digits.
		{"as many as may be", AtMost("a", "x", 5, 100, 5), 2.15, 11.18, true},
		{"one more", AtMost("a", "x", 6, 100, 5), 2.78, 12.48, false},
		{"none", AtMost("a", "x", 0, 20, 0), 0, 3.22, true},
		{"none of none", AtMost("a", "x", 0, 0, 0), 0, 0, false},
		{"as many as must be", AtLeast("a", "x", 95, 100, 95), 88.82, 97.85, true},
		{"one less", AtLeast("a", "x", 94, 100, 95), 87.52, 97.22, false},
		{"all", AtLeast("a", "x", 20, 20, 20), 16.78, 20, true},
		{"all of none", AtLeast("a", "x", 0, 0, 0), 0, 0, false},
		{"seldom enough", Seldom("a", "x", 11, 100, 0.05), 6.25, 18.63, true},
		{"too often", Seldom("a", "x", 12, 100, 0.05), 7.00, 19.81, false},
		{"off by no more", Below("a", "x", "%", 1, 1), 1, 1, true},
		{"off by more", Below("a", "x", "%", 1.001, 1), 1.001, 1.001, false},
		{"near enough", Within("a", "x", "s", 10, 10.1, 0.01), 10.1, 10.1, true},
		{"too far", Within("a", "x", "s", 10, 9.89, 0.01), 9.89, 9.89, false},
		{"no number", Within("a", "x", "s", 10, math.NaN(), 0.01), math.NaN(), math.NaN(), false},
	} {
		near := func(a, b float64) bool {
			return math.Abs(a-b) < 0.01 || math.IsNaN(a) && math.IsNaN(b)
		}
		if f := tt.got; f.Pass != tt.pass || !near(f.Low, tt.low) || !near(f.High, tt.high) ||
			f.Limit == "" || f.Claim != "a" || f.Case != "x" {
			t.Errorf("%s: %+v, want %.2f to %.2f, passed %v", tt.name, f, tt.low, tt.high, tt.pass)
		}
	}
}
