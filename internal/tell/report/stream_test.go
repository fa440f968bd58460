package report

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/say"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
	"github.com/hubbench/hubbench/pkg/work"
	"github.com/hubbench/hubbench/testdata/fixture"
)

// viewOf is a phase of a run, as its report lays it out.
func viewOf(t *testing.T, run *trace.Run, phase string) *phaseView {
	t.Helper()
	a := say.Analyze(run, analysis.Options{})
	for i := range a.Phases {
		if a.Phases[i].Name == phase {
			return newPhaseView(&Run{Trace: run, Analysis: a}, newKeys(a.Order), &a.Phases[i], Scale{say.ScaleOf(a)})
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

// Streams of a disk and kind are one row: their frames added up, of all else the worst, and who fared worst by name.
func TestStreamGroups(t *testing.T) {
	s := func(disk, name, kind string, late int, lowestS float64, verdict stream.Verdict, while ...string) analysis.Stream {
		return analysis.Stream{Disk: disk, Name: name, Kind: kind, Op: trace.Read, Rate: 92e6, BufferS: 1, Due: 500, Late: late, LowestBufferS: lowestS, Verdict: verdict, LateWhile: while, LongestRun: late}
	}
	found := &analysis.Phase{Streams: []analysis.Stream{
		s("A", "1", "hq", 0, 0.75, stream.Clean), s("A", "2", "hq", 10, 0, stream.Drops, "B", "C"), s("A", "3", "hq", 12, 0, stream.Drops, "C"),
		s("A", "4", "raw", 0, 0.4, stream.Strained), s("B", "1", "hq", 0, 0.9, stream.Clean), s("B", "2", "hq", 0, 0.9, stream.Clean),
	}}
	type row struct {
		title, worst, late, buffer string
		verdict                    stream.Verdict
		while                      []string
	}
	var got []row
	for _, g := range streamGroups(found) {
		got = append(got, row{g.Disk + ": " + g.title(), g.worst, g.lateText(), g.bufferText(), g.Verdict, g.LateWhile})
	}
	want := []row{
		{"A: 3 × hq", "3", "22 of 1,500 (1.5 %)", "0.00 of 1 s", stream.Drops, []string{"C"}},
		{"A: 1 × raw", "", "0 of 500", "0.40 of 1 s", stream.Strained, nil},
		{"B: 2 × hq", "", "0 of 1,000", "0.90 of 1 s", stream.Clean, nil},
	}
	check.Same(t, "groups", want, got, cmp.AllowUnexported(row{}))
}

// A phase says first whether its streams kept up; who is paced is compared with nothing.
func TestPhaseOfStreams(t *testing.T) {
	v := viewOf(t, fixture.Streams(), "play beside backup")
	if got, want := newPhase(v, 0).Does, "A plays 4 streams, B writes, C is probed"; got != want {
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
	for _, c := range []*Chart{files.spreadChart(), files.sizeChart(), files.bytesChart()} {
		if keys := len(c.Keys); keys != 1 {
			t.Errorf("chart %s is of the files of %d disks, want B's alone", c.ID, keys)
		}
	}
}

// The charts of streams say what the table does: every dropped frame once, and the lowest buffer.
func TestStreamCharts(t *testing.T) {
	for phase, drops := range map[string]bool{"play": false, "play beside backup": true, "play beside slow backup": false} {
		v := viewOf(t, fixture.Streams(), phase)
		blocks := v.streamCharts()
		buffer := blocks[0].(*Chart)
		lowest := 1e9
		for _, point := range buffer.Series[0].Points {
			lowest = min(lowest, point[1])
		}
		g := streamGroups(v.found)[0]
		if lowest > g.LowestBufferS+1e-3 || lowest < g.LowestBufferS-1e-3 || buffer.Marks[0].Text != "half of the buffer" || drops != (len(blocks) == 2) {
			t.Errorf("%s: %d charts with a lowest buffer of %g s, want %g", phase, len(blocks), lowest, g.LowestBufferS)
		}
		if !drops {
			continue
		}
		if title := blocks[1].(*Chart).Title; title != unit.FormatCount(g.Late)+" frames are dropped" {
			t.Errorf("%s: %s, want %d", phase, title, g.Late)
		}
	}
}

// Steps that are joined keep every late frame and the lowest buffer.
func TestFlowIsBounded(t *testing.T) {
	s := analysis.Stream{Disk: "A", Series: &analysis.StreamSeries{StepS: 0.1}}
	for i := range 2*maxFlow + 7 {
		s.Series.BufferS = append(s.Series.BufferS, float64(i%10))
		s.Series.Late = append(s.Series.Late, 1)
	}
	stepS, bufferS, late := flowOf([]analysis.Stream{s}, "A")
	sum := 0
	for _, n := range late {
		sum += n
	}
	if n := len(bufferS); n > maxFlow || stepS < 0.29 || sum != 1207 || slices.Max(bufferS) > 7 {
		t.Errorf("%d steps of %g s with %d", n, stepS, sum)
	}
}

// Every phase with streams has its line on the first screen; a search's tries stand in their ladder.
func TestStudyOfStreams(t *testing.T) {
	run := fixture.Streams()
	doc := OfRun(Run{Trace: run, Analysis: say.Analyze(run, analysis.Options{})})
	table := find(doc, "Streams in each phase")
	if table == nil {
		t.Fatal("no table of streams before the phases")
	}
	var got [][]string
	for _, row := range wordsOf(table) {
		got = append(got, row[:3])
	}
	want := [][]string{
		{"play", "clean", "A plays 4 streams, C is probed"},
		{"play beside backup", "drops", "A plays 4 streams, B writes, C is probed"},
		{"play beside slow backup", "strained", "A plays 4 streams, B writes at up to 200 MB/s, C is probed"},
	}
	check.Same(t, "rows", want, got)
	for i, sign := range []Sign{Good, Bad, Doubt} {
		if table.Rows[i][1].Sign != sign {
			t.Errorf("%s is marked %q, want %q", got[i][1], table.Rows[i][1].Sign, sign)
		}
	}
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

func TestSearchLadder(t *testing.T) {
	run := fixture.Search()
	doc := OfRun(Run{Trace: run, Analysis: say.Analyze(run, analysis.Options{})})
	table := find(doc, "Search: streams")
	if table == nil {
		t.Fatal("no table of the search")
	}
	if find(doc, "Streams in each phase") != nil {
		t.Error("the tries stand in a table of their own, want them in the search's alone")
	}
	want := [][]string{
		{"16", "drops", ""}, {"12", "drops", ""}, {"10", "drops ×4", ""}, {"9", "clean ×2", ""}, {"8", "clean", ""},
		{"5", "", "drops"}, {"4", "clean", "drops ×3"}, {"3", "", "clean ×2"}, {"2", "clean", "clean"}, {"1", "clean", ""},
	}
	check.Same(t, "rows", want, wordsOf(table))
	if table.Columns[2].Head != "While C writes" || !table.Rows[3][1].Strong || !table.Rows[7][2].Strong || table.Rows[4][1].Strong {
		t.Errorf("the answers are not marked: %+v", table)
	}
	if link := table.Rows[0][1].Link; link != "phase-5" {
		t.Errorf("16 alone leads to %q, want its try", link)
	}
}

// The table of all phases has no try of a search, says so, and goes where nothing else is left.
func TestTriesAreNoPhasesOfTheTable(t *testing.T) {
	run := fixture.Search()
	document := func() *Document { return OfRun(Run{Trace: run, Analysis: say.Analyze(run, analysis.Options{})}) }
	const where = "19 tries of a search, which the tables of searches hold and --all prints one by one."
	doc := document()
	if find(doc, "All phases") != nil || !slices.Contains(doc.Blocks, Block(Sentence{Text: "All phases are " + where})) {
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

// A pace is in MB/s, and of a value that was clean in some tries and not in others it is said in how many.
func TestPaceLadder(t *testing.T) {
	found := 200e6
	a := &analysis.Analysis{Order: []string{"A", "B"}, Searches: []analysis.Search{{Name: "pace", Kind: trace.SearchPace, Disk: "B", Found: &found, Tries: []analysis.SearchTry{
		{Phase: "p0", Unlimited: true, Verdict: stream.Drops}, {Phase: "p1", Value: 400e6, Verdict: stream.Drops}, {Phase: "p2", Value: 210e6, Verdict: stream.Clean}, {Phase: "p3", Value: 210e6, Verdict: stream.Strained},
		{Phase: "p4", Value: 200e6, Verdict: stream.Clean}, {Phase: "p5", Value: 200e6, Verdict: stream.Drops}, {Phase: "p6", Value: 200e6, Verdict: stream.Clean}, {Phase: "p7", Value: 100e6},
	}}}, Phases: []analysis.Phase{{Name: "p0", Roles: map[string]trace.Role{"A": trace.Read, "B": trace.Write}, Paced: work.Paced{
		"A": {Streams: []stream.Spec{{Kind: "x", Count: 4, Frame: time.Second}}}, "B": {Pace: 400e6},
	}}}}
	table := newRunDoc(Run{Analysis: a}).searchTable(&a.Searches[0], false)
	want := [][]string{{"no limit", "drops"}, {"400 MB/s", "drops"}, {"210 MB/s", "strained 1 of 2 clean"}, {"200 MB/s", "clean 2 of 3"}, {"100 MB/s", "not ended"}}
	check.Same(t, "rows", want, wordsOf(table))
	if head := table.Columns[1].Head; head != "While A plays 4 streams" {
		t.Errorf("the column says %q", head)
	}
}

// What disks do is said in one breath, whatever it is.
func TestWhoDoesWhat(t *testing.T) {
	type paced = work.Paced
	play := func(n int) work.Work { return work.Work{Streams: []stream.Spec{{Kind: "hq", Count: n}}} }
	record := func(n int) work.Work {
		return work.Work{Streams: []stream.Spec{{Kind: "hq", Count: n, Record: true}}}
	}
	for _, test := range []struct {
		pattern string
		paced   paced
		want    string
	}{
		{"RRW", nil, "A and B read, C writes"},
		{"RW", paced{"A": play(1)}, "A plays 1 stream, B writes"},
		{"RRR", paced{"A": play(2), "B": play(2), "C": {Probe: 4096}}, "A and B play 2 streams each, C is probed"},
		{"W-R", paced{"A": record(3), "B": play(1)}, "A records 3 streams, C reads"},
		{"R", paced{"A": {Streams: append(play(2).Streams, record(1).Streams...)}}, "A plays and records 3 streams"},
		{"RW", paced{"A": {Reads: 0.7}}, "A reads and writes 70/30, B writes"},
		{"WRR", paced{"A": {Pace: 2e8}, "B": {Probe: 4096}, "C": {Probe: 4096}}, "A writes at up to 200 MB/s, B and C are probed"},
	} {
		roles := map[string]trace.Role{}
		for i, letter := range test.pattern {
			roles[string(rune('A'+i))] = map[rune]trace.Role{'R': trace.Read, 'W': trace.Write, '-': trace.Idle}[letter]
		}
		if got := does(newKeys([]string{"A", "B", "C"}), roles, test.paced); got != test.want {
			t.Errorf("%s: got %q, want %q", test.pattern, got, test.want)
		}
	}
}

func TestDoing(t *testing.T) {
	for want, paced := range map[string]work.Work{
		"writing": {},
		"playing and recording 4 x hq and 1 x raw": {Streams: []stream.Spec{{Kind: "hq", Count: 4}, {Kind: "raw", Count: 1, Record: true}}},
		"probed 4 KiB at a time":                   {Probe: 4096},
		"probed 1 MiB at a time":                   {Probe: 1 << 20},
		"probed 5 KB at a time":                    {Probe: 5000},
		"writing at up to 200 MB/s":                {Pace: 200e6},
		"reading and writing 70/30":                {Reads: 0.7},
	} {
		v := &phaseView{found: &analysis.Phase{Roles: map[string]trace.Role{"A": trace.Write}, Paced: work.Paced{"A": paced}}}
		if got := v.key("A").Does; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
