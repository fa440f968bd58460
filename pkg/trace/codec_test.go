package trace

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/latency"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/work"
)

// everyEvent has each type once, with all of its fields set.
func everyEvent() []Event {
	return []Event{
		{Type: RunType, Version: 1, Name: "triple", Started: "2026-11-20T08:00:00Z", Disks: []Disk{
			{Name: "A", Path: "/Volumes/A", Connection: "hub"}, {Name: "B", Profile: "B"}}},
		{Type: PhaseType, Phase: "WR", Roles: map[string]Role{"A": "write", "B": "read"}},
		{Type: StartType, Phase: "WR", Disk: "A", LateNS: 900, TNS: 1200},
		{Type: ProgressType, Phase: "WR", Disk: "A", Seq: 3, Bytes: 524288000, TNS: 350000000},
		{Type: FileType, Phase: "WR", Disk: "A", Op: "write", Seq: 3, Bytes: 1000000000,
			StartNS: 1200, EndNS: 714286000},
		{Type: ErrorType, Phase: "WR", Disk: "B", Seq: 7, TNS: 9000000,
			Error: "no space left on device"},
		{Type: EndType, Status: Complete},
		{Type: PhaseType, Phase: "RR", Roles: map[string]Role{"A": "read", "B": "read"},
			Stop: "hold", Test: "SEQ1M QD8",
			Score: "median", Connections: map[string]string{"B": "direct", "A": "hub"}},
		{Type: PhaseEndType, Phase: "RR", Status: Partial},
		{Type: FileType, Phase: "RR", Disk: "A", Op: "read", Seq: 3, Bytes: 1000000000,
			StartNS: 1200, EndNS: 714286000, Filler: true},
		{Type: GaugeType, Phase: "WR", Disk: "A", TNS: 1000000000, Name: Temperature, Value: 41.85},
		{Type: GaugeType, Phase: "WR", TNS: 1000000000, Name: CPU},
		{Type: RunType, Version: 1, Name: "known", Disks: []Disk{{Name: "A"}},
			Hardware: &hardware.Setup{
				Hub: &hardware.Hub{ID: "0-1", Name: "Dock",
					Link: &hardware.Link{Kind: hardware.Thunderbolt, RxBps: 40e9}}}},
		{Type: PhaseType, Phase: "paced",
			Roles: map[string]Role{"A": "read", "B": "write", "C": "read"}, Stop: "time",
			Work: map[string]work.Work{
				"A": {Streams: []stream.Spec{{Kind: "92 MB/s", Rate: 92e6,
					Frame: 40 * time.Millisecond, Count: 4, Buffer: time.Second}}},
				"B": {Pace: 200e6, Reads: 0.7}, "C": {Probe: 4096}},
			Search: &Try{Search: "how many", Kind: SearchStreams, Disk: "A", Value: 4,
				Alone: true},
			SteadyNS: 10e9, Saturation: &Saturation{Of: "WW", Step: SaturationBurst, Disk: "A",
				RestNS: 2e10}},
		{Type: StreamType, Phase: "paced", Disk: "A", Stream: "2", TNS: 300000000, Due: 7, Late: 1,
			BufferNS: 960000000, StallNS: 40000000},
		{Type: LatencyType, Phase: "paced", Disk: "C", Op: "read", TNS: 1000000000, Hist: aHist()},
		{Type: PhaseType, Phase: "works", Roles: map[string]Role{"A": "write", "B": "read"},
			Work: map[string]work.Work{
				"A": {Op: Write, Sizes: work.Sizes{Min: 2e6, Max: 2e9, Distribution: work.Uniform},
					Order: work.Random, Mode: "direct", Block: 8 << 20, Depth: 4,
					Access: "sequential", Flush: "full", Verify: "off", Preallocate: true,
					Footprint: 5e9, Fill: 0.5, WarmUp: 2},
				"B": {Op: Read, Sizes: work.Sizes{List: []int64{1e9}}, Mode: "app", OneFile: true,
					Cap: 5, Rest: 6, Pace: 1e8}}},
	}
}

// aHist is a histogram of one request.
func aHist() string {
	h := latency.New()
	latency.Record(h, 250_000, 1)
	return latency.Encode(h)
}

func TestAppendEvent(t *testing.T) {
	tests := []struct {
		event Event
		want  string
	}{
		{everyEvent()[0], `{"type":"run","version":1,"name":"triple","started":"2026-11-20T08:00:00Z","disks":[{"name":"A","path":"/Volumes/A","connection":"hub"},{"name":"B","profile":"B"}]}`},
		{everyEvent()[1], `{"type":"phase","phase":"WR","roles":{"A":"write","B":"read"}}`},
		{everyEvent()[2], `{"type":"start","phase":"WR","disk":"A","late_ns":900,"t_ns":1200}`},
		{everyEvent()[3], `{"type":"progress","phase":"WR","disk":"A","seq":3,"bytes":524288000,"t_ns":350000000}`},
		{everyEvent()[4], `{"type":"file","phase":"WR","disk":"A","op":"write","seq":3,"bytes":1000000000,"start_ns":1200,"end_ns":714286000}`},
		{everyEvent()[5], `{"type":"error","phase":"WR","disk":"B","seq":7,"t_ns":9000000,"error":"no space left on device"}`},
		{everyEvent()[6], `{"type":"end","status":"complete"}`},
		{everyEvent()[7], `{"type":"phase","phase":"RR","roles":{"A":"read","B":"read"},"stop":"hold","test":"SEQ1M QD8","score":"median","connections":{"A":"hub","B":"direct"}}`},
		{everyEvent()[8], `{"type":"phase_end","phase":"RR","status":"partial"}`},
		{everyEvent()[9], `{"type":"file","phase":"RR","disk":"A","op":"read","seq":3,"bytes":1000000000,"start_ns":1200,"end_ns":714286000,"filler":true}`},
		{everyEvent()[10], `{"type":"gauge","phase":"WR","disk":"A","t_ns":1000000000,"name":"temperature_c","value":41.85}`},
		{everyEvent()[11], `{"type":"gauge","phase":"WR","t_ns":1000000000,"name":"cpu_percent","value":0}`},
		{everyEvent()[12], `{"type":"run","version":1,"name":"known","started":"","disks":[{"name":"A"}],"hardware":{"hub":{"id":"0-1","name":"Dock","vendor":"","port":"","protocol":"","link":{"kind":"thunderbolt","rx_bps":40000000000}}}}`},
		{everyEvent()[13], `{"type":"phase","phase":"paced","roles":{"A":"read","B":"write","C":"read"},"stop":"time",` +
			`"work":{"A":{"streams":[{"kind":"92 MB/s","rate":92000000,"frame_ns":40000000,"count":4,"buffer_ns":1000000000}]},"B":{"pace":200000000,"reads":0.7},"C":{"probe":4096}},` +
			`"search":{"search":"how many","kind":"streams","disk":"A","value":4,"alone":true},"steady_ns":10000000000,"saturation":{"of":"WW","step":"burst","disk":"A","rest_ns":20000000000}}`},
		{everyEvent()[14], `{"type":"stream","phase":"paced","disk":"A","stream":"2","t_ns":300000000,"due":7,"late":1,"buffer_ns":960000000,"stall_ns":40000000}`},
		{everyEvent()[15], `{"type":"latency","phase":"paced","disk":"C","op":"read","t_ns":1000000000,"hist":"` + aHist() + `"}`},
		{everyEvent()[16], `{"type":"phase","phase":"works","roles":{"A":"write","B":"read"},` +
			`"work":{"A":{"op":"write","sizes":{"min":2000000,"max":2000000000,"distribution":"uniform"},"order":"random","io":"direct","block":8388608,"depth":4,` +
			`"access":"sequential","flush":"full","verify":"off","preallocate":true,"footprint":5000000000,"precondition":0.5,"warm_up":2},` +
			`"B":{"op":"read","sizes":{"list":[1000000000]},"io":"app","one_file":true,"cap_ns":5,"rest_ns":6,"pace":100000000}}}`},
		{Event{Type: StreamType, Phase: "p", Disk: "A"}, `{"type":"stream","phase":"p","disk":"A","stream":"","t_ns":0,"due":0,"late":0,"buffer_ns":0,"stall_ns":0}`},
		{Event{Type: StartType, Phase: "p", Disk: "A"}, `{"type":"start","phase":"p","disk":"A","late_ns":0,"t_ns":0}`},
		{Event{Type: ProgressType, Phase: "p", Disk: "A"}, `{"type":"progress","phase":"p","disk":"A","seq":0,"bytes":0,"t_ns":0}`},
		{Event{Type: FileType, Phase: "p", Disk: "A", Op: "read"}, `{"type":"file","phase":"p","disk":"A","op":"read","seq":0,"bytes":0,"start_ns":0,"end_ns":0}`},
		{Event{Type: RunType, Version: 1}, `{"type":"run","version":1,"name":"","started":"","disks":[]}`},
	}
	for _, tt := range tests {
		if got := string(AppendEvent(nil, &tt.event)); got != tt.want+"\n" {
			t.Errorf("AppendEvent(%+v)\n got %s\nwant %s", tt.event, got, tt.want)
		}
	}
}

func TestAppendStringIsJSON(t *testing.T) {
	for _, s := range []string{"", "plain", `quo"te\`, "a\nb\tc\x00\x1f\x7f", "Ä → 盘", "bad\xffutf8", "</script>", "\u2028"} {
		quoted := appendString(nil, s)
		var got string
		if err := json.Unmarshal(quoted, &got); err != nil {
			t.Errorf("%q quoted as %s: %v", s, quoted, err)
		}
		check.Same(t, fmt.Sprintf("%q quoted as %s reads back as", s, quoted),
			strings.ToValidUTF8(s, "\ufffd"), got)
	}
}

// What a terminal would act on is written as an escape, and read as it was.
func TestEventsHoldNoControls(t *testing.T) {
	want := Event{Type: ErrorType, Phase: "\u009b31m", Disk: "\u202eB", Error: "\u007fno space"}
	line := AppendEvent(nil, &want)
	if bytes.ContainsAny(line, "\u009b\u202e\u007f") {
		t.Errorf("got %q", line)
	}
	got, _ := readAll(string(line))
	check.Same(t, "events", []Event{want}, got)
}

func TestRoundTrip(t *testing.T) {
	want := everyEvent()
	var text []byte
	for i := range want {
		text = AppendEvent(text, &want[i])
	}
	var got []Event
	r := NewReader(bytes.NewReader(text), "events.jsonl")
	for r.Next() {
		got = append(got, *r.Event())
	}
	if r.Err() != nil || len(r.Warnings()) > 0 {
		t.Errorf("err %v, warnings %q; want none", r.Err(), r.Warnings())
	}
	check.Same(t, "round trip", want, got)
}

func TestAppendEventDoesNotAllocate(t *testing.T) {
	buf := make([]byte, 0, 512)
	events := everyEvent()
	for i := range events {
		if e := &events[i]; e.Type != RunType && e.Type != PhaseType { // one a run, one a phase
			if n := testing.AllocsPerRun(100, func() { buf = AppendEvent(buf[:0], e) }); n != 0 {
				t.Errorf("%s: %v allocations per event, want 0", e.Type, n)
			}
		}
	}
}
