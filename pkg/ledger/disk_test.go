package ledger

import (
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/internal/test/tracetest"
	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/trace"
)

// bare is a disk without levels.
func bare(d *trace.DiskRecord) History {
	return History{Trace: d, Active: overlap.Active(d, 5e8), Curve: overlap.NewCurve(d)}
}

func TestRateIn(t *testing.T) {
	p := bare(tracetest.FilesOf([2]float64{10, 1000}, [2]float64{10, 500}))
	for v, want := range map[overlap.Span]float64{
		span(0, 20): 75, span(5, 15): 75, span(10, 12): 50, span(0, 40): 37.5, span(5, 5): 0,
		span(6, 5): 0,
	} {
		check.Near(t, "rate", want, p.RateIn(v), 1e-9)
	}
}
