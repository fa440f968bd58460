package fit

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/pkg/hub"
)

func TestPredictEveryCombination(t *testing.T) {
	p := noisy()
	predicted := predict(t, p, []string{"C", "A"})
	var patterns []string
	rates := map[string][]float64{}
	for _, row := range predicted.Rows {
		patterns = append(patterns, row.Pattern)
		for _, r := range append(row.Rates, row.Total) {
			rates[row.Pattern] = append(rates[row.Pattern], math.Round(r.Rate/1e6)/1e3)
			if r.Low != r.Rate || r.High != r.Rate {
				t.Errorf("%s: an interval without any observation: %+v", row.Pattern, r)
			}
		}
		if row.Measured {
			t.Errorf("%s: measured, without any observation", row.Pattern)
		}
	}
	if diff := cmp.Diff([]string{"W-", "R-", "-W", "-R", "WW", "WR", "RW", "RR"}, patterns); diff != "" {
		t.Errorf("patterns (-want +got):\n%s", diff)
	}
	for pattern, want := range map[string][]float64{
		"W-": {2.8, 0, 2.8},
		"WW": {2.552, 0.798, 3.35},
		"WR": {2.601, 1.899, 4.5},
		"RW": {2.75, 1.5, 4.25},
		"RR": {1.625, 1.625, 3.25},
	} {
		if diff := cmp.Diff(want, rates[pattern]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", pattern, diff)
		}
	}
	if got, want := predicted.Rows[4].Kept, 0.798/1.5; math.Abs(got-want) > 1e-3 {
		t.Errorf("in WW one disk keeps %.3f, want %.3f", got, want)
	}
	if predicted.Next != nil {
		t.Errorf("advice on what to measure without any observation: %v", predicted.Next)
	}
}

func TestPredictPlacement(t *testing.T) {
	predicted := predict(t, noisy(), []string{"A", "B", "C"})
	var got []string
	for _, place := range append(predicted.Placements, predict(t, noisy(), []string{"A"}).Placements...) {
		got = append(got, place.String())
	}
	want := []string{
		"A, B and C on the hub: in the worst mix (A and B read, C writes) one of them keeps 36 % of what it reaches alone",
		"put A and B on the hub, C on a port of its own: in the worst mix (A and B read) one of those on the hub keeps 61 % " +
			"of what it reaches alone",
		"put C on the hub, A and B on ports of their own: no two disks share a link",
		"A is alone on the hub",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A fitted profile, written and read again, predicts the same, unless it refuses to; the phase to measure next is one
// that was not measured, and measuring it narrows the intervals about as it said.
func TestPredictFromFit(t *testing.T) {
	p := noisy()
	disks := []string{"A", "B", "C"}
	plan := study(disks, 3, 20, 5)
	measured := slices.Clone(plan.Phases[:6]) // solos, and only one pair
	rest := plan.Phases[6:]
	plan.Phases = append(slices.Clone(measured), rest[0])
	e := observe(t, plan, p)
	f := fit(t, e)
	loaded, err := hub.Load("fitted.yaml", f.YAML())
	if err != nil {
		t.Fatalf("%v in\n%s", err, f.YAML())
	}
	predicted := predict(t, loaded, disks)
	again := predict(t, f.Profile, disks)
	width := func(predicted *Prediction) (sum float64) {
		for _, row := range predicted.Rows {
			if row.Total.Refused != "" {
				sum += math.Log(widest)
				continue
			}
			sum += math.Log(row.Total.High / row.Total.Low)
		}
		return sum / float64(len(predicted.Rows))
	}
	for i, row := range predicted.Rows {
		for j, r := range row.Rates {
			if other := again.Rows[i].Rates[j]; r.Refused == "" && other.Refused == "" && math.Abs(r.Rate-other.Rate) > 1e-4*other.Rate {
				t.Errorf("%s: %g as loaded, %g as fitted", row.Pattern, r.Rate, other.Rate)
			}
			if r.Rate < r.Low || r.Rate > r.High {
				t.Errorf("%s: %+v", row.Pattern, r)
			}
		}
	}
	if predicted.Next == nil || slices.ContainsFunc(predicted.Rows, func(r Row) bool { return r.Pattern == predicted.Next.Pattern && r.Measured }) {
		t.Fatalf("next: %v, which was measured", predicted.Next)
	}
	if predicted.Next.After >= predicted.Next.Before/1.2 {
		t.Errorf("next: %v gains nothing", predicted.Next)
	}
	for _, phase := range rest {
		if phase.Name == predicted.Next.Pattern {
			plan.Phases = append(plan.Phases, phase)
		}
	}
	after := predict(t, fit(t, observe(t, plan, p)).Profile, disks)
	if was, is := width(predicted), width(after); is > was/1.2 {
		t.Errorf("intervals of %.3f became %.3f by measuring %s", was, is, predicted.Next.Pattern)
	}
}

func TestPredictRefuses(t *testing.T) {
	for _, test := range []struct {
		disks []string
		want  string
	}{
		{nil, "name 1 to 5 of the profile's A, B, C"},
		{[]string{"A", "B", "C", "D", "E", "F"}, "predict 6 disks"},
		{[]string{"A", "X"}, `predict disk "X": profile noisy has none of that name`},
		{[]string{"A", "A"}, "named twice"},
	} {
		if _, err := Predict(noisy(), test.disks, 1); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v: got %v, want %q", test.disks, err, test.want)
		}
	}
}

// The rows to look at first are few, in their order, and have the worst of all, what was measured, and all disks together.
func TestTop(t *testing.T) {
	p := noisy()
	few := predict(t, p, []string{"A", "B"})
	if got := few.Top(); len(got) != len(few.Rows) {
		t.Errorf("%d of %d rows, want all", len(got), len(few.Rows))
	}
	w := Profiled(p)
	predicted := predict(t, predictable(w, w.Measured(rand.New(rand.NewPCG(1, 11)), 2)), w.Disks)
	var got []string
	measured := 0
	for _, row := range predicted.Top() {
		got = append(got, row.Pattern)
		if row.Measured {
			measured++
		}
	}
	worst, lowest := "", 1.0
	for _, row := range predicted.Rows {
		if row.Kept > 0 && row.Kept < lowest {
			worst, lowest = row.Pattern, row.Kept
		}
	}
	for _, want := range []string{"WWW", "RRR", worst} {
		if !slices.Contains(got, want) {
			t.Errorf("%v lack %s", got, want)
		}
	}
	if len(got) != 12 || measured == 0 || !slices.IsSortedFunc(got, func(a, b string) int { return strings.Count(b, "-") - strings.Count(a, "-") }) {
		t.Errorf("%v, of which %d were measured", got, measured)
	}
}

func TestDescribe(t *testing.T) {
	for pattern, want := range map[string]string{
		"W--": "A writes", "RR-": "A and B read", "RWR": "A and C read, B writes", "WWW": "all write", "---": "",
	} {
		if got := Describe(pattern, []string{"A", "B", "C"}); got != want {
			t.Errorf("%s: %q, want %q", pattern, got, want)
		}
	}
}
