package prepare

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hubbench/hubbench/internal/machine/device"
	"github.com/hubbench/hubbench/internal/machine/gauge"
	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/strictyaml"
)

// systemDisk is the check that a scenario leaves out by allow_system_disk.
const systemDisk = "system_disk"

// watchFor is how long the disks are watched for other programs before a run: a backup writes in bursts. A plan that moves
// less than a slow disk does in that time is not held up for it: while it runs, its gauges notice what others move.
const (
	watchFor   = 2 * time.Second
	watchAbove = 256e6 // bytes
)

// LeaveOut leaves out the checks that the command line names beside the scenario's own.
func (r *Ready) LeaveOut(codes []string) error {
	var known []string
	for _, c := range device.Codes() {
		if !c.Always {
			known = append(known, c.Name)
		}
	}
	for _, code := range codes {
		if slices.ContainsFunc(device.Codes(), func(c device.Code) bool { return c.Always && c.Name == code }) {
			return fmt.Errorf("--allow %s: this check cannot be skipped: the run would fail, or touch what it must not", code)
		}
		if !slices.Contains(known, code) {
			return fmt.Errorf("--allow %s: no check has this code; try %s", strictyaml.Quote(code), strictyaml.Suggest(code, known))
		}
		if !slices.Contains(r.Allow, code) {
			r.Allow = append(r.Allow, code)
		}
	}
	return nil
}

// Problems are what the machine has against the plan, with its results in a folder. Forecasts know the disks' links from
// then on.
func (r *Ready) Problems(ctx context.Context, results string) []device.Problem {
	opts := device.Options{
		Allow:   r.Allow,
		Results: results,
		Moved: func(path string) (int64, bool) {
			count, err := gauge.Count(ctx, path)
			return count.Sum(), err == nil
		},
		Running: device.Processes,
		Look: func(ctx context.Context) (inv *hardware.Inventory, err error) {
			inv, err = r.Look(ctx)
			r.seen = inv
			return inv, err
		},
	}
	if r.moves() > watchAbove && !(slices.Contains(r.Allow, "busy") && slices.Contains(r.Allow, "background")) {
		opts.Watch = watchFor
	}
	if results != "" {
		opts.Recent = lately(results)
	}
	problems := device.Check(ctx, r.Plan, opts)
	links := scenario.LinksOf(r.Plan.Disks, r.Setup())
	for i := range r.Plan.Phases {
		r.Plan.Phases[i].Links = links
	}
	return problems
}

// moves is what the plan moves on all disks together, with the files that it writes before it reads them.
func (r *Ready) moves() (bytes int64) {
	for _, phase := range r.Plan.Phases {
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

// lately are the runs beside a run's folder that have just written to real disks.
func lately(results string) []device.Written {
	var list []device.Written
	now := time.Now()
	for _, run := range rundir.Since(filepath.Dir(results), now.Add(-device.Lately)) {
		if run.Path == filepath.Clean(results) {
			continue // being resumed
		}
		totals := run.Info.Plan.Totals()
		for i, disk := range run.Info.Plan.Disks {
			if !disk.Simulated() {
				list = append(list, device.Written{Run: run.Path, Path: disk.Path, Bytes: totals[i].Written, Ago: now.Sub(run.Ended)})
			}
		}
	}
	return list
}

// Locate says a problem with the place in the scenario file that it comes from.
func (r *Ready) Locate(problem device.Problem) string {
	if r.Scenario == nil || problem.Disk == "" {
		return problem.Text
	}
	if pos := r.Scenario.DiskPos(problem.Disk); pos.Line > 0 {
		return fmt.Sprintf("%s: %s", pos, problem.Text)
	}
	return problem.Text
}

// Check asks the machine whether the plan can run here, with its results in a folder. What cannot be is the error.
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

// LeftOut tells whoever reads the run's page which checks were not made.
func (r *Ready) LeftOut() []string {
	codes := slices.DeleteFunc(slices.Clone(r.Allow), func(c string) bool { return c == systemDisk }) // a choice of what to measure
	if len(codes) == 0 {
		return nil
	}
	return []string{"checks left out by --allow: " + strings.Join(codes, ", ")}
}
