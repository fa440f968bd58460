package compare

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/internal/test/tracetest"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/trace"
)

// still is a phase without noise, with files whose sizes depend on seed.
func still(name string, seed uint64, loads ...load) *trace.Phase {
	return play(name, seed, rand.New(rand.NewPCG(1, 1)), tracetest.Noise{}, loads...)
}

// find returns a rate of the first phase of the first pair.
func find(t *testing.T, c *Comparison, disk string, m Measure) Rate {
	t.Helper()
	for _, r := range c.Pairs[0].Phases[0].Rates {
		if r.Disk == disk && r.Measure == m {
			return r
		}
	}
	t.Fatalf("no %s rate of disk %q", m, disk)
	return Rate{}
}

func TestCompareRates(t *testing.T) {
	w := trace.Write
	base := runOf("base", still("WW", 1, load{"A", w, 1e9, 30}, load{"C", w, 2e9, 60}))
	other := runOf("other", still("WW", 1, load{"A", w, 0.9e9, 30}, load{"C", w, 2e9, 60}))
	again := runOf("again", still("WW", 2, load{"A", w, 1e9, 30}, load{"C", w, 2.2e9, 60}))
	tests := []struct {
		name      string
		other     Input
		disk      string
		measure   Measure
		base, new float64
		unit      string
		verdict   TestResult
	}{
		{"slower in the window", other, "A", Window, 1e9, 0.9e9, "run", Slower},
		{"the same", other, "C", Window, 2e9, 2e9, "run", NotShown},
		{"together", other, "", Window, 3e9, 2.9e9, "run", Slower},
		{"faster", again, "C", Window, 2e9, 2.2e9, "run", Faster},
		{"the base itself", base, "A", Window, 1e9, 1e9, "run", NotShown},
	}
	for _, tt := range tests {
		r := find(t, Runs(base, tt.other), tt.disk, tt.measure)
		near := func(got *float64, want float64) bool {
			return got != nil && math.Abs(*got-want) < 1e-4*math.Abs(want)+1e-6
		}
		if !near(r.Base, tt.base) || !near(r.New, tt.new) || !near(r.Change, tt.new/tt.base-1) ||
			r.Unit != tt.unit || r.Verdict != tt.verdict {
			got, _ := json.Marshal(r)
			t.Errorf("%s: got %s, want %v, %v, in %ss, %s", tt.name, got, tt.base, tt.new, tt.unit,
				tt.verdict)
			continue
		}
		if r.CI95[0] > *r.Change || r.CI95[1] < *r.Change || *r.Corrected < *r.P {
			t.Errorf("%s: change %v outside of %v, or p %v above the corrected %v", tt.name,
				*r.Change, *r.CI95, *r.P, *r.Corrected)
		}
	}
	c := Runs(base, other, again)
	if c.Tests != 6 || len(c.Pairs) != 2 {
		t.Errorf("got %d tests of %d pairs, want all 6 of 2 corrected together", c.Tests,
			len(c.Pairs))
	}
}

func TestFalls(t *testing.T) {
	w := trace.Write
	base := runOf("base", still("WW", 1, load{"A", w, 1e9, 30}, load{"C", w, 2e9, 60}))
	c := Runs(base, runOf("other", still("WW", 1, load{"A", w, 0.9e9, 30},
		load{"C", w, 2.5e9, 60})))
	tests := []struct {
		limit        float64
		crossed      int
		fell, others int
	}{{0, 1, 1, 0}, {0.09, 1, 1, 2}, {0.11, 0, 0, 3}}
	for _, tt := range tests {
		g := c.Against(tt.limit, false)
		if len(g.Crossed) != tt.crossed || g.Fell != tt.fell || tt.limit > 0 &&
			g.DidNotFall != tt.others {
			t.Errorf("falls of more than %v: got %+v, want %d crossed, %d fell, %d did not",
				tt.limit, g, tt.crossed, tt.fell, tt.others)
		}
		for _, f := range g.Crossed {
			if f.Disk != "A" || f.Phase != "WW" || f.Run != "other" {
				t.Errorf("got a fall of disk %s in %s of %s, want A in WW of other", f.Disk,
					f.Phase, f.Run)
			}
		}
	}
}

// TestTooLittle: each case says why there is no verdict, and gives none.
func TestTooLittle(t *testing.T) {
	w, r := trace.Write, trace.Read
	full := load{"A", w, 1e9, 30}
	tests := []struct {
		name        string
		base, other *trace.Phase
		measure     Measure
		want        string
	}{
		{"short", still("W", 1, load{"A", w, 40e9, 30}), still("W", 1, full), Window,
			"within a run is not known"},
	}
	for _, tt := range tests {
		rate := find(t, Runs(runOf("base", tt.base), runOf("other", tt.other)), "A", tt.measure)
		if rate.Verdict != TooLittle || !strings.Contains(rate.Reason, tt.want) || rate.P != nil ||
			rate.CI95 != nil {
			got, _ := json.Marshal(rate)
			t.Errorf("%s: got %s, want no verdict because %q", tt.name, got, tt.want)
		}
	}
	// Without samples a file's bytes are known at its ends only.
	bare := still("W", 1, load{"A", w, 1e9, 5})
	for i := range bare.Disks[0].Files {
		bare.Disks[0].Files[i].Progress = nil
	}
	if rate := find(t, Runs(runOf("base", bare), runOf("other", bare)), "A",
		Window); !strings.Contains(rate.Reason, "no error bars: ") {
		t.Errorf("without samples: got %q", rate.Reason)
	}
	// Phases of which nothing can be said.
	apart := still("p", 1, load{"A", w, 1e9, 9}, load{"B", w, 1e9, 9})
	for i := range apart.Disks[1].Files {
		f := &apart.Disks[1].Files[i]
		f.StartNS, f.EndNS, f.Progress = f.StartNS+100e9, f.EndNS+100e9, nil
	}
	together := still("p", 1, load{"A", w, 1e9, 9}, load{"B", w, 1e9, 9})
	for _, tt := range []struct {
		name        string
		base, other *trace.Phase
		want        string
	}{
		{"other roles", still("p", 1, load{"A", w, 1e9, 9}), still("p", 1, load{"A", r, 1e9, 9}),
			"no disk has the same role in both runs"},
		{"no window in the base", apart, together,
			"in the base, the disks never worked all at once"},
		{"no window here", together, apart, "the disks never worked all at once"},
	} {
		p := Runs(runOf("base", tt.base), runOf("other", tt.other)).Pairs[0].Phases[0]
		if p.Reason != tt.want || len(p.Rates) > 0 {
			t.Errorf("%s: got %d rates, reason %q; want %q", tt.name, len(p.Rates), p.Reason,
				tt.want)
		}
	}
}

func TestComparePhases(t *testing.T) {
	w := trace.Write
	base := runOf("base", still("one", 1, load{"A", w, 1e9, 9}),
		still("both", 1, load{"A", w, 1e9, 9}, load{"B", w, 1e9, 9}))
	other := runOf("other", still("both", 1, load{"A", w, 1e9, 9}),
		still("two", 1, load{"A", w, 1e9, 9}))
	other.Trace.Status = trace.Partial
	other.Analysis = analysis.Analyze(other.Trace, analysis.Options{})
	other.Analysis.Warnings[0].Text = "the run ended early"
	lag, longer := 4.0, 6.5
	base.Analysis.Phases[1].Recoveries = []analysis.Recovery{{Disk: "A", Op: w, After: "B",
		LagS: &lag}, {Disk: "B", Op: w, After: "A"}}
	other.Analysis.Phases[0].Recoveries = []analysis.Recovery{{Disk: "A", Op: w, After: "B",
		LagS: &longer}, {Disk: "A", Op: w, After: "C", LagS: &lag}}

	c := Runs(base, other)
	warnings := []string{
		"base has no run.json, so only its events tell how it was measured",
		"other: the run ended early",
		"other has no run.json, so only its events tell how it was measured",
	}
	check.Same(t, "warnings", warnings, c.Warnings)
	p := c.Pairs[0]
	want := Pair{
		Side:       Side{Label: "other", Name: "test", Partial: true},
		OnlyInBase: []string{"one"},
		OnlyInNew:  []string{"two"},
		Method:     []Difference{{What: "roles", Base: "A and B write", New: "A writes"}},
		Differs:    []string{"work"},
		Headline:   "Different work (roles: A and B write → A writes); what else differs is not recorded in both.",
		Lost:       []string{`"one" of other`, "B (both) of other"},
	}
	got := p
	got.Phases, got.Titles = nil, nil
	check.Same(t, "pair", want, got, withoutCause(), cmpopts.IgnoreUnexported(Variation{}))
	recovered := []Recovery{{"A", w, "B", &lag, &longer}, {"B", w, "A", nil, nil},
		{"A", w, "C", nil, &lag}}
	check.Same(t, "recoveries", recovered, p.Phases[0].Recoveries)
	// With other disks at work there is no common total.
	if n := len(p.Phases[0].Rates); n != 1 {
		t.Errorf("got %d rates, want the window of A", n)
	}
}
