package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hubbench/hubbench/internal/diskio"
	"github.com/hubbench/hubbench/internal/interrupt"
	"github.com/hubbench/hubbench/internal/rundir"
	"github.com/hubbench/hubbench/pkg/hardware"
)

// runResume goes on with a run that was cut off, by the plan that it began with.
func runResume(ctx context.Context, p program, opts runOptions) error {
	var rest *rundir.Unfinished
	var dir *rundir.Dir
	var ready *prepared
	var warnings []string
	err := interrupt.Until(ctx, func() (err error) {
		err = notifyIfSlow(p.notify, reachTimeout, "results folder "+opts.from, func() (err error) {
			if err := checkResumable(opts.from); err != nil {
				return err
			}
			rest, err = rundir.Resume(opts.from)
			return err
		})
		if err != nil {
			return err
		}
		if ready, warnings, err = prepareRest(ctx, p, rest, opts); err != nil {
			return errors.Join(err, rest.Close())
		}
		dir, err = rest.Open() // only now is the folder touched
		return err
	})
	if err != nil {
		return err
	}
	info := rest.Info
	for _, text := range warnings {
		if !slices.Contains(info.Warnings, text) {
			info.Warnings = append(info.Warnings, text)
		}
	}
	info.Allow = ready.allow
	info.Resumed = append(info.Resumed, time.Now().UTC().Format(time.RFC3339))
	info.Status, info.Failures = rundir.Running, nil
	return measure(ctx, p, ready, opts, dir, info)
}

// prepareRest checks whether the run's own plan can go on here.
func prepareRest(ctx context.Context, p program, rest *rundir.Unfinished, opts runOptions) (*prepared, []string, error) {
	ready := &prepared{plan: rest.Info.Plan, allow: rest.Info.Allow, done: rest.Done, tried: rest.Tried}
	if rest.Info.SystemOK && !slices.Contains(ready.allow, systemDisk) { // a run before Allow
		ready.allow = append(ready.allow, systemDisk)
	}
	if ready.plan.Simulated() {
		var err error
		if ready.profile, err = loadProfile(ready.plan.Hub.Profile); err != nil {
			return nil, nil, err
		}
	}
	for _, d := range ready.plan.Disks {
		if d.Simulated() {
			continue
		}
		remove := func() error { return diskio.RemoveRun(d.Path, rest.Info.RunID) } // what a power cut left
		if err := notifyIfSlow(p.notify, reachTimeout, diskAt(d), remove); err != nil {
			return nil, nil, fmt.Errorf("resume run: disk %s: %w", d.Name, err)
		}
	}
	warnings, err := ready.preflight(ctx, p, opts.from, opts)
	if err != nil {
		return nil, nil, err
	}
	if err := ready.sameDisks(rest.Info.Hardware); err != nil {
		return nil, nil, err
	}
	if tool := toolVersion(); tool != rest.Info.Tool {
		warnings = append(warnings, fmt.Sprintf("started with hubbench %s, resumed with %s: the two may measure differently", rest.Info.Tool, tool))
	}
	if !opts.quiet {
		tries := ""
		if n := len(rest.Tried); n > 0 {
			tries = fmt.Sprintf(", and %d of the tries of the next", n)
		}
		sayf(p.stderr, "resuming %s: %d of %d phases are complete%s\n", opts.from, rest.Done, len(ready.plan.Phases), tries)
	}
	return ready, warnings, nil
}

// sameDisks refuses to go on if another disk lies at a disk's path than when the run began, such as the system's own
// if an external one is not mounted.
func (r *prepared) sameDisks(before *hardware.Setup) error {
	now := r.setup()
	if before == nil || now == nil {
		return nil
	}
	for _, d := range r.plan.Disks {
		if why := before.Disks[d.Name].Differs(now.Disks[d.Name]); why != "" {
			return usage(fmt.Errorf("disk %s: %s is not on the disk that it was on when the run began: %s; connect that disk, or begin a new run", d.Name, d.Path, why))
		}
	}
	return nil
}
