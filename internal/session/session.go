// Package session is a run from the command line to its report: it looks at the machine, asks the
// person, records, goes on with what was cut off, and measures again what a person has changed.
// Package coordinator does the measuring. Start at Run.
package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hubbench/hubbench/internal/exit"
	"github.com/hubbench/hubbench/internal/measure/clock"
	"github.com/hubbench/hubbench/internal/measure/prepare"
	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/internal/supervisor"
	"github.com/hubbench/hubbench/internal/tell/output"
	"github.com/hubbench/hubbench/internal/tell/recorded"
	"github.com/hubbench/hubbench/internal/watch"
	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/limit"
)

// Options are what a person asks for.
type Options struct {
	output.Results
	Yes     bool
	Quiet   bool
	NoPause bool // NoPause says that pauses wait for nobody.
	Stall   time.Duration
	Resume  string   // Resume is the folder of a run to go on with.
	Repeat  int      // Repeat is how often each phase runs.
	Direct  []string // Direct are the disks to measure without the hub as well.
	Then    string   // Then is what a person changes before all is measured again.
	Labels  []string // Labels are each KEY=VALUE.
	Allow   []string
	// FailBelow are minimum rates, each DISK.PHASE=RATE.
	FailBelow []string
	// Phase is how long a phase of a study of folders takes, for tests.
	Phase time.Duration
	Look  func(context.Context) (*hardware.Inventory, error)
}

// minStall is the shortest time without progress that can mean anything: workers report twice a
// second.
const minStall = 2 * time.Second

// check refuses flags that do not go together.
func (o *Options) check() error {
	if o.Repeat < 1 {
		return exit.Usagef("--repeat %d: give how often each phase is to run, such as 3",
			o.Repeat)
	}
	if o.Stall < minStall {
		return exit.Usagef("--stall %s: too short to tell a slow disk from a dead one; "+
			"try %s or more",
			o.Stall, minStall)
	}
	if o.Resume != "" && o.Folder != "" {
		return exit.Usagef("--out names the folder of a new run, and --resume goes on in its " +
			"own: leave one of them out")
	}
	asks := o.Direct != nil || o.Then != ""
	if o.Resume != "" && (o.Repeat > 1 || asks) {
		return exit.Usagef("--repeat, --direct and --then are for a new run, and --resume " +
			"goes on by the plan of its own: leave it or them out")
	}
	if o.Resume != "" && o.Labels != nil {
		return exit.Usagef("--label is for a new run, and --resume goes on with the labels " +
			"of its own: leave one of them out")
	}
	for _, label := range o.Labels {
		if key, _, ok := strings.Cut(label, "="); !ok || key == "" {
			return exit.Usagef("--label %s: give a name and a value, such as build=7", label)
		}
	}
	if asks && (o.NoPause || !o.HasTerminal()) {
		return exit.Usagef("--direct and --then ask you to connect something in another way, " +
			"and need a terminal to wait for you")
	}
	return nil
}

// Run runs a scenario, or folders on disks, or goes on with a run.
func Run(parent context.Context, opts Options, args []string) error {
	if err := opts.check(); err != nil {
		return err
	}
	ctx, interrupts, release := supervisor.CatchSignals(parent)
	defer release()
	r := session{Options: opts, interrupts: interrupts, build: Build(opts.Tool)}
	if opts.Resume != "" {
		return r.resume(ctx)
	}
	return r.begin(ctx, args)
}

// session is a run from its first look at the machine to its report.
type session struct {
	Options
	interrupts *supervisor.Interrupts
	ready      *prepare.Ready
	dir        *rundir.Dir
	info       *rundir.Info

	drafted bool   // the scenario is hubbench's own
	build   string // the program that began
}

// begin is the whole way: prepare, check, record, analyse, report.
func (r *session) begin(ctx context.Context, args []string) (err error) {
	began := time.Now()
	path := args[0]
	look := r.Look
	var source []byte
	err = r.prepare(ctx, func(context.Context) (err error) {
		r.drafted, err = prepare.AreFolders(args)
		return err
	})
	if err != nil {
		return err
	}
	if r.drafted {
		path = ""
		if source, err = r.draft(ctx, args, rundir.ScenarioFile); err != nil {
			return err
		}
	}
	err = r.prepare(ctx, func(ctx context.Context) (err error) {
		if !r.drafted {
			source, err = prepare.ReadSmall(path)
		}
		if err == nil {
			r.ready, err = prepare.Parse(path, source, r.Repeat, r.Notify)
		}
		if err != nil {
			return exit.Usage(err)
		}
		if err := r.addDirect(); err != nil {
			return err
		}
		r.ready.Look = r.Look
		r.ready.Watch = r.watch()
		if err := r.ready.OpenResults(ctx, r.Folder); err != nil {
			return err
		}
		err = r.create(ctx, r.Folder, began)
		r.Look = look
		r.ready.Look = r.Look // anew, if a person connects disks in another way
		return err
	})
	if err == nil {
		err = r.measure(ctx)
	}
	if err != nil || r.Then == "" {
		return err
	}
	return r.compareAfterChange(ctx)
}

// watch returns how what the run waits for is watched.
func (r *session) watch() watch.Watch {
	return watch.Watch{Notify: r.Notify, Stall: r.Stall, Option: "--stall"}
}

// prepare does what comes before anything is made or moved: the first interrupt ends it, and so does
// a file that hangs, though do may go on.
func (r *session) prepare(ctx context.Context, do func(context.Context) error) error {
	w := r.watch()
	w.Used = clock.Used
	err := w.Do(ctx, "a file or folder of the run", func(ctx context.Context, _ func()) error {
		return do(ctx)
	})
	if ctx.Err() != nil && errors.Is(err, context.Cause(ctx)) {
		return supervisor.ErrEarly
	}
	return err
}

// create checks the plan against the machine, and makes the run's folder.
func (r *session) create(ctx context.Context, folder string, began time.Time) error {
	warnings, err := r.preflight(ctx, r.ready.Folder(folder, began))
	if err != nil {
		return err
	}
	info := r.ready.Info(r.Tool, began)
	info.Hardware = r.ready.Setup()
	info.Warnings = warnings
	info.Labels = map[string]string{}
	for _, label := range r.Labels {
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
	err := r.prepare(ctx, func(ctx context.Context) (err error) {
		what := "results folder " + r.Resume
		err = r.watch().Do(ctx, what, func(context.Context, func()) (err error) {
			if err := recorded.CheckResumable(r.Resume); err != nil {
				return err
			}
			rest, err = rundir.Resume(r.Resume)
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
		return r.finish(ctx, rest)
	}
	info := rest.Info
	for _, text := range warnings {
		if !slices.Contains(info.Warnings, text) {
			info.Warnings = append(info.Warnings, text)
		}
	}
	info.Allow = r.ready.Allow
	info.Resumed = append(info.Resumed, time.Now().UTC().Format(time.RFC3339))
	info.Status = rundir.Running
	info.Failures = nil
	r.info = info
	return r.measure(ctx)
}

// finish writes what is missing of the results of a run that is complete.
func (r *session) finish(ctx context.Context, rest *rundir.Unfinished) (err error) {
	if r.MinRates, err = limit.MinRates(r.FailBelow, rest.Info.Plan); err != nil {
		return errors.Join(exit.Usage(err), rest.Close())
	}
	if !r.Quiet {
		r.Notef("%s is complete: all of its %d phases are measured, and stay as they are\n",
			r.Resume, rest.Done)
	}
	r.OnlyMissing = true
	r.dir = rest.Dir
	return r.conclude(ctx, func() error {
		return errors.Join(rest.Dir.RemoveParts(), rest.Dir.Close(), r.Conclude(rest.Dir))
	})
}

// prepareRest checks whether the run's own plan can continue here.
func (r *session) prepareRest(ctx context.Context, rest *rundir.Unfinished) (warnings []string,
	err error) {
	if r.ready, err = prepare.Resume(ctx, rest, r.watch()); err != nil {
		return nil, err
	}
	if warnings, err = r.preflight(ctx, r.Resume); err != nil {
		return nil, err
	}
	if err := r.ready.SameDisks(rest.Info.Hardware); err != nil {
		return nil, exit.Usage(err)
	}
	if tool := r.Tool; tool != rest.Info.Tool {
		warnings = append(warnings,
			fmt.Sprintf("started with hubbench %s, resumed with %s: they may measure differently",
				rest.Info.Tool, tool))
	}
	if !r.Quiet {
		tries := ""
		if n := len(rest.Tries); n > 0 {
			tries = fmt.Sprintf(", and %d of the tries of the next", n)
		}
		r.Notef("resuming %s: %d of %d phases are complete%s\n",
			r.Resume, rest.Done, len(r.ready.Plan.Phases), tries)
	}
	return warnings, nil
}

// preflight checks the plan against the machine and asks the person, before anything is created.
func (r *session) preflight(ctx context.Context, results string) (warnings []string, err error) {
	if r.MinRates, err = limit.MinRates(r.FailBelow, r.ready.Plan); err != nil {
		return nil, exit.Usage(err)
	}
	if err := r.ready.SkipChecks(r.Allow); err != nil {
		return nil, exit.Usage(err)
	}
	unreached := r.ready.OpenFolders(ctx) // the checks say it better, unless it hangs
	if _, hangs := errors.AsType[*watch.HangError](unreached); hangs {
		return nil, unreached
	}
	if warnings, err = r.ready.Check(ctx, results); err != nil {
		return nil, exit.Usage(err)
	}
	if !r.Quiet {
		for _, w := range warnings {
			r.Warn(w)
		}
	}
	if err = r.requireTerminal(); err == nil {
		err = r.announce(ctx)
	}
	return warnings, cmp.Or(err, exit.Usage(unreached))
}
