package catalogue

import (
	"path/filepath"

	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/internal/tell/recorded"
)

// Collect adds the runs in paths that are not in the catalogue as they are now, and returns how
// many these were, and what is wrong with the runs that can't be read.
func (c *Catalogue) Collect(paths []string, redact bool) (added int, unread []error, err error) {
	for _, path := range paths {
		name := filepath.Base(path)
		if recorded.IsInRun(path) && (name == rundir.EventsFile || name == rundir.PackedFile) {
			path = filepath.Dir(path) // a folder's name says more about the run
		}
		stamp := StampOf(path, redact)
		if c.Has(stamp) {
			continue
		}
		run, err := recorded.Options{Hashed: redact}.Load(path)
		if err != nil {
			unread = append(unread, err)
			continue
		}
		if err := c.Add(run, stamp); err != nil {
			return added, unread, err
		}
		added++
	}
	return added, unread, nil
}
