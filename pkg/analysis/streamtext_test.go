package analysis

import (
	"strings"
	"testing"
	"time"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/internal/test/tracetest"
	"github.com/hubbench/hubbench/pkg/search"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/work"
)

// streaming92 is a phase of 30 s in which A plays so many streams of 92 MB/s, and stands still from
// one time to another.
func streaming92(name string, count int, fromS, toS float64,
	others ...*trace.DiskRecord) *trace.Phase {
	specs := []stream.Spec{
		{Kind: "92 MB/s", Rate: 92e6, Frame: 40 * time.Millisecond, Count: count,
			Buffer: time.Second},
	}
	a := tracetest.Streams("A", specs, 30, func(s float64) float64 {
		if s >= fromS && s < toS {
			return 0
		}
		return 2e9
	})
	p := tracetest.Phase(name, append([]*trace.DiskRecord{a}, others...)...)
	p.Work = map[string]work.Work{"A": {Streams: specs}}
	return p
}

// What became of streams is said first, and late frames are laid to a disk only where none were
// late without it.
func TestVerdictOfStreams(t *testing.T) {
	record := streaming92("p", 1, 0, 0)
	record.Disks[0].Op = trace.Write
	copying := streaming92("p", 4, 0, 0, disk("C", "write", pace{30, 0.2}))
	copying.Work["C"] = work.Work{Pace: 200e6}
	probed := streaming92("p", 4, 0, 0, disk("B", "write", pace{30, 1}),
		disk("C", "read", pace{30, 0.0004}))
	probed.Work["C"] = work.Work{Probe: 4096}
	for _, c := range []struct {
		name  string
		phase *trace.Phase
		want  string
	}{
		{"clean", streaming92("p", 4, 0, 0, disk("C", "write", pace{30, 1.1})),
			"A played 4 of 4 streams without a dropped frame in the 30 s when C wrote; the " +
				"buffer never fell below 0.99 s. A playing 4 x 92 MB/s, C writing: 1.47 GB/s " +
				"together for 30 s; C ran at 1.10 GB/s."},
		{"strained", streaming92("p", 4, 10, 10.75, disk("C", "write", pace{30, 1.1})),
			"A played 4 of 4 streams without a dropped frame in the 30 s when C wrote, but the " +
				"buffer fell to 0.24 s of 1 s. A playing 4 x 92 MB/s, C writing: "},
		{"drops while others work", streaming92("p", 4, 10, 13, disk("B", "read", pace{30, 1.1}),
			disk("C", "write", pace{30, 1.1})),
			"A dropped 201 of 2,901 frames in the 30 s when B read and C wrote; the longest " +
				"stall took 2.04 s. "},
		{"drops, all while one works",
			streaming92("p", 4, 10, 13, disk("C", "write", pace{20, 1.1})),
			"A dropped 201 of 1,901 frames in the 20 s when C wrote, and none of 1,000 at other " +
				"times; the longest stall took 2.04 s. "},
		{"drops alone", streaming92("p", 1, 10, 13),
			"A dropped 51 of 726 frames; the longest stall took 2.04 s. A playing 1 x 92 MB/s " +
				"alone: 86.0 MB/s for 30 s."},
		{
			"recorded", record,
			"A recorded its stream without a dropped frame; the buffer never fell below 0.99 s. " +
				"A recording 1 x 92 MB/s alone: ",
		},
		{"beside a copy at a pace", copying,
			"A played 4 of 4 streams without a dropped frame in the 30 s when C wrote; the " +
				"buffer never fell below 0.99 s. A playing 4 x 92 MB/s, C writing at up to 200 " +
				"MB/s: 568 MB/s together for 30 s."},
		{
			"beside a probe", probed,
			"A played 4 of 4 streams without a dropped frame in the 30 s when B wrote; the " +
				"buffer never fell below 0.99 s. A playing 4 x 92 MB/s, B writing, C probed 4 " +
				"KiB at a time: 1.37 GB/s together for 30 s; B ran at 1.00 GB/s.",
		},
	} {
		if got := told(c.phase).Phases[0].Verdict; !strings.HasPrefix(got, c.want) {
			t.Errorf("%s\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

// What is said of several phases begins with the streams, the worst outcome first.
func TestHeadlineOfStreams(t *testing.T) {
	a := told(
		streaming92("alone", 4, 0, 0),
		streaming92("beside B", 4, 0, 0, disk("B", "read", pace{30, 1.1})),
		streaming92("beside C", 4, 10, 13, disk("C", "write", pace{20, 1.1})),
		steady("WW", writes("B", 0.8), writes("C", 0.8)),
	)
	headline := ideas(t, a)
	want := "A drops 11% of frames when C writes | A plays 4 of 4 streams without a dropped " +
		"frame alone and when B reads (tested for 30 s) | The disks share evenly when B and C write"
	check.Same(t, "headline", want, headline)
	if f := a.Findings[0]; f.Code != "drops" ||
		f.Text != "beside C: A dropped 201 of 1,901 frames in the 20 s when C wrote, and none of "+
			"1,000 at other times; the longest stall took 2.04 s." {
		t.Errorf("first finding %+v", f)
	}
}

// Where the same disks do the same with another outcome, the ideas say what differs.
func TestHeadlineTellsPhasesApart(t *testing.T) {
	// one is a phase of 4 streams beside C, which writes and drops frames where it stalls them.
	one := func(name string, stalls bool, change func(*trace.Phase)) *trace.Phase {
		to := 0.0
		if stalls {
			to = 13
		}
		p := streaming92(name, 4, 10, max(10, to), disk("C", "write", pace{20, 1.1}))
		change(p)
		return p
	}
	none := func(*trace.Phase) {}
	paced := func(rate float64) func(*trace.Phase) {
		return func(p *trace.Phase) { p.Work["C"] = work.Work{Pace: rate} }
	}
	mixed := func(p *trace.Phase) { p.Work["C"] = work.Work{Reads: 0.3} }
	direct := func(p *trace.Phase) { p.Connections = map[string]string{"A": trace.Direct} }
	fewer := func(p *trace.Phase) {
		*p = *streaming92(p.Name, 2, 0, 0, disk("C", "write", pace{20, 1.1}))
	}
	const drops, clean = "A drops 11% of frames ",
		"A plays 4 of 4 streams without a dropped frame "
	for _, c := range []struct {
		name   string
		phases []*trace.Phase
		want   string
	}{
		{"a pace", []*trace.Phase{one("R-W", true, none), one("R-W-2", false, paced(1.5e9))},
			drops + "when C writes at full speed | " + clean +
				"when C writes at up to 1.5 GB/s (tested for 20 s)"},
		{"two paces", []*trace.Phase{one("R-W", true, paced(2e9)),
			one("R-W-2", false, paced(1.5e9))},
			drops + "when C writes at up to 2 GB/s | " + clean +
				"when C writes at up to 1.5 GB/s (tested for 20 s)"},
		{"a mix", []*trace.Phase{one("R-W", true, none), one("R-W-2", false, mixed)},
			drops + "when C writes | " + clean + "when C reads and writes (tested for 20 s)"},
		{"fewer streams", []*trace.Phase{one("R-W", true, none), one("R-W-2", false, fewer)},
			"A drops 11% of frames of 4 x 92 MB/s when C writes | A plays 2 x 92 MB/s without a " +
				"dropped frame when C writes (tested for 20 s)"},
		{"a connection", []*trace.Phase{one("R-W", true, none), one("R-W-2", false, direct)},
			drops + "when C writes | " + clean +
				"when C writes with A connected directly (tested for 20 s)"},
		{"nothing known, patterns", []*trace.Phase{one("R-W", true, none),
			one("R-W-2", false, none)},
			drops + "when C writes (R-W) | " + clean + "when C writes (R-W-2) (tested for 20 s)"},
		{"nothing known, names", []*trace.Phase{one("Monday", true, none),
			one("Tuesday", false, none)},
			drops + "in phase Monday, when C writes | " + clean +
				"in phase Tuesday, when C writes (tested for 20 s)"},
		{
			"nothing to tell apart",
			[]*trace.Phase{one("R-W", false, none), one("R-W-2", false, paced(1.5e9))},
			clean + "when C writes (tested for 20 s)",
		},
	} {
		check.Same(t, c.name, c.want, ideas(t, told(c.phases...)))
	}
}

// Frames count beside other disks only while all of these work; what comes of the others is told
// apart, and too short a time is no reason to call streams clean.
func TestStreamsBesideOthersThatEnd(t *testing.T) {
	b, c := func(untilS float64) *trace.DiskRecord {
		return disk("B", "write", pace{untilS, 1.1})
	}, disk("C", "write", pace{12, 1.1})
	for _, tt := range []struct {
		name, verdict, headline string
		phase                   *trace.Phase
	}{
		{"late while both work and after",
			"A dropped 101 of 1,101 frames in the 12 s when B and C wrote; 100 of 1,800 frames " +
				"were dropped after C had ended; the longest stall took 2.04 s.",
			"A drops 9.2% of frames when B and C write", streaming92("p", 4, 10, 13, b(30), c)},
		{"late only after",
			"A played 4 of 4 streams without a dropped frame in the 12 s when B and C wrote; the " +
				"buffer never fell below 0.99 s; 201 of 1,800 frames were dropped after B and C " +
				"had ended; the longest stall took 2.04 s.",
			"A plays 4 of 4 streams without a dropped frame when B and C write (tested for 12 " +
				"s), and drops 201 of 1,800 frames at other times",
			streaming92("p", 4, 20, 23, b(14), c)},
		{"too short",
			"A played 4 of 4 streams, but only for 1.5 s while B and C wrote: too short to call " +
				"that clean.",
			"Whether A plays 4 of 4 streams without a dropped frame when B and C write was " +
				"tested for only 1.5 s", streaming92("p", 4, 0, 0, b(1.5), c)},
		{"a low buffer after",
			"A played 4 of 4 streams without a dropped frame in the 12 s when B and C wrote; the " +
				"buffer never fell below 0.99 s; at other times it fell to 0.24 s of 1 s.",
			"A plays 4 of 4 streams without a dropped frame when B and C write (tested for 12 s)",
			streaming92("p", 4, 20, 20.75, b(30), c)},
	} {
		a := told(tt.phase)
		headline, verdict := ideas(t, a), a.Phases[0].Verdict
		if headline != tt.headline || !strings.HasPrefix(verdict, tt.verdict) {
			t.Errorf("%s\n got %s\n     %s\nwant %s\n     %s", tt.name, headline, verdict,
				tt.headline, tt.verdict)
		}
	}
}

// A search is said in a few words.
func TestSearch(t *testing.T) {
	number := func(f float64) *float64 { return &f }
	tries := func(kind string) []PhaseResult {
		alone := told(streaming92("alone", 1, 0, 0)).Phases[0]
		both := told(streaming92("both", 4, 0, 0, disk("C", "write", pace{30, 1.1}))).Phases[0]
		alone.Search, both.Search = &trace.Try{Search: "s", Kind: kind, Alone: true},
			&trace.Try{Search: "s", Kind: kind}
		return []PhaseResult{alone, both}
	}
	for _, c := range []struct {
		kind string
		SearchResult
		want string
	}{
		{"streams", SearchResult{Alone: number(9), Found: number(3)},
			"A plays 3 streams while C writes"},
		{"streams", SearchResult{Alone: number(1), Found: number(0)},
			"A plays no stream clean while C writes"},
		{"streams", SearchResult{Alone: number(0), Found: number(0)},
			"A plays no stream clean, even alone"},
		{"streams", SearchResult{Found: number(3)}, "A plays 3 streams while C writes"},
		{"streams", SearchResult{Alone: number(9)},
			"A plays at most 9 streams alone, an unknown number when C writes"},
		{"streams", SearchResult{Alone: number(9), Found: number(9), AloneOpen: true,
			FoundOpen: true}, "A plays at least 9 streams while C writes"},
		{"streams", SearchResult{Alone: number(9), Found: number(3), AloneOpen: true},
			"A plays 3 streams while C writes"},
		{"streams", SearchResult{Alone: number(9), Found: number(0), AloneOpen: true},
			"A plays no stream clean while C writes"},
		{"streams", SearchResult{Found: number(3), FoundOpen: true},
			"A plays at least 3 streams while C writes"},
		{"pace", SearchResult{Found: number(210e6), FoundOpen: true},
			"C may write at 210 MB/s, the fastest that was tried, while A plays 4 streams"},
		{"streams", SearchResult{}, "how many streams A plays when C writes was not found"},
		{"pace", SearchResult{Found: number(210e6)},
			"C may write at up to 210 MB/s while A plays 4 streams"},
		{"pace", SearchResult{Found: number(0)},
			"C may not write at any rate that was tried while A plays 4 streams"},
		{"pace", SearchResult{Unlimited: true},
			"C may write as fast as it can while A plays 4 streams"},
		{"pace", SearchResult{}, "how fast C may write while A plays 4 streams was not found"},
		{"streams", SearchResult{Alone: number(9),
			FoundBetween: &search.Between{Low: 3, High: number(5)}},
			"how many streams A plays is not sure: 9 alone, between 3 and 5 when C writes"},
		{"streams", SearchResult{AloneBetween: &search.Between{Low: 3, High: number(5)},
			Found: number(2)},
			"how many streams A plays is not sure: between 3 and 5 alone, 2 when C writes"},
		{"streams", SearchResult{FoundBetween: &search.Between{High: number(2)}},
			"how many streams A plays is not sure: between 0 and 2 when C writes"},
		{"pace", SearchResult{FoundBetween: &search.Between{Low: 2e8, High: number(2.5e8)}},
			"how fast C may write while A plays 4 streams is not sure: between 200 MB/s and 250 MB/s"},
		{"pace", SearchResult{FoundBetween: &search.Between{Low: 2e8}},
			"how fast C may write while A plays 4 streams is not sure: 200 MB/s or more"},
	} {
		found := SearchSummary{Name: "s", Kind: c.kind, SearchResult: c.SearchResult, Disk: "A"}
		if c.kind == trace.SearchPace {
			found.Disk = "C"
		}
		a := &Analysis{
			Order: []string{"A", "C"}, Phases: tries(c.kind), Searches: []SearchSummary{found},
		}
		if headline := ideas(t, a); headline != Capital(a.Order, c.want) {
			t.Errorf("got %s, want %s", headline, c.want)
		}
	}
}

// While a search goes on, each of its many tries is said in a line; the report says more.
func TestProgressOfATry(t *testing.T) {
	phase := streaming92("p", 4, 0, 0, disk("C", "write", pace{30, 1.1}))
	for _, c := range []struct {
		try  *trace.Try
		want string
	}{
		{nil, told(phase).Phases[0].Verdict},
		{
			&trace.Try{Search: "p", Kind: trace.SearchStreams, Disk: "A", Value: 4},
			"A played 4 of 4 streams without a dropped frame in the 30 s when C wrote; the " +
				"buffer never fell below 0.99 s.",
		},
	} {
		phase.Search = c.try
		check.Same(t, "Progress", c.want, Progress(&told(phase).Phases[0]))
	}
}
