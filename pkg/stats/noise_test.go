package stats

import (
	"fmt"
	"math"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
)

// TestFisher: two tests of 5 % come together to the chance that Fisher's method has for their product, p (1 - ln p).
func TestFisher(t *testing.T) {
	for _, p := range []float64{0.05, 0.3, 1e-4} {
		if got, want := Fisher([]float64{p, p}), p*p*(1-2*math.Log(p)); math.Abs(got/want-1) > 1e-9 {
			t.Errorf("twice %g: %g, want %g", p, got, want)
		}
		check.Near(t, fmt.Sprintf("%g alone", p), p, Fisher([]float64{p}), 1e-9*p)
	}
}
