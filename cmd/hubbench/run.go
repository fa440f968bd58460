package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/hubbench/hubbench/internal/machine/awake"
	"github.com/hubbench/hubbench/internal/machine/device"
	"github.com/hubbench/hubbench/internal/machine/gauge"
	"github.com/hubbench/hubbench/internal/measure/coordinator"
	"github.com/hubbench/hubbench/internal/measure/life"
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
	from    string   // the folder of a run to resume
	repeat  int      // how often each phase runs
	direct  []string // disks to measure without the hub as well
	then    string   // what a person changes before all is measured again
	// label are the labels, each KEY=VALUE.
	label []string
	phase time.Duration // how long a phase of a study of folders takes; for tests
	allow []string
}

// minStall is the shortest time without progress that can mean anything: workers report twice a
// second.
const minStall = 2 * time.Second

// check refuses flags that do not go together.
func (o *runOptions) check() error {
	if o.repeat < 1 {
		return usagef("--repeat %d: give how often each phase is to run, such as 3",
			o.repeat)
	}
	if o.stall < minStall {
		return usagef("--stall %s: too short to tell a slow disk from a dead one; "+
			"try %s or more",
			o.stall, minStall)
	}
	if o.from != "" && o.dir != "" {
		return usagef("--out names the folder of a new run, and --resume goes on in its " +
			"own: leave one of them out")
	}
	asks := o.direct != nil || o.then != ""
	if o.from != "" && (o.repeat > 1 || asks) {
		return usagef("--repeat, --direct and --then are for a new run, and --resume " +
			"goes on by the plan of its own: leave it or them out")
	}
	if o.from != "" && o.label != nil {
		return usagef("--label is for a new run, and --resume goes on with the labels " +
			"of its own: leave one of them out")
	}
	for _, label := range o.label {
		if key, _, ok := strings.Cut(label, "="); !ok || key == "" {
			return usagef("--label %s: give a name and a value, such as build=7", label)
		}
	}
	if asks && (o.noPause || !isTerminal(o.stdin)) {
		return usagef("--direct and --then ask you to connect something in another way, " +
			"and need a terminal to wait for you")
	}
	return nil
}

func newRun(p program) *cobra.Command {
	var opts runOptions
	opts.program = p
	cmd := &cobra.Command{
		Use:   "run SCENARIO | PATH... | --resume RUN",
		Short: "Measure disks or run a scenario, analyse and write the report",
		Long: `Check a scenario against this machine, run its phases one after another, print the results and
write them to a new folder: events.jsonl, analysis.json, report.html and more.

A PATH is a folder on a disk, such as where it is mounted. With one or more of them, each on a disk of
its own, hubbench measures each disk's speed for two seconds, writes the scenario that fits the disks
into the run's folder, and runs it: each disk alone, all together, and then pairs, as far as five
minutes go. It says beforehand what it will write.

--direct A answers what the hub costs A: when all is measured, it asks you to connect A directly to the
computer, finds it again, and measures it alone once more. --then "connect the display" shows that text
when all is measured, measures the same again, and compares; it can go back once, to learn how much equal
runs differ.

Ctrl-C stops the run, removes the test files and keeps the results; --resume continues it at the
first phase that is not complete.`,
		Example: `  hubbench run /Volumes/A /Volumes/B --open
  hubbench run my.yaml
  hubbench run my.yaml --out before --open
  hubbench run --resume results/my-20261121-140500`,
		Args: func(cmd *cobra.Command, args []string) error {
			if opts.from != "" {
				return takes(0, 0)(cmd, args)
			}
			return takes(1, unlimited)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := opts.check(); err != nil {
				return err
			}
			ctx, asked, release := catchSignals(cmd.Context())
			defer release()
			r := session{runOptions: opts, asked: asked}
			if opts.from != "" {
				return r.resume(ctx)
			}
			return r.begin(ctx, args)
		},
	}
	opts.flags(cmd)
	opts.belowFlag(cmd)
	flags := cmd.Flags()
	flags.BoolVar(&opts.yes, "yes", false, "do not ask before writing more than "+
		unit.FormatBytes(askAbove))
	flags.BoolVar(&opts.quiet, "quiet", false,
		"print only the results, with what failed above them")
	flags.BoolVar(&opts.noPause, "no-pause", false, "do not wait at the pauses of phases")
	allowFlag(cmd, &opts.allow)
	flags.StringVar(&opts.from, "resume", "", "continue the run in folder `RUN` at its first phase that is not complete")
	flags.StringSliceVar(&opts.direct, "direct", nil,
		"then measure these disks alone once more, when you have connected them directly: `NAME,NAME`")
	flags.StringVar(&opts.then, "then", "",
		"then measure all of it again, when you have done what this `TEXT` says, and compare")
	flags.StringArrayVar(&opts.label, "label", nil,
		"say this of the run in run.json and in tables, for instance who ran it: `NAME=VALUE`, repeatable")
	flags.IntVar(&opts.repeat, "repeat", 1, "run each phase `N` times")
	flags.DurationVar(&opts.phase, "phase", 0, "")
	_ = flags.MarkHidden("phase") // fails only for a flag that is not there
	flags.DurationVar(&opts.stall, "stall", time.Minute,
		"give up on a disk that moves nothing for this long")
	return cmd
}

// session is a run from its first look at the machine to its report.
type session struct {
	runOptions
	asked *asked // what signals ask of the run
	ready *prepare.Ready
	dir   *rundir.Dir
	info  *rundir.Info

	drafted bool // the scenario is hubbench's own
}

// begin is the whole way: prepare, check, record, analyse, report.
func (r *session) begin(ctx context.Context, args []string) (err error) {
	began, path, source, look := time.Now(), args[0], []byte(nil), r.look
	if r.drafted, err = areFolders(args); err != nil {
		return err
	}
	if r.drafted {
		path = ""
		if source, err = r.draft(ctx, args, rundir.ScenarioFile); err != nil {
			return err
		}
	}
	err = untilInterrupted(ctx, func() (err error) {
		if !r.drafted {
			source, err = prepare.ReadSmall(path)
		}
		if err == nil {
			r.ready, err = prepare.Parse(path, source, r.repeat, r.notify)
		}
		if err != nil {
			return usage(err)
		}
		if err := r.addDirect(); err != nil {
			return err
		}
		r.ready.Look = r.lookAround
		r.ready.OpenResults(r.resultOptions.dir)
		err = r.create(ctx, r.resultOptions.dir, began)
		r.look = look
		r.ready.Look = r.lookAround // anew, if a person connects disks in another way
		return err
	})
	if err == nil {
		err = r.measure(ctx)
	}
	if err != nil || r.then == "" {
		return err
	}
	return r.changed(ctx)
}

// create checks the plan against the machine, and makes the run's folder.
func (r *session) create(ctx context.Context, folder string, began time.Time) error {
	warnings, err := r.preflight(ctx, r.ready.Folder(folder, began))
	if err != nil {
		return err
	}
	info := r.ready.Info(toolVersion(), began)
	info.Hardware, info.Warnings = r.ready.Setup(), warnings
	info.Labels = map[string]string{}
	for _, label := range r.label {
		key, value, _ := strings.Cut(label, "=")
		info.Labels[key] = value
	}
	r.info = &info
	r.dir, err = r.ready.Create(folder, began)
	return err
}

// resume continues an interrupted run by its own plan.
func (r *session) resume(ctx context.Context) error {
	var rest *rundir.Unfinished
	var warnings []string
	err := untilInterrupted(ctx, func() (err error) {
		err = device.NotifyIfSlow(r.notify, "results folder "+r.from, func() (err error) {
			if err := checkResumable(r.from); err != nil {
				return err
			}
			rest, err = rundir.Resume(r.from)
			return err
		})
		if err != nil || rest.Complete {
			return err
		}
		if warnings, err = r.prepareRest(ctx, rest); err != nil {
			return errors.Join(err, rest.Close())
		}
		r.dir, err = rest.Open() // only now is the folder touched
		return err
	})
	if err != nil {
		return err
	}
	if rest.Complete {
		return r.finish(rest)
	}
	info := rest.Info
	for _, text := range warnings {
		if !slices.Contains(info.Warnings, text) {
			info.Warnings = append(info.Warnings, text)
		}
	}
	info.Allow = r.ready.Allow
	info.Resumed = append(info.Resumed, time.Now().UTC().Format(time.RFC3339))
	info.Status, info.Failures = rundir.Running, nil
	r.info = info
	return r.measure(ctx)
}

// finish writes what is missing of the results of a run that is complete.
func (r *session) finish(rest *rundir.Unfinished) (err error) {
	if r.least, err = leastRates(r.below, rest.Info.Plan); err != nil {
		return errors.Join(err, rest.Close())
	}
	if !r.quiet {
		r.sayf("%s is complete: all of its %d phases are measured, and stay as they are\n",
			r.from, rest.Done)
	}
	r.missing = true
	return r.asked.untilKilled(0, func() error {
		return errors.Join(rest.Dir.RemoveParts(), rest.Dir.Close(), r.conclude(rest.Dir))
	})
}

// prepareRest checks whether the run's own plan can continue here.
func (r *session) prepareRest(ctx context.Context, rest *rundir.Unfinished) (warnings []string,
	err error) {
	if r.ready, err = prepare.Resume(rest, r.notify); err != nil {
		return nil, err
	}
	if warnings, err = r.preflight(ctx, r.from); err != nil {
		return nil, err
	}
	if err := r.ready.SameDisks(rest.Info.Hardware); err != nil {
		return nil, usage(err)
	}
	if tool := toolVersion(); tool != rest.Info.Tool {
		warnings = append(warnings,
			fmt.Sprintf("started with hubbench %s, resumed with %s: they may measure differently",
				rest.Info.Tool, tool))
	}
	if !r.quiet {
		tries := ""
		if n := len(rest.Tries); n > 0 {
			tries = fmt.Sprintf(", and %d of the tries of the next", n)
		}
		r.sayf("resuming %s: %d of %d phases are complete%s\n",
			r.from, rest.Done, len(r.ready.Plan.Phases), tries)
	}
	return warnings, nil
}

// preflight checks the plan against the machine and asks the person, before anything is created.
func (r *session) preflight(ctx context.Context, results string) (warnings []string, err error) {
	if r.least, err = leastRates(r.below, r.ready.Plan); err != nil {
		return nil, err
	}
	if err := r.ready.SkipChecks(r.allow); err != nil {
		return nil, usage(err)
	}
	unreached := r.ready.OpenFolders() // the checks say it better
	if warnings, err = r.ready.Check(ctx, results); err != nil {
		return nil, usage(err)
	}
	if !r.quiet {
		for _, w := range warnings {
			r.warn(w)
		}
	}
	if err = r.requireTerminal(); err == nil {
		err = r.announce(ctx)
	}
	return warnings, cmp.Or(err, usage(unreached))
}

// hangTimeout is how long a run that was interrupted twice may take to end: what workers, the
// clean-up process and the results folder are given is less. partsTimeout is how long the removal
// of what is still being written may take then.
const (
	hangTimeout  = 8 * time.Second
	partsTimeout = time.Second
)

// measure records, analyses and reports, and says by its error how the run ended.
func (r *session) measure(ctx context.Context) error {
	err := r.asked.untilKilled(hangTimeout, func() error { return r.measureAndReport(ctx) })
	if !errors.Is(err, errKilled) {
		return err
	}
	_ = r.asked.untilKilled(partsTimeout, r.dir.RemoveParts) // files that are still being written
	return exitf(exitInterrupted, "%w; what was recorded is kept: hubbench report %s",
		err, cells.Shell(r.dir.Path))
}

// measureAndReport is measure without a limit to the time it takes after a second interrupt.
func (r *session) measureAndReport(ctx context.Context) error {
	journal := &recorded.Journal{Plan: r.ready.Plan}
	watcher := r.watch(journal)
	defer watcher.Close()
	r.asked.answer(watcher.Stopping)
	journal.Live = r.dir.Live(r.stall, watcher.Notify)
	recordErr := r.record(ctx, journal, watcher)
	interrupted := ctx.Err() != nil && r.info.Status == trace.Partial
	r.asked.answer(func() {
		fmt.Fprintln(r.stderr, "the results are being written; Ctrl-C again ends at once")
	})
	for _, f := range r.info.Failures {
		// Those of phases have been told as they came; with --quiet the report alone tells of all,
		// which as JSON it does not.
		if !r.quiet && f.Phase == "" || r.quiet && r.Format == "json" {
			r.sayf("%s\n", f)
		}
	}
	next := "hubbench run --resume " + cells.Shell(r.dir.Path)
	if err := cmp.Or(recordErr, journal.Close(r.asked.killed)); err != nil {
		return unrecorded(ctx, err, r.dir, next)
	}
	if err := r.asked.untilKilled(0, func() error { return r.conclude(r.dir) }); err != nil {
		return err
	}
	switch {
	case interrupted:
		return exitf(exitInterrupted, "interrupted; continue with: %s", next)
	case r.info.Status != trace.Complete:
		return exitf(exitPartial, "partial run: %s; continue with: %s", r.info.Failures[0], next)
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
		return exitf(code,
			"%w; it holds what was recorded before; when it is back, continue with: %s", err, next)
	}
	_, statErr := os.Stat(dir.File(rundir.EventsFile))
	switch {
	case errors.Is(statErr, fs.ErrNotExist):
		return fmt.Errorf("%s was removed while the run went on: what was measured is lost",
			dir.Path)
	case errors.Is(err, syscall.ENOSPC):
		return fmt.Errorf("no space left for the results: %s holds what was recorded until then; "+
			"make room, and continue with: %s", dir.Path, next)
	}
	return fmt.Errorf("%w; what was recorded is in %s", err, dir.Path)
}

// record runs the plan and leaves events.jsonl and run.json behind, whatever happens on the way.
func (r *session) record(
	ctx context.Context, dir *recorded.Journal, watcher *progress.Progress,
) error {
	ready, info := r.ready, r.info
	log := newLog(dir) // workers and coordinator log to one file
	state := &life.Life{State: life.Checked, Log: log, Show: watcher.Enter}
	state.Save = func(now life.State) error {
		before := info.State
		info.State = now
		if now == life.Released || now == life.Measuring {
			return dir.SaveState(before, now)
		}
		return dir.SaveInfo(info)
	}
	if err := state.Enter(life.Created, "folder "+dir.Path); err != nil {
		return err
	}
	command, err := ownCommand()
	if err != nil {
		return err
	}
	ready.Notify = watcher.Notify
	devices, err := ready.Devices()
	if err != nil {
		return err
	}
	if ready.Done == 0 && len(ready.Tries) == 0 {
		first := info.Plan.Event(info.Started)
		first.Hardware = info.Hardware
		if ready.Profile != nil {
			ready.Profile.Mark(first.Disks)
		}
		if err := dir.Append(first); err != nil {
			return err
		}
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
	outcome, err := r.sessions(running, coordinator.Options{
		Plan:    ready.Plan,
		Life:    state,
		Done:    ready.Done,
		Tries:   ready.Tries,
		RunID:   info.RunID,
		Profile: ready.Profile,
		Devices: devices,
		Command: command,
		Journal: dir,
		Watcher: watcher,
		Warn: func(text string) {
			info.Warnings = append(info.Warnings, text)
			if !r.quiet {
				watcher.Notify("warning: " + text)
			}
		},
		Notify:    watcher.Notify,
		WorkerLog: dir,
		Gauges:    new(gauge.Finder).Find,
		Stall:     r.stall,
		Kill:      r.asked.killed,
		Log:       log,
		Modes: func(phase string, modes map[string]trace.Effective) {
			info.Effective[phase] = modes
		},
	})
	info.Status, info.Failures = outcome.Status, outcome.Failures
	for _, text := range ready.Moved(devices) {
		info.Warnings = append(info.Warnings, text)
		r.warn(text)
	}
	return cmp.Or(err, state.Enter(life.Concluded, info.Status))
}
