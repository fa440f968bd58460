// Package catalogue keeps many runs where other programs can search them: Parquet files of the tables of package table,
// partitioned by date and host as engines expect it (date=2026-11-20/host=bench-07). Start at Add.
//
// There is no index and no lock. A file belongs to one run and is written whole under another name, then renamed, so
// any number of machines may add to a catalogue and a reader never sees half a file.
package catalogue

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/hubbench/hubbench/internal/machine/filesystem"
	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/internal/tell/recorded"
	"github.com/hubbench/hubbench/internal/tell/table"
)

// Add adds a run to the catalogue in a folder, and returns how many files it wrote: those that were not there, or
// that differed. Where a run was read from makes no difference, as long as what is known is still there.
func Add(dir string, run *recorded.Run) (written int, err error) {
	about, date := table.RunOf(run), "unknown"
	if !about.Started.IsZero() {
		date = about.Started.Format("2006-01-02")
	}
	file := func(grain string) string {
		return filepath.Join(dir, grain, "date="+date, "host="+rundir.Named(cmp.Or(about.Host, "unknown")), rundir.Named(about.ID)+".parquet")
	}
	if source := sourceIn(file("phase")); source != "" {
		if _, err := os.Stat(source); err == nil {
			known := *run
			known.Path, run = source, &known
		}
	}
	for _, grain := range table.Grains() {
		path := file(grain.Name)
		var content bytes.Buffer
		rows, err := table.Write(&content, grain, "parquet", 1, func(int) (*recorded.Run, error) { return run, nil })
		if err != nil {
			return written, fmt.Errorf("add %s: %w", run.Path, err)
		}
		if rows == 0 {
			content.Reset()
		}
		removeParts(filepath.Dir(path))
		known, err := filesystem.ReadFile(path, maxFile)
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

// maxFile is several times the size of a file with a row for each of ten million measured files.
const maxFile = 1 << 30

// sourceIn is where the run in a file was read from; empty if the file is not there, or no such
// file. A reader of Parquet makes room for as large a footer as the file claims to have, so that
// this is looked at before.
func sourceIn(path string) string {
	data, err := filesystem.ReadFile(path, maxFile)
	size := len(data)
	const tail = 8 // the size of the footer, and PAR1
	if err != nil || size < tail || int64(binary.LittleEndian.Uint32(data[size-tail:])) > int64(size) {
		return ""
	}
	found, err := parquet.OpenFile(bytes.NewReader(data), int64(size))
	if err != nil {
		return ""
	}
	var first [1]table.Run
	_, _ = parquet.NewGenericReader[table.Run](found).Read(first[:]) // without any it stays empty
	return first[0].Source
}

// removeParts removes what writers that were killed have left in a folder. None takes an hour for a file.
func removeParts(dir string) {
	entries, _ := os.ReadDir(dir) // or there is nothing
	for _, e := range entries {
		whole, _, _ := strings.Cut(e.Name(), ".parquet.")
		info, err := e.Info()
		if err == nil && filesystem.IsPart(whole+".parquet", e.Name()) && time.Since(info.ModTime()) > time.Hour {
			_ = os.Remove(filepath.Join(dir, e.Name())) // another one did
		}
	}
}
