package recorded

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A comparison shows no rates by file size, so that it need not wait for them; everything else
// does.
func TestNoSizes(t *testing.T) {
	var events strings.Builder
	for seq := range 100 {
		bytes, ns := 1_000_000<<(seq%5), 10_000_000*seq
		fmt.Fprintf(&events, `{"type":"file","phase":"A","disk":"A","op":"write","seq":%d,"bytes":%d,"start_ns":%d,"end_ns":%d}`+"\n",
			seq, bytes, ns, ns+9_000_000)
	}
	file := filepath.Join(t.TempDir(), "events.jsonl")
	if err := os.WriteFile(file, []byte(events.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, left := range []bool{false, true} {
		run, err := Options{NoSizes: left}.Load(file)
		if err != nil {
			t.Fatal(err)
		}
		if sizes := run.Analysis.Phases[0].Disks["A"].Sizes; (sizes == nil) != left {
			t.Errorf("left out %v: %v", left, sizes)
		}
	}
}
