package trace

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/latency"
)

// everyLine has each type of line, with all of its keys, as AppendEvent writes them.
func everyLine() []string {
	return []string{
		`{"type":"run","version":1,"name":"triple","started":"2026-11-20T08:00:00Z","disks":[{"name":"A","path":"/Volumes/A","connection":"hub"},{"name":"B","profile":"B"}]}`,
		`{"type":"phase","phase":"WR","roles":{"A":"write","B":"read"}}`,
		`{"type":"start","phase":"WR","disk":"A","late_ns":900,"t_ns":1200}`,
		`{"type":"progress","phase":"WR","disk":"A","seq":3,"bytes":524288000,"t_ns":350000000}`,
		`{"type":"file","phase":"WR","disk":"A","op":"write","seq":3,"bytes":1000000000,"start_ns":1200,"end_ns":714286000}`,
		`{"type":"error","phase":"WR","disk":"B","seq":7,"t_ns":9000000,"error":"no space left on device"}`,
		`{"type":"end","status":"complete"}`,
		`{"type":"phase","phase":"RR","roles":{"A":"read","B":"read"},"stop":"hold","test":"SEQ1M QD8","score":"median","connections":{"A":"hub","B":"direct"}}`,
		`{"type":"phase_end","phase":"RR","status":"partial"}`,
		`{"type":"file","phase":"RR","disk":"A","op":"read","seq":3,"bytes":1000000000,"start_ns":1200,"end_ns":714286000,"filler":true}`,
		`{"type":"gauge","phase":"WR","disk":"A","t_ns":1000000000,"name":"temperature_c","value":41.85}`,
		`{"type":"gauge","phase":"WR","t_ns":1000000000,"name":"cpu_percent","value":0}`,
		`{"type":"run","version":1,"name":"known","started":"","disks":[{"name":"A"}],"hardware":{"hub":{"id":"0-1","name":"Dock","vendor":"","port":"","protocol":"","link":{"kind":"thunderbolt","rx_bps":40000000000}}}}`,
		`{"type":"phase","phase":"paced","roles":{"A":"read","B":"write","C":"read"},"stop":"time",` +
			`"work":{"A":{"streams":[{"kind":"92 MB/s","rate":92000000,"frame_ns":40000000,"count":4,"buffer_ns":1000000000}]},"B":{"pace":200000000,"reads":0.7},"C":{"probe":4096}},` +
			`"search":{"search":"how many","kind":"streams","disk":"A","value":4,"alone":true},"steady_ns":10000000000,"saturation":{"of":"WW","step":"burst","disk":"A","rest_ns":20000000000}}`,
		`{"type":"stream","phase":"paced","disk":"A","stream":"2","t_ns":300000000,"due":7,"late":1,"buffer_ns":960000000,"stall_ns":40000000}`,
		`{"type":"latency","phase":"paced","disk":"C","op":"read","t_ns":1000000000,"hist":"` + aHist() + `"}`,
		`{"type":"phase","phase":"works","roles":{"A":"write","B":"read"},` +
			`"work":{"A":{"op":"write","sizes":{"min":2000000,"max":2000000000,"distribution":"uniform"},"order":"random","io":"direct","block":8388608,"depth":4,` +
			`"access":"sequential","flush":"full","verify":"off","preallocate":true,"footprint":5000000000,"precondition":0.5,"warm_up":2},` +
			`"B":{"op":"read","sizes":{"list":[1000000000]},"io":"app","one_file":true,"cap_ns":5,"rest_ns":6,"pace":100000000}}}`,
		`{"type":"stream","phase":"p","disk":"A","stream":"","t_ns":0,"due":0,"late":0,"buffer_ns":0,"stall_ns":0}`,
		`{"type":"start","phase":"p","disk":"A","late_ns":0,"t_ns":0}`,
		`{"type":"progress","phase":"p","disk":"A","seq":0,"bytes":0,"t_ns":0}`,
		`{"type":"file","phase":"p","disk":"A","op":"read","seq":0,"bytes":0,"start_ns":0,"end_ns":0}`,
	}
}

// aHist is a histogram of one request.
func aHist() string {
	h := latency.New()
	latency.Record(h, 250_000, 1)
	return latency.Encode(h)
}

// What is read of a line is written as that line again, and nothing but the lines of a run and of a
// phase allocates.
func TestRoundTrip(t *testing.T) {
	events, r := readAll(strings.Join(everyLine(), "\n"))
	if r.Err() != nil || len(r.Warnings()) > 0 {
		t.Errorf("err %v, warnings %q; want none", r.Err(), r.Warnings())
	}
	buf := make([]byte, 0, 512)
	for i, e := range events {
		check.Same(t, "line", everyLine()[i]+"\n", string(AppendEvent(nil, &e)))
		if e.Type != RunType && e.Type != PhaseType {
			if n := testing.AllocsPerRun(100, func() { buf = AppendEvent(buf[:0], &e) }); n != 0 {
				t.Errorf("%s: %v allocations per event, want 0", e.Type, n)
			}
		}
	}
	const bare = `{"type":"run","version":1,"name":"","started":"","disks":[]}` + "\n"
	check.Same(t, "a run of nothing", bare,
		string(AppendEvent(nil, &Event{Type: RunType, Version: 1})))
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
