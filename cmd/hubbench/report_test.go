package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// TestJSONDrawsNoFigures holds the memory of analyze --json against that of reading and analysing alone.
func TestJSONDrawsNoFigures(t *testing.T) {
	var events bytes.Buffer
	for i := range 50_000 {
		fmt.Fprintf(&events, `{"type":"file","phase":"W","disk":"A","op":"write","seq":%d,"bytes":1000000,"start_ns":%d,"end_ns":%d}`+"\n", i, i*1_000_000, i*1_000_000+900_000+i%7)
	}
	path := filepath.Join(t.TempDir(), "events.jsonl")
	if err := os.WriteFile(path, events.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	allocated := func(f func()) float64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		return float64(after.TotalAlloc - before.TotalAlloc)
	}
	alone := allocated(func() {
		if _, err := load(path); err != nil {
			t.Fatal(err)
		}
	})
	var errs bytes.Buffer
	all := allocated(func() {
		if code := run(t.Context(), []string{"analyze", path, "--json"}, program{stdout: io.Discard, stderr: &errs}); code != exitOK {
			t.Fatalf("exit %d: %s", code, errs.String())
		}
	})
	if all > 1.2*alone {
		t.Errorf("analyze --json allocated %.0f MB, of which reading and analysing take %.0f", all/1e6, alone/1e6)
	}
}
