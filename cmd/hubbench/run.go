package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/hubbench/hubbench/internal/coordinator"
	"github.com/hubbench/hubbench/internal/rundir"
	"github.com/hubbench/hubbench/pkg/trace"
)

type runOptions struct {
	resultOptions
	yes   bool
	quiet bool
	stall time.Duration
}

func newRun(p program) *cobra.Command {
	var opts runOptions
	cmd := &cobra.Command{
		Use:   "run SCENARIO",
		Short: "Record, analyse and report a scenario",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runRun(cmd.Context(), p, args[0], opts)
		},
	}
	opts.flags(cmd)
	flags := cmd.Flags()
	flags.BoolVar(&opts.yes, "yes", false, "do not ask before writing to disks")
	flags.BoolVar(&opts.quiet, "quiet", false, "print results only")
	flags.DurationVar(&opts.stall, "stall", time.Minute, "end a worker that moves nothing for so long")
	return cmd
}

// runRun is the whole way: prepare, check, record, analyse, report.
func runRun(ctx context.Context, p program, path string, opts runOptions) error {
	ready, err := prepare(path)
	if err != nil {
		return err
	}
	began := time.Now()
	out := ready.folder(opts.out, began)
	warnings, err := ready.check(out)
	if err != nil {
		return err
	}
	if !opts.quiet {
		for _, w := range warnings {
			fmt.Fprintf(p.stderr, "warning: %s\n", w)
		}
	}
	if err := confirm(ctx, p, ready.plan, opts.yes); err != nil {
		return err
	}
	dir, err := rundir.Create(out, ready.source)
	if err != nil {
		return err
	}
	info := ready.info(began)
	info.Warnings = warnings
	interrupted, recordErr := record(ctx, p, ready, opts, dir, &info)
	if err := errors.Join(recordErr, dir.Close()); err != nil {
		return fmt.Errorf("%w; what was recorded is in %s", err, dir.Path)
	}
	if err := conclude(p, dir, opts.resultOptions); err != nil {
		return err
	}
	switch {
	case interrupted:
		return &exitError{code: exitInterrupted}
	case info.Status != trace.Complete:
		return &exitError{code: exitPartial, err: fmt.Errorf("partial run: %s", info.Failures[0])}
	}
	return nil
}

// record runs the plan and leaves events.jsonl and run.json behind, whatever happens on the way.
func record(ctx context.Context, p program, ready *prepared, opts runOptions, dir *rundir.Dir, info *rundir.Info) (interrupted bool, err error) {
	if err := dir.WriteJSON(rundir.InfoFile, info); err != nil {
		return false, err
	}
	self, err := os.Executable()
	if err != nil {
		return false, fmt.Errorf("find hubbench itself, to start workers: %w", err)
	}
	ctx, kill, release := onInterrupt(ctx)
	defer release()
	logs := &lockedWriter{w: dir.Log}
	begin := trace.Event{Type: trace.RunType, Version: trace.FormatVersion, Name: info.Name, Started: info.Started}
	for _, d := range ready.plan.Disks {
		begin.Disks = append(begin.Disks, trace.Disk{Name: d.Name, Path: d.Path, Connection: d.Connection, Profile: d.Profile})
	}
	if err := dir.Journal.Append(begin); err != nil {
		return false, err
	}
	outcome, err := coordinator.Run(ctx, coordinator.Options{
		Plan:      ready.plan,
		RunID:     info.RunID,
		Profile:   ready.profile,
		Command:   func() *exec.Cmd { return exec.Command(self, "worker") },
		Journal:   dir.Journal,
		Watcher:   watcher(p, opts, len(ready.plan.Phases)),
		Pause:     func(ctx context.Context, text string) error { return pause(ctx, p, text) },
		WorkerLog: logs,
		Stall:     opts.stall,
		Kill:      kill,
		Log:       newLog(logs),
	})
	info.Status, info.Effective, info.Failures = outcome.Status, outcome.Effective, outcome.Failures
	return ctx.Err() != nil, errors.Join(err, dir.WriteJSON(rundir.InfoFile, info))
}

// onInterrupt ends the context at the first SIGINT or SIGTERM and closes kill at the second.
func onInterrupt(parent context.Context) (ctx context.Context, kill <-chan struct{}, release func()) {
	ctx, cancel := context.WithCancel(parent)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	now := make(chan struct{})
	quit := make(chan struct{})
	go func() {
		for _, act := range []func(){cancel, func() { close(now) }} {
			select {
			case <-signals:
				act()
			case <-quit:
				return
			}
		}
	}()
	return ctx, now, func() { signal.Stop(signals); close(quit); cancel() }
}
