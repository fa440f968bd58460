package fit

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/pkg/hub"
)

// Measured in every combination, a hub's way of sharing is recognised, and the profile shares as the hub does.
func TestFitRecognisesFamilies(t *testing.T) {
	for _, test := range few([]struct {
		family Family
		change func(*hub.Capacity)
	}{
		{Weighted, func(*hub.Capacity) {}},
		{DiskCost, func(c *hub.Capacity) { c.PerDisk = 0.15 }},
		{PairLoss, func(c *hub.Capacity) { c.Pair = 0.88 }},
		{DuplexLoss, func(c *hub.Capacity) { c.Both, c.ReadLoss, c.WriteLoss = c.Read+c.Write, 0.6, 0.2 }},
		{Proportional, func(c *hub.Capacity) { c.Proportional = true }},
		{Pooled, func(c *hub.Capacity) { c.Pooled, c.Both = true, 3.4*gb }},
	}) {
		p := noisy()
		test.change(&p.Capacity)
		if test.family == Proportional {
			p.Disks[2].Write.Weight = 1
		}
		disks := []string{"A", "B", "C"}
		w := Profiled(p)
		f := fit(t, w.Measured(rand.New(rand.NewPCG(1, 2)), 3))
		c := f.Profile.Capacity
		got := Weighted
		switch {
		case c.Proportional:
			got = Proportional
		case c.Pooled:
			got = Pooled
		case c.PerDisk > 0:
			got = DiskCost
		case c.Pair > 0:
			got = PairLoss
		case c.ReadLoss > 0:
			got = DuplexLoss
		}
		if got != test.family {
			t.Errorf("a hub sharing %s was fitted as %s, of %+v", test.family, got, f.Families)
		}
		for _, off := range offBy(t, p, f.Profile, disks, 3) {
			if off > 0.06 {
				t.Errorf("%s: a rate is %.1f %% off", test.family, 100*off)
			}
		}
		loaded, err := hub.Load("fitted.yaml", f.YAML())
		if err != nil {
			t.Fatalf("%s: %v", test.family, err)
		}
		for _, off := range offBy(t, f.Profile, loaded, disks, 3) {
			if off > 1e-4 {
				t.Errorf("%s: read again, a rate is %.2g off", test.family, off)
			}
		}
	}
}

// A hub that carries less of reads and writes together when several disks write, as Goshen Ridge does, is recognized as that, by
// runs in which they did; from others nothing of it is made up.
func TestFitFindsSeveralWriters(t *testing.T) {
	const part = 0.87
	p := noisy()
	p.Capacity.Pair, p.Capacity.TwoWriters = 0.9, part
	measured := func(together int) *hub.Evidence {
		w := Profiled(p)
		return w.Measured(rand.New(rand.NewPCG(1, 11)), together)
	}
	f := fit(t, measured(3))
	if got := f.Profile.Capacity.TwoWriters; math.Abs(got-part) > 0.03 || f.ModelError > Poor {
		t.Errorf("several writers fill %.3f of it, want %g; model error %.2f, of %+v", got, part, f.ModelError, f.Families)
	}
	for _, param := range f.Parameters {
		if param.Name == "capacity.two_writers" && (param.Note != "" || param.Low > part || param.High < part) {
			t.Errorf("%+v, want %g", param, part)
		}
	}
	s, err := newSpace(measured(2), PairLoss)
	if err != nil || s.has("capacity.two_writers") || s.capacity.TwoWriters != 0 {
		t.Errorf("pairs tell of several writers: %+v, %v", s.capacity, err)
	}
}

// What was measured is predicted as measured, however far from any model.
func TestPredictWhatWasMeasured(t *testing.T) {
	w := Profiled(noisy())
	e := w.Measured(rand.New(rand.NewPCG(1, 3)), 2)
	odd := &e.Rates[len(e.Rates)-1]
	odd.Disks[0].Rate = 0.123 * gb
	predicted := predict(t, predictable(w, e), w.Disks)
	for i, row := range predicted.Rows[:len(e.Rates)] {
		if !row.Measured {
			t.Errorf("%s: not measured", row.Pattern)
		}
		for _, d := range e.Rates[i].Disks {
			got := row.Rates[d.Disk[0]-'A']
			if math.Abs(got.Rate/d.Rate-1) > 1e-9 || got.Low >= d.Rate || got.High <= d.Rate {
				t.Errorf("%s: %+v, measured were %.4g", row.Pattern, got, d.Rate)
			}
		}
	}
	if row := predicted.Rows[len(predicted.Rows)-1]; row.Measured {
		t.Errorf("%s passes for measured", row.Pattern)
	}
}

func TestPredictRefusesWhatTheRunsDoNotShow(t *testing.T) {
	// Every combination loses a part of its own: nothing explains that.
	p := noisy()
	loss := rand.New(rand.NewPCG(4, 4))
	w := Profiled(p)
	erratic := World{Disks: w.Disks, Rates: func(mix []hub.Observed) []float64 {
		rates := w.Rates(mix)
		for i := range rates {
			if len(mix) > 1 {
				rates[i] *= 0.3 + 0.7*loss.Float64()
			}
		}
		return rates
	}}
	predicted := predict(t, predictable(erratic, erratic.Measured(rand.New(rand.NewPCG(1, 5)), 2)), erratic.Disks)
	for _, row := range predicted.Rows {
		if refused := row.Total.Refused; row.Measured == strings.HasPrefix(refused, "no model of sharing explains them") {
			t.Errorf("%s: %+v", row.Pattern, row.Total)
		}
	}
	if len(predicted.Placements) == 0 || len(predicted.Placements[0].Own) == 0 {
		t.Errorf("placements by what is not known: %+v", predicted.Placements)
	}

	// B was never seen to write through the hub, and has a cache.
	known := predictable(w, w.Measured(rand.New(rand.NewPCG(1, 6)), 2).Without(func(o *hub.Observation) bool {
		return strings.Contains(o.Mix(), "B write")
	}))
	known.Disks[1].Cache = &hub.Cache{Bytes: 24e9, After: 0.6e9}
	predicted = predict(t, known, []string{"A", "B"})
	for _, row := range predicted.Rows {
		refused := row.Rates[1].Refused
		if row.Pattern[1] == 'W' && refused != "in none of them does B write through the hub" || row.Pattern[1] != 'W' && refused != "" {
			t.Errorf("%s: %+v", row.Pattern, row.Rates)
		}
	}
	if predicted.Next == nil || predicted.Next.Pattern != "-W" || predicted.Next.Before != 0 {
		t.Errorf("next: %+v, want B's writes", predicted.Next)
	}
	if len(predicted.Notes) != 1 || !strings.HasPrefix(predicted.Notes[0], "B writes this fast for its first 24 GB only, then at 600 MB/s") {
		t.Errorf("notes %q", predicted.Notes)
	}
}

// A weight is said to be bounded if it is, above, below or both.
func TestFitBoundsWeights(t *testing.T) {
	w := even(2.6, 2.6, 0.8)
	f := fit(t, w.Measured(rand.New(rand.NewPCG(1, 7)), 2))
	for _, param := range f.Parameters {
		low, high := param.Low > 0, !math.IsInf(param.High, 1)
		switch param.Name {
		case "B.read.weight": // A and B divide what the hub carries
			if !low || !high || param.Note != "" {
				t.Errorf("%+v", param)
			}
		case "C.read.weight": // C is never held back: its weight may be any that does not do that
			if !low || high || !strings.HasPrefix(param.Note, "not identifiable from above") || param.Interval() != "at least "+param.Format(param.Low) {
				t.Errorf("%+v, %s", param, param.Interval())
			}
		}
	}
}
