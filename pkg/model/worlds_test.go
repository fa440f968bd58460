package model

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/internal/test/evidence"
	"github.com/hubbench/hubbench/pkg/hub"
)

var (
	tuning = flag.Bool("tuning", false, "judge the hubs by which the law's constants were chosen")
	// HubsTried is how many random hubs of each kind are predicted.
	HubsTried = flag.Int("hubs", 1,
		"how many random hubs of each kind are predicted; 20 for a full test")
)

// predictable is a profile with nothing but the evidence: its own figures are not what is tested.
func predictable(w World, e *hub.Evidence) *hub.Profile {
	p := &hub.Profile{Name: "x", Evidence: *e}
	for _, d := range w.Disks {
		p.Disks = append(p.Disks, hub.DiskModel{Name: d})
	}
	return p
}

// without is the evidence less every observation for which drop says so.
func without(e *hub.Evidence, drop func(*hub.Observation) bool) *hub.Evidence {
	less := *e
	less.Rates = slices.DeleteFunc(slices.Clone(e.Rates), func(o hub.Observation) bool {
		return drop(&o)
	})
	return &less
}

// trial is a hub of which all mixes of three disks were measured, but for some of several disks,
// and what is predicted of these.
type trial struct {
	refused bool
	worst   float64 // error of a rate predicted
}

func try(t *testing.T, w World, rng *rand.Rand, heldOut int) (r trial) {
	t.Helper()
	e := w.Measured(rng, 3)
	several := without(e, func(o *hub.Observation) bool { return len(o.Disks) < 2 }).Rates
	held := map[string]bool{}
	for _, i := range rng.Perm(len(several))[:heldOut] {
		held[several[i].Mix()] = true
	}
	rest := without(e, func(o *hub.Observation) bool { return held[o.Mix()] })
	f, err := fitLaw(predictable(w, rest), rest, rand.New(rand.NewPCG(1, 1))) // as Hubs begins
	check.Must(t, err)
	if r.refused = f.refused() != ""; r.refused {
		return r
	}
	hubs, _, err := Candidates(predictable(w, rest), 1)
	check.Must(t, err)
	for _, m := range mixes(w.Disks) {
		if heldOut > 0 && !held[m.Mix()] {
			continue
		}
		row := predictRow(hubs, nil, m, w.Disks, "") // what the law says of them
		for j, want := range w.Rates(m.Disks) {
			if got := row.Rates[slices.Index(w.Disks, m.Disks[j].Disk)]; got.Refused == "" {
				r.worst = max(r.worst, math.Abs(got.Rate/want-1))
			}
		}
	}
	return r
}

// Hubs that share by the law are all accepted; hubs that share by credit or strict priority are
// refused, four in five, in all mixes measured or three of several disks left out. Of any kind, at
// most one hub in ten has a rate predicted that is more than 15 % off. The law's constants were
// chosen by hubs of stream 700; these are others.
func TestLawIsRecognised(t *testing.T) {
	if testing.Short() {
		t.Skip("many fits")
	}
	n, stream := *HubsTried, uint64(900)
	if *tuning {
		stream = 700
	}
	for _, heldOut := range []int{3, 0} {
		all := func(kinds []Kind) (refused, hubs int) {
			wrong := 0
			for _, k := range kinds {
				of, refusedOf, wrongOf := 0, refused, wrong
				for seed := range uint64(n) {
					rng := rand.New(rand.NewPCG(seed, stream))
					r := try(t, k.Make(rng), rng, heldOut)
					of++
					if r.refused {
						refused++
					}
					if r.worst > 0.15 {
						wrong++
					}
				}
				hubs += of
				t.Logf("%d left out, %-46s refused %d, wrong %d of %d", heldOut, k.Name, refused-
					refusedOf, wrong-wrongOf, of)
				if n >= 20 {
					evidence.Report(t,
						evidence.AtMost("fit-covers",
							fmt.Sprintf("hubs with a rate predicted more than 15 %% off, %d mixes left out: %s", heldOut, k.Name), wrong-wrongOf, of, of/10))
				}
			}
			evidence.Report(t, evidence.AtMost("fit-covers",
				fmt.Sprintf("hubs with a rate predicted more than 15 %% off, %d mixes left out: %d kinds together", heldOut, len(kinds)), wrong, hubs, max(1, hubs/10)))
			return refused, hubs
		}
		refused, hubs := all(Own())
		evidence.Report(t, evidence.AtMost("fit-covers",
			fmt.Sprintf("hubs that share by the law and are refused, %d mixes left out", heldOut),
			refused, hubs, 0))
		refused, hubs = all(Foreign())
		evidence.Report(t, evidence.AtLeast("fit-covers",
			fmt.Sprintf("hubs of credit and strict priority that are refused, %d mixes left out",
				heldOut), refused, hubs, hubs*4/5))
		all(Others())
	}
}

// even is a world of disks that pull alike and go so many GB/s alone.
func even(speeds ...float64) World {
	p := &hub.Profile{Capacity: hub.Capacity{Read: 3 * gb, Write: 3 * gb, Both: 6 * gb,
		ReadWeight: 1, WriteWeight: 1}}
	for i, speed := range speeds {
		side := hub.Side{Hub: speed * gb, Weight: 1}
		p.Disks = append(p.Disks, hub.DiskModel{Name: string(rune('A' + i)), Read: side,
			Write: side})
	}
	return Profiled(p)
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
	w := Profiled(noisy())
	// B was never seen to write through the hub, and has a cache.
	known := predictable(w, without(w.Measured(rand.New(rand.NewPCG(1, 6)), 2),
		func(o *hub.Observation) bool {
			return strings.Contains(o.Mix(), "B write")
		}))
	known.Disks[1].Cache = &hub.Cache{Bytes: 24e9, After: 0.6e9}
	predicted := predict(t, known, []string{"A", "B"})
	for _, row := range predicted.Rows {
		refused := row.Rates[1].Refused
		if row.Pattern[1] == 'W' && refused != "in none of them does B write through the hub" ||
			row.Pattern[1] != 'W' && refused != "" {
			t.Errorf("%s: %+v", row.Pattern, row.Rates)
		}
	}
	if predicted.Next == nil || predicted.Next.Pattern != "-W" || predicted.Next.Off != 0 {
		t.Errorf("next: %+v, want B's writes", predicted.Next)
	}
	if len(predicted.Notes) != 1 || !strings.HasPrefix(predicted.Notes[0],
		"B writes this fast for its first 24 GB only, then at 600 MB/s") {
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
			if !low || high || !strings.HasPrefix(param.Note, "not identifiable from above") ||
				param.Interval() != "at least "+param.Format(param.Low) {
				t.Errorf("%+v, %s", param, param.Interval())
			}
		}
	}
}
