package trace

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/latency"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/work"
)

type roles = map[string]Role

func mustLoad(t *testing.T, lines ...string) *Run {
	t.Helper()
	run, err := Load(strings.NewReader(strings.Join(lines, "\n")+"\n"), "e.jsonl")
	check.Must(t, err)
	return run
}

func TestLoadWhole(t *testing.T) {
	late := int64(40)
	got := mustLoad(t,
		`{"type":"run","version":1,"name":"pair","started":"2026-11-20T08:00:00Z","disks":[{"name":"B"},{"name":"A"},{"name":"C"}]}`,
		`{"type":"phase","phase":"WW-","roles":{"A":"write","B":"write","C":"idle"}}`,
		`{"type":"start","phase":"WW-","disk":"A","late_ns":40,"t_ns":7}`,
		`{"type":"progress","phase":"WW-","disk":"A","seq":0,"bytes":4,"t_ns":50}`,
		`{"type":"progress","phase":"WW-","disk":"B","seq":0,"bytes":3,"t_ns":50}`,
		`{"type":"file","phase":"WW-","disk":"A","op":"write","seq":0,"bytes":10,"start_ns":7,"end_ns":99}`,
		`{"type":"progress","phase":"WW-","disk":"A","seq":0,"bytes":9,"t_ns":90}`,
		`{"type":"progress","phase":"WW-","disk":"B","seq":0,"bytes":6,"t_ns":100}`,
		`{"type":"error","phase":"WW-","disk":"B","seq":0,"t_ns":110,"error":"gone"}`,
		`{"type":"end","status":"partial"}`,
	)
	want := &Run{
		Name: "pair", Started: "2026-11-20T08:00:00Z", Status: Partial,
		Disks: []Disk{{Name: "B"}, {Name: "A"}, {Name: "C"}},
		Phases: []*Phase{{
			Name: "WW-", Roles: roles{"A": "write", "B": "write", "C": "idle"},
			Disks: []*DiskRecord{
				{Name: "B", Op: "write", Open: []Sample{{50, 3}, {100, 6}},
					Errors: []Failure{{Seq: 0, TNS: 110, Error: "gone"}}},
				{Name: "A", Op: "write", LateNS: &late,
					Files: []File{{Bytes: 10, StartNS: 7, EndNS: 99,
						Progress: &Progress{Samples: []Sample{{50, 4}, {90, 9}}}}}},
			},
			Status: Partial,
		}},
	}
	check.Same(t, "run", want, got)
}

// Streams and latencies are sorted out by disk and time.
func TestLoadStreamsAndLatencies(t *testing.T) {
	hist := aHist()
	requests, err := latency.Decode(hist)
	check.Must(t, err)
	sample := func(disk, name, rest string) string {
		return `{"type":"stream","phase":"p","disk":"` + disk + `","stream":"` + name + `",` + rest + `}`
	}
	latencyLine := func(at string) string {
		return `{"type":"latency","phase":"p","disk":"B","op":"write","t_ns":` + at + `,"hist":"` + hist + `"}`
	}
	got := mustLoad(t,
		`{"type":"run","version":1,"name":"x","disks":[{"name":"A"},{"name":"B"}]}`,
		`{"type":"phase","phase":"p","roles":{"A":"read","B":"write"},"work":{"A":{"pace":5}},"search":{"search":"s","kind":"pace","disk":"B","value":7},"steady_ns":5000000000,"saturation":{"of":"s","step":"alone","disk":"A"}}`,
		sample("A", "2", `"t_ns":100,"due":1,"late":0,"buffer_ns":40,"stall_ns":0`),
		sample("A", "1", `"t_ns":200,"due":3,"late":1,"buffer_ns":0,"stall_ns":40`),
		sample("A", "1", `"t_ns":100,"due":1,"late":0,"buffer_ns":40,"stall_ns":0`),
		latencyLine("200"), latencyLine("100"),
		`{"type":"end","status":"complete"}`,
	).Phases[0]
	first := StreamSample{100, stream.Sample{Due: 1, BufferNS: 40}}
	want := &Phase{
		Name: "p", Roles: roles{"A": "read", "B": "write"},
		Work:   map[string]work.Work{"A": {Pace: 5}},
		Search: &Try{Search: "s", Kind: SearchPace, Disk: "B", Value: 7}, SteadyNS: 5e9,
		Saturation: &Saturation{Of: "s", Step: SaturationAlone, Disk: "A"},
		Disks: []*DiskRecord{
			{Name: "A", Op: "read", Streams: []Stream{
				{"2", []StreamSample{first}},
				{"1", []StreamSample{first,
					{200, stream.Sample{Due: 3, Late: 1, StallNS: 40}}}}}},
			{Name: "B", Op: "write",
				Latencies: []Latency{{"write", 100, requests}, {"write", 200, requests}}},
		},
	}
	check.Same(t, "phase", want, got, cmp.Comparer(func(a, b *latency.Histogram) bool {
		return latency.Encode(a) == latency.Encode(b)
	}))
}

func TestLoadInfers(t *testing.T) {
	got := mustLoad(t,
		`{"type":"file","phase":"p","disk":"B","op":"read","seq":1,"bytes":10,"start_ns":50,"end_ns":99}`,
		`{"type":"file","phase":"p","disk":"B","op":"read","seq":0,"bytes":10,"start_ns":0,"end_ns":49}`,
		`{"type":"file","phase":"q","disk":"A","op":"write","seq":0,"bytes":10,"start_ns":0,"end_ns":9}`,
	)
	want := &Run{
		Disks:    []Disk{{Name: "B"}, {Name: "A"}},
		Warnings: []string{"no run line: disks taken from the events"},
		Phases: []*Phase{
			{Name: "p", Roles: roles{"A": "idle", "B": "read"},
				Disks: []*DiskRecord{{Name: "B", Op: "read", Files: []File{
					{Seq: 0, Bytes: 10, EndNS: 49}, {Seq: 1, Bytes: 10, StartNS: 50, EndNS: 99}}}}},
			{Name: "q", Roles: roles{"A": "write", "B": "idle"},
				Disks: []*DiskRecord{{Name: "A", Op: "write",
					Files: []File{{Bytes: 10, EndNS: 9}}}}},
		},
	}
	check.Same(t, "run", want, got)
}

func TestLoadWarns(t *testing.T) {
	const head = `{"type":"run","version":1,"name":"x","disks":[{"name":"A"}]}`
	const end = `{"type":"end","status":"complete"}`
	file := func(disk, op string) string {
		return `{"type":"file","phase":"p","disk":"` + disk + `","op":"` + op + `","bytes":10,"end_ns":9}`
	}
	tests := []struct {
		name  string
		lines []string
		want  string
	}{
		{"nothing", nil, "no events"},
		{"no end", []string{head, file("A", "read")}, "no end line"},
		{"newer", []string{strings.Replace(head, `:1`, `:2`, 1), end}, "version 2"},
		{"mixed", []string{head, file("A", "read"), strings.Replace(file("A", "write"), `"end`, `"start_ns":9,"end_ns":18,"was`, 1), end}, "both reads and writes"},
		{"against its role", []string{head, `{"type":"phase","phase":"p","roles":{"A":"write"}}`, file("A", "read"), end}, "has the role write"},
		{"unlisted", []string{head, `{"type":"phase","phase":"p","roles":{"B":"write"}}`, end}, "disk B is not in the run line"},
		{"no op", []string{head, `{"type":"progress","phase":"p","disk":"A","bytes":1,"t_ns":1}`, end}, "reading is assumed"},
		{"backwards", []string{head, `{"type":"progress","phase":"p","disk":"A","bytes":11,"t_ns":1}`, file("A", "read"), end}, "dropped: 1"},
		{"two unfinished", []string{head, file("A", "read"), `{"type":"progress","phase":"p","disk":"A","seq":1,"bytes":1,"t_ns":1}`,
			`{"type":"progress","phase":"p","disk":"A","seq":2,"bytes":1,"t_ns":1}`, end}, "left 2 files unfinished"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			run := mustLoad(t, tt.lines...)
			if got := strings.Join(run.Warnings, "|"); len(run.Warnings) != 1 ||
				!strings.Contains(got, tt.want) {
				t.Errorf("warnings %q, want one with %q", run.Warnings, tt.want)
			}
		})
	}
}

func TestLoadRefuses(t *testing.T) {
	many := latency.New()
	latency.Record(many, 5, latency.MaxCount/2+1)
	manyRequests := `{"type":"latency","phase":"p","disk":"A","op":"read","t_ns":1,"hist":"` + latency.Encode(many) + `"}`
	tests := []struct{ name, text, want string }{
		{"another run", `{"type":"run","name":"a"}` + "\n" + `{"type":"run","name":"b"}`, "e.jsonl:2: second run line: a trace holds one run"},
		{"the same run again", `{"type":"run","name":"a"}` + "\n" + `{"type":"run","name":"a"}`, "e.jsonl:2: second run line: a trace holds one run"},
		{"a phase again", `{"type":"phase","phase":"p"}` + "\n" + `{"type":"phase","phase":"p"}`, "e.jsonl:2: phase p begins for the second time: a trace holds one run"},
		{"disk twice", `{"type":"run","disks":[{"name":"A"},{"name":"A"}]}`, `e.jsonl:1: disk "A" named twice`},
		{"absurd time", strings.Replace(fileLine, `:5`, `:2000000000000000000`, 1), "e.jsonl:1: bad file line: time more than 36 years"},
		{"absurd progress", `{"type":"progress","phase":"p","disk":"A","bytes":-9223372036854775808}`, "e.jsonl:1: bad progress line: bytes -9223372036854775808: beyond"},
		{"absurd bytes", fileLine + "\n" + strings.Replace(fileLine, `:10`, `:1152921504606846970`, 1), "e.jsonl:2: disk A: file 1 brings the trace to more"},
		{"absurd latencies", manyRequests + "\n" + manyRequests,
			"e.jsonl:2: disk A: its latencies bring the trace to more"},
		{"bad line", fileLine + "\nnonsense\n", "e.jsonl:2: not an event"},
	}
	for _, tt := range tests {
		run, err := Load(strings.NewReader(tt.text+"\n"), "e.jsonl")
		if run != nil || err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s: got %v, error %v; want %q", tt.name, run, err, tt.want)
		}
	}
}

// BenchmarkLoad reads a trace of a hundred thousand files of three disks, a progress line before
// each.
func BenchmarkLoad(b *testing.B) {
	var text []byte
	for i := range 100_000 {
		disk, at := string(rune('A'+i%3)), int64(i)*1_000_000
		text = AppendEvent(text, &Event{Type: ProgressType, Phase: "WWW", Disk: disk, Seq: i,
			Bytes: 500_000, TNS: at + 500_000})
		text = AppendEvent(text, &Event{Type: FileType, Phase: "WWW", Disk: disk, Op: Write, Seq: i,
			Bytes: 1_000_000, StartNS: at, EndNS: at + 999_000})
	}
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Load(bytes.NewReader(text), "bench"); err != nil {
			b.Fatal(err)
		}
	}
}

// A phase that was going on when its run was cut short is partial, as one that says so itself.
func TestCutShort(t *testing.T) {
	const (
		head = `{"type":"run","version":1,"name":"r","disks":[{"name":"A"}]}`
		one  = `{"type":"file","phase":"one","disk":"A","op":"write","seq":0,"bytes":1,"start_ns":1,"end_ns":2}`
		two  = `{"type":"file","phase":"two","disk":"A","op":"write","seq":0,"bytes":1,"start_ns":1,"end_ns":2}`
		done = `{"type":"phase_end","phase":"one","status":"complete"}`
		end  = `{"type":"end","status":"complete"}`
		stop = `{"type":"end","status":"partial"}`
	)
	for _, tt := range []struct {
		name  string
		lines []string
		want  []string
	}{
		{"killed", []string{head, one, done, two}, []string{Complete, Partial}},
		{"killed in the first phase", []string{head, one}, []string{Partial}},
		{"interrupted", []string{head, one, done, two, stop}, []string{Complete, Partial}},
		{"interrupted, without lines of phases", []string{head, one, two, stop},
			[]string{"", Partial}},
		{"whole, without lines of phases", []string{head, one, two, end}, []string{"", ""}},
		{"of another tool", []string{one, two}, []string{"", ""}},
	} {
		for i, p := range mustLoad(t, tt.lines...).Phases {
			check.Same(t, fmt.Sprintf("%s: phase %s", tt.name, p.Name), tt.want[i], p.Status)
		}
	}
}

// What sets each disk and phase beside every other bounds how many there may be.
func TestLoadCrowded(t *testing.T) {
	lines := func(n int, phase, disk func(i int) string) string {
		var text strings.Builder
		for i := range n {
			fmt.Fprintf(&text, `{"type":"file","phase":%q,"disk":%q,"op":"write","seq":0,"bytes":1,"start_ns":1,"end_ns":2}`+"\n", phase(i), disk(i))
		}
		return text.String()
	}
	one, each := func(int) string { return "X" }, strconv.Itoa
	for _, tt := range []struct {
		text, want string
	}{
		{lines(maxDisks, one, each), ""},
		{lines(maxDisks+1, one, each), "events.jsonl:257: more than 256 disks"},
		{lines(maxPhases, each, one), ""},
		{lines(maxPhases+1, each, one), "events.jsonl:2501: more than 2500 phases"},
	} {
		if _, err := Load(strings.NewReader(tt.text),
			"events.jsonl"); (err == nil) != (tt.want == "") || err != nil &&
			!strings.Contains(err.Error(), tt.want) {
			t.Errorf("got %v, want %q", err, tt.want)
		}
	}
}
