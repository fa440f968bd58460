package ledger

import (
	"math"
	"slices"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/internal/test/tracetest"
	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/work"
)

// A rate rests on its bins and, if it is of few files, on their luck.
func TestMeasure(t *testing.T) {
	d := tracetest.FilesOf(slices.Repeat([][2]float64{{1, 1000}}, 40)...)
	p := New(d, work.Work{}, 5e8)
	p.noise = noise{variance: 0.01}
	bins := len(p.rates.y)
	for _, tt := range []struct {
		in       []overlap.Span
		variance float64 // that of files
	}{
		{[]overlap.Span{span(0, 20)}, 0},
		{[]overlap.Span{span(0, 6)}, 0},
		{[]overlap.Span{span(0, 4)}, 0.01 / 4 / 4}, // of 40 files
		{[]overlap.Span{span(0, 1), span(7, 8)}, 0.01 / 4 / 2},
	} {
		length := overlap.Seconds(tt.in)
		m, ok := p.Measure(tt.in...)
		check.Near(t, "rate", 1000, m.Rate, 1e-9)
		check.Near(t, "error", math.Sqrt(0.01/(length*float64(bins)/40)+tt.variance), m.Error, 1e-9)
		check.Near(t, "freedom", float64(bins-1), m.DegreesOfFreedom, 1e-9)
		if !ok {
			t.Errorf("in %v: nothing", tt.in)
		}
	}
	// However long the noise lasts, ten seconds are worth three degrees of freedom.
	p.noise.memory = 0.999
	for length, want := range map[float64]float64{9.9: 1, 10: 3} {
		m, _ := p.Measure(span(0, length))
		check.Near(t, "freedom", want, m.DegreesOfFreedom, 0)
	}
	for _, in := range [][]overlap.Span{{span(41, 50)}, {span(3, 3.01)}, nil} {
		if m, ok := p.Measure(in...); ok || m != (Measured{}) {
			t.Errorf("in %v: %+v", in, m)
		}
	}
}
