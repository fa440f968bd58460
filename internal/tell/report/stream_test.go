package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
	"github.com/hubbench/hubbench/pkg/work"
	"github.com/hubbench/hubbench/testdata/fixture"
)

// viewOf is a phase of a run, as its report lays it out.
func viewOf(t *testing.T, run *trace.Run, phase string) *phaseView {
	t.Helper()
	a := analysis.Analyze(run, analysis.Options{})
	for i := range a.Phases {
		if a.Phases[i].Name == phase {
			return newRunDoc(RunData{Trace: run, Analysis: a}).view(i)
		}
	}
	t.Fatalf("no phase %q", phase)
	return nil
}

// wordsOf are a table's rows in letters.
func wordsOf(t *Table) [][]string {
	var out [][]string
	for _, row := range t.Rows {
		var words []string
		for _, cell := range row {
			words = append(words, cell.Words())
		}
		out = append(out, words)
	}
	return out
}

// The streams of a disk are one row: which they are, what came of them in all and with all other
// disks busy, and who was busy whenever frames were dropped.
func TestStreamTable(t *testing.T) {
	run := fixture.Streams()
	const what = "4 x ProRes 422 HQ UHD 25p played"
	for phase, want := range map[string][]string{
		"play": {"A", what, "clean", "0 of 1,901", "", "", "0.99 of 1 s", ""},
		"play beside backup": {
			"A", what, "drops worst in stream 2", "382 of 1,901 (20%)", "382 of 1,901 in 20 s",
			"3.84 s",
			"0.00 of 1 s", "B writes, C is probed",
		},
		"play beside slow backup": {
			"A", what, "strained worst in stream 1", "0 of 1,901", "0 of 1,901 in 20 s", "",
			"0.11 of 1 s", "",
		},
	} {
		check.Same(t, phase, [][]string{want}, wordsOf(viewOf(t, run, phase).streamTable()))
	}
	found := &analysis.PhaseResult{StreamTotals: []analysis.StreamTotal{{Disk: "A", Streams: 2,
		LowestBufferS: 0.3}}}
	v := viewOf(t, run, "play")
	v.found = found
	check.Same(t, "of a trace that says little",
		[]string{"A", "2 streams played", "–", "0 of 0", "", "", "0.30 s", ""},
		wordsOf(v.streamTable())[0])
}

// A phase says first whether its streams kept up; who is paced is compared with nothing.
func TestPhaseOfStreams(t *testing.T) {
	v := viewOf(t, fixture.Streams(), "play beside backup")
	v.outcome = &Page{}
	const want = "A plays 4 streams, B writes, C is probed"
	if got := v.phase(v.index[v.found.Name]).Does; got != want {
		t.Errorf("who does what: %q, want %q", got, want)
	}
	table := v.diskTable()
	for _, row := range wordsOf(table) {
		if paced := row[0] == "A" || row[0] == "C"; paced != (row[5] == "– own pace") {
			t.Errorf("%s keeps %q of its rate", row[0], row[5])
		}
	}
	if !strings.Contains(table.Note, ownPaceNote) {
		t.Errorf("the table's note does not explain its own pace: %s", table.Note)
	}
	files := v.ofFiles()
	for _, c := range []*Chart{files.sizeChart(), files.bytesChart()} {
		if keys := len(c.Keys); keys != 1 {
			t.Errorf("chart %s is of the files of %d disks, want B's alone", c.ID, keys)
		}
	}
}

// The charts of streams say what the table does: every dropped frame once, and the lowest buffer.
func TestStreamCharts(t *testing.T) {
	for phase, drops := range map[string]bool{"play": false, "play beside backup": true,
		"play beside slow backup": false} {
		v := viewOf(t, fixture.Streams(), phase)
		blocks := v.streamCharts()
		buffer := blocks[0].(*Chart)
		lowest := 1e9
		for _, point := range buffer.Series[0].Points {
			lowest = min(lowest, point[1])
		}
		g := v.found.StreamTotals[0]
		if lowest > g.LowestBufferS+1e-3 || lowest < g.LowestBufferS-1e-3 ||
			buffer.Marks[0].Text != "half of the buffer" || drops != (len(blocks) == 2) {
			t.Errorf("%s: %d charts with a lowest buffer of %g s, want %g", phase, len(blocks),
				lowest, g.LowestBufferS)
		}
		if !drops {
			continue
		}
		if title := blocks[1].(*Chart).Title; title != unit.FormatCount(g.Late)+
			" frames are dropped" {
			t.Errorf("%s: %s, want %d", phase, title, g.Late)
		}
	}
}

// Steps that are joined keep every late frame and the lowest buffer.
func TestFlowIsBounded(t *testing.T) {
	s := analysis.StreamOutcome{Disk: "A", Series: &analysis.StreamSeries{StepS: 0.1}}
	for i := range 2*maxFlow + 7 {
		s.Series.BufferS = append(s.Series.BufferS, float64(i%10))
		s.Series.Late = append(s.Series.Late, 1)
	}
	stepS, bufferS, late := flowOf([]analysis.StreamOutcome{s}, "A")
	sum := 0
	for _, n := range late {
		sum += n
	}
	if n := len(bufferS); n > maxFlow || stepS < 0.29 || sum != 1207 || slices.Max(bufferS) > 7 {
		t.Errorf("%d steps of %g s with %d", n, stepS, sum)
	}
}

// laneTexts are the answer's lanes in letters, with what comes of each number of streams.
func laneTexts(run *trace.Run) (texts []string, p *Page, s *Streams) {
	p = reportOf(run).Page
	s = newRunDoc(RunData{Analysis: analysis.Analyze(run, analysis.Options{})}).streams()
	letters := map[stream.Verdict]string{stream.Clean: "=", stream.Strained: "!", stream.Drops: "x",
		"": "."}
	for _, l := range s.Lanes {
		text := ""
		for _, state := range l.Cells(s.Most) {
			text += letters[state]
		}
		texts = append(texts, strings.Join([]string{l.Key.Label, l.Does, l.While, l.Text(), text},
			" "))
	}
	return texts, p, s
}

// Phases of a fixed number of streams are lanes, the worst first, and say nothing of numbers that
// were not tried.
func TestLanesOfPhases(t *testing.T) {
	got, p, s := laneTexts(fixture.Streams())
	want := []string{"A plays B writes <4 ...x....", "A plays  4+ ====....",
		"A plays B writes at up to 200 MB/s <4 ...!...."}
	check.Same(t, "lanes", want, got)
	big := &Big{
		Number: "<4", Text: "streams stay clean while B writes", Tone: Bad,
		Detail: "4 streams: clean in 0 of 1 try, 20% of frames dropped.",
	}
	check.Same(t, "big", big, p.Big)
	if s.Buffer.Title != "With 4 streams the buffer is empty after 8.1 s" ||
		p.Sub != "ProRes 422 HQ UHD 25p: 92.1 MB/s a stream." {
		t.Errorf("%q, %q", s.Buffer.Title, p.Sub)
	}
}

// What a search found is the number of its lanes, and of the answer.
func TestLanesOfASearch(t *testing.T) {
	run := fixture.Search()
	got, p, s := laneTexts(run)
	check.Same(t, "lanes", []string{"A plays C writes 3 ===xx...........",
		"A plays  9 =========xxxxxxx"}, got)
	check.Same(t, "text", "of 9 streams: C costs A the other six", p.Big.Text)
	check.Same(t, "evidence", []string{"3: clean 2 of 2", "4: clean 0 of 3"},
		s.Lanes[0].Evidence())
	// A phase of the same work is one more try.
	again := *run.Phases[len(run.Phases)-1]
	again.Name, again.Search = "again", nil
	run.Phases = append(run.Phases, &again)
	_, _, s = laneTexts(run)
	check.Same(t, "evidence", []string{"3: clean 3 of 3", "4: clean 0 of 3"},
		s.Lanes[0].Evidence())
	// Of a search that was cut short, what its tries show.
	run.Phases = run.Phases[:4]
	got, p, _ = laneTexts(run)
	check.Same(t, "cut short", []string{"A plays  8+ ========"}, got)
	check.Same(t, "text", "streams stay clean while no other disk is busy", p.Big.Text)
}

// The table of all phases has no try of a search, says so, and goes where nothing else is left.
func TestTriesAreNoPhasesOfTheTable(t *testing.T) {
	run := fixture.Search()
	document := func() *Document {
		return reportOf(run)
	}
	const where = "18 tries of a search, which --all prints one by one."
	doc := document()
	if find(doc, "All phases") != nil ||
		!slices.Contains(doc.Blocks, Block(Sentence{Text: "All phases are " + where})) {
		t.Error("a run of tries alone has a table of phases, or does not say why not")
	}
	run.Phases = append(run.Phases, fixture.Streams().Phases[0])
	table := find(document(), "All phases")
	if got := wordsOf(table); len(got) != 1 || got[0][0] != "probe" {
		t.Errorf("got rows %v, want that of the phase that is no try", got)
	}
	if !strings.HasSuffix(table.Note, " Without "+where) {
		t.Errorf("the note does not say what is left out: %s", table.Note)
	}
}

// A pace that was found says how far to slow the disk down; values whose tries contradict one
// another count by most of them, and the range is what is known.
func TestLaneOfAPace(t *testing.T) {
	found := 200e6
	search := analysis.SearchSummary{
		Name: "pace", Kind: trace.SearchPace, Disk: "B",
		SearchResult: analysis.SearchResult{Found: &found},
	}
	a := &analysis.Analysis{Scale: unit.ScaleFor(2e9), Order: []string{"A", "B"}}
	for i, try := range []analysis.SearchTry{
		{Unlimited: true, Verdict: stream.Drops}, {Value: 400e6, Verdict: stream.Drops},
		{Value: 210e6, Verdict: stream.Clean}, {Value: 210e6, Verdict: stream.Strained},
		{Value: 200e6, Verdict: stream.Clean},
		{Value: 200e6, Verdict: stream.Drops}, {Value: 200e6, Verdict: stream.Clean},
		{Value: 100e6},
	} {
		try.Phase = fmt.Sprint("p", i)
		search.Tries = append(search.Tries, try)
		a.Phases = append(a.Phases, analysis.PhaseResult{
			Name: try.Phase, Search: &trace.Try{Search: "pace"},
			Roles: map[string]trace.Role{"A": trace.Read, "B": trace.Write},
			Paced: work.Paced{"A": {Streams: []stream.Spec{{Kind: "x", Count: 4,
				Frame: time.Second}}}, "B": {Pace: 400e6}},
			Streams: make([]analysis.StreamOutcome, 4),
			StreamTotals: []analysis.StreamTotal{{Disk: "A", Op: trace.Read, Streams: 4, Due: 100,
				Late: 20}},
			Overlap: &analysis.Overlap{Disks: map[string]analysis.OverlapDisk{"B": {Rate: 800e6}}},
		})
	}
	a.Searches = []analysis.SearchSummary{search}
	out := newRunDoc(RunData{Analysis: a}).streams()
	l := out.Lanes[0]
	check.Same(t, "number", "200 MB/s", l.Text())
	check.Same(t, "while", "A plays 4 streams", l.While)
	check.Same(t, "evidence", []string{"200 MB/s: clean 2 of 3", "210 MB/s: clean 1 of 2"},
		l.Evidence())
	check.Same(t, "actions", []Action{{
		Title: "For 4 streams slow down B", Detail: "Throttle it to 200 MB/s, 75% less than unthrottled.",
		Text: "For 4 streams slow down B. Throttle it to 200 MB/s, 75% less than unthrottled.",
	}}, out.actions())
	a.Searches[0].Found = nil
	check.Same(t, "not settled", "200–210 MB/s",
		newRunDoc(RunData{Analysis: a}).streams().Lanes[0].Text())
}

// find is the table of that title before the phases.
func find(doc *Document, title string) *Table {
	for _, block := range doc.Blocks {
		if t, ok := block.(*Table); ok && t.Title == title {
			return t
		}
	}
	return nil
}
