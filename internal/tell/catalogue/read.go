package catalogue

import (
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/parquet-go/parquet-go"

	"github.com/hubbench/hubbench/internal/tell/table"
)

// Disks reads the table of disks from the catalogue in a folder, whatever folders its files are in.
// A row may come twice: while a file is compacted it stands in two.
func Disks(dir string) (rows []table.Disk, err error) {
	add := func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".parquet" {
			return err
		}
		more, err := parquet.ReadFile[table.Disk](path)
		if err != nil {
			return fmt.Errorf("read %s: %w", path, err)
		}
		rows = append(rows, more...)
		return nil
	}
	err = filepath.WalkDir(filepath.Join(dir, "disk"), add)
	return rows, err
}
