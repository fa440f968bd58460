package report

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hubbench/hubbench/internal/tell/cells"
	"github.com/hubbench/hubbench/internal/tell/say"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/compare"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
	"github.com/hubbench/hubbench/pkg/work"
	"github.com/hubbench/hubbench/testdata/fixture"
)

func TestClock(t *testing.T) {
	for _, test := range []struct {
		at, length float64
		want       string
	}{
		{45.8e-6, 32.8, "0"}, {32.84, 32.84, "32.8"}, {3.2, 600, "3"}, {0.00123, 0.01, "0.0012"}, {0, 0, "0"},
	} {
		if got := Clock(test.at, test.length); got != test.want {
			t.Errorf("Clock(%g, %g) = %s, want %s", test.at, test.length, got, test.want)
		}
	}
}

func TestSteps(t *testing.T) {
	for _, test := range []struct {
		low, high float64
		most      int
		want      []float64
	}{
		{0, 2.6, 6, []float64{0, 0.5, 1, 1.5, 2, 2.5}},
		{-0.5, 1, 3, []float64{-0.5, 0, 0.5, 1}},
		{3, 3, 5, nil},
	} {
		if diff := cmp.Diff(test.want, Steps(test.low, test.high, test.most), cmpopts.EquateApprox(0, 1e-12)); diff != "" {
			t.Errorf("Steps(%g, %g, %d) (-want +got):\n%s", test.low, test.high, test.most, diff)
		}
	}
}

func TestCountAndRound(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567"} {
		if got := unit.FormatCount(n); got != want {
			t.Errorf("unit.FormatCount(%d) = %s, want %s", n, got, want)
		}
	}
	for x, want := range map[float64]float64{936_499_999.9: 936_500_000, 0.123456: 0.1235, 0: 0, math.NaN(): 0, math.Inf(1): 0} {
		if got := Round(x, 4); got != want {
			t.Errorf("Round(%v, 4) = %v, want %v", x, got, want)
		}
	}
}

// Names that differ in their end alone stay different, wherever they are cut.
func TestKeys(t *testing.T) {
	var got []string
	for _, key := range newKeys([]string{"Samsung T7 Shield Portable 2TB", "Samsung T7 Shield Portable 4TB", strings.Repeat("x", 40) + "1", strings.Repeat("x", 30) + "1", "磁盘", "line\nbreak"}) {
		if n := cells.Width(key.Label); n > longest {
			t.Errorf("%q takes %d columns, want at most %d", key.Label, n, longest)
		}
		got = append(got, key.Label)
	}
	for _, key := range newKeys([]string{"Samsung Portable SSD T7 Shield 2TB on the rear port", "Samsung Portable SSD T7 Shield 4TB on the rear port", "Samsung Portable SSD T7 Shield 4TB on the rear port"}) {
		if n := cells.Width(key.Label); n > longest {
			t.Errorf("%q takes %d columns, want at most %d", key.Label, n, longest)
		}
		got = append(got, key.Label)
	}
	want := []string{"Samsung T7…ortable 2TB", "Samsung T7…ortable 4TB", "xxxxxxxxxx…xxxxxxxxxx1", "xxxxxxxx…xxxxxxxx1 (2)", "磁盘", "line·break",
		"Samsung Portable …2TB…", "Samsung Portable …4TB…", "Samsung …rear port (2)"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestBandWeighsByTime(t *testing.T) {
	got := (&lane{files: []trace.File{{EndNS: 1e9, Bytes: 10}, {StartNS: 1e9, EndNS: 4e9, Bytes: 90}}}).bands(400,
		func(f file) (from, to float64) { return f.startS, f.endS })
	if want := []band{{from: 0, to: 4, mean: 25, p05: 10, p95: 30}}; len(got) != 1 || got[0] != want[0] {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// Many files are drawn as bands and the files furthest from them, and every file is counted once.
func TestManyFiles(t *testing.T) {
	run := fixture.Many(20000)
	doc := OfRun(Run{Trace: run, Analysis: say.Analyze(run, analysis.Options{})})
	inCells, inBins, outside := 0.0, 0.0, 0
	for _, f := range Collect[*Figure](doc.Phases()[0].Blocks) {
		for _, m := range f.Main().Marks {
			switch {
			case f.ID == "time" && m.Shape == Band:
				if len(m.Rows) < 100 || len(m.Rows) > maxBands {
					t.Errorf("%d bands, want 100 to %d", len(m.Rows), maxBands)
				}
				for _, row := range m.Rows {
					if row[1] <= row[0] || row[2] > row[3] || row[4] <= 0 {
						t.Fatalf("an impossible band %v", row)
					}
				}
			case f.ID == "time" && m.Shape == Segment && m.Name == "file":
				outside += len(m.Rows)
			}
			for _, row := range m.Rows {
				switch {
				case f.ID == "size" && m.Style == Density:
					inCells += row[4]
				case f.ID == "spread" && m.Shape == Rectangle:
					inBins += row[4]
				}
			}
		}
	}
	if inCells != 20000 || inBins != 20000 {
		t.Errorf("%g files in cells and %g in bins, want 20000", inCells, inBins)
	}
	if outside == 0 || outside > maxOutliers {
		t.Errorf("%d outliers, want some and at most %d", outside, maxOutliers)
	}
}

// Repeats are pooled that are of the same work and called alike; a phase that only looks like one is not.
func TestPool(t *testing.T) {
	a := &analysis.Analysis{}
	for _, p := range []struct {
		name, title, repeats string
	}{{"W-1", "A writes (1)", ""}, {"R", "A reads", ""}, {"W-2", "A writes (2)", "W-1"}, {"W-3", "A writes (3)", "R"}} {
		a.Phases = append(a.Phases, analysis.Phase{Phase: p.name, Title: p.title, Repeats: p.repeats})
	}
	got := map[string][]string{}
	for _, line := range newRunDoc(Run{Analysis: a}).lines {
		for _, p := range line.phases {
			got[line.id+" "+line.title] = append(got[line.id+" "+line.title], p.Phase)
		}
	}
	want := map[string][]string{"phase-1 A writes": {"W-1", "W-2"}, "phase-2 A reads": {"R"}, "phase-4 A writes (3)": {"W-3"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A study opens with who wins, who loses and what to plug in elsewhere, whatever its phases.
func TestConclusion(t *testing.T) {
	w := func(disk string, rate float64) fixture.Part {
		return fixture.Part{Disk: disk, Op: trace.Write, Files: 20, Pace: []fixture.Pace{{Rate: rate}}}
	}
	beside := func(disk string, rate, endS float64) fixture.Part { // C, which ends then
		p := w(disk, rate)
		p.Pace = append(p.Pace, fixture.Pace{FromS: endS, Rate: 1.5e9})
		return p
	}
	run := fixture.Run("study", []string{"A", "B", "C"}, map[string][]fixture.Part{
		"A W": {w("A", 1.5e9)}, "B W": {w("B", 1.5e9)}, "C W": {w("C", 2.8e9)},
		"A+B W": {w("A", 1.5e9), w("B", 1.5e9)}, "A+C W": {beside("A", 0.75e9, 7.39), w("C", 2.6e9)}, "B+C W": {beside("B", 0.8e9, 7.29), w("C", 2.6e9)},
	}, "A W", "B W", "C W", "A+B W", "A+C W", "B+C W")
	doc := OfRun(Run{Trace: run, Analysis: say.Analyze(run, analysis.Options{})})
	if got := doc.Answer; got.Headline != "C wins, A loses when A and C write." || len(got.Advice) != 1 || got.Sure == "" || len(got.Table.Rows) != 6 || got.Table.Rows[0][0].Text != "A and C write" {
		t.Errorf("the answer is %+v with the table %+v", got, got.Table)
	}
	all, ok := doc.Blocks[1].(*Table) // whose rows the answer selects
	if i := len(all.Columns) - 2; !ok || all.Name() != "all-phases" || all.Rows[4][i].Words() != doc.Answer.Table.Rows[0][i].Words() || !strings.Contains(all.Rows[4][i].Small, "±") {
		t.Errorf("all phases are %+v, want them to be the answer's and more", all)
	}
	table, ok := doc.Blocks[0].(*Table)
	if !ok || len(table.Rows) != 3 || len(table.Columns) != 4 || table.Rows[0][1].Heat != nil || table.Rows[0][3].Heat == nil {
		t.Errorf("after it comes %+v, want a table of disks by disks", doc.Blocks[0])
	}
}

func TestChange(t *testing.T) {
	for change, want := range map[float64]string{
		0: "0.0 %", 0.0004: "0.0 %", -0.0004: "0.0 %", 0.0006: "+0.1 %", -0.05: "-5.0 %", 0.999: "+99.9 %", 0.9996: "+100 %", 1.234: "+123 %",
	} {
		if got := Change(change); got != want {
			t.Errorf("Change(%v) = %q, want %q", change, got, want)
		}
	}
	for p, want := range map[float64]string{0: "< 0.001", 0.001: "0.0010", 0.0123: "0.012", 0.31: "0.31", 0.99: "0.99", 1: "1"} {
		if got := chance(p); got != want {
			t.Errorf("chance(%v) = %q, want %q", p, got, want)
		}
	}
}

// A comparison's answer is its most important change; what did not change has a bound, what is not known comes first.
func TestComparisonAnswer(t *testing.T) {
	rate := func(disk string, base, change, margin float64, v compare.Verdict) compare.Rate {
		now := base * (1 + change)
		return compare.Rate{Disk: disk, Op: trace.Write, Measure: compare.Window, Base: &base, New: &now,
			Test: compare.Test{Change: &change, Interval: &analysis.Interval{change - margin, change + margin}, Verdict: v}}
	}
	unjudged := compare.Rate{Disk: "A", Op: trace.Write, Measure: compare.Window,
		Test: compare.Test{Verdict: compare.TooLittle, Reason: "only 0.3 s were measured"}}
	pair := func(rates ...compare.Rate) compare.Pair {
		all := map[string]work.Work{}
		for _, r := range rates {
			if r.Disk != "" {
				all[r.Disk] = work.Work{Op: trace.Write}
			}
		}
		return compare.Pair{Side: compare.Side{Label: "runs/new"}, Phases: []compare.Phase{{Phase: "WW", Title: "WW", Rates: rates, Work: all}}}
	}
	partial := pair(rate("A", 1e9, 0, 0.02, compare.NotShown))
	partial.Lost, partial.Doubts = []string{"a of new", "b of new", "c of new", "d of new"}, []string{"new: WW: the host was 99 % busy."}
	for _, tt := range []struct {
		pair compare.Pair
		want string
	}{
		{
			pair(rate("A", 1.5e9, -0.01, 0.02, compare.NotShown), rate("B", 2e9, 0.8, 0.05, compare.Faster), rate("", 3.53e9, 0.898, 0.017, compare.Faster)),
			"Two disks writing move 6.70 instead of 3.53 GB/s (+90 %, 88 to 92). 2 of 3 rates rose and 1 did not change significantly.",
		},
		{pair(rate("A", 0.742e9, -0.0497, 0.0121, compare.Slower)), "A alone writes 705 instead of 742 MB/s (-5.0 %, -6.2 to -3.8)."},
		{
			pair(rate("A", 2e9, -0.5, 0.01, compare.Slower), rate("B", 1e9, 0.2, 0.01, compare.Faster)),
			"A beside B writes 1.00 instead of 2.00 GB/s (-50 %, -51 to -49). B beside A writes 1.20 instead of 1.00 GB/s (+20 %, 19 to 21). 1 of 2 rates fell and 1 rose.",
		},
		{pair(rate("A", 1e9, 0.001, 0.011, compare.NotShown), rate("B", 1e9, 0, 0.004, compare.NotShown)), "Nothing changed: every rate is within ±1.2 %."},
		{pair(rate("A", 1e9, 0.001, 0.5, compare.NotShown)), "No change is shown, but the runs are noisy: a rate may have fallen by up to 49.9 %."},
		{pair(unjudged), "Too little was measured to compare any rate: only 0.3 s were measured."},
		{compare.Pair{}, "There are no rates to compare."},
		{partial, "Nothing changed: every rate is within ±2.0 %."},
	} {
		doc := OfComparison(&compare.Comparison{Level: 0.05, Base: compare.Side{Label: "runs/old"}, Pairs: []compare.Pair{tt.pair}})
		if got := doc.Answer.Headline; got != tt.want {
			t.Errorf("got  %q\nwant %q", got, tt.want)
		}
		if f := doc.Answer.Figure; f != nil && (f.X.Min != 0 || f.X.Max < f.Panels[0].Marks[0].Rows[0][1]) {
			t.Errorf("%s: the axis goes from %v to %v", tt.want, f.X.Min, f.X.Max)
		}
		if want := []string{"Not measured, or not completely: a of new; b of new; c of new; and 1 more.", "new: WW: the host was 99 % busy."}; tt.pair.Lost != nil && !slices.Equal(doc.Answer.Doubts, want) {
			t.Errorf("doubts %q, want %q", doc.Answer.Doubts, want)
		}
	}
}

// A cell of the table of all phases without a reference is marked as one, in words too.
func TestPhasesWithoutReference(t *testing.T) {
	part := func(disk string) fixture.Part {
		return fixture.Part{Disk: disk, Op: trace.Write, Files: 20, Pace: []fixture.Pace{{Rate: 1e9}}}
	}
	run := fixture.Run("study", []string{"A", "B"}, map[string][]fixture.Part{"A W": {part("A")}, "WW": {part("A"), part("B")}}, "A W", "WW")
	a := say.Analyze(run, analysis.Options{})
	a.Phases[1].Contention.Disks["B"] = analysis.DiskContention{}
	r := newRunDoc(Run{Analysis: a})
	got := r.phasesTable(r.lines, true)
	if row := got.Rows[1]; row[1].NoReference || row[1].Heat == nil || !row[2].NoReference || !strings.Contains(got.Note, "no %: no reference") {
		t.Errorf("%+v under %q", row, got.Note)
	}
	if row := got.Rows[0]; row[1].NoReference || row[2].Words() != "" {
		t.Errorf("a disk alone and an idle one: %+v", row)
	}
}

// An interval that is wider than the rate is written from low to high: 0.3 ± 0.6 would be less than nothing.
func TestMargin(t *testing.T) {
	scale := Scale{unit.ScaleFor(1e9)}
	for want, ci := range map[string]*analysis.Interval{"": nil, "0.021": {0.28e9, 0.322e9}, "0 to 1.20": {0, 1.2e9}} {
		if got := scale.margin(ci, 0.3e9); got != want {
			t.Errorf("margin of %v = %q, want %q", ci, got, want)
		}
	}
}

// Each finding is told once: not what the answer or the phase's verdict says, and what repeats have in common with
// their number.
func TestFindings(t *testing.T) {
	a := &analysis.Analysis{Order: []string{"A", "B"}}
	for i, name := range []string{"WW", "WW-2", "RR"} {
		a.Phases = append(a.Phases, analysis.Phase{Phase: name, Title: name, Repeats: []string{"", "WW", ""}[i], Verdict: "A dropped 3 frames; 1 of 4 streams was spared. Two disks writing."})
		a.Findings = append(a.Findings, analysis.Finding{Code: "stall", Phase: name, Text: name + ": a stall.", Weight: 0.2}, analysis.Finding{Code: "drops", Phase: name, Text: name + ": A dropped 3 frames; 1 of 4 streams was spared."})
	}
	for range 9 { // of one phase none is left out
		a.Findings = append(a.Findings, analysis.Finding{Code: "uneven", Phase: "RR", Text: "RR: B got more."})
	}
	doc := OfRun(Run{Analysis: a})
	if want := []string{"WW: a stall; seen in 2 of 2 repeats."}; !slices.Equal(doc.Answer.Findings, want) {
		t.Errorf("the answer tells %q, want %q", doc.Answer.Findings, want)
	}
	list := Collect[List](doc.Blocks)[0]
	if len(list.Items) != 10 || list.Items[0] != "RR: a stall." {
		t.Errorf("below it stand %q, want the other stall and nine more", list.Items)
	}
}

// What a figure shows on demand is no value of its disks: a line drawn through them goes further.
func TestRegressionsInWords(t *testing.T) {
	f := &Figure{Title: "Rate against file size", Keys: newKeys([]string{"A"}), Also: regressions, Panels: []Panel{{Y: Axis{Unit: Plain}, Marks: []Mark{
		{Shape: Point, Name: "file", Rows: [][]float64{{1, 0.7}, {2, 1.6}}},
		{Shape: Segment, Style: Line, Name: regressions, Rows: [][]float64{{1, 2, 0.7, 2.7}}},
	}}}}
	if got, want := f.Describe(), "Rate against file size (): A 0.700 to 1.60."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
