package compare

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/internal/test/tracetest"
	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
)

// A rate that three files tell has an error of two degrees of freedom, in a comparison too.
func TestErrorsOfThreeFiles(t *testing.T) {
	rnd := rand.New(rand.NewPCG(91, 92))
	threeFiles := func(factor float64) (*trace.Phase, stats.Estimate) {
		var files [][2]float64
		for range 3 {
			files = append(files, [2]float64{10, 1e10 * factor * (1 + 0.05*rnd.NormFloat64())})
		}
		d := tracetest.Sampled(tracetest.FilesOf(files...))
		p := tracetest.Phase("W", d)
		e, _ := overlap.NewCurve(d).Flow(overlap.Active(d, overlap.DefaultGapNS)).LogMean()
		return p, e
	}
	first, before := threeFiles(1)
	second, after := threeFiles(0.8)
	want := stats.Difference(before, after)
	got := Runs(runOf("base", first), runOf("new", second)).Pairs[0].Phases[0].Rates[0]
	if before.DegreesOfFreedom != 2 {
		t.Fatalf("three files give %+v", before)
	}
	check.Near(t, "p", want.P(), *got.P, 1e-3)
}

// Of an interval that was cut off at 0, the part above the value is the margin.
func TestErrorOfACutInterval(t *testing.T) {
	for _, ci := range []stats.Interval{{0.5, 1.5}, {-0.5, 2.5}, {0, 2.5}} {
		want := (ci[1] - 1) / stats.StudentQuantile(0.975, 5)
		got := Log(1, &ci)
		if math.Abs(got.SE-want) > 1e-9 || !got.Known() {
			t.Errorf("a value of 1 in %v: %+v, want an error of %g", ci, got, want)
		}
	}
}
