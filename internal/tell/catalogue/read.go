package catalogue

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"

	"github.com/hubbench/hubbench/internal/tell/table"
)

// Is reports whether a folder is a catalogue.
func Is(dir string) bool {
	stat, err := os.Stat(filepath.Join(dir, "disk"))
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
	var paths []string
	add := func(path string, entry fs.DirEntry, err error) error {
		// macOS leaves files that begin with a dot.
		isTable := filepath.Ext(path) == ".parquet" && !strings.HasPrefix(filepath.Base(path), ".")
		if err == nil && isTable && !entry.IsDir() {
			paths = append(paths, path)
		}
		return err
	}
	if err := filepath.WalkDir(filepath.Join(dir, "disk"), add); err != nil {
		return nil, err
	}
	slices.SortStableFunc(paths, func(a, b string) int { return isCompact(a) - isCompact(b) })
	type run struct{ id, host string }
	type place struct {
		path string
		at   int
	}
	places := map[run]place{}
	for _, path := range paths {
		rows, err := parquet.ReadFile[table.DiskRow](path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		for _, row := range rows {
			of := run{row.ID, row.Host}
			known, isKnown := places[of]
			if !isKnown {
				known = place{path, len(runs)}
				places[of] = known
				runs = append(runs, nil)
			}
			if known.path == path {
				runs[known.at] = append(runs[known.at], row)
			}
		}
	}
	return runs, nil
}

// isCompact is 1 for a file that a compaction has written, else 0.
func isCompact(path string) int {
	if strings.HasPrefix(filepath.Base(path), "compact-") {
		return 1
	}
	return 0
}
