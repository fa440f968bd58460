package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/hubbench/hubbench/internal/machine/awake"
	"github.com/hubbench/hubbench/internal/machine/device"
	"github.com/hubbench/hubbench/internal/machine/doctor"
	"github.com/hubbench/hubbench/internal/machine/gauge"
	"github.com/hubbench/hubbench/internal/measure/interrupt"
	"github.com/hubbench/hubbench/internal/measure/prepare"
	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/trace"
)

func newDoctor(p program) *cobra.Command {
	var out output
	cmd := &cobra.Command{
		Use:   "doctor [PATH...]",
		Short: "Check whether this machine and its disks can be measured",
		Long: `Check what every measurement depends on: the clock that processes share, timers, how closely disks
start together, sleep, priority and power; and for each PATH, a folder on a disk: whether requests
bypass the system's cache, whether the system counts what the disk moves, whether something limits it,
whether flushes reach it, and whether several requests at a time write a new file as fast.

It takes ten seconds, plus up to a minute per disk, to which it writes up to 1 GB in a folder that it
creates, marks and removes. It prints what needs attention; --all prints every check. Later runs on
this machine warn of what failed.`,
		Example: `  hubbench doctor
  hubbench doctor /Volumes/A /Volumes/B --out doctor.md`,
		Args: takes(0, unlimited),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runDoctor(cmd.Context(), p, args, out)
		},
	}
	out.flags(cmd, printed())
	return cmd
}

func runDoctor(ctx context.Context, p program, args []string, out output) error {
	ctx, _, release := interrupt.Catch(ctx)
	defer release()
	var paths []string
	err := interrupt.Until(ctx, func() (err error) {
		paths, err = foldersToCheck(p, args)
		return err
	})
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find hubbench itself, to start workers: %w", err)
	}
	began, host := time.Now(), rundir.ThisHost()
	checks, err := doctor.Run(ctx, doctor.Options{
		Paths:   paths,
		RunID:   rundir.NewID(began),
		Command: func(args ...string) *exec.Cmd { return exec.Command(self, args...) },
		Count:   count,
		Awake:   awake.Check,
		Saving:  device.SavingPower,
		Battery: onBattery,
		Say:     func(doing string) { sayf(p.stderr, "checking %s\n", doing) },
		OnHang:  p.notify,
	})
	if errors.Is(err, context.Canceled) {
		return &exitError{code: exitInterrupted, err: errors.New("interrupted")}
	}
	if err != nil {
		return err
	}
	found := &trace.Checkup{Tool: toolVersion(), Date: began.UTC().Format(time.RFC3339), Host: host.Name, System: host.System(), Checks: checks}
	if err := prepare.SaveCheckup(found); err != nil {
		sayf(p.stderr, "warning: later runs will not know of this result: %s\n", oneLine(err.Error()))
	}
	if err := out.send(p, report.OfDoctor(found), nil); err != nil {
		return err
	}
	if failed := found.Failed(); len(failed) > 0 {
		return &exitError{code: exitThreshold, err: fmt.Errorf("%d of %d checks failed, first: %s", len(failed), len(checks), failed[0].Subject())}
	}
	return nil
}

// foldersToCheck are the arguments as absolute paths, each once.
func foldersToCheck(p program, args []string) ([]string, error) {
	var paths []string
	for _, arg := range args {
		path, err := filepath.Abs(arg)
		if err != nil {
			return nil, err
		}
		err = device.NotifyIfSlow(p.notify, device.SlowAfter, arg, func() error {
			switch {
			case !exists(path):
				return usage(fmt.Errorf("%s does not exist; give a folder on the disk", arg))
			case !isFolder(path):
				return usage(fmt.Errorf("%s is a file; give a folder on the disk", arg))
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		if !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	return paths, nil
}

// count is what the disk behind a folder has read and written by its own count. Trims are left out: the file system sends
// those of removed test files at any time.
func count(ctx context.Context, path string) (int64, error) {
	c, err := gauge.Count(ctx, path)
	return c.Read + c.Written, err
}

// lookFor is how long the machine may take to describe itself: macOS's own tool needs some ten seconds.
const lookFor = 20 * time.Second

func onBattery(ctx context.Context) (on, known bool) {
	ctx, cancel := context.WithTimeout(ctx, lookFor)
	defer cancel()
	inventory, err := device.Look(ctx, device.LookOptions{})
	if err != nil {
		return false, false
	}
	for _, host := range inventory.Hosts {
		if host.Power != "" {
			return host.Power == hardware.Battery, true
		}
	}
	return false, false
}
