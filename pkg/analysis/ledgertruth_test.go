package analysis_test

import (
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hubbench/hubbench/internal/test/evidence"

	"github.com/hubbench/hubbench/pkg/analysis"
)

var (
	tune = flag.Bool("tune", false,
		"play what thresholds may be chosen by: tuned truths and classes alone, on seeds that no "+
			"other test has")
	judge = flag.Bool("judge", false, "fail where too little is told, or anything false")
)

// TestTruths plays what real disks and hubs do and counts what is told of it: which changes, their
// causes, and what is said or found that is false.
//
//	go test ./pkg/analysis -run Truths/swing -v -args -traces 20
func TestTruths(t *testing.T) {
	noises := []float64{0, 0.02, 0.10}
	if testing.Short() {
		noises = noises[1:2]
	}
	all := map[float64]*tally{}
	for _, truth := range append(truths(), fieldTruths(t)...) {
		if *tune && !truth.Tuned {
			continue
		}
		t.Run(truth.Name, func(t *testing.T) {
			for _, noise := range noises {
				var sum tally
				for seed := range max(*analysis.TracesPerKind, 3) {
					sum.add(truth.Play(random(seed, 4), noise), noise)
				}
				t.Logf("noise %.2f: %s", noise, sum)
				for _, what := range slices.Sorted(maps.Keys(sum.wrong)) {
					t.Logf("    %d x %s", sum.wrong[what], what)
				}
				if all[noise] == nil {
					all[noise] = &tally{}
				}
				all[noise].with(sum)
				missed, limit := sum.changes-sum.told, max(1, sum.changes/10)
				wrong := missed > limit || 20*sum.caused < 19*sum.told ||
					sum.falsely > max(1, sum.runs/10)
				if wrong && (*judge || noise < 0.1) {
					t.Errorf("noise %g: want 90 %% told, 95 %% of these with the right cause, "+
						"nothing false", noise)
				}
			}
		})
	}
	if *tune {
		return
	}
	for _, noise := range noises {
		sum, least := all[noise], 0.99
		if noise >= 0.1 {
			least = 0.95
		}
		name := fmt.Sprintf("noise of %g %%", 100*noise)
		evidence.Report(t, evidence.AtLeast("ledger", name+": changes told", sum.told, sum.changes,
			int(least*float64(sum.changes))))
		evidence.Report(t, evidence.AtLeast("ledger",
			name+": of these, with the right cause or none", sum.caused, sum.told,
			int(0.98*float64(sum.told))))
		evidence.Report(t, evidence.Seldom("ledger", name+": runs with something false",
			sum.falsely, sum.runs, 0.02))
	}
}

// with adds the counts of other runs.
func (s *tally) with(o tally) {
	s.changes, s.told, s.said, s.caused = s.changes+o.changes, s.told+o.told, s.said+o.said,
		s.caused+o.caused
	s.runs, s.falsely = s.runs+o.runs, s.falsely+o.falsely
}

func random(seed int, stream uint64) *rand.Rand {
	if *tune {
		stream += 1000
	}
	return rand.New(rand.NewPCG(uint64(seed), stream))
}

// tally counts over the runs of a truth.
type tally struct {
	changes, told int // that there are; that are told, at the right time of the right disks
	said          int // of the changes, those that a finding is about; how is not judged here
	caused        int // of the told, those with the right cause, or unknown
	runs, falsely int
	wrong         map[string]int // what was false, and missing
}

func (s tally) String() string {
	return fmt.Sprintf("%d of %d told, %d with the right cause, %d in findings, %d of %d runs "+
		"with something false", s.told, s.changes, s.caused, s.said, s.falsely, s.runs)
}

func (s *tally) note(format string, values ...any) {
	if s.wrong == nil {
		s.wrong = map[string]int{}
	}
	s.wrong[fmt.Sprintf(format, values...)]++
}

// add analyses a run.
func (s *tally) add(c truthCase, noise float64) {
	a := read(c.Run)
	s.runs++
	falsely := false
	for _, pattern := range c.False {
		if i := slices.IndexFunc(a.claims, func(c claim) bool {
			return c.matches(pattern)
		}); i >= 0 {
			falsely = true
			s.note("it is false that %s %s in %s", a.claims[i].Disk, a.claims[i].Code,
				a.claims[i].Phase)
		}
	}
	for _, pattern := range c.Must {
		s.changes++
		if slices.ContainsFunc(a.claims, func(c claim) bool { return c.matches(pattern) }) {
			s.told++
			s.caused++
		} else {
			s.note("nothing says that any %s", pattern.Code)
		}
	}
	for _, q := range c.Quotes {
		if got := a.quotes[q.Phase+"/"+q.Disk]; math.Abs(got/q.Rate-1) > 0.035 {
			falsely = true
			s.note("a figure of %s in %s that is no settled rate is recommended", q.Disk, q.Phase)
		}
	}
	for _, want := range c.Changes {
		if want.Optional {
			continue
		}
		s.changes++
		if slices.ContainsFunc(a.Findings, func(f finding) bool { return want.finds(&f) }) {
			s.said++
		}
		found := near(a.changes, &want)
		if !tells(found, &want, c.Changes, noise) {
			s.note("not told: %v of %v in %s", want.Kinds, want.Disks, want.Phase)
			continue
		}
		s.told++
		if i := slices.IndexFunc(found, func(f change) bool { return !f.rightly(&want) }); i >= 0 {
			s.note("%v of %v told as %s, cause %q, by %q", want.Kinds, want.Disks, found[i].Kind,
				found[i].Cause, found[i].By)
		} else {
			s.caused++
		}
	}
	for _, got := range a.changes {
		if !got.edge(c.Run) && !slices.ContainsFunc(c.Changes, func(want truthChange) bool {
			return near([]change{got}, &want) != nil
		}) {
			falsely = true
			s.note("there is no %s of %v in %s", got.Kind, got.Disks, got.Phase)
		}
	}
	if falsely {
		s.falsely++
	}
}
