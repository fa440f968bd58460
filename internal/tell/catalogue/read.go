package catalogue

import (
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/parquet-go/parquet-go"

	"github.com/hubbench/hubbench/internal/tell/table"
)

// Disks reads the table of disks from the catalogue in a folder, whatever folders its files are in. A row
// may come more than once, for a file that is compacted while others collect stands in two.
func Disks(dir string) (rows []table.Disk, err error) {
	return rows, filepath.WalkDir(filepath.Join(dir, "disk"), func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".parquet" {
			return err
		}
		more, err := parquet.ReadFile[table.Disk](path)
		if err != nil {
			return fmt.Errorf("read %s: %w", path, err)
		}
		rows = append(rows, more...)
		return nil
	})
}
