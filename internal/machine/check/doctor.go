package check

import (
	"context"
	"fmt"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/hubbench/hubbench/internal/machine/device"
	"github.com/hubbench/hubbench/internal/measure/coordinator"
	"github.com/hubbench/hubbench/internal/watch"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

const (
	// diskTime is for the checks of one disk, so that two are done in two minutes.
	diskTime = 50 * time.Second
	// hangTimeout is how long nothing may move before the disk is given up.
	hangTimeout = 20 * time.Second
	// endTime is how long the checks of a disk may take to end when they are interrupted.
	endTime = time.Second
	// watchFor is how long the disks are watched for other programs before they are measured: a
	// backup writes in bursts.
	watchFor = 2 * time.Second
)

// doctorPlan returns what doctor does to the disks behind some paths, as a plan.
func doctorPlan(paths []string) *scenario.Plan {
	plan := &scenario.Plan{Phases: []scenario.Phase{{Name: "doctor"}}}
	for _, path := range paths {
		job := largeJob(trace.Write, largest)
		job.Disk = path
		plan.Disks = append(plan.Disks, scenario.Disk{Name: path, Path: path})
		plan.Phases[0].Jobs = append(plan.Phases[0].Jobs, job)
	}
	return plan
}

// Examine makes doctor's checks of the machine and of the disks behind the paths. It returns an
// error if it was interrupted or could not start; anything else that goes wrong is a failed check.
func Examine(ctx context.Context, opts Options) (checks []trace.Check, err error) {
	opts.Watch = watchFor
	f := newFacts(doctorPlan(opts.Paths), opts)
	janitor, err := coordinator.NewJanitor(ctx, opts.Command, opts.RunID, opts.Paths, zap.NewNop())
	if err != nil {
		return nil, err
	}
	hangs := map[string]bool{}
	// No files were made in these folders, and the janitor may not enter them.
	var untouched []string
	defer func() {
		for _, complaint := range janitor.Finish(nil, hangs) {
			made := true
			for _, path := range untouched {
				made = made && !strings.Contains(complaint, " in "+path+": ")
			}
			if made {
				opts.Notify(complaint)
			}
		}
	}()
	f.observeMachine(ctx)
	for _, path := range opts.Paths {
		if ctx.Err() != nil {
			return checks, ctx.Err()
		}
		opts.Notify("checking " + path)
		planned := due(Doctor, true)
		found := make(chan trace.Check, len(planned))
		places := make(chan device.Place, 1)
		w := watch.Watch{Notify: opts.Notify, Stall: hangTimeout, Grace: endTime}
		left := w.Do(ctx, path, func(ctx context.Context, alive func()) error {
			limited, cancel := context.WithTimeout(ctx, diskTime)
			defer cancel()
			own := f.folderFacts(limited, path, alive)
			places <- own.place
			own.runChecks(limited, Doctor, func(c trace.Check) { found <- c; alive() })
			return nil
		})
		select {
		case f.places[path] = <-places: // A check of what works on it needs it.
		default:
		}
		made := len(found)
		for range made {
			c := <-found
			if c.Name == "folder" && c.Verdict == trace.Skip {
				untouched = append(untouched, path)
			}
			checks = append(checks, c)
		}
		if left != nil && made < len(planned) {
			hangs[path] = true
			checks = append(checks, checksLeftByHang(path, planned[made:])...)
		}
	}
	if ctx.Err() != nil {
		return checks, ctx.Err()
	}
	opts.Notify("checking the clock, timers and the start of processes")
	defer watch.Elsewhere(ctx)() // for timers and processes, and no disk
	machine := f.forDisk(scenario.Disk{})
	machine.runChecks(ctx, Doctor, func(c trace.Check) { checks = append(checks, c) })
	return checks, ctx.Err()
}

// checksLeftByHang lists the checks that a disk that hangs has left: it hung in the first of them.
func checksLeftByHang(path string, left []Check) (checks []trace.Check) {
	found := fail(fmt.Sprintf("nothing moved for %s", hangTimeout), "the disk hangs",
		"check that it is connected, and try again")
	for _, c := range left {
		found.Name = c.Code
		found.Path = path
		checks = append(checks, found)
		found = skip("not made, as the disk hangs")
	}
	return checks
}

// folderFacts returns the facts of one folder, on a disk that may hang.
func (f *facts) folderFacts(ctx context.Context, path string, alive func()) *facts {
	own := newFacts(doctorPlan([]string{path}), f.opts)
	own.machine, own.machineErr, own.onProgress = f.machine, f.machineErr, alive
	own.inspect(own.plan.Disks[0])
	own.watch(ctx)
	return own.forDisk(own.plan.Disks[0])
}
