package analysis_test

import (
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/internal/test/evidence"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/trace/tracetest"
)

var (
	tune  = flag.Bool("tune", false, "play what thresholds may be chosen by: tuned truths and classes alone, on seeds that no other test has")
	judge = flag.Bool("judge", false, "fail where too little is told, or anything false")
)

// TestTruths plays what real disks and hubs do and counts what is told of it: which changes, their causes, and what is
// said or found that is false.
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
				if missed, most := sum.changes-sum.told, max(1, sum.changes/10); (*judge || noise < 0.1) && (missed > most || 20*sum.caused < 19*sum.told || 10*sum.falsely > sum.runs) { // of few one may be missed
					t.Errorf("noise %g: want 90 %% told, 95 %% of these with the right cause, nothing false", noise)
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
			least = 0.97
		}
		name := fmt.Sprintf("noise of %g %%", 100*noise)
		evidence.Report(t, evidence.AtLeast("ledger", name+": changes told", sum.told, sum.changes, int(least*float64(sum.changes))))
		evidence.Report(t, evidence.AtLeast("ledger", name+": of these, with the right cause or none", sum.caused, sum.told, int(0.99*float64(sum.told))))
		evidence.Report(t, evidence.Seldom("ledger", name+": runs with something false", sum.falsely, sum.runs, 0.01))
	}
}

// with adds the counts of other runs.
func (s *tally) with(o tally) {
	s.changes, s.told, s.said, s.caused = s.changes+o.changes, s.told+o.told, s.said+o.said, s.caused+o.caused
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
	return fmt.Sprintf("%d of %d told, %d with the right cause, %d in findings, %d of %d runs with something false", s.told, s.changes, s.caused, s.said, s.falsely, s.runs)
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
		if i := slices.IndexFunc(a.claims, func(c claim) bool { return c.matches(pattern) }); i >= 0 {
			falsely = true
			s.note("it is false that %s %s in %s", a.claims[i].Disk, a.claims[i].Code, a.claims[i].Phase)
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
			s.note("%v of %v told as %s, cause %q, by %q", want.Kinds, want.Disks, found[i].Kind, found[i].Cause, found[i].By)
		} else {
			s.caused++
		}
	}
	for _, got := range a.changes {
		if !got.edge(c.Run) && !slices.ContainsFunc(c.Changes, func(want truthChange) bool { return near([]change{got}, &want) != nil }) {
			falsely = true
			s.note("there is no %s of %v in %s", got.Kind, got.Disks, got.Phase)
		}
	}
	if falsely {
		s.falsely++
	}
}

// finds reports whether a finding is about a change: it names one of the disks and what it does.
func (c *truthChange) finds(f *finding) bool {
	codes := append(slices.Clone(c.Kinds), map[string][]string{
		"own_fall": {"throttle", "heat", "cache_full"}, "recovery": {"start", "redistribution"},
	}[c.Kinds[0]]...)
	return f.Phase == c.Phase && slices.Contains(codes, f.Code) &&
		slices.ContainsFunc(append(f.Disks, f.Disk), func(d string) bool { return slices.Contains(c.Disks, d) })
}

// rightly reports whether the kind is right, or unknown, and nothing is blamed that was not it.
func (c *change) rightly(want *truthChange) bool {
	return (c.Kind == "unknown" || slices.Contains(want.Kinds, c.Kind)) && (c.By == "" || c.By == want.By) && !slices.Contains(want.Not, c.Cause)
}

// near are the changes that may tell of a true one, rightly or not: of one of its disks, at its time.
func near(all []change, want *truthChange) []change {
	var found []change
	for _, c := range all {
		if c.Phase == want.Phase && at(&c, want) && slices.ContainsFunc(c.Disks, func(d string) bool { return slices.Contains(want.Disks, d) }) {
			found = append(found, c)
		}
	}
	return found
}

// at reports whether the change is told when it was. A step is one point of time, whose interval, or whose lag after
// another disk's end, may be given; of what lasts at least half must be covered, by no more than half as much again.
func at(c *change, want *truthChange) bool {
	if want.EndS > 0 {
		if slices.Contains(want.Kinds, "warm_up") && math.Abs(c.EndS-want.EndS) <= want.OffS {
			return true // told by its end alone
		}
		both, length := min(c.EndS, want.EndS)-max(c.StartS, want.AtS), want.EndS-want.AtS
		return both >= 0.5*length && c.EndS-c.StartS <= 1.5*length+2*want.OffS
	}
	return math.Abs(c.StartS-want.AtS) <= want.OffS || math.Abs(c.EndS-want.AtS) <= want.OffS
}

// tells reports whether all disks of a true change are told of, no others but those that changed as well just then, and
// the rates afterwards, as far as they are given for single disks.
func tells(found []change, want *truthChange, truths []truthChange, noise float64) bool {
	told := map[string]bool{}
	for _, c := range found {
		for _, d := range c.Disks {
			told[d] = true
			if !slices.ContainsFunc(truths, func(other truthChange) bool {
				return other.Phase == c.Phase && slices.Contains(other.Disks, d) && at(&c, &other)
			}) {
				return false
			}
		}
		if to := want.To[c.Disks[0]]; len(c.Disks) == 1 && to > 0 && math.Abs(c.ToRate/to-1) > 0.1+noise {
			return false
		}
	}
	return !slices.ContainsFunc(want.Disks, func(d string) bool { return !told[d] })
}

// edge reports whether the change is told of a disk's start or end, or of a pause between its files, and is there.
func (c *change) edge(run *trace.Run) bool {
	if c.Kind != "start" && c.Kind != "end" {
		return false
	}
	i := slices.IndexFunc(run.Phases, func(p *trace.Phase) bool { return p.Name == c.Phase })
	for _, d := range run.Phases[i].Disks {
		for k, f := range d.Files {
			if k == 0 && c.about(f.StartNS) || k == len(d.Files)-1 && c.about(f.EndNS) {
				return true
			}
			if k > 0 && f.StartNS-d.Files[k-1].EndNS >= 5e8 && (c.about(f.StartNS) || c.about(d.Files[k-1].EndNS)) {
				return true
			}
		}
	}
	return false
}

func (c *change) about(tNS int64) bool {
	s := float64(tNS) / 1e9
	return c.StartS-0.5 <= s && s <= c.EndS+0.5 && c.EndS-c.StartS < 30
}

// The counts above see what they are for.
func TestTruthIsTold(t *testing.T) {
	fall := truthChange{Phase: "WW", Kinds: []string{"own_fall"}, Disks: []string{"A"}, AtS: 20, OffS: 0.5, Not: []string{"link"}, To: map[string]float64{"A": 1e9}}
	swap := truthChange{Phase: "WW", Kinds: []string{"redistribution"}, Disks: []string{"A", "B"}, AtS: 40, OffS: 0.5}
	stall := truthChange{Phase: "WW", Kinds: []string{"stall"}, Disks: []string{"B"}, AtS: 50, EndS: 54, OffS: 0.5}
	truths := []truthChange{fall, swap, stall}
	for _, c := range []struct {
		name string
		want truthChange
		got  []change
		told bool
		as   bool // rightly
	}{
		{"as it was", fall, []change{{Phase: "WW", StartS: 19.9, EndS: 20.1, Disks: []string{"A"}, Kind: "own_fall", ToRate: 1e9}}, true, true},
		{"of another kind", fall, []change{{Phase: "WW", StartS: 19.9, EndS: 20.1, Disks: []string{"A"}, Kind: "stall", ToRate: 1e9}}, true, false},
		{"for no reason", fall, []change{{Phase: "WW", StartS: 19.9, EndS: 20.1, Disks: []string{"A"}, Kind: "unknown", Cause: "unknown", ToRate: 1e9}}, true, true},
		{"for a false reason", fall, []change{{Phase: "WW", StartS: 19.9, EndS: 20.1, Disks: []string{"A"}, Kind: "own_fall", Cause: "link", ToRate: 1e9}}, true, false},
		{"as another's doing", fall, []change{{Phase: "WW", StartS: 19.9, EndS: 20.1, Disks: []string{"A"}, Kind: "unknown", By: "B", ToRate: 1e9}}, true, false},
		{"too late", fall, []change{{Phase: "WW", StartS: 21, EndS: 21.2, Disks: []string{"A"}, Kind: "own_fall", ToRate: 1e9}}, false, true},
		{"in another phase", fall, []change{{Phase: "W", StartS: 19.9, EndS: 20.1, Disks: []string{"A"}, Kind: "own_fall", ToRate: 1e9}}, false, true},
		{"of another disk", fall, []change{{Phase: "WW", StartS: 19.9, EndS: 20.1, Disks: []string{"B"}, Kind: "own_fall", ToRate: 1e9}}, false, true},
		{"of one disk too many", fall, []change{{Phase: "WW", StartS: 19.9, EndS: 20.1, Disks: []string{"A", "B"}, Kind: "own_fall", ToRate: 1e9}}, false, true},
		{"to another rate", fall, []change{{Phase: "WW", StartS: 19.9, EndS: 20.1, Disks: []string{"A"}, Kind: "own_fall", ToRate: 1.3e9}}, false, true},
		{"of both", swap, []change{{Phase: "WW", StartS: 40, EndS: 40, Disks: []string{"A", "B"}, Kind: "redistribution"}}, true, true},
		{"of both, one by one", swap, []change{{Phase: "WW", StartS: 40, EndS: 40, Disks: []string{"A"}, Kind: "redistribution"}, {Phase: "WW", StartS: 40, EndS: 40, Disks: []string{"B"}, Kind: "redistribution"}}, true, true},
		{"of one of two", swap, []change{{Phase: "WW", StartS: 40, EndS: 40, Disks: []string{"A"}, Kind: "redistribution"}}, false, true},
		{"while it lasted", stall, []change{{Phase: "WW", StartS: 50, EndS: 53.5, Disks: []string{"B"}, Kind: "stall"}}, true, true},
		{"for a part of it", stall, []change{{Phase: "WW", StartS: 50, EndS: 51.5, Disks: []string{"B"}, Kind: "stall"}}, false, true},
		{"for ever", stall, []change{{Phase: "WW", StartS: 20, EndS: 60, Disks: []string{"B"}, Kind: "stall"}}, false, true},
		{"not at all", stall, nil, false, true},
	} {
		check.Same(t, "told "+c.name, c.told, tells(near(c.got, &c.want), &c.want, truths, 0.02))
		for _, f := range c.got {
			check.Same(t, fmt.Sprintf("told %s: rightly", c.name), c.as, f.rightly(&c.want))
		}
	}
}

// TestNothingTold plays disks that only start and end, under all classes of noise, and counts what is told of them: of any
// kind of change, and of any code of finding, at most 1 % of the runs may have one.
//
//	go test ./pkg/analysis -run NothingTold -v -args -traces 10
func TestNothingTold(t *testing.T) {
	disks, lengths := []int{1, 3, 8}, []float64{15, 45, 120}
	runs, told := 0, map[string]int{}
	where := map[string]map[string]int{} // of what is told, by class
	for i, class := range tracetest.Classes() {
		if *tune && !class.Tuned {
			continue
		}
		for k := range len(disks) * len(lengths) {
			if *analysis.TracesPerKind == 0 && k != i%(len(disks)*len(lengths)) {
				continue
			}
			for seed := range max(*analysis.TracesPerKind, 1) {
				runs++
				for _, what := range toldOf(steadyCase(class, random(100*seed+k, 92), disks[k%3], lengths[k/3])) {
					told[what]++
					if where[what] == nil {
						where[what] = map[string]int{}
					}
					where[what][class.Name]++
				}
			}
		}
	}
	for _, what := range slices.Sorted(maps.Keys(told)) {
		t.Logf("%4d of %d: %s %v", told[what], runs, what, where[what])
		if *judge && what[:6] == "change" && 100*told[what] > runs {
			t.Errorf("%d of %d steady runs have a %s", told[what], runs, what)
		}
	}
}

// steadyCase is a phase of disks of unequal rates, each alone before.
func steadyCase(class tracetest.Class, rnd *rand.Rand, disks int, untilS float64) *trace.Run {
	var phases []*trace.Phase
	var together []*trace.DiskRecord
	for i := range disks {
		d := tracetest.Disk{Name: string(rune('A' + i)), Levels: []tracetest.Level{{UntilS: untilS, Rate: 0.4e9 + 1.2e9*rnd.Float64()}}, Sizes: class.Sizes, Noise: class.Noise}
		if phases = append(phases, tracetest.Phase(d.Name, d.Play(rnd))); disks > 1 {
			together = append(together, d.Play(rnd))
		}
	}
	if together != nil {
		phases = append(phases, tracetest.Phase("all", together...))
	}
	return tracetest.Run(phases...)
}

// toldOf lists which kinds of changes are told, but for starts and ends that are there, and which findings.
func toldOf(run *trace.Run) []string {
	a := read(run)
	found := map[string]bool{}
	for _, c := range a.changes {
		if !c.edge(run) {
			found["change: "+c.Kind] = true
		}
	}
	for _, f := range a.Findings {
		found[fmt.Sprintf("finding: %s", f.Code)] = true
	}
	return slices.Collect(maps.Keys(found))
}
