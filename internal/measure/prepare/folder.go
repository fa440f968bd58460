package prepare

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/hubbench/hubbench/internal/machine/device"
	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// DefaultResults is where run folders go unless the scenario says otherwise.
const DefaultResults = "results"

// ResultsOf is the folder that a scenario's run folders go into by default.
func ResultsOf(s *scenario.Scenario) string { return cmp.Or(s.Results, DefaultResults) }

// ReachResults looks at where the results are to go, asked for or not, for as long as that takes.
func (r *Ready) ReachResults(asked string) {
	into := ResultsOf(r.Scenario)
	if asked != "" {
		into = filepath.Dir(asked)
	}
	_ = device.NotifyIfSlow(r.Notify, device.SlowAfter, "results folder "+cmp.Or(asked, into), func() error {
		for _, folder := range []string{into, asked} {
			_, _ = os.ReadDir(folder) // errors are reported when the run's folder is made
		}
		return nil
	})
}

// Folder is the run's folder: the one asked for, else one named for the scenario and the time.
func (r *Ready) Folder(asked string, began time.Time) string {
	if asked != "" {
		return asked
	}
	path := filepath.Join(ResultsOf(r.Scenario), rundir.Name(r.Plan.Name, began))
	for n := 2; ; n++ { // another run of this second
		if _, err := os.Lstat(path); err != nil {
			return path
		}
		path = filepath.Join(ResultsOf(r.Scenario), fmt.Sprintf("%s-%d", rundir.Name(r.Plan.Name, began), n))
	}
}

// Create makes the run's folder. Of two runs that take the same name at once, one takes the next.
func (r *Ready) Create(asked string, began time.Time) (*rundir.Dir, error) {
	for {
		dir, err := rundir.Create(r.Folder(asked, began), r.source)
		if asked != "" || !errors.Is(err, rundir.ErrTaken) {
			return dir, err
		}
	}
}

// Info is run.json as it stands when a run begins.
func (r *Ready) Info(tool string, began time.Time) rundir.Info {
	return rundir.Info{
		Tool: tool, RunID: rundir.NewID(began), Name: r.Plan.Name, Started: began.UTC().Format(time.RFC3339),
		Status: rundir.Running, Host: rundir.ThisHost(), Plan: r.Plan, Allow: r.Allow, SystemOK: slices.Contains(r.Allow, systemDisk),
		Doctor:    r.lastCheckup(),
		Effective: map[string]map[string]trace.Effective{},
	}
}
