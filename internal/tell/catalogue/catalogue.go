// Package catalogue keeps many runs where other programs can search them: Parquet files of the tables of package table,
// partitioned by date and host as engines expect it (date=2026-11-20/host=bench-07). Start at Add.
//
// There is no index and no lock. A file belongs to one run and is written whole under another name, then renamed, so
// any number of machines may add to a catalogue and a reader never sees half a file.
package catalogue

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/hubbench/hubbench/internal/machine/filesystem"
	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/internal/tell/recorded"
	"github.com/hubbench/hubbench/internal/tell/table"
)

// Add adds a run to the catalogue in a folder, and returns how many files it wrote: those that were not
// there, or that differed.
func Add(dir string, run *recorded.Run) (written int, err error) {
	about, date := table.RunOf(run), "unknown"
	if !about.Started.IsZero() {
		date = about.Started.Format(time.DateOnly)
	}
	for _, grain := range table.Grains() {
		path := filepath.Join(dir, grain.Name, "date="+date, "host="+rundir.Named(cmp.Or(about.Host, "unknown")),
			rundir.Named(about.ID)+".parquet")
		changed, err := save(path, grain, run)
		if err != nil {
			return written, fmt.Errorf("add %s: %w", run.Path, err)
		}
		if changed {
			written++
		}
	}
	return written, nil
}

// maxFile is several times the size of a file with a row for each of ten million measured files.
const maxFile = 1 << 30

// save writes the run's rows of a grain, unless the file holds them already. Without rows there is no file.
func save(path string, grain table.Grain, run *recorded.Run) (changed bool, err error) {
	var content bytes.Buffer
	rows := table.NewWriter(&content, grain, "parquet")
	if err := errors.Join(rows.Add(run), rows.Close()); err != nil {
		return false, err
	}
	known, err := filesystem.ReadFile(path, maxFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	switch {
	case rows.Rows == 0 && known == nil, bytes.Equal(known, content.Bytes()):
		return false, nil
	case rows.Rows == 0:
		return true, os.Remove(path)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return false, err
	}
	return true, filesystem.Replace(path, func(w io.Writer) error {
		_, err := w.Write(content.Bytes())
		return err
	})
}
