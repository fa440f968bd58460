package fit

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// Measurements that lie further from any way of sharing than their errors allow widen what is said of all that was not
// measured, with a sentence that says so; further still, and nothing is said.
func TestMisfitWidensPredictions(t *testing.T) {
	w := Profiled(noisy())
	off := func(understated float64) *Prediction {
		e := w.Measured(rand.New(rand.NewPCG(2, 12)), 2)
		for i := range e.Rates {
			for j := range e.Rates[i].Disks {
				e.Rates[i].Disks[j].Error /= understated
			}
		}
		return predict(t, predictable(w, e), w.Disks)
	}
	wide := func(predicted *Prediction) float64 {
		var y tally
		for _, row := range predicted.Rows {
			for _, e := range row.Rates {
				if !row.Measured && e.Rate > 0 {
					y.count(e, e.Rate)
				}
			}
		}
		return y.median()
	}
	good, poor, bad := off(1), off(2.5), off(10)
	if good.Misfit > Poor || len(good.Notes) > 0 {
		t.Errorf("errors as they are: %.2f, %q", good.Misfit, good.Notes)
	}
	if poor.Misfit < 1.6 || poor.Misfit > maxMisfit || wide(poor) < 0.95*wide(good) {
		t.Errorf("a misfit of %.2f: known to %.3f, and without to %.3f", poor.Misfit, wide(poor), wide(good))
	}
	if len(poor.Notes) != 1 || !strings.HasPrefix(poor.Notes[0], "the model misses these measurements by ") ||
		!strings.Contains(poor.Notes[0], " times their errors, so half of the predictions are less certain than ±") || !strings.Contains(poor.Notes[0], "; measure "+poor.Next.Pattern+" (") {
		t.Errorf("notes %q", poor.Notes)
	}
	for _, row := range bad.Rows {
		if predicted := row.Total.Refused == ""; predicted != row.Measured {
			t.Errorf("a misfit of %.2f, %s: %+v", bad.Misfit, row.Pattern, row.Total)
		}
	}
	if len(bad.Notes) != 1 || !strings.Contains(bad.Notes[0], " times their errors, so nothing is predicted that was not measured") {
		t.Errorf("notes %q", bad.Notes)
	}
}
