package trace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/internal/test/check"
)

const fileLine = `{"type":"file","phase":"W","disk":"A","op":"write","seq":1,"bytes":10,"start_ns":0,"end_ns":5}`

// readAll returns every event of text, and the reader at its end.
func readAll(text string) ([]Event, *Reader) {
	var events []Event
	r := NewReader(strings.NewReader(text), "e.jsonl")
	for r.Next() {
		events = append(events, *r.Event())
	}
	return events, r
}

func TestReader(t *testing.T) {
	want := Event{Type: FileType, Phase: "W", Disk: "A", Op: "write", Seq: 1, Bytes: 10, EndNS: 5}
	tests := []struct {
		name, text string
		events     int
		warning    string
		err        string
	}{
		{"plain", fileLine + "\n", 1, "", ""},
		{"no newline at the end", fileLine, 1, "", ""},
		{"carriage returns", fileLine + "\r\n" + fileLine + "\r\n", 2, "", ""},
		{"blank lines", "\n" + fileLine + "\n\n  \n" + fileLine + "\n", 2, "", ""},
		{"keys in another order, spaces", `{ "end_ns" : 5 , "bytes":10, "seq":1,"start_ns":0,"op":"write","disk":"A","phase":"W","type":"file" } ` + "\n", 1, "", ""},
		{"unknown key", strings.Replace(fileLine, `"seq"`, `"colour":{"x":[1]},"seq"`, 1) + "\n", 1, "", ""},
		{"escaped key and value", strings.Replace(fileLine, `"disk":"A"`, `"d\u0069sk":"\u0041"`, 1) + "\n", 1, "", ""},
		{"unknown type", `{"type":"temperature","bytes":"hot"}` + "\n" + fileLine + "\n", 1, "e.jsonl: lines of unknown type ignored: 1", ""},
		{"torn last line", fileLine + "\n" + fileLine[:50], 1,
			"e.jsonl:2: torn last line dropped (50 bytes)", ""},
		{"torn to zeros", fileLine + "\n\x00\x00\x00", 1,
			"e.jsonl:2: torn last line dropped (3 bytes)", ""},
		{"bad line inside", fileLine + "\n" + fileLine[:50] + "\n" + fileLine + "\n", 1, "",
			"e.jsonl:2: not an event: unexpected end of JSON input"},
		{"bad last line with its newline", fileLine + "\n{}}\n", 1, "",
			"e.jsonl:2: not an event: invalid character"},
		{"no type", "{\"phase\":\"W\"}\n", 0, "", `e.jsonl:1: not an event: no "type"`},
		{"array", "[]\n", 0, "", "e.jsonl:1: not an event:"},
		{"fraction", strings.Replace(fileLine, `10`, `10.5`, 1) + "\n", 0, "", "e.jsonl:1: bad file line: \"bytes\": json: cannot unmarshal number 10.5"},
		{"overflow", strings.Replace(fileLine, `10`, `10000000000000000000`, 1) + "\n", 0, "", "e.jsonl:1: bad file line:"},
		{"no phase", strings.Replace(fileLine, `"phase":"W",`, ``, 1) + "\n", 0, "", `e.jsonl:1: bad file line: no "phase"`},
		{"no disk", strings.Replace(fileLine, `"disk":"A",`, ``, 1) + "\n", 0, "", `e.jsonl:1: bad file line: no "disk"`},
		{"bad op", strings.Replace(fileLine, `"write"`, `"wrote"`, 1) + "\n", 0, "", `e.jsonl:1: bad file line: op "wrote": want read or write`},
		{"bad role", `{"type":"phase","phase":"W","roles":{"A":"wirte"}}` + "\n", 0, "", `e.jsonl:1: bad phase line: disk "A": role "wirte"`},
		{"nameless disk", `{"type":"run","disks":[{"path":"/a"}]}` + "\n", 0, "", `e.jsonl:1: bad run line: disk 1 has no name`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			events, r := readAll(tt.text)
			check.Same(t, "events", tt.events, len(events))
			for _, e := range events {
				check.Same(t, "event", want, e)
			}
			// After the last.
			if e := *r.Event(); e.Type != "" || r.Offset() > int64(len(tt.text)) || r.Next() {
				t.Errorf("after the end: %+v, %d bytes", e, r.Offset())
			}
			check.Same(t, "warnings", tt.warning, strings.Join(r.Warnings(), "|"))
			if err := fmt.Sprint(r.Err()); (tt.err == "") != (r.Err() == nil) ||
				!strings.HasPrefix(err, tt.err) && tt.err != "" {
				t.Errorf("error %v, want %q", r.Err(), tt.err)
			}
		})
	}
}

func TestReaderLongLines(t *testing.T) {
	long := func(n int) string {
		return strings.Replace(fileLine, `"seq"`, `"pad":"`+strings.Repeat("x", n)+`","seq"`, 1) + "\n"
	}
	if events, r := readAll(long(4<<20) + fileLine + "\n"); len(events) != 2 || r.Err() != nil {
		t.Errorf("4 MB line: %d events, error %v; want 2, nil", len(events), r.Err())
	}
	_, r := readAll(fileLine + "\n" + long(MaxLine))
	if r.Err() == nil || !strings.HasPrefix(r.Err().Error(),
		"e.jsonl:2: read trace: line longer than 16777216 bytes") {
		t.Errorf("line over the limit: error %v", r.Err())
	}
	if _, r := readAll(strings.TrimSpace(long(MaxLine))); r.Err() == nil {
		t.Errorf("torn line over the limit: %q, want an error", r.Warnings())
	}
}

// What ends early, such as a compressed trace, is an error and no torn line.
func TestReaderCutShort(t *testing.T) {
	r := NewReader(io.MultiReader(strings.NewReader(fileLine+"\n"),
		iotest.ErrReader(io.ErrUnexpectedEOF)), "e.jsonl")
	for r.Next() {
	}
	if !errors.Is(r.Err(), io.ErrUnexpectedEOF) {
		t.Errorf("%v, %q; want an error", r.Err(), r.Warnings())
	}
}

// FuzzReader holds three promises: no panic; the fast path means what encoding/json means; and what
// is read can be written and read again unchanged.
func FuzzReader(f *testing.F) {
	for _, line := range everyLine() {
		f.Add([]byte(line + "\n"))
	}
	f.Add([]byte(fileLine + "\n" + fileLine[:40]))
	f.Add([]byte(fileLine + "\n" + strings.Replace(fileLine, "10", "-12", 1) + "\n" + strings.Replace(fileLine, "}", `,"filler":true}`, 1)))
	f.Add([]byte(`{"type":"file","type":"progress","phase":"Ä","disk":"\ud800","bytes":-0,"seq":01}` + "\n"))
	f.Add([]byte(strings.Repeat(strings.ReplaceAll(fileLine, ",", ", ")+"\n", 2)))
	f.Add([]byte("\xef\xbb\xbf{\"type\":\"end\"}\n\n[]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		fast := heads{}
		for line := range bytes.Lines(data) {
			line = bytes.TrimSpace(line)
			var want Event
			got := new(Event)
			known, err := want.decode(line)
			e, n, sameHead := fast.decode(line)
			if !sameHead {
				if known && err == nil && want.check() == nil {
					fast.remember(line, &want)
				}
				continue
			}
			*got = e.with(n)
			if err := errors.Join(err, got.check()); err != nil {
				t.Fatalf("fast path took %q: %v", line, err)
			}
			if diff := cmp.Diff(want, *got); diff != "" {
				t.Fatalf("%q: fast path differs (-json +fast):\n%s", line, diff)
			}
		}
		r := NewReader(bytes.NewReader(data), "fuzz")
		var out []byte
		for r.Next() {
			out = AppendEvent(out, r.Event())
		}
		again, r2 := readAll(string(out))
		if r2.Err() != nil || len(r2.Warnings()) > 0 {
			t.Fatalf("rewritten trace: error %v, warnings %q\n%s", r2.Err(), r2.Warnings(), out)
		}
		var twice []byte
		for i := range again {
			twice = AppendEvent(twice, &again[i])
		}
		if diff := cmp.Diff(string(out), string(twice)); diff != "" {
			t.Fatalf("rewritten (-once +twice):\n%s", diff)
		}
		if run, err := Load(bytes.NewReader(data), "fuzz"); (run == nil) == (err == nil) {
			t.Fatalf("Load gave run %v and error %v", run, err)
		}
	})
}
