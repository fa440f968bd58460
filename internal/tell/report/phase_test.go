package report

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/internal/test/tracetest"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
	"github.com/hubbench/hubbench/pkg/work"
	"github.com/hubbench/hubbench/testdata/fixture"
)

// What changed is shaded in the chart, and told nowhere else; a disk that ends is seen to.
func TestChanges(t *testing.T) {
	run := fixture.Triple()
	doc := reportOf(run)
	phase := doc.Phases()[0]
	time := Collect[*Chart](phase.Blocks)[0]
	var got []string
	for _, b := range time.Bands {
		got = append(got, strings.TrimSpace(b.Text+" "+string(b.Tone)))
		if b.From >= b.To || b.To > time.X.Max {
			t.Errorf("%s goes from %g to %g", b.Text, b.From, b.To)
		}
	}
	check.Same(t, "bands", []string{"all three busy, 32.8 s", "A and B recover in 12.2 s bad"}, got)
	got = nil
	for _, m := range time.Marks {
		got = append(got, time.Keys[m.Key].Name+" "+m.Text)
	}
	check.Same(t, "levels", []string{"A 0.698", "A 1.40", "B 0.714", "B 1.42", "C 2.08"}, got)
	for _, table := range Collect[*Table](phase.Blocks) {
		if table.Name() == "changes" {
			t.Error("ends and recoveries are told again in a table")
		}
	}
	if want := "C takes 60%, A and B wait 12.2 s"; time.Title != want {
		t.Errorf("the timeline is called %q, want %q", time.Title, want)
	}
}

// A rate of this computer's cache stands in no table in bold, and says what it is.
func TestCachedWrites(t *testing.T) {
	run := fixture.Triple()
	for i := range run.Phases {
		for _, disk := range run.Disks {
			gauge := trace.Gauge{Disk: disk.Name, Name: trace.CachedWrites, Value: 4096}
			run.Phases[i].Gauges = append(run.Phases[i].Gauges, gauge)
		}
	}
	doc := reportOf(run)
	marked := 0
	tables := append(Collect[*Table](doc.Phases()[0].Blocks), doc.Page.Hero.(*Flow).Table())
	for _, table := range tables {
		for _, row := range table.Rows {
			for _, cell := range row {
				if cell.Strong {
					t.Errorf("the table %s has %q in bold", table.Name(), cell.Text)
				}
				if strings.Contains(cell.Text+cell.Small, ofCache) {
					marked++
				}
			}
		}
	}
	if want := 3 * len(run.Disks); marked < want { // of the phase, file by file, and in the answer
		t.Errorf("%d cells say %q, want %d", marked, ofCache, want)
	}
}

// Of many changes the chart shows some, what disks do together as one, and what happens at once as
// an upright line.
func TestManyChanges(t *testing.T) {
	found := &analysis.PhaseResult{Name: "WW"}
	for i := range 100 {
		found.Changes = append(found.Changes,
			analysis.Change{Kind: analysis.KindStall, Disks: []string{"A"}, StartS: float64(i),
				EndS: float64(i) + 0.5, FromRate: 1e9})
	}
	for _, disk := range []string{"B", "A"} {
		found.Changes = append(found.Changes,
			analysis.Change{Kind: analysis.KindSwing, Disks: []string{disk}, StartS: 0, EndS: 100,
				FromRate: 1e9, ToRate: 0.5e9})
	}
	run := &runDoc{
		Document: &Document{Keys: newKeys([]string{"A", "B"})}, Scale: Scale{unit.ScaleFor(1e9)},
	}
	v := &phaseView{runDoc: run, found: found, endS: 100, perS: 1000, lanes: make([]lane, 2)}
	drawn := func() *Chart {
		c := &Chart{}
		v.addChanges(c)
		return c
	}
	if c := drawn(); len(c.Bands) != maxListed || len(c.Marks) != 0 {
		t.Errorf("%d bands and %d lines", len(c.Bands), len(c.Marks))
	}
	if table := v.changeTable(); len(table.Rows) != maxListed ||
		table.Note != "A swing lists its upper and its lower level. 42 more changes left out." {
		t.Errorf("%d rows, %q", len(table.Rows), table.Note)
	}
	found.Changes = found.Changes[100:]
	check.Same(t, "two that swing together", []Band{{To: 100, Text: "A and B swing"}},
		drawn().Bands)
	for want, rates := range map[Sign][2]float64{Good: {1e9, 2e9}, Bad: {2e9, 1e9},
		Unsigned: {1e9, 0.5e9}} {
		c := analysis.Change{Kind: analysis.KindRedistribution, Disks: []string{"A"}, StartS: 3,
			EndS: 3, FromRate: rates[0], ToRate: rates[1]}
		if want == Unsigned {
			c.Disks, c.Each = []string{"A", "B"},
				[]analysis.Shift{{Disk: "A", FromRate: 1e9, ToRate: 0.5e9},
					{Disk: "B", FromRate: 1e9, ToRate: 1.5e9}}
		}
		found.Changes = []analysis.Change{c}
		if marks := drawn().Marks; len(marks) != 1 || marks[0].Tone != want || !marks[0].Upright ||
			marks[0].At != 3 {
			t.Errorf("%v is drawn as %+v, want an upright line in tone %q", rates, marks, want)
		}
	}
	found.Changes = nil
	if c := drawn(); c.Bands != nil || c.Marks != nil || v.changeTable().Rows != nil {
		t.Error("a steady phase has changes")
	}
}

// What a disk kept is of the time between the changes, and said to be: a mean over a stall beside
// it would contradict.
func TestKeptBetweenChanges(t *testing.T) {
	rnd, hub := rand.New(rand.NewPCG(7, 4)), tracetest.Hub{Capacity: 1e12, Outside: true}
	disk := func(name string, untilS, rate float64) tracetest.Disk {
		return tracetest.Disk{Name: name, Levels: []tracetest.Level{{UntilS: untilS, Rate: rate}},
			Noise: tracetest.Noise{Sigma: 0.02}}
	}
	stalled := disk("A", 60, 1.5e9)
	stalled.Own = func(s, _ float64) float64 {
		if s >= 12 && s < 18 || s >= 40 && s < 46 {
			return 0
		}
		return 1
	}
	run := tracetest.Run(
		tracetest.Phase("A alone", hub.Play(rnd, disk("A", 15, 1.5e9))...),
		tracetest.Phase("B alone", hub.Play(rnd, disk("B", 15, 1e9))...),
		tracetest.Phase("WW", hub.Play(rnd, stalled, disk("B", 60, 1e9))...),
	)
	a := analysis.Analyze(run, analysis.Options{})
	v := newRunDoc(RunData{Trace: run, Analysis: a}).view(len(a.Phases) - 1)
	if note := v.diskTable().Note; !strings.Contains(note,
		"Baseline: the same disk without the others, in the time between changes.") {
		t.Error(note)
	}
	doc := OfRun(RunData{Trace: run, Analysis: a})
	const want = "of the time between changes"
	if !strings.Contains(find(doc, "All phases").Note, want) ||
		!strings.Contains(doc.Page.Hero.(*Flow).Marks, want) {
		t.Error("all phases or the answer do not say of what time their percentages are")
	}
}

// How warm the disks are is drawn if they say it; the host's meters are not.
func TestTemperatureChart(t *testing.T) {
	run := fixture.Triple()
	chart := func() *Chart { return chartOf(reportOf(run).Phases()[0].Blocks, "temperature") }
	if c := chart(); c != nil {
		t.Errorf("a run without gauges has %+v", c)
	}
	phase := run.Phases[0]
	a := phase.Disk("A")
	endS := float64(a.Files[len(a.Files)-1].EndNS) / 1e9
	phase.Gauges = tracetest.Warmth{EveryS: 10, At: func(s float64) float64 {
		return 40 + s/4
	}}.Play(rand.New(rand.NewPCG(1, 1)), "B", endS)
	warmth := chart()
	if warmth == nil || len(warmth.Series) != 1 || warmth.Keys[warmth.Series[0].Key].Name != "B" {
		t.Fatalf("got %+v, want B's temperature", warmth)
	}
	if warmth.Y.Min != 38 || warmth.Y.Max < 55 || warmth.Y.Max > 70 {
		t.Errorf("the axis goes from %g to %g °C", warmth.Y.Min, warmth.Y.Max)
	}
	phase.Gauges = []trace.Gauge{{Name: trace.CPU, Value: 50}}
	if c := chart(); c != nil {
		t.Errorf("the host's gauges alone are drawn: %+v", c)
	}
}

// The table says of each disk how long its own requests took, beside those that it takes alone, and
// why a figure is missing.
func TestLatencyTable(t *testing.T) {
	table := viewOf(t, fixture.Streams(), "play beside backup").latencyTable()
	var got []string
	for _, words := range wordsOf(table) {
		got = append(got, strings.Join(words[:3], ": "))
	}
	want := []string{"A: play: B writes", "B: write: A plays 4 streams",
		"C: probe, 4 KiB: A plays 4 streams, B writes", "C: probe, 4 KiB: alone in probe"}
	check.Same(t, "rows", want, got)
	// Of A, the slow requests all come from one stretch of time.
	if !strings.Contains(table.Note, "No interval: ") {
		t.Errorf("the note does not say why a figure is missing: %s", table.Note)
	}
	if heat := table.Rows[2][8].Heat; heat == 0 || heat > 0.2 {
		t.Errorf("the probe's wait beside others is coloured by %v, want less than a fifth kept",
			heat)
	}
}

// The requests of a disk that reads and writes at once are those of its role, and are called so.
func TestLatencyOfOneDirection(t *testing.T) {
	played, recorded := stream.Spec{Count: 1}, stream.Spec{Count: 1, Record: true}
	for _, tt := range []struct {
		role  trace.Role
		paced work.Work
		want  string
	}{
		{trace.Read, work.Work{}, "read"},
		{trace.Read, work.Work{Reads: 0.7}, "its reads"},
		{trace.Write, work.Work{Reads: 0.4, Pace: 1e6}, "its writes"},
		{trace.Read, work.Work{Streams: []stream.Spec{recorded, played}}, "play"},
		{trace.Write, work.Work{Streams: []stream.Spec{played, recorded}}, "record"},
		{trace.Read, work.Work{Probe: 4096}, "probe, 4 KiB"},
	} {
		v := phaseView{found: &analysis.PhaseResult{Roles: map[string]trace.Role{"A": tt.role},
			Paced: work.Paced{"A": tt.paced}}}
		if got := v.latencyOf("A"); got != tt.want {
			t.Errorf("%s, %+v: %q, want %q", tt.role, tt.paced, got, tt.want)
		}
	}
}
