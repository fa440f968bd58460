package main

import (
	"context"
	"fmt"
	"time"

	"github.com/hubbench/hubbench/internal/diskio"
	"github.com/hubbench/hubbench/internal/rundir"
)

// runResume goes on with a run that was cut off, by the plan that it began with.
func runResume(ctx context.Context, p program, opts runOptions) error {
	dir, info, done, err := rundir.Resume(opts.from)
	if err != nil {
		return err
	}
	ready := &prepared{plan: info.Plan, systemOK: info.SystemOK, done: done}
	if info.Plan.Hub != nil {
		if ready.profile, err = loadProfile(info.Plan.Hub.Profile); err != nil {
			return err
		}
	}
	for _, d := range info.Plan.Disks {
		if d.Simulated() {
			continue
		}
		if err := diskio.RemoveRun(d.Path, info.RunID); err != nil { // what a power cut left
			return fmt.Errorf("resume run: disk %s: %w", d.Name, err)
		}
	}
	warnings, err := ready.clear(ctx, p, dir.Path, opts)
	if err != nil {
		return err
	}
	if tool := toolVersion(); tool != info.Tool {
		warnings = append(warnings, fmt.Sprintf("begun with hubbench %s, resumed with %s: they may not measure alike", info.Tool, tool))
	}
	if !opts.quiet {
		fmt.Fprintf(p.stderr, "resuming %s: %d of %d phases are whole\n", dir.Path, done, len(info.Plan.Phases))
	}
	info.Warnings = append(info.Warnings, warnings...)
	info.Resumed = append(info.Resumed, time.Now().UTC().Format(time.RFC3339))
	info.Status, info.Failures = rundir.Running, nil
	return measure(ctx, p, ready, opts, dir, info)
}
