package catalogue

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/hubbench/hubbench/internal/tell/table"
	"github.com/hubbench/hubbench/internal/test/check"
)

// A catalogue is read wherever its files lie below the grain, and a run that two of them hold
// counts once.
func TestDisks(t *testing.T) {
	dir := t.TempDir()
	rows := 0
	for n := range 3 {
		add(t, dir, farm()(n))
		rows += len(table.DisksOf(farm()(n)))
	}
	if !Is(dir) || Is(t.TempDir()) {
		t.Error("what is a catalogue is not known")
	}
	files, err := filepath.Glob(filepath.Join(dir, "disk", "*", "*.parquet"))
	check.Must(t, err)
	text, err := os.ReadFile(files[0])
	check.Must(t, err)
	month := filepath.Join(dir, "disk", "month=2026-01")
	check.Must(t, os.MkdirAll(month, 0o755))
	check.Must(t, os.WriteFile(filepath.Join(month, "compact-1.parquet"), text, 0o600))
	for _, name := range []string{".DS_Store", "._x.parquet"} { // as macOS leaves them
		check.Must(t, os.WriteFile(filepath.Join(month, name), []byte("x"), 0o600))
	}
	runs, err := Disks(dir)
	check.Must(t, err)
	got := 0
	for _, run := range runs {
		got += len(run)
		if first := run[0]; first.ID == "" || first.Host == "" || first.Rate == nil ||
			first.Started.IsZero() {
			t.Errorf("a row without what it is of: %+v", first)
		}
	}
	if len(files) != 3 || len(runs) != 3 || got != rows {
		t.Errorf("%d files, %d runs with %d rows, want 3 of each with %d", len(files), len(runs),
			got, rows)
	}
	check.Must(t, os.WriteFile(files[1], []byte("no parquet"), 0o600))
	if _, err := Disks(dir); err == nil {
		t.Error("a file that is none is read")
	}
}
