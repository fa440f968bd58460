package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hubbench/hubbench/internal/device"
	"github.com/hubbench/hubbench/internal/gauge"
	"github.com/hubbench/hubbench/internal/rundir"
	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/strictyaml"
)

// systemDisk is the check that a scenario leaves out by allow_system_disk.
const systemDisk = "system_disk"

// watchFor is how long the disks are looked at for work of others, before a run: a backup writes in bursts.
const watchFor = 2 * time.Second

// allowFlag lets a command leave out checks of the machine.
func allowFlag(cmd *cobra.Command, allow *[]string) {
	cmd.Flags().StringSliceVar(allow, "allow", nil, "leave out the checks with these `CODES`, such as busy,background; each check names its own in brackets")
}

// checksHelp lists the checks that can be left out.
func checksHelp() string {
	var b strings.Builder
	for _, c := range device.Codes() {
		if !c.Always {
			fmt.Fprintf(&b, "  %-16s  %s\n", c.Name, c.Finds)
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

// allowing leaves out the checks that the command line names beside the scenario's own.
func (r *prepared) allowing(codes []string) error {
	var known []string
	for _, c := range device.Codes() {
		if !c.Always {
			known = append(known, c.Name)
		}
	}
	for _, code := range codes {
		if slices.ContainsFunc(device.Codes(), func(c device.Code) bool { return c.Always && c.Name == code }) {
			return usage(fmt.Errorf("--allow %s: this check cannot be left out: the run would fail, or touch what it must not", code))
		}
		if !slices.Contains(known, code) {
			return usage(fmt.Errorf("--allow %s: no check has this code; try %s", strictyaml.Quote(code), strictyaml.Suggest(code, known)))
		}
		if !slices.Contains(r.allow, code) {
			r.allow = append(r.allow, code)
		}
	}
	return nil
}

// problems are what the machine has against the plan, with its results in a folder. Forecasts know the disks' links from
// then on.
func (r *prepared) problems(ctx context.Context, results string) []device.Problem {
	opts := device.Options{
		Allow:   r.allow,
		Results: results,
		Moved: func(path string) (int64, bool) {
			count, err := gauge.Count(ctx, path)
			return count.Sum(), err == nil
		},
		Running: device.Processes,
		Look: func(ctx context.Context) (inv *hardware.Inventory, err error) {
			inv, err = r.look.lookAround(ctx)
			r.seen = inv
			return inv, err
		},
		Watch: watchFor,
	}
	if slices.Contains(r.allow, "busy") && slices.Contains(r.allow, "background") {
		opts.Watch = 0 // nothing to look for
	}
	if results != "" {
		opts.Recent = lately(results)
	}
	problems := device.Check(ctx, r.plan, opts)
	links := scenario.LinksOf(r.plan.Disks, r.setup())
	for i := range r.plan.Phases {
		r.plan.Phases[i].Links = links
	}
	return problems
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

// locate says a problem with the place in the scenario file that it comes from.
func (r *prepared) locate(problem device.Problem) string {
	if r.scenario == nil || problem.Disk == "" {
		return problem.Text
	}
	if pos := r.scenario.DiskPos(problem.Disk); pos.Line > 0 {
		return fmt.Sprintf("%s: %s", pos, problem.Text)
	}
	return problem.Text
}

// leftOut tells whoever reads the run's page which checks were not made.
func leftOut(codes []string) []string {
	codes = slices.DeleteFunc(slices.Clone(codes), func(c string) bool { return c == systemDisk }) // a choice of what to measure
	if len(codes) == 0 {
		return nil
	}
	return []string{"checks left out by --allow: " + strings.Join(codes, ", ")}
}
