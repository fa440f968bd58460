package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/hubbench/hubbench/internal/machine/awake"
	"github.com/hubbench/hubbench/internal/machine/device"
	"github.com/hubbench/hubbench/internal/machine/gauge"
	"github.com/hubbench/hubbench/internal/measure/coordinator"
	"github.com/hubbench/hubbench/internal/measure/interrupt"
	"github.com/hubbench/hubbench/internal/measure/prepare"
	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/internal/tell/cells"
	"github.com/hubbench/hubbench/internal/tell/progress"
	"github.com/hubbench/hubbench/internal/tell/recorded"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

type runOptions struct {
	resultOptions
	yes     bool
	quiet   bool
	noPause bool // pauses wait for nobody
	stall   time.Duration
	from    string           // the folder of a run to resume
	asked   *interrupt.Asked // what signals ask of the run; not an option of a person's
	allow   []string
}

// minStall is the shortest time without progress that can mean anything: workers report twice a second.
const minStall = 2 * time.Second

func newRun(p program) *cobra.Command {
	var opts runOptions
	cmd := &cobra.Command{
		Use:   "run SCENARIO | --resume RUN",
		Short: "Run a scenario: measure, analyse and write the report",
		Long: `Check a scenario against this machine, run its phases one after another, print the results and
write them to a new folder: events.jsonl, analysis.json, report.html and more.

Ctrl-C stops the run, removes the test files and keeps the results; --resume continues it at the
first phase that is not complete.`,
		Example: `  hubbench run my.yaml
  hubbench run my.yaml --out before --open
  hubbench run --resume results/my-20261121-140500`,
		Args: func(cmd *cobra.Command, args []string) error {
			if opts.from != "" {
				return takes(0, 0)(cmd, args)
			}
			return takes(1, 1)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if opts.stall < minStall {
				return exitf(exitUsage, "--stall %s: too short to tell a slow disk from a dead one; try %s or more",
					opts.stall, minStall)
			}
			if opts.from != "" && opts.dir != "" {
				return exitf(exitUsage, "--out names the folder of a new run, and --resume goes on in its own: "+
					"leave one of them out")
			}
			ctx, asked, release := interrupt.Catch(cmd.Context())
			defer release()
			opts.asked = asked
			if opts.from != "" {
				return runResume(ctx, p, opts)
			}
			return runRun(ctx, p, args[0], opts)
		},
	}
	opts.flags(cmd)
	flags := cmd.Flags()
	flags.BoolVar(&opts.yes, "yes", false, "do not ask before writing more than "+unit.FormatBytes(askAbove))
	flags.BoolVar(&opts.quiet, "quiet", false, "print only the results, with what failed above them")
	flags.BoolVar(&opts.noPause, "no-pause", false, "do not wait at the pauses of phases")
	allowFlag(cmd, &opts.allow)
	flags.StringVar(&opts.from, "resume", "", "continue the run in folder `RUN` at its first phase that is not complete")
	flags.DurationVar(&opts.stall, "stall", time.Minute, "give up on a disk that moves nothing for this long")
	return cmd
}

// runRun is the whole way: prepare, check, record, analyse, report.
func runRun(ctx context.Context, p program, path string, opts runOptions) error {
	var ready *prepare.Ready
	var dir *rundir.Dir
	var info rundir.Info
	began := time.Now()
	err := interrupt.Until(ctx, func() (err error) {
		if ready, err = prepare.Load(path, p.notify); err != nil {
			return usage(err)
		}
		ready.ReachResults(opts.dir)
		warnings, err := preflight(ctx, p, ready, ready.Folder(opts.dir, began), opts)
		if err != nil {
			return err
		}
		info = ready.Info(toolVersion(), began)
		info.Hardware = ready.Setup()
		info.Warnings = warnings
		dir, err = ready.Create(opts.dir, began)
		return err
	})
	if err != nil {
		return err
	}
	return measure(ctx, p, ready, opts, dir, &info)
}

// runResume continues an interrupted run by its own plan.
func runResume(ctx context.Context, p program, opts runOptions) error {
	var rest *rundir.Unfinished
	var dir *rundir.Dir
	var ready *prepare.Ready
	var warnings []string
	err := interrupt.Until(ctx, func() (err error) {
		results := "results folder " + opts.from
		err = device.NotifyIfSlow(p.notify, device.SlowAfter, results, func() (err error) {
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
func prepareRest(
	ctx context.Context, p program, rest *rundir.Unfinished, opts runOptions,
) (*prepare.Ready, []string, error) {
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
		warnings = append(warnings, fmt.Sprintf("started with hubbench %s, resumed with %s: they may measure differently",
			rest.Info.Tool, tool))
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

// preflight checks the plan against the machine and asks the person, before anything is created.
func preflight(
	ctx context.Context, p program, ready *prepare.Ready, results string, opts runOptions,
) (warnings []string, err error) {
	if err := ready.LeaveOut(opts.allow); err != nil {
		return nil, usage(err)
	}
	unreached := ready.Reach() // the checks say it better
	if warnings, err = ready.Check(ctx, results); err != nil {
		return nil, usage(err)
	}
	if !opts.quiet {
		for _, w := range warnings {
			p.warn(w)
		}
	}
	if err := requireTerminal(p, ready, opts.noPause); err != nil {
		return nil, err
	}
	if err := confirm(ctx, p, ready, opts.yes); err != nil {
		return nil, err
	}
	return append(warnings, ready.LeftOut()...), usage(unreached)
}

// hangTimeout is how long a run that was interrupted twice may take to end: what workers, the clean-up
// process and the results folder are given is less. partsTimeout is how long the removal of what is
// still being written may take then.
const (
	hangTimeout  = 8 * time.Second
	partsTimeout = time.Second
)

// measure records, analyses and reports, and says by its error how the run ended.
func measure(
	ctx context.Context, p program, ready *prepare.Ready, opts runOptions, dir *rundir.Dir, info *rundir.Info,
) error {
	all := func() error { return measureAndReport(ctx, p, ready, opts, dir, info) }
	err := opts.asked.UntilKilled(hangTimeout, all)
	if !errors.Is(err, interrupt.ErrKilled) {
		return err
	}
	removed := make(chan struct{})
	go func() {
		_ = rundir.RemoveParts(dir.Path) // of what is still being written
		close(removed)
	}()
	select {
	case <-removed:
	case <-time.After(partsTimeout):
	}
	return exitf(exitInterrupted, "%w; what was recorded is kept: hubbench report %s", err, cells.Shell(dir.Path))
}

// measureAndReport is measure without a limit to the time it takes after a second interrupt.
func measureAndReport(
	ctx context.Context, p program, ready *prepare.Ready, opts runOptions, dir *rundir.Dir, info *rundir.Info,
) error {
	asked := opts.asked
	reader := &recorded.Reader{Plan: ready.Plan, From: dir.Begun}
	watcher := watch(p, opts, ready, reader)
	defer watcher.Close()
	asked.Answer(watcher.Stopping)
	live := dir.Live(opts.stall, watcher.Tell)
	reader.Dir = live
	interrupted, recordErr := record(ctx, p, ready, opts, results{live, watcher, info})
	asked.Answer(func() { fmt.Fprintln(p.stderr, "the results are being written; Ctrl-C again ends at once") })
	for _, f := range info.Failures {
		// Those of phases have been told as they came; with --quiet the report alone tells of all, which as JSON it does not.
		if !opts.quiet && f.Phase == "" || opts.quiet && opts.Format == "json" {
			sayf(p.stderr, "%s\n", f)
		}
	}
	next := "hubbench run --resume " + cells.Shell(dir.Path)
	if err := cmp.Or(recordErr, live.Close(asked.Killed())); err != nil {
		return unrecorded(ctx, err, dir, next)
	}
	if err := asked.UntilKilled(0, func() error { return conclude(p, dir, opts.resultOptions) }); err != nil {
		return err
	}
	switch {
	case interrupted:
		return exitf(exitInterrupted, "interrupted; continue with: %s", next)
	case info.Status != trace.Complete:
		return exitf(exitPartial, "partial run: %s; continue with: %s", info.Failures[0], next)
	}
	return nil
}

// unrecorded says what is left of a run that could not be recorded to its end.
func unrecorded(ctx context.Context, err error, dir *rundir.Dir, next string) error {
	if _, hangs := errors.AsType[*rundir.HangError](err); hangs {
		code := exitFailed
		if ctx.Err() != nil {
			code = exitInterrupted
		}
		return exitf(code, "%w; it holds what was recorded before; when it is back, continue with: %s", err, next)
	}
	_, statErr := os.Stat(dir.File(rundir.EventsFile))
	switch {
	case errors.Is(statErr, fs.ErrNotExist):
		return fmt.Errorf("%s was removed while the run went on: what was measured is lost", dir.Path)
	case errors.Is(err, syscall.ENOSPC):
		return fmt.Errorf("no space left for the results: %s holds what was recorded until then; "+
			"make room, and continue with: %s", dir.Path, next)
	}
	return fmt.Errorf("%w; what was recorded is in %s", err, dir.Path)
}

// results are where a run goes: its folder, a person, and run.json.
type results struct {
	dir     *rundir.Live
	watcher *progress.Progress
	info    *rundir.Info
}

// record runs the plan and leaves events.jsonl and run.json behind, whatever happens on the way.
func record(ctx context.Context, p program, ready *prepare.Ready, opts runOptions, to results) (bool, error) {
	dir, watcher, info := to.dir, to.watcher, to.info
	if err := dir.SaveInfo(info); err != nil {
		return false, err
	}
	self, err := os.Executable()
	if err != nil {
		return false, fmt.Errorf("find hubbench itself, to start workers: %w", err)
	}
	ready.Notify = watcher.Tell
	devices, err := ready.Devices()
	if err != nil {
		return false, err
	}
	if ready.Done == 0 && len(ready.Tried) == 0 {
		first := info.Plan.Event(info.Started)
		first.Hardware = info.Hardware
		if ready.Profile != nil {
			ready.Profile.Mark(first.Disks)
		}
		if err := dir.Append(first); err != nil {
			return false, err
		}
	}
	// What cannot be written fails before a byte is measured.
	if err := dir.Flush(ctx); err != nil && ctx.Err() == nil {
		return false, err
	}
	log := newLog(dir) // workers and coordinator log to one file
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
	outcome, err := coordinator.Run(running, coordinator.Options{
		Plan:    ready.Plan,
		Done:    ready.Done,
		Tried:   ready.Tried,
		RunID:   info.RunID,
		Profile: ready.Profile,
		Devices: devices,
		Command: func() *exec.Cmd { return exec.Command(self, "worker") },
		Janitor: func(args ...string) *exec.Cmd { return exec.Command(self, append([]string{"janitor"}, args...)...) },
		Journal: dir,
		Watcher: watcher,
		Pause:   func(ctx context.Context, text string) error { return pause(ctx, p, text, opts.noPause) },
		Say: func(text string) {
			info.Warnings = append(info.Warnings, text)
			if !opts.quiet {
				p.warn(text)
			}
		},
		OnHang:    watcher.Tell,
		WorkerLog: dir,
		Gauges:    new(gauge.Finder).Find,
		Stall:     opts.stall,
		Kill:      opts.asked.Killed(),
		Log:       log,
		Modes: func(phase string, modes map[string]trace.Effective) error {
			info.Effective[phase] = modes
			return dir.SaveInfo(info)
		},
	})
	info.Status, info.Failures = outcome.Status, outcome.Failures
	for _, text := range ready.Moved(devices) {
		info.Warnings = append(info.Warnings, text)
		p.warn(text)
	}
	interrupted := ctx.Err() != nil && outcome.Status == trace.Partial
	return interrupted, cmp.Or(err, dir.SaveInfo(info))
}
