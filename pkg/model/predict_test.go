package model

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
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
	check.Same(t, "patterns", []string{"W-", "R-", "-W", "-R", "WW", "WR", "RW", "RR"}, patterns)
	for pattern, want := range map[string][]float64{
		"W-": {2.8, 0, 2.8},
		"WW": {2.552, 0.798, 3.35},
		"WR": {2.601, 1.899, 4.5},
		"RW": {2.75, 1.5, 4.25},
		"RR": {1.625, 1.625, 3.25},
	} {
		check.Same(t, pattern, want, rates[pattern])
	}
	check.Near(t, "in WW one disk keeps", 0.798/1.5, predicted.Rows[4].Kept, 1e-3)
	if predicted.Next != nil {
		t.Errorf("advice on what to measure without any observation: %v", predicted.Next)
	}
}

func TestPredictPlacement(t *testing.T) {
	predicted := predict(t, noisy(), []string{"A", "B", "C"})
	var got []string
	for _, place := range append(predicted.Placements,
		predict(t, noisy(), []string{"A"}).Placements...) {
		got = append(got, place.String())
	}
	want := []string{
		"A, B and C on the hub: in the worst mix (A and B read, C writes) one of them keeps 36% of what it reaches alone",
		"put A and B on the hub, C on a port of its own: in the worst mix (A and B read) one of those on the hub keeps 61% " +
			"of what it reaches alone",
		"put C on the hub, A and B on ports of their own: no two disks share a link",
		"A is alone on the hub",
	}
	check.Same(t, "placements", want, got)
}

// A fitted profile, written and read again, predicts the same, unless it refuses to; the phase to
// measure next is one that was not measured, and measuring it narrows the intervals about as it
// said.
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
				sum += math.Log(1.4)
				continue
			}
			sum += math.Log(row.Total.High / row.Total.Low)
		}
		return sum / float64(len(predicted.Rows))
	}
	for i, row := range predicted.Rows {
		for j, r := range row.Rates {
			if other := again.Rows[i].Rates[j]; r.Refused == "" && other.Refused == "" &&
				math.Abs(r.Rate-other.Rate) > 1e-4*other.Rate {
				t.Errorf("%s: %g as loaded, %g as fitted", row.Pattern, r.Rate, other.Rate)
			}
			if r.Rate < r.Low || r.Rate > r.High {
				t.Errorf("%s: %+v", row.Pattern, r)
			}
		}
	}
	if predicted.Next == nil || slices.ContainsFunc(predicted.Rows, func(r Row) bool {
		return r.Pattern == predicted.Next.Pattern && r.Measured
	}) {
		t.Fatalf("next: %v, which was measured", predicted.Next)
	}
	for _, phase := range rest {
		if phase.Name == predicted.Next.Pattern {
			plan.Phases = append(plan.Phases, phase)
		}
	}
	after := predict(t, fit(t, observe(t, plan, p)).Profile, disks)
	if was, is := width(predicted), width(after); is >= was {
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
		_, err := Predict(noisy(), test.disks, 1)
		check.Refused(t, fmt.Sprint(test.disks), err, test.want)
	}
}

// The rows to look at first are few, in their order, and have the worst of all, and all disks
// together.
func TestTop(t *testing.T) {
	p := noisy()
	few := predict(t, p, []string{"A", "B"})
	if got := few.Top(); len(got) != len(few.Rows) {
		t.Errorf("%d of %d rows, want all", len(got), len(few.Rows))
	}
	w := Profiled(p)
	predicted := predict(t, predictable(w, w.Measured(rand.New(rand.NewPCG(1, 11)), 2)), w.Disks)
	var got []string
	for _, row := range predicted.Top() {
		got = append(got, row.Pattern)
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
	if len(got) != 12 || !slices.IsSortedFunc(got, func(a, b string) int {
		return strings.Count(b, "-") - strings.Count(a, "-")
	}) {
		t.Errorf("%v", got)
	}
}

func TestDescribe(t *testing.T) {
	for pattern, want := range map[string]string{
		"W--": "A writes", "RR-": "A and B read", "RWR": "A and C read, B writes",
		"WWW": "all write", "---": "",
	} {
		check.Same(t, pattern, want, Describe(pattern, []string{"A", "B", "C"}))
	}
}

// A disk that was never observed keeps its figures, off by as much as is said of them.
func TestHubsWithUnobservedDisk(t *testing.T) {
	w := Profiled(noisy())
	p := *noisy()
	p.Evidence = *w.Measured(rand.New(rand.NewPCG(1, 10)), 2)
	side := hub.Side{Hub: 2 * gb, Direct: 2.4 * gb, Weight: 1}
	p.Disks = append(slices.Clone(p.Disks), hub.DiskModel{Name: "X", Read: side, Write: side})
	hubs, _, err := Candidates(&p, 1)
	check.Must(t, err)
	var logs []float64
	for k := range hubs {
		logs = append(logs, math.Log(hubs[k].Disk("X").Read.Hub/(2*gb)))
	}
	slices.Sort(logs)
	low, high := stats.Quantile(logs, 0.025), stats.Quantile(logs, 0.975)
	if math.Abs(low+figureError) > 0.05 || math.Abs(high-figureError) > 0.05 {
		t.Errorf("95%% of the rates lie from %+.3f to %+.3f, want 10%% either way", low, high)
	}
	if observedDoing(&p, "X", trace.Read, false) || !observedDoing(&p, "A", trace.Read, false) ||
		observedDoing(&p, "A", trace.Read, true) {
		t.Error("what was observed")
	}
}

// Measurements that lie further from the law than their errors allow are not explained: nothing
// else is predicted.
func TestMisfitIsRefused(t *testing.T) {
	w := Profiled(noisy())
	for _, test := range []struct {
		understated float64
		refused     bool
	}{{1, false}, {10, true}} {
		e := w.Measured(rand.New(rand.NewPCG(2, 12)), 2)
		for i := range e.Rates {
			for j := range e.Rates[i].Disks {
				e.Rates[i].Disks[j].Error /= test.understated
			}
		}
		predicted := predict(t, predictable(w, e), w.Disks)
		for _, row := range predicted.Rows {
			if refused := row.Total.Refused == unknownLaw; refused != (test.refused &&
				!row.Measured) {
				t.Errorf("errors understated %g times, %s: %+v", test.understated, row.Pattern,
					row.Total)
			}
		}
		if test.refused &&
			(len(predicted.Placements) == 0 || len(predicted.Placements[0].Own) == 0) {
			t.Errorf("placements by what is not known: %+v", predicted.Placements)
		}
	}
}
