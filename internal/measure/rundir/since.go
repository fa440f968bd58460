package rundir

import (
	"os"
	"path/filepath"
	"time"

	"github.com/hubbench/hubbench/pkg/trace"
)

// Earlier is a complete run, read from its folder.
type Earlier struct {
	Path  string
	Info  *Info
	Ended time.Time
}

// Since returns the runs in a folder of run folders that were complete at or after an instant. What is no run folder,
// or cannot be read, is passed over.
func Since(folder string, from time.Time) []Earlier {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	var runs []Earlier
	for _, entry := range entries {
		run := Earlier{Path: filepath.Join(folder, entry.Name())}
		// The last that a run writes there is how it ended.
		stat, err := os.Stat(filepath.Join(run.Path, InfoFile))
		if err != nil || stat.ModTime().Before(from) {
			continue
		}
		run.Ended = stat.ModTime()
		if run.Info, err = LoadInfo(run.Path); err != nil || run.Info == nil {
			continue
		}
		if run.Info.Status == trace.Complete && !run.Info.Simulated && run.Info.Plan != nil {
			runs = append(runs, run)
		}
	}
	return runs
}
