package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hubbench/hubbench/internal/machine/device"
	"github.com/hubbench/hubbench/internal/measure/interrupt"
	"github.com/hubbench/hubbench/internal/measure/prepare"
	"github.com/hubbench/hubbench/internal/measure/rundir"
)

// runResume continues an interrupted run by its own plan.
func runResume(ctx context.Context, p program, opts runOptions) error {
	var rest *rundir.Unfinished
	var dir *rundir.Dir
	var ready *prepare.Ready
	var warnings []string
	err := interrupt.Until(ctx, func() (err error) {
		err = device.NotifyIfSlow(p.notify, device.SlowAfter, "results folder "+opts.from, func() (err error) {
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
	info.Allow = ready.Allow
	info.Resumed = append(info.Resumed, time.Now().UTC().Format(time.RFC3339))
	info.Status, info.Failures = rundir.Running, nil
	return measure(ctx, p, ready, opts, dir, info)
}

// prepareRest checks whether the run's own plan can continue here.
func prepareRest(ctx context.Context, p program, rest *rundir.Unfinished, opts runOptions) (*prepare.Ready, []string, error) {
	ready, err := prepare.Rest(rest, p.notify)
	if err != nil {
		return nil, nil, err
	}
	warnings, err := preflight(ctx, p, ready, opts.from, opts)
	if err != nil {
		return nil, nil, err
	}
	if err := ready.SameDisks(rest.Info.Hardware); err != nil {
		return nil, nil, usage(err)
	}
	if tool := toolVersion(); tool != rest.Info.Tool {
		warnings = append(warnings, fmt.Sprintf("started with hubbench %s, resumed with %s: they may measure differently", rest.Info.Tool, tool))
	}
	if !opts.quiet {
		tries := ""
		if n := len(rest.Tried); n > 0 {
			tries = fmt.Sprintf(", and %d of the tries of the next", n)
		}
		sayf(p.stderr, "resuming %s: %d of %d phases are complete%s\n", opts.from, rest.Done, len(ready.Plan.Phases), tries)
	}
	return ready, warnings, nil
}
