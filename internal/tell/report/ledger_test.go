package report

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/internal/tell/say"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/trace/tracetest"
	"github.com/hubbench/hubbench/pkg/unit"
	"github.com/hubbench/hubbench/testdata/fixture"
)

// What changed stands over the chart, what happens at one time on several lines, and nowhere else.
func TestChanges(t *testing.T) {
	run := fixture.Triple()
	doc := OfRun(Run{Trace: run, Analysis: say.Analyze(run, analysis.Options{})})
	phase := doc.Phases()[0]
	time := Collect[*Figure](phase.Blocks)[0]
	if panel := time.Panels[0]; !panel.Y.Bare || time.Main() != &time.Panels[1] {
		t.Fatalf("the first panel is %+v", panel.Y)
	}
	type span struct {
		label string
		style Style
		line  int
	}
	var got []span
	for _, m := range time.Panels[0].Marks {
		got = append(got, span{m.Text, m.Style, int(-m.Rows[0][2])})
		if m.Shape != Rectangle || m.Key != None || m.Rows[0][0] > m.Rows[0][1] || m.Rows[0][1] > time.X.Max {
			t.Errorf("%s is drawn as %+v %v", m.Text, m, m.Rows)
		}
	}
	want := []span{{"all three active: 32.8 s", Turn, 0}, {"C ends", Normal, 0}, {"A and B recover in 12.2 s", Gain, 1}, {"B ends", Normal, 0}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(span{})); diff != "" {
		t.Errorf("over the chart (-want +got):\n%s", diff)
	}
	if at := slices.IndexFunc(Collect[*Table](phase.Blocks), func(t *Table) bool { return t.Name() == "changes" }); at >= 0 {
		t.Error("ends and recoveries are told again in a table")
	}
	if want := "C takes 60 %, A and B wait 12.2 s"; time.Title != want {
		t.Errorf("the timeline is called %q, want %q", time.Title, want)
	}
}

// More happening at once than there are lines for stands in the table alone, and disks that swing together do so in
// one span.
func TestManyChanges(t *testing.T) {
	found := &analysis.Phase{Phase: "WW"}
	for i := range 100 {
		found.Changes = append(found.Changes, analysis.Change{Kind: analysis.KindStall, Disks: []string{"A"}, StartS: float64(i), EndS: float64(i) + 0.5, FromRate: 1e9})
	}
	for _, disk := range []string{"B", "A"} {
		found.Changes = append(found.Changes, analysis.Change{Kind: analysis.KindSwing, Disks: []string{disk}, StartS: 0, EndS: 100, FromRate: 1e9, ToRate: 0.5e9})
	}
	v := &phaseView{found: found, endS: 100, perS: 1000, keys: []Key{{Name: "A", Label: "A"}, {Name: "B", Label: "B"}}, lanes: make([]lane, 2), scale: Scale{unit.ScaleFor(1e9)}}
	panel := v.changes()[0]
	lines := map[float64][][2]float64{}
	for _, m := range panel.Marks {
		lines[m.Rows[0][2]] = append(lines[m.Rows[0][2]], [2]float64{m.Rows[0][0], m.Rows[0][1]})
	}
	if len(lines) != maxLines || panel.Height != maxLines*lineHeight || len(panel.Marks) > 30 {
		t.Errorf("%d spans on %d lines of %d pixels", len(panel.Marks), len(lines), panel.Height)
	}
	for _, spans := range lines {
		if !slices.IsSortedFunc(spans, func(a, b [2]float64) int { return int(1000 * (a[1] - b[0])) }) {
			t.Errorf("spans of one line overlap: %v", spans)
		}
	}
	if table := v.changeTable(); len(table.Rows) != maxStages || table.Note != "Of a swing: its upper and its lower level. 42 more changes left out." {
		t.Errorf("%d rows, %q", len(table.Rows), table.Note)
	}
	found.Changes = found.Changes[100:]
	if marks := v.changes()[0].Marks; len(marks) != 1 || marks[0].Text != "A and B swing" || marks[0].Style != Turn {
		t.Errorf("two that swing together are drawn as %+v", marks)
	}
	for want, rates := range map[Style][2]float64{Gain: {1e9, 2e9}, Loss: {2e9, 1e9}, Turn: {1e9, 0.5e9}} {
		c := analysis.Change{Kind: analysis.KindRedistribution, Disks: []string{"A"}, FromRate: rates[0], ToRate: rates[1]}
		if want == Turn {
			c.Disks, c.Each = []string{"A", "B"}, []analysis.Shift{{Disk: "A", FromRate: 1e9, ToRate: 0.5e9}, {Disk: "B", FromRate: 1e9, ToRate: 1.5e9}}
		}
		if got := lookOf(&c); got != want {
			t.Errorf("%v is drawn as a %s, want a %s", rates, got, want)
		}
	}
	found.Changes = nil
	if v.changes() != nil || v.changeTable().Rows != nil {
		t.Error("a steady phase has changes")
	}
}

// What a disk kept is of the time between the changes, and said to be: a mean over a stall beside it would contradict.
func TestKeptBetweenChanges(t *testing.T) {
	rnd, hub := rand.New(rand.NewPCG(7, 4)), tracetest.Hub{Capacity: 1e12, Outside: true}
	disk := func(name string, untilS, rate float64) tracetest.Disk {
		return tracetest.Disk{Name: name, Levels: []tracetest.Level{{UntilS: untilS, Rate: rate}}, Noise: tracetest.Noise{Sigma: 0.02}}
	}
	stalled := disk("A", 60, 1.5e9)
	stalled.Own = func(s, _ float64) float64 {
		if s >= 12 && s < 18 || s >= 40 && s < 46 {
			return 0
		}
		return 1
	}
	run := tracetest.Run(
		tracetest.Phase("A alone", hub.Play(rnd, disk("A", 15, 1.5e9))...), tracetest.Phase("B alone", hub.Play(rnd, disk("B", 15, 1e9))...),
		tracetest.Phase("WW", hub.Play(rnd, stalled, disk("B", 60, 1e9))...),
	)
	a := say.Analyze(run, analysis.Options{})
	v := newPhaseView(&Run{Trace: run, Analysis: a}, newKeys(a.Order), &a.Phases[len(a.Phases)-1], Scale{say.ScaleOf(a)})
	if note := v.diskTable().Note; !strings.Contains(note, "Kept: part of the rate without the others, in the time between changes.") {
		t.Error(note)
	}
	doc := OfRun(Run{Trace: run, Analysis: a})
	if at := slices.IndexFunc(doc.Blocks, func(b Block) bool { t, ok := b.(*Table); return ok && strings.Contains(t.Note, "between changes") }); at < 0 {
		t.Error("the table of all phases does not say of what time its percentages are")
	}
}

// The mean of the total is drawn between changes, and of two levels in turn not at all: nothing ever went at the
// rate between.
func TestLevels(t *testing.T) {
	s := &analysis.Series{StepS: 1, EndS: 20}
	for i := range 20 {
		s.Total = append(s.Total, map[bool]float64{true: 3e9, false: 1e9}[i < 10])
	}
	v := &phaseView{endS: 20, perS: 1000, scale: Scale{unit.Scale{Unit: "GB/s", Size: 1e9}}, found: &analysis.Phase{
		Series: s, Overlap: &analysis.Overlap{Rate: 2e9, Spans: [][2]float64{{0, 20}}},
	}}
	if diff := cmp.Diff([][]float64{{0, 20, 2}}, v.levels()); diff != "" {
		t.Errorf("without a change (-want +got):\n%s", diff)
	}
	v.found.Changes = []analysis.Change{{Kind: analysis.KindOwnFall, StartS: 10, EndS: 10}}
	if diff := cmp.Diff([][]float64{{0, 10, 3}, {10, 20, 1}}, v.levels()); diff != "" {
		t.Errorf("with a fall (-want +got):\n%s", diff)
	}
	v.found.Changes[0].Kind = analysis.KindSwing
	if got := v.levels(); got != nil {
		t.Errorf("of a swing: %v, want no level", got)
	}
}
