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

	"github.com/parquet-go/parquet-go"

	"github.com/hubbench/hubbench/internal/machine/filesystem"
	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/internal/tell/recorded"
	"github.com/hubbench/hubbench/internal/tell/table"
)

// Add adds a run to the catalogue in a folder, and returns how many files it wrote: those that were not there, or
// that differed.
func Add(dir string, run *recorded.Run) (written int, err error) {
	about, date := table.RunOf(run), "unknown"
	if !about.Started.IsZero() {
		date = about.Started.Format("2006-01-02")
	}
	for _, grain := range table.Grains() {
		path := filepath.Join(dir, grain.Name, "date="+date, "host="+rundir.Named(cmp.Or(about.Host, "unknown")),
			rundir.Named(about.ID)+".parquet")
		var content bytes.Buffer
		rows, err := table.Write(&content, grain, "parquet", 1, func(int) (*recorded.Run, error) { return run, nil })
		if err != nil {
			return written, fmt.Errorf("add %s: %w", run.Path, err)
		}
		if rows == 0 {
			content.Reset()
		}
		known, err := os.ReadFile(path)
		switch {
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return written, fmt.Errorf("add %s: %w", run.Path, err)
		case bytes.Equal(known, content.Bytes()): // or neither is there
			continue
		case content.Len() == 0: // it had rows once
			err = os.Remove(path)
		default:
			if err = os.MkdirAll(filepath.Dir(path), 0o755); err == nil {
				err = filesystem.Replace(path, func(w io.Writer) error { _, err := w.Write(content.Bytes()); return err })
			}
		}
		if err != nil {
			return written, fmt.Errorf("add %s: %w", run.Path, err)
		}
		written++
	}
	return written, nil
}

// Disks reads the table of disks of all runs of a catalogue. Files of older versions lack columns, which are empty
// then.
func Disks(dir string) ([]table.Disk, error) {
	files, err := filepath.Glob(filepath.Join(dir, "disk", "date=*", "host=*", "*.parquet"))
	if err != nil {
		return nil, err
	}
	var all []table.Disk
	for _, path := range files {
		rows, err := parquet.ReadFile[table.Disk](path)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", path, err)
		}
		all = append(all, rows...)
	}
	return all, nil
}
