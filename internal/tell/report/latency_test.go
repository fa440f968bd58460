package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/internal/tell/say"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/latency"
	"github.com/hubbench/hubbench/pkg/quantile"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
	"github.com/hubbench/hubbench/pkg/work"
	"github.com/hubbench/hubbench/testdata/fixture"
)

// The table says of each disk the quantiles of its own requests, beside those that it takes alone, and why one is
// missing.
func TestLatencyTable(t *testing.T) {
	run := fixture.Streams()
	v := viewOf(t, run, "play beside backup")
	table := v.latencyTable()
	if table == nil {
		t.Fatal("no table")
	}
	truth := func(phase, disk string) *latency.Histogram {
		h := latency.New()
		for _, p := range run.Phases {
			if p.Name != phase {
				continue
			}
			for _, l := range p.Disk(disk).Latencies {
				h.AddCounts(l.Hist)
			}
		}
		return h
	}
	row := func(disk, does, beside string, h *latency.Histogram) []string {
		p999 := none
		if h.N() >= 10_000 {
			p999 = Time(float64(h.Quantile(0.999)))
		}
		return []string{disk, does, beside, unit.FormatCount(int(h.N())), Time(float64(h.Quantile(0.5))), Time(float64(h.Quantile(0.99))), p999, Time(float64(h.MaxNS()))}
	}
	want := [][]string{
		row("A", "play", "B writes, C is probed", truth("play beside backup", "A")),
		row("B", "write", "A plays 4 streams, C is probed", truth("play beside backup", "B")),
		row("C", "probe, 4 KiB", "A plays 4 streams, B writes", truth("play beside backup", "C")),
		row("C", "probe, 4 KiB", "alone in probe", truth("probe", "C")),
	}
	var got [][]string
	for _, words := range wordsOf(table) {
		got = append(got, slices.Delete(slices.Clone(words), 6, 7)[:8]) // without the interval, which chance decides
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !strings.Contains(table.Note, "–: too few requests") {
		t.Errorf("the note does not say why a figure is missing: %s", table.Note)
	}
	if !strings.Contains(table.Note, "No interval: ") { // of A, whose slow requests all come from one stretch of time
		t.Errorf("the note does not say why an interval is missing: %s", table.Note)
	}
	if heat := table.Rows[2][9].Heat; heat == nil || *heat > 0.2 {
		t.Errorf("the probe's wait beside others is coloured by %v, want less than a fifth kept", heat)
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
		v := phaseView{found: &analysis.Phase{Roles: map[string]trace.Role{"A": tt.role}, Paced: work.Paced{"A": tt.paced}}}
		if got := v.latencyOf("A"); got != tt.want {
			t.Errorf("%s, %+v: %q, want %q", tt.role, tt.paced, got, tt.want)
		}
	}
}

func TestLatencyMatrix(t *testing.T) {
	a := say.Analyze(fixture.Streams(), analysis.Options{})
	table := latencyMatrix(newKeys(a.Order), a)
	var heads []string
	for _, c := range table.Columns {
		heads = append(heads, c.Head)
	}
	if diff := cmp.Diff([]string{"Who else works", "C: probe, 4 KiB", "A plays 4 streams", "B writes", "B writes at up to 200 MB/s"}, heads); diff != "" {
		t.Errorf("columns (-want +got):\n%s", diff)
	}
	filled := map[string]int{}
	for _, row := range wordsOf(table) {
		for _, text := range row[1:] {
			if text != "" {
				filled[row[0]]++
			}
		}
	}
	want := map[string]int{
		"nobody: alone": 1, "C is probed": 1, "A plays 4 streams": 1, "B writes, C is probed": 1, "A plays 4 streams, C is probed": 2, "A plays 4 streams, B writes": 1,
		"B writes at up to 200 MB/s, C is probed": 1, "A plays 4 streams, B writes at up to 200 MB/s": 1,
	}
	if diff := cmp.Diff(want, filled); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if latencyMatrix(nil, &analysis.Analysis{}) != nil {
		t.Error("a run without latencies has a table of them")
	}
}

// Rows and columns of the matrix without a figure are left out, and the matrix where that leaves nothing to set
// side by side.
func TestLatencyMatrixLeavesOutWhatIsEmpty(t *testing.T) {
	row := func(disk string, ns int64, beside ...string) analysis.LatencyRow {
		r := analysis.LatencyRow{Disk: disk, Op: trace.Read, Beside: map[string]trace.Role{}}
		for _, b := range beside {
			r.Beside[b] = trace.Write
		}
		if ns > 0 {
			r.P99NS = &ns
		}
		return r
	}
	for _, c := range []struct {
		name string
		rows []analysis.LatencyRow
		want [][]string
	}{
		{"a column", []analysis.LatencyRow{row("A", 1e6), row("A", 2e6, "B"), row("C", 0, "B")}, [][]string{{"nobody: alone", "1 ms"}, {"B writes", "2 ms"}}},
		{"a row", []analysis.LatencyRow{row("A", 0), row("A", 2e6, "B"), row("A", 3e6, "B", "C")}, [][]string{{"B writes", "2 ms"}, {"B and C write", "3 ms"}}},
		{"some of a row", []analysis.LatencyRow{row("A", 1e6), row("C", 0), row("A", 2e6, "B"), row("C", 3e6, "B")}, [][]string{{"nobody: alone", "1 ms", "–"}, {"B writes", "2 ms", "3 ms"}}},
		{"all", []analysis.LatencyRow{row("A", 0), row("A", 0, "B")}, nil},
		{"all but one row", []analysis.LatencyRow{row("A", 1e6), row("A", 0, "B")}, nil},
	} {
		a := &analysis.Analysis{Order: []string{"A", "B", "C"}, LatencyMatrix: c.rows}
		var got [][]string
		if table := latencyMatrix(newKeys(a.Order), a); table != nil {
			got = wordsOf(table)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// A heat map counts every request once, however coarse it must be.
func TestHeatMapIsBounded(t *testing.T) {
	s := &quantile.HeatMap{StepS: 1}
	for row := range 41 {
		s.BoundsNS = append(s.BoundsNS, int64(1000*row*row))
	}
	sum := int64(0)
	for step := range 300 {
		counts := make([]int64, 40)
		for row := range counts {
			if (step+row)%3 > 0 {
				counts[row] = int64(1 + step%7)
				sum += counts[row]
			}
		}
		s.Counts = append(s.Counts, counts)
	}
	for _, cells := range []int{10_000, 2000, 600, 1} {
		c := coarser(s, cells)
		v := &phaseView{endS: 300, perS: 1000}
		m := v.heat(0, c)
		got, most := 0.0, 0.0
		for _, row := range m.Rows {
			got, most = got+row[4], max(most, row[5])
			if row[0] >= row[1] || row[2] >= row[3] || row[2] <= 0 {
				t.Fatalf("an impossible cell %v", row)
			}
		}
		if int64(got) != sum || most != 1 || len(m.Rows) > max(cells, 12*40) {
			t.Errorf("at most %d cells: %d with %g requests, want all %d; the fullest %g", cells, len(m.Rows), got, sum, most)
		}
	}
}

// A run without streams and latencies has none of their blocks: its changes, rates, total and files in transfer.
func TestNothingOfStreamsWithoutThem(t *testing.T) {
	run := fixture.Triple()
	doc := OfRun(Run{Trace: run, Analysis: say.Analyze(run, analysis.Options{})})
	for _, phase := range doc.Phases() {
		for _, block := range phase.Blocks {
			switch block := block.(type) {
			case *Table:
				if block.Title == "Streams" || block.Title == "Request latency" || strings.Contains(block.Note, ownPace) {
					t.Errorf("%s has a table %q", phase.Title, block.Title)
				}
			case *Figure:
				if block.ID == "latency" || block.ID == "time" && len(block.Panels) != 4 {
					t.Errorf("%s has a figure %s of %d panels", phase.Title, block.ID, len(block.Panels))
				}
			}
		}
	}
	for _, title := range []string{"Streams in each phase", "Request latency beside others"} {
		if find(doc, title) != nil {
			t.Errorf("the run has a table %q", title)
		}
	}
}
