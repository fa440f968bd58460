package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/internal/tell/say"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
	"github.com/hubbench/hubbench/testdata/fixture"
)

func figureOf(run *trace.Run) *Figure {
	run.Started = "today"
	return OfRun(Run{Trace: run, Analysis: say.Analyze(run, analysis.Options{})}).Answer.Figure
}

// A study's figure sets each disk's rate beside the others on its rate alone, what loses most first, and hatches
// what has none.
func TestKeptFigure(t *testing.T) {
	rate := func(v float64) *float64 { return &v }
	contest := func(phase string, op trace.Role, kept ...float64) analysis.Contest {
		c := analysis.Contest{Phases: []string{phase}, Disks: map[string]analysis.ContestDisk{}}
		for i, k := range kept {
			d := analysis.ContestDisk{Op: op, Rate: 2e9 * k, CI95: &analysis.Interval{1.9e9 * k, 2.1e9 * k}, Reference: rate(2e9), Lost: k < 0.9}
			if k == 0 {
				d.Rate, d.Reference, d.CI95 = 1e9, nil, nil
			}
			c.Disks[string(rune('A'+i))] = d
		}
		return c
	}
	phase := func(name string, op trace.Role) analysis.Phase {
		return analysis.Phase{Phase: name, Roles: map[string]trace.Role{"A": op, "B": op, "C": op}}
	}
	a := &analysis.Analysis{
		Phases:  []analysis.Phase{phase("all W", trace.Write), phase("all R", trace.Read)},
		Summary: analysis.Summary{Contests: []analysis.Contest{contest("all W", trace.Write, 0.5, 0.95, 0), contest("all R", trace.Read, 0.4, 0.41, 0.42)}},
	}
	a.Order = []string{"A", "B", "C"}
	r := newRunDoc(Run{Analysis: a})
	r.scale = Scale{unit.ScaleFor(2e9)}
	f := r.keptFigure()
	if want := "A keeps 50 % of its rate (all write)"; f.Title != want {
		t.Errorf("title %q, want %q", f.Title, want)
	}
	var got []string
	for _, panel := range f.Panels {
		got = append(got, panel.Y.Name)
		for _, m := range panel.Marks {
			if m.Shape == Label || m.Style == Hatched {
				got = append(got, strings.TrimSpace(f.Keys[m.Key].Label+" "+string(m.Style)+" "+m.Text))
			}
		}
	}
	want := []string{
		"all write", "A loss 1.00 of 2.00: 50 %", "B ink 1.90 of 2.00: 95 %", "C hatched", "C ink 1.00, no reference",
		"all read", "A loss 0.800 of 2.00: 40 %", "B loss 0.820 of 2.00: 41 %", "C loss 0.840 of 2.00: 42 %",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	for _, words := range []string{"Hatched: no reference", "From all W; all R", "GB/s"} {
		if !strings.Contains(f.Text, words) {
			t.Errorf("%q says nothing of %q", f.Text, words)
		}
	}
	if got := f.Describe(); !strings.Contains(got, "all write: A 1.00; B 1.90; C 1.00; all read: A 0.800; B 0.820; C 0.840") {
		t.Errorf("in words %q", got)
	}
}

// A phase alone is drawn over time, under a title that says who takes how much and who waits.
func TestRaceFigure(t *testing.T) {
	run := fixture.Triple()
	run.Phases = run.Phases[:1]
	f := figureOf(run)
	if !strings.HasPrefix(f.Title, "C takes 60 %, A and B wait ") || f.ID != "answer" || f.Wide {
		t.Errorf("figure %s %q, wide %v", f.ID, f.Title, f.Wide)
	}
	if n := len(f.Panels); n != 2 || !f.Panels[0].Y.Bare {
		t.Errorf("%d panels, want the changes and the rates", n)
	}
	if !strings.HasPrefix(f.Text, "all write: ") || !strings.HasSuffix(f.Text, "Measured on today.") {
		t.Errorf("below its title stands %q, want the phase and the date", f.Text)
	}
}

// Where a fast cache ends is marked among the bytes written, and a disk that goes on for long is cut short.
func TestCacheFigure(t *testing.T) {
	run := fixture.Run("caches", []string{"A", "B"}, map[string][]fixture.Part{
		"A alone": {{Disk: "A", Op: trace.Write, Files: 40, Pace: []fixture.Pace{{Rate: 2.3e9}, {FromS: 4, Rate: 0.6e9}}}},
		"B alone": {{Disk: "B", Op: trace.Write, Files: 80, Pace: []fixture.Pace{{Rate: 2.8e9}}}},
	}, "A alone", "B alone")
	a := say.Analyze(run, analysis.Options{})
	a.Saturations = []analysis.Saturation{
		{Of: "cache", Disk: "A", Alone: "A alone", Fall: &analysis.Fall{AtBytes: 9.2e9, FromRate: 2.3e9, ToRate: 0.6e9}},
		{Of: "cache", Disk: "B", Alone: "B alone"},
	}
	f := OfRun(Run{Trace: run, Analysis: a}).Answer.Figure
	if want := "A falls from 2.30 to 0.600 GB/s after 9.2 GB"; f.Title != want {
		t.Errorf("title %q, want %q", f.Title, want)
	}
	if f.X.Max != 3*9.2e9 {
		t.Errorf("drawn up to %g bytes", f.X.Max)
	}
	if !slices.ContainsFunc(f.Panels[0].Marks, func(m Mark) bool { return m.Shape == Rule && m.Text == "cache full: 9.2 GB" && m.Key == 0 }) {
		t.Error("the end of the cache is not marked")
	}
	for _, m := range f.Panels[0].Marks {
		if m.Shape == Segment && m.Rows[len(m.Rows)-1][1] > f.X.Max {
			t.Errorf("disk %d is drawn beyond the end", m.Key)
		}
	}
}

// What became of streams is shown by their table.
func TestStreamsHaveNoAnswerFigure(t *testing.T) {
	if f := figureOf(fixture.Streams()); f != nil {
		t.Errorf("figure %q, want none", f.Title)
	}
}
