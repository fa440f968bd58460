package catalogue

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/parquet-go/parquet-go"

	"github.com/hubbench/hubbench/internal/tell/table"
)

// Is reports whether a folder is a catalogue.
func Is(dir string) bool {
	stat, err := os.Stat(filepath.Join(dir, "disk"))
	return err == nil && stat.IsDir()
}

// Disks reads the rows of disks of all runs in a catalogue, run by run. A run that several files
// hold, as one that was compacted, counts once.
func Disks(dir string) (runs [][]table.Disk, err error) {
	type key struct{ run, phase, disk string }
	seen, places := map[key]bool{}, map[string]int{}
	err = filepath.WalkDir(filepath.Join(dir, "disk"),
		func(path string, entry fs.DirEntry, err error) error {
			// Another program has compacted the catalogue meanwhile.
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil || entry.IsDir() || filepath.Ext(path) != ".parquet" {
				return err
			}
			rows, err := parquet.ReadFile[table.Disk](path)
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			for _, row := range rows {
				k := key{row.ID, row.Phase, row.Disk}
				if seen[k] {
					continue
				}
				seen[k] = true
				at, known := places[row.ID]
				if !known {
					at = len(runs)
					places[row.ID] = at
					runs = append(runs, nil)
				}
				runs[at] = append(runs[at], row)
			}
			return nil
		})
	if err != nil {
		return nil, fmt.Errorf("read catalogue: %w", err)
	}
	return runs, nil
}
