package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/tell/cells"
	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/effect"
	"github.com/hubbench/hubbench/pkg/ledger"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
	"github.com/hubbench/hubbench/pkg/work"
	"github.com/hubbench/hubbench/testdata/fixture"
)

// Numbers are as fine as a reader can use. An interval that is wider than its rate is written from
// low to high: 0.3 ± 0.6 would be less than nothing.
func TestNumbers(t *testing.T) {
	scale := Scale{unit.ScaleFor(1e9)}
	for i, test := range []struct{ got, want string }{
		{clock(45.8e-6, 32.8), "0"}, {clock(32.84, 32.84), "32.8"}, {clock(3.2, 600), "3"},
		{clock(0.00123, 0.01), "0.0012"}, {clock(0, 0), "0"},
		{fmt.Sprintf("%.3g", Steps(0, 2.6, 6)), "[0 0.5 1 1.5 2 2.5]"},
		{fmt.Sprintf("%.3g", Steps(-0.5, 1, 3)), "[-0.5 0 0.5 1]"},
		{fmt.Sprint(Steps(3, 3, 5)), "[]"},
		{fmt.Sprint(Round(936_499_999.9, 4)), "9.365e+08"},
		{fmt.Sprint(Round(0.123456, 4)), "0.1235"},
		{fmt.Sprint(Round(math.NaN(), 4), Round(math.Inf(1), 4), Round(0, 4)), "0 0 0"},
		{Change(0), "0.0%"}, {Change(0.0004), "0.0%"}, {Change(-0.0004), "0.0%"},
		{Change(0.0006), "+0.1%"}, {Change(-0.05), "−5.0%"}, {Change(0.0996), "+10%"},
		{Change(0.999), "+100%"}, {Change(0.9996), "+100%"}, {Change(1.234), "+123%"},
		{scale.margin(nil, 0.3e9), ""},
		{scale.margin(&stats.Interval{0.28e9, 0.322e9}, 0.3e9), "0.021"},
		{scale.margin(&stats.Interval{0, 1.2e9}, 0.3e9), "0 to 1.20"},
	} {
		if test.got != test.want {
			t.Errorf("%d: got %q, want %q", i, test.got, test.want)
		}
	}
}

// Names that differ in their end alone stay different, wherever they are cut.
func TestKeys(t *testing.T) {
	const rear = "Samsung Portable SSD T7 Shield 4TB on the rear port"
	var got []string
	for _, key := range newKeys([]string{"Samsung T7 Shield Portable 2TB",
		"Samsung T7 Shield Portable 4TB", strings.Repeat("x", 40) + "1",
		strings.Repeat("x", 30) + "1", "磁盘", "line\nbreak",
		"Samsung Portable SSD T7 Shield 2TB on the rear port", rear, rear}) {
		if n := cells.Width(key.Label); n > maxLabel {
			t.Errorf("%q takes %d columns, want at most %d", key.Label, n, maxLabel)
		}
		got = append(got, key.Label)
	}
	want := []string{"Samsung T7…ortable 2TB", "Samsung T7…ortable 4TB", "xxxxxxxxxx…xxxxxxxxxx1",
		"xxxxxxxx…xxxxxxxx1 (2)", "磁盘", "line·break",
		"Samsung Po…e rear port", "Samsung …rear port (2)", "Samsung …rear port (3)"}
	check.Same(t, "labels", want, got)
}

// Many files are drawn as lines that sum them up and the files furthest from them.
func TestManyFiles(t *testing.T) {
	run := fixture.Many(20000)
	doc := reportOf(run)
	outside := 0
	for _, c := range Collect[*Chart](doc.Phases()[0].Blocks) {
		lines := map[string][][]float64{}
		for _, s := range c.Series {
			switch n := len(s.Points); {
			case c.ID == "time" && s.Kind == Dots:
				outside += n
			case s.Kind != Line:
				t.Errorf("%s: %s of %d points", c.ID, s.Kind, n)
			case (c.ID == "time" || c.ID == "worn") && (n < 50 || n > maxBuckets):
				t.Errorf("%s: %d points of %s, want 50 to %d", c.ID, n, s.Name, maxBuckets)
			}
			if s.Key == 0 && s.Kind == Line {
				lines[s.Name] = s.Points
			}
		}
		for k, mean := range lines["mean"] {
			if low, high := lines["5th percentile"][k],
				lines["95th percentile"][k]; low[1] > high[1] || mean[1] <= 0 || mean[1] > high[1] {
				t.Errorf("%s: a mean of %v between %v and %v", c.ID, mean, low, high)
			}
		}
	}
	if outside == 0 || outside > maxOutliers {
		t.Errorf("%d outliers, want some and at most %d", outside, maxOutliers)
	}
}

// Repeats are pooled that are of the same work and called alike; a phase that only looks like one
// is not.
func TestPool(t *testing.T) {
	a := &analysis.Analysis{}
	for _, p := range []struct {
		name, title, repeats string
	}{{"W-1", "A writes (1)", ""}, {"R", "A reads", ""}, {"W-2", "A writes (2)", "W-1"},
		{"W-3", "A writes (3)", "R"}} {
		a.Phases = append(a.Phases, analysis.PhaseResult{Name: p.name, Title: p.title,
			Repeats: p.repeats})
	}
	got := map[string][]string{}
	for _, line := range newRunDoc(RunData{Analysis: a}).lines {
		for _, p := range line.phases {
			got[line.id+" "+line.title] = append(got[line.id+" "+line.title], p.Name)
		}
	}
	want := map[string][]string{"phase-1 A writes": {"W-1", "W-2"}, "phase-2 A reads": {"R"},
		"phase-4 A writes (3)": {"W-3"}}
	check.Same(t, "pooled", want, got)
}

// A study opens with who crowds out whom and what to plug in elsewhere, whatever its phases.
func TestConclusion(t *testing.T) {
	var s fixture.Study
	alone := map[string]float64{"A": 1.5e9, "B": 1.5e9, "C": 2.8e9}
	for _, disk := range []string{"A", "B", "C"} {
		s.Add(disk+" W", disk, trace.Write, 20, alone[disk])
	}
	s.Add("A+B W", "A", trace.Write, 20, 1.5e9)
	s.Add("A+B W", "B", trace.Write, 20, 1.5e9)
	// C ends, and the other one is as fast as alone.
	s.Add("A+C W", "A", trace.Write, 20, 0.75e9, fixture.Pace{FromS: 7.39, Rate: 1.5e9})
	s.Add("A+C W", "C", trace.Write, 20, 2.6e9)
	s.Add("B+C W", "B", trace.Write, 20, 0.8e9, fixture.Pace{FromS: 7.29, Rate: 1.5e9})
	s.Add("B+C W", "C", trace.Write, 20, 2.6e9)
	doc := reportOf(s.Run("study", "A", "B", "C"))
	got := doc.Page
	if !strings.HasPrefix(got.Headline, "C crowds out A: it drops to ") || len(got.Actions) != 1 ||
		got.Sure == "" || len(got.Hero.(*Flow).States) != 6 ||
		got.Hero.(*Flow).States[0].Title != "A and C write" {
		t.Errorf("the answer is %+v", got)
	}
	all, pairs := find(doc, "All phases"), find(doc, "Who slows down whom")
	if all == nil || pairs == nil {
		t.Fatal("a study has no table of all phases or none of pairs")
	}
	// Its rows are the loads that the answer has.
	first, row := &got.Hero.(*Flow).States[0], all.Rows[4]
	if row[0].Link != first.ID || row[1].Text != first.Disks[0].Value.Text ||
		row[1].Small != first.Disks[0].Keeps.Text || row[4].Words()+" GB/s" != first.Total.Text {
		t.Errorf("the row of the first load is %+v", row)
	}
	if len(pairs.Rows) != 3 || len(pairs.Columns) != 4 || pairs.Rows[0][1].Heat != 0 ||
		pairs.Rows[0][3].Heat == 0 || pairs.Rows[0][3].Link != first.ID {
		t.Errorf("who slows whom is %+v, want disks by disks that lead to phases", pairs)
	}
}

// A cell of the table of all phases without a reference is marked as one, in words too.
func TestPhasesWithoutReference(t *testing.T) {
	var s fixture.Study
	s.Add("A W", "A", trace.Write, 20, 1e9)
	s.Add("WW", "A", trace.Write, 20, 1e9)
	s.Add("WW", "B", trace.Write, 20, 1e9)
	a := analysis.Analyze(s.Run("study", "A", "B"), analysis.Options{})
	a.Phases[1].Contention.Disks["B"] = analysis.DiskContention{}
	r := newRunDoc(RunData{Analysis: a})
	got := r.phasesTable(r.lines)
	if row := got.Rows[1]; row[1].NoReference || row[1].Heat == 0 || !row[2].NoReference ||
		!strings.Contains(got.Note, "%: of the baseline, none: unknown") {
		t.Errorf("%+v under %q", row, got.Note)
	}
	if row := got.Rows[0]; row[1].NoReference || row[2].Words() != "" {
		t.Errorf("a disk alone and an idle one: %+v", row)
	}
}

// Each finding is told once: not what the answer or the phase's verdict says, and what repeats have
// in common with their number.
func TestFindings(t *testing.T) {
	a := &analysis.Analysis{Scale: unit.ScaleFor(2e9), Order: []string{"A", "B"}}
	for i, name := range []string{"WW", "WW-2", "RR"} {
		a.Phases = append(a.Phases, analysis.PhaseResult{Name: name, Title: name,
			Repeats: []string{"", "WW", ""}[i],
			Verdict: "A dropped 3 frames; 1 of 4 streams was spared. Two disks writing."})
		a.Findings = append(a.Findings,
			analysis.Finding{Code: "stall", Phase: name, TextWithoutPhase: "a stall", Weight: 0.2},
			analysis.Finding{Code: "drops", Phase: name,
				TextWithoutPhase: "A dropped 3 frames; 1 of 4 streams was spared"})
	}
	for range 9 { // of one phase none is left out
		a.Findings = append(a.Findings,
			analysis.Finding{Code: "cpu", Phase: "RR", TextWithoutPhase: "B got more"})
	}
	doc := OfRun(RunData{Analysis: a})
	if want := []string{"WW: a stall; seen in 2 of 2 repeats."}; !slices.Equal(doc.Page.More,
		want) {
		t.Errorf("the answer tells %q, want %q", doc.Page.More, want)
	}
	list := Collect[List](doc.Blocks)[0]
	if len(list.Items) != 10 || list.Items[0] != "RR: a stall." {
		t.Errorf("below it stand %q, want the other stall and nine more", list.Items)
	}
	a.Phases = nil // then nothing repeats anything
	if n := len(newRunDoc(RunData{Analysis: a}).findings); n != 15-3 {
		t.Errorf("%d findings of phases that are not listed", n)
	}
}

// Of every phase of the preset there is one table, of the disks that fell, in their own colours.
func TestSaturations(t *testing.T) {
	rest := 150.0
	fall := &analysis.Fall{AtBytes: 24e9, FromRate: 2e9, ToRate: 0.6e9}
	a := &analysis.Analysis{Scale: unit.ScaleFor(2e9), Saturations: []analysis.Saturation{
		{Of: "WW", Disk: "A"}, // it did not fall
		{Of: "WW", Disk: "B", Fall: fall, Back: &analysis.Back{RestS: &rest},
			Bursts: []ledger.Burst{{RestS: 10, FastBytes: 1.6e9, SEBytes: 0.1e9},
				{RestS: 20, FastBytes: 3.2e9, SEBytes: 0.1e9}}},
		{Of: "W-", Disk: "A", Fall: fall,
			Bursts: []ledger.Burst{{RestS: 10, FastBytes: 0.05e9, SEBytes: 0.1e9}}},
	}}
	a.Order = []string{"A", "B"}
	doc := newRunDoc(RunData{Analysis: a})
	doc.Add(doc.rests()...)
	tables := Collect[*Table](doc.Blocks)
	if len(tables) != 2 || tables[0].ID == tables[1].ID {
		t.Fatalf("tables %v, want one of each", tables)
	}
	check.Same(t, "of B", [][]string{{"10 s", "1.6 GB", "7%", "2 s"},
		{"20 s", "3.2 GB", "13%", "4 s"}}, wordsOf(tables[0]))
	check.Same(t, "of A, which no rest helped", [][]string{{"10 s", "< 200 MB", "0%", "none"}},
		wordsOf(tables[1]))
	if key := doc.Blocks[0].(*Details).Blocks[0].(*Rows).Rows[0].Key; key.Name != "B" {
		t.Errorf("the first rows are of %s", key.Name)
	}
}

// A cell of the table of pairs is an effect, the note has the widest margin of error, and a share
// that is of nothing says so: it must not look as if nothing were lost.
func TestPairsTable(t *testing.T) {
	phase := func(name, noBaselineOfC string) analysis.PhaseResult {
		return analysis.PhaseResult{
			Name: name, Roles: map[string]trace.Role{"A": trace.Write, "C": trace.Write},
			Contention: &analysis.Contention{Disks: map[string]analysis.DiskContention{
				"A": {}, "C": {NoReference: noBaselineOfC},
			}},
			Disks: map[string]analysis.DiskResult{"A": {}, "C": {}},
		}
	}
	lost := func(share float64, phases ...string) effect.Effect {
		return effect.Effect{
			Victim: "A", Neighbour: "C", Phases: phases, Loss: share,
			CI: &stats.Interval{share - 0.021, share + 0.021},
		}
	}
	tables := func(effects []effect.Effect, phases ...analysis.PhaseResult) *Table {
		a := &analysis.Analysis{Scale: unit.ScaleFor(2e9), Order: []string{"A", "C"},
			Phases: phases, Effects: effects}
		r := newRunDoc(RunData{Analysis: a})
		return r.pairsTable(r.pairs())
	}
	one := tables([]effect.Effect{lost(0.53, "WW")}, phase("WW", analysis.NoneUnlike))
	a, c := one.Rows[0][2], one.Rows[1][1]
	check.Same(t, "A beside C", Cell{Text: "47%", Heat: a.Heat, Link: "phase-1",
		Plain: [2]string{"47"}, Unit: "%"}, a)
	check.Same(t, "C beside A", Cell{Text: "other work alone", NoReference: true}, c)
	if a.Heat == 0 || !strings.HasSuffix(one.Note, ", ±3 points or less.") {
		t.Errorf("no colour, or no margin of error: %s", one.Note)
	}
	two := tables([]effect.Effect{lost(0.5, "WW", "WW-2")}, phase("WW", ""), phase("WW-2", ""))
	if a := two.Rows[0][2]; a.Text != "50%" || a.Link != "phase-1" {
		t.Errorf("A beside C in repeats: %+v", a)
	}
	if none := tables(nil, phase("WW", "")); len(none.Rows) != 0 {
		t.Errorf("without effects: %+v", none.Rows)
	}
}

func reportOf(run *trace.Run) *Document {
	return OfRun(RunData{Trace: run, Analysis: analysis.Analyze(run, analysis.Options{})})
}

// The answer is shown by its phase over time, or by the buffers of its streams.
func TestAnswerChart(t *testing.T) {
	run := fixture.Triple()
	if c := reportOf(run).Page.Chart(); c.ID != "time" || c.Phase == "" {
		t.Errorf("of three phases: chart %s of %s", c.ID, c.Phase)
	}
	run.Phases = run.Phases[:1]
	if c := reportOf(run).Page.Chart(); c.ID != "time" ||
		!strings.HasPrefix(c.Title, "C takes 60%, A and B wait ") {
		t.Errorf("chart %s %q", c.ID, c.Title)
	}
	if c := Collect[*Chart](reportOf(fixture.Streams()).Blocks)[0]; c.ID != "buffer" {
		t.Errorf("of streams: chart %s", c.ID)
	}
}

// Where a fast cache ends is marked among the bytes written, and a disk that goes on for long is
// cut short.
func TestCacheChart(t *testing.T) {
	var s fixture.Study
	s.Add("A alone", "A", trace.Write, 40, 2.3e9, fixture.Pace{FromS: 4, Rate: 0.6e9})
	s.Add("B alone", "B", trace.Write, 80, 2.8e9)
	run := s.Run("caches", "A", "B")
	a := analysis.Analyze(run, analysis.Options{})
	a.Saturations = []analysis.Saturation{
		{Of: "cache", Disk: "A", Alone: "A alone",
			Fall: &analysis.Fall{AtBytes: 9.2e9, FromRate: 2.3e9, ToRate: 0.6e9}},
		{Of: "cache", Disk: "B", Alone: "B alone"},
	}
	c := OfRun(RunData{Trace: run, Analysis: a}).Page.Hero.(*Chart)
	if want := "A falls from 2.30 to 0.600 GB/s after 9.2 GB"; c.Title != want {
		t.Errorf("title %q, want %q", c.Title, want)
	}
	if c.X.Max != 3*9.2e9 {
		t.Errorf("drawn up to %g bytes", c.X.Max)
	}
	check.Same(t, "marks",
		[]Mark{{At: 9.2e9, Upright: true, Text: "full at 9.2 GB"}}, c.Marks)
	for _, s := range c.Series {
		if s.Points[len(s.Points)-1][1] > c.X.Max {
			t.Errorf("disk %d is drawn beyond the end", s.Key)
		}
	}
}

// The letters of the table of all phases are those that its note explains, whatever a disk does.
func TestPhasesLetters(t *testing.T) {
	run := fixture.Streams()
	r := newRunDoc(RunData{Trace: run, Analysis: analysis.Analyze(run, analysis.Options{})})
	for _, row := range r.phasesTable(r.lines).Rows {
		for _, cell := range row[1:4] {
			if !slices.Contains([]string{"", "R", "W"}, cell.Letter) {
				t.Errorf("%s has the letter %q", row[0].Text, cell.Letter)
			}
		}
	}
}

// What verify: full leaves out is said of the runs that it read files once more of.
func TestVerifiedInFull(t *testing.T) {
	for _, tt := range []struct {
		verify, profile string
		want            bool
	}{
		{scenario.VerifyOff, "", false}, {scenario.VerifyStamps, "", false},
		{scenario.VerifyFull, "", true}, {scenario.VerifyFull, "A", false},
	} {
		run := &trace.Run{Disks: []trace.Disk{{Name: "A", Profile: tt.profile}},
			Phases: []*trace.Phase{{Roles: map[string]trace.Role{"A": trace.Read},
				Work: map[string]work.Work{"A": {Verify: tt.verify}}}}}
		doc := OfRun(RunData{Trace: run, Analysis: analysis.Analyze(run, analysis.Options{})})
		said := false
		for _, b := range doc.Blocks {
			if d, ok := b.(*Details); ok && d.ID == "methods" {
				said = strings.Contains(fmt.Sprint(d.Blocks),
					"wrong in the timed read alone goes unnoticed")
			}
		}
		check.Same(t, tt.verify+" "+tt.profile, tt.want, said)
	}
}
