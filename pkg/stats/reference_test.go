package stats

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
)

// TestAgainstReference compares with figures that testdata/reference.py had from NumPy, SciPy and
// arch.
func TestAgainstReference(t *testing.T) {
	data, err := os.ReadFile("testdata/reference.json")
	check.Must(t, err)
	var cases []struct {
		Name                                                      string
		X, Y, Ranks                                               []float64
		Mean, Median, Trimmed20, SD, CV, P05, P95, Spearman, Jain float64
		OLS, TheilSen                                             [2]float64
	}
	check.Must(t, json.Unmarshal(data, &cases))
	for _, c := range cases {
		check := func(what string, got, want float64) {
			t.Helper()
			check.Near(t, fmt.Sprintf("%s: %s", c.Name, what), want, got,
				1e-9*math.Max(1e-3, math.Abs(want)))
		}
		s := Summarize(c.Y)
		check("mean", s.Mean, c.Mean)
		check("median", s.Median, c.Median)
		check("trimmed20", s.Trimmed20, c.Trimmed20)
		check("sd", s.SD, c.SD)
		check("cv", s.CV, c.CV)
		check("p05", s.P05, c.P05)
		check("p95", s.P95, c.P95)
		check("spearman", Spearman(c.X, c.Y), c.Spearman)
		check("jain", Jain(c.Y), c.Jain)
		line, _ := OLS(c.X, c.Y)
		check("ols intercept", line.Intercept, c.OLS[0])
		check("ols slope", line.Slope, c.OLS[1])
		line, _ = TheilSen(c.X, c.Y)
		check("theil-sen intercept", line.Intercept, c.TheilSen[0])
		check("theil-sen slope", line.Slope, c.TheilSen[1])
		for i, r := range ranks(c.Y) {
			check("rank", r, c.Ranks[i])
		}
	}
}
