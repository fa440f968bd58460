package catalogue

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/parquet-go/parquet-go"

	"github.com/hubbench/hubbench/internal/tell/table"
)

const disksFolder = "disk"

// Is reports whether a folder is a catalogue.
func Is(dir string) bool {
	stat, err := os.Stat(filepath.Join(dir, disksFolder))
	return err == nil && stat.IsDir()
}

// readings is how often a catalogue is read anew if another program compacts it meanwhile: each
// month and grain takes files away once.
const readings = 5

// Disks reads the rows of disks of all runs in a catalogue, run by run. A run that several files
// hold, as one that was compacted, counts once: its own file is newer than a compacted one.
func Disks(dir string) (runs [][]table.DiskRow, err error) {
	for range readings {
		runs, err = disks(dir)
		if !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	if err != nil {
		return nil, fmt.Errorf("read catalogue: %w", err)
	}
	return runs, nil
}

func disks(dir string) (runs [][]table.DiskRow, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	var names []string
	add := func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() && isTable(path.Base(name)) {
			names = append(names, name)
		}
		return err
	}
	if err := fs.WalkDir(root.FS(), disksFolder, add); err != nil {
		return nil, err
	}
	slices.SortStableFunc(names, func(a, b string) int { return isCompact(a) - isCompact(b) })
	type run struct{ id, host string }
	type place struct {
		name string
		at   int
	}
	places := map[run]place{}
	for _, name := range names {
		rows, err := readDisks(root, name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Join(dir, name), err)
		}
		for _, row := range rows {
			of := run{row.ID, row.Host}
			known, isKnown := places[of]
			if !isKnown {
				known = place{name, len(runs)}
				places[of] = known
				runs = append(runs, nil)
			}
			if known.name == name {
				runs[known.at] = append(runs[known.at], row)
			}
		}
	}
	return runs, nil
}

// readDisks reads a table of disks.
func readDisks(root *os.Root, name string) (rows []table.DiskRow, err error) {
	defer recoverDamaged(&err)
	file, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	packed, err := openTable(file)
	if err != nil {
		return nil, err
	}
	reader := parquet.NewGenericReader[table.DiskRow](packed)
	defer reader.Close()
	buffer := make([]table.DiskRow, rowsAtOnce)
	for err == nil {
		var n int
		n, err = reader.Read(buffer)
		rows = append(rows, buffer[:n]...)
		clear(buffer)
		if int64(len(rows)) > packed.Size() {
			return nil, fmt.Errorf("%w: it holds more rows than bytes", errDamaged)
		}
	}
	if errors.Is(err, io.EOF) {
		return rows, nil
	}
	return nil, err
}

// isCompact is 1 for a file that a compaction has written, else 0.
func isCompact(name string) int {
	if compactNumber(path.Base(name)) > 0 {
		return 1
	}
	return 0
}
