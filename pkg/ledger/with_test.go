package ledger_test

import (
	"testing"

	"github.com/hubbench/hubbench/internal/test/tracetest"
	"github.com/hubbench/hubbench/pkg/ledger"
	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/work"
)

// TestWith: what levels explain is no noise of a rate, and the history itself stays as it was.
func TestWith(t *testing.T) {
	rate := tracetest.Steps(1e9, [2]float64{20, 4e8})
	h := ledger.New(tracetest.FilesAt(rate, 40), work.Work{Op: work.Write}, 5e8)
	first, second := overlap.Between(0, 20e9), overlap.Between(20e9, 40e9)
	whole := h.With([]ledger.Level{h.LevelIn(overlap.Between(0, 40e9))}, nil, nil)
	cut := h.With([]ledger.Level{h.LevelIn(first), h.LevelIn(second)}, nil, nil)
	before, _ := whole.Measure(second)
	after, _ := cut.Measure(second)
	if after.Error > before.Error/3 || len(h.Levels) > 0 {
		t.Errorf("error %g with two levels, %g with one; %d levels", after.Error, before.Error,
			len(h.Levels))
	}
}
