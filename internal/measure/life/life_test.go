package life

import (
	"errors"
	"testing"

	"go.uber.org/zap"

	"github.com/hubbench/hubbench/internal/test/check"
)

// Whoever follows a run hears of each state once, and of none that is not the next.
func TestEnter(t *testing.T) {
	full := errors.New("disk full")
	var saved, shown []State
	l := Life{State: Measuring, Log: zap.NewNop(),
		Save: func(s State) error { saved = append(saved, s); return full },
		Show: func(s State) { shown = append(shown, s) }}
	check.Refused(t, "out of order", l.Enter(Concluded, "complete"),
		"a run that is measuring can't be concluded next (complete)")
	if err := l.Enter(Cleaning, "interrupted"); !errors.Is(err, full) {
		t.Errorf("got %v, want what run.json says", err)
	}
	check.Same(t, "saved", []State{Cleaning}, saved)
	check.Same(t, "shown", []State{Cleaning}, shown)
}
