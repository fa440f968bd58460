package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"

	"github.com/hubbench/hubbench/internal/exit"
	"github.com/hubbench/hubbench/internal/machine/awake"
	"github.com/hubbench/hubbench/internal/machine/gauge"
	"github.com/hubbench/hubbench/internal/measure/clock"
	"github.com/hubbench/hubbench/internal/measure/coordinator"
	"github.com/hubbench/hubbench/internal/measure/life"
	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/internal/supervisor"
	"github.com/hubbench/hubbench/internal/tell/cells"
	"github.com/hubbench/hubbench/internal/tell/progress"
	"github.com/hubbench/hubbench/internal/tell/recorded"
	"github.com/hubbench/hubbench/internal/watch"
	"github.com/hubbench/hubbench/pkg/trace"
)

// hangTimeout is how long a run that was interrupted twice may take to end: what workers, the
// clean-up process and the results folder are given is less. partsTimeout is how long the removal
// of what is still being written may take then.
const (
	hangTimeout  = 8 * time.Second
	partsTimeout = time.Second
	// reportGrace is how long nothing may move while the results of an interrupted run are written.
	reportGrace = 4 * time.Second
)

// measure records, analyses and reports, and says by its error how the run ended.
func (r *session) measure(ctx context.Context) error {
	err := r.interrupts.UntilKilled(hangTimeout, func() error { return r.measureAndReport(ctx) })
	if !errors.Is(err, supervisor.ErrKilled) {
		return err
	}
	// Files that are still being written.
	_ = r.interrupts.UntilKilled(partsTimeout, r.dir.RemoveParts)
	return exit.Errorf(exit.Interrupted, "%w; what was recorded is kept: hubbench report %s",
		err, cells.Shell(r.dir.Path))
}

// measureAndReport is measure without a limit to the time it takes after a second interrupt.
func (r *session) measureAndReport(ctx context.Context) error {
	defer watch.Elsewhere(ctx)() // all that it waits for is watched
	journal := &recorded.Journal{Plan: r.ready.Plan}
	watcher := r.progress(journal)
	defer watcher.Close()
	journal.Live = r.dir.Live(r.Stall, watcher.Notify)
	r.interrupts.AnswerBy(func() {
		watcher.Stopping()
		journal.Hurry()
	})
	recordErr := r.record(ctx, journal, watcher)
	interrupted := ctx.Err() != nil && r.info.Status == trace.Partial
	r.interrupts.AnswerBy(func() {
		fmt.Fprintln(r.Stderr, "the results are being written; Ctrl-C again ends at once")
		journal.Hurry()
	})
	for _, f := range r.info.Failures {
		// Those of phases have been told as they came; with --quiet the report alone tells of all,
		// which as JSON it does not.
		if !r.Quiet && f.Phase == "" || r.Quiet && r.Format == "json" {
			r.Notef("%s\n", f)
		}
	}
	next := "hubbench run --resume " + cells.Shell(r.dir.Path)
	if err := cmp.Or(recordErr, journal.Close(r.interrupts.Killed)); err != nil {
		return unrecorded(ctx, err, r.dir, next)
	}
	if err := r.conclude(ctx, func() error { return r.Conclude(r.dir) }); err != nil {
		return err
	}
	switch {
	case interrupted:
		return exit.Errorf(exit.Interrupted, "interrupted; continue with: %s", next)
	case r.info.Status != trace.Complete:
		return exit.Errorf(exit.Partial, "partial run: %s; continue with: %s", r.info.Failures[0],
			next)
	}
	return nil
}

// conclude does what is left to do with what was recorded, unless its disk hangs.
func (r *session) conclude(ctx context.Context, do func() error) error {
	w := r.watch()
	w.Grace = reportGrace
	w.Used = clock.Used
	return r.interrupts.UntilKilled(0, func() error {
		what := "results folder " + r.dir.Path
		err := w.Do(ctx, what, func(context.Context, func()) error { return do() })
		if _, hangs := errors.AsType[*watch.HangError](err); hangs {
			return exit.Errorf(exit.Failed, "%w; it holds what was recorded; when it is back: "+
				"hubbench report %s", err, cells.Shell(r.dir.Path))
		}
		if ctx.Err() != nil && errors.Is(err, context.Cause(ctx)) {
			return exit.Errorf(exit.Interrupted, "interrupted; %s holds what was recorded: "+
				"hubbench report %s", what, cells.Shell(r.dir.Path))
		}
		return err
	})
}

// unrecorded says what is left of a run that could not be recorded to its end.
func unrecorded(ctx context.Context, err error, dir *rundir.Dir, next string) error {
	if _, hangs := errors.AsType[*rundir.HangError](err); hangs {
		code := exit.Failed
		if ctx.Err() != nil {
			code = exit.Interrupted
		}
		return exit.Errorf(code,
			"%w; it holds what was recorded before; when it is back, continue with: %s", err, next)
	}
	_, statErr := os.Stat(dir.File(rundir.EventsFile))
	switch {
	case errors.Is(statErr, fs.ErrNotExist):
		return fmt.Errorf("%s was removed while the run went on: what was measured is lost",
			dir.Path)
	case errors.Is(err, syscall.ENOSPC) && !resumable(dir):
		return fmt.Errorf("no space left for the results: %s holds what was recorded until then, "+
			"and no plan to go on by; make room, and begin a new run", dir.Path)
	case errors.Is(err, syscall.ENOSPC):
		return fmt.Errorf("no space left for the results: %s holds what was recorded until then; "+
			"make room, and continue with: %s", dir.Path, next)
	}
	return fmt.Errorf("%w; what was recorded is in %s", err, dir.Path)
}

// resumable reports whether the run can be gone on with.
func resumable(dir *rundir.Dir) bool {
	info, err := rundir.LoadInfo(dir.Path)
	return err == nil && info != nil && info.Plan != nil
}

// record runs the plan and leaves events.jsonl and run.json behind, whatever happens on the way.
func (r *session) record(
	ctx context.Context, dir *recorded.Journal, watcher *progress.Progress,
) error {
	ready := r.ready
	info := r.info
	log := NewLog(dir) // workers and coordinator log to one file
	state := &life.Life{State: life.Checked, Log: log, Show: watcher.Enter}
	state.Save = func(now life.State) error {
		info.State = now
		if now == life.Released || now == life.Measuring {
			return dir.SaveState(now)
		}
		return dir.SaveInfo(info)
	}
	if err := state.Enter(life.Created, "folder "+dir.Path); err != nil {
		return err
	}
	command, err := OwnCommand()
	if err != nil {
		return err
	}
	ready.Watch.Notify = watcher.Notify
	devices, err := ready.Devices(ctx)
	if ctx.Err() != nil {
		return supervisor.ErrEarly
	}
	if err != nil {
		return err
	}
	if err := r.recordHead(dir); err != nil {
		return err
	}
	// What cannot be written fails before a byte is measured.
	if err := dir.Flush(ctx); err != nil && ctx.Err() == nil {
		return err
	}
	if len(devices) > 0 {
		defer awake.Keep(log)()
	}
	running, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() { // a run that cannot be recorded ends, whatever it waits for
		select {
		case <-dir.GivenUp():
			cancel(errors.New("its results cannot be recorded"))
		case <-running.Done():
		}
	}()
	outcome, err := r.runBetweenReplugs(running, coordinator.Options{
		Plan:    ready.Plan,
		Life:    state,
		Done:    ready.Done,
		Tries:   ready.Tries,
		RunID:   info.RunID,
		Profile: ready.Profile,
		Devices: devices,
		Command: command,
		Build:   r.build,
		Journal: dir,
		Watcher: watcher,
		Warn: func(text string) {
			info.Warnings = append(info.Warnings, text)
			if !r.Quiet {
				watcher.Notify("warning: " + text)
			}
		},
		Notify:    watcher.Notify,
		WorkerLog: dir,
		Gauges:    new(gauge.Finder).Find,
		Stall:     r.Stall,
		Kill:      r.interrupts.Killed,
		Log:       log,
		Modes: func(phase string, modes map[string]trace.Effective) {
			info.Effective[phase] = modes
		},
	})
	info.Status = outcome.Status
	info.Failures = outcome.Failures
	for _, text := range ready.Moved(devices) {
		info.Warnings = append(info.Warnings, text)
		r.Warn(text)
	}
	return cmp.Or(err, state.Enter(life.Concluded, info.Status))
}

// recordHead writes the first line of the events, unless an earlier session did.
func (r *session) recordHead(dir *recorded.Journal) error {
	if r.ready.Done > 0 || len(r.ready.Tries) > 0 {
		return nil
	}
	head := r.info.Plan.Event(r.info.Started)
	head.Hardware = r.info.Hardware
	if r.ready.Profile != nil {
		r.ready.Profile.Mark(head.Disks)
	}
	return dir.Append(head)
}
