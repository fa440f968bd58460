package prepare

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/hubbench/hubbench/internal/machine/check"
	"github.com/hubbench/hubbench/internal/machine/device"
	"github.com/hubbench/hubbench/internal/machine/filesystem"
	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/strictyaml"
	"github.com/hubbench/hubbench/pkg/trace"
)

// systemDisk is the check that a scenario leaves out by allow_system_disk.
const systemDisk = "system_disk"

// watchFor is how long the disks are watched for other programs before a run: a backup writes in
// bursts. A plan that moves less than a slow disk does in that time is not held up for it: while it
// runs, its gauges notice what others move.
const (
	watchFor   = 2 * time.Second
	watchAbove = 256e6 // bytes
)

// SkipChecks skips the checks that the command line names, besides the scenario's own.
func (r *Ready) SkipChecks(codes []string) error {
	var known, always []string
	for _, c := range check.Table() {
		switch {
		case c.When&check.Plan == 0:
		case c.When&check.Must != 0:
			always = append(always, c.Code)
		default:
			known = append(known, c.Code)
		}
	}
	for _, code := range codes {
		if slices.Contains(always, code) {
			return fmt.Errorf("--allow %s: this check cannot be skipped: the run would fail, or "+
				"touch what it must not", code)
		}
		if !slices.Contains(known, code) {
			return fmt.Errorf("--allow %s: no check has this code; try %s",
				strictyaml.Quote(code), strictyaml.Suggest(code, known))
		}
		if !slices.Contains(r.Allow, code) {
			r.Allow = append(r.Allow, code)
		}
	}
	return nil
}

// Problems returns what the machine has against the plan, with its results in a folder. Forecasts
// know the disks' links from then on.
func (r *Ready) Problems(ctx context.Context, results string) []check.Problem {
	opts := check.Options{
		Allow:   r.Allow,
		Results: results,
		Look: func(ctx context.Context) (inv *hardware.Inventory, err error) {
			r.seen, err = r.Look(ctx)
			return r.seen, err
		},
	}
	skipped := slices.Contains(r.Allow, "busy") && slices.Contains(r.Allow, "background")
	if r.bytesMoved() > watchAbove && !skipped {
		opts.Watch = watchFor
	}
	if results != "" {
		opts.Recent = recentRuns(results)
	}
	problems := check.Preflight(ctx, r.Plan, opts)
	links := scenario.LinksOf(r.Plan.Disks, r.Setup())
	for i := range r.Plan.Phases {
		r.Plan.Phases[i].Links = links
	}
	return problems
}

// bytesMoved returns what the plan moves on all disks together, with the files that it writes
// before it reads them.
func (r *Ready) bytesMoved() (bytes int64) {
	for _, phase := range r.Plan.Phases {
		if phase.Precondition > 0 {
			return math.MaxInt64 // most of a volume
		}
		for _, job := range phase.Jobs {
			moved, _ := phase.Moves(job)
			bytes += moved
		}
	}
	for _, total := range r.Plan.Totals() {
		bytes += total.Written
	}
	return bytes
}

// recentRuns returns the runs beside a run's folder that have just written to real disks.
func recentRuns(results string) []check.Written {
	var list []check.Written
	now := time.Now()
	for _, run := range rundir.Since(filepath.Dir(results), now.Add(-check.Lately)) {
		if run.Path == filepath.Clean(results) {
			continue // it is being resumed
		}
		recorded, err := rundir.Load(run.Path)
		if err != nil {
			continue
		}
		for _, disk := range run.Info.Plan.Disks {
			if !disk.Simulated() {
				place, _ := device.Inspect(disk.Path) // place is zero if it is not there now.
				list = append(list, check.Written{
					Run: run.Path, Volume: place.ID, Bytes: writtenTo(disk.Name, recorded),
					Ago: now.Sub(run.Ended),
				})
			}
		}
	}
	return list
}

// writtenTo returns what a run wrote to a disk: the files that it was to read, which are no part of
// its trace, and what its phases moved, which a plan only estimates where they end with a time.
func writtenTo(disk string, run *rundir.Loaded) (bytes int64) {
	for _, stock := range run.Info.Plan.Stock(disk) {
		bytes += stock.Before
	}
	for _, phase := range run.Trace.Phases {
		if d := phase.Disk(disk); d != nil {
			for _, f := range d.Direction(trace.Write).Files {
				bytes += f.Bytes
			}
		}
	}
	return bytes
}

// Locate says a problem with the place in the scenario file that it comes from.
func (r *Ready) Locate(problem check.Problem) string {
	if r.Scenario == nil || problem.Disk == "" {
		return problem.Text
	}
	if pos := r.Scenario.DiskPos(problem.Disk); pos.File != "" {
		return fmt.Sprintf("%s: %s", pos, problem.Text)
	}
	return problem.Text
}

// Check asks the machine whether the plan can run here, with its results in a folder. What cannot
// be is the error.
func (r *Ready) Check(ctx context.Context, results string) (warnings []string, err error) {
	var fatal []error
	for _, problem := range r.Problems(ctx, results) {
		text := r.Locate(problem) + " [" + problem.Code + "]"
		if problem.Fatal {
			fatal = append(fatal, errors.New(text))
			continue
		}
		warnings = append(warnings, text)
	}
	return warnings, errors.Join(fatal...)
}

// checkupFile holds doctor's last result on this machine. It is named after the host, as machines
// may share a home.
func checkupFile() (string, error) {
	folder, err := os.UserConfigDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(folder, "hubbench",
		rundir.SafeName("doctor-"+rundir.ThisHost().Name)+".json"), nil
}

// SaveCheckup keeps a result for later runs on this machine.
func SaveCheckup(found *trace.Checkup) error {
	path, err := checkupFile()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	data, err := json.MarshalIndent(found, "", "  ")
	if err != nil {
		return err
	}
	return filesystem.Write(path, func(w io.Writer) error {
		_, err := w.Write(append(data, '\n'))
		return err
	})
}

// lastCheckup returns what doctor last doubted of this machine and of the plan's disks; nil if it
// has not been run, or its result cannot be read: a run does not depend on it. A simulated disk has
// nothing to doubt.
func (r *Ready) lastCheckup() *rundir.Doctor {
	path, err := checkupFile()
	if err != nil || r.Plan.Simulated() {
		return nil
	}
	var found trace.Checkup
	if data, err := os.ReadFile(path); err != nil || json.Unmarshal(data, &found) != nil {
		return nil
	}
	var ids []uint64
	for _, disk := range r.Plan.Disks {
		if place, err := device.Inspect(disk.Path); err == nil {
			ids = append(ids, place.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	doubts := &rundir.Doctor{Date: found.Date, Checks: []trace.Check{}}
	for _, doubt := range found.Doubts() {
		place, err := device.Inspect(doubt.Path)
		if doubt.Path == "" || err == nil && place.ID != 0 && slices.Contains(ids, place.ID) {
			doubts.Checks = append(doubts.Checks, doubt)
		}
	}
	return doubts
}
