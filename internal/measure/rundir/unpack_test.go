package rundir

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/hubbench/hubbench/internal/test/check"
)

// zip compresses a text, so many times one after another.
func zip(t *testing.T, text []byte, times int) []byte {
	t.Helper()
	writer, err := zstd.NewWriter(nil)
	check.Must(t, err)
	defer func() { check.Must(t, writer.Close()) }()
	return bytes.Repeat(writer.EncodeAll(text, nil), times)
}

// Compressed events that lost their end are read as far as they go, as plain ones are: up to the
// last whole block, which is some 170 lines.
func TestLoadOfTornCompressedEvents(t *testing.T) {
	var text strings.Builder
	const files = 20_000
	for i := range files {
		fmt.Fprintf(&text, `{"type":"file","phase":"W","disk":"A","op":"write",`+
			`"seq":%d,"bytes":%d,"start_ns":%d,"end_ns":%d}`+"\n",
			i, 1000+i*i%977, i*1_000_000, i*1_000_000+i%1009)
	}
	dir := newDir(t)
	check.Must(t, dir.AppendLines([]byte(text.String())))
	check.Must(t, errors.Join(dir.Close(), dir.Compress()))
	path := dir.File(PackedFile)
	whole, err := os.ReadFile(path)
	check.Must(t, err)
	for _, missing := range []int{0, 1, 3, 4, 5, 100, len(whole) / 2} {
		check.Must(t, os.WriteFile(path, whole[:len(whole)-missing], 0o600))
		run, err := Load(path)
		if err != nil {
			t.Errorf("%d bytes missing: %v", missing, err)
			continue
		}
		got := len(run.Trace.Phases[0].Disks[0].Files)
		torn := strings.Contains(strings.Join(run.Trace.Warnings, "\n"), "torn last line dropped")
		least := files / 3
		if missing < 5 {
			least = files - 200
		}
		if missing == 0 && got != files || got < least || torn != (got < files) {
			t.Errorf("%d bytes missing: %d of %d files, %q", missing, got, files,
				run.Trace.Warnings)
		}
	}
}

// A small file that unpacks to many gigabytes is refused before they are read.
func TestLoadOfABomb(t *testing.T) {
	line := `{"type":"progress","phase":"W","disk":"A","seq":0,"bytes":524288,"t_ns":350000000}` + "\n"
	for name, text := range map[string]string{
		"lines": strings.Repeat(line, 200_000), "blank lines": strings.Repeat("\n", 16<<20),
	} {
		path := filepath.Join(t.TempDir(), PackedFile)
		check.Must(t, os.WriteFile(path, zip(t, []byte(text), 100), 0o600))
		_, err := Load(path)
		check.Refused(t, name, err, "unpacks to more than 200 times its size")
	}
}
