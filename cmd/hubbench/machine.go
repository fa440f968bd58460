package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/hubbench/hubbench/internal/machine/check"
	"github.com/hubbench/hubbench/internal/machine/device"
	"github.com/hubbench/hubbench/internal/measure/diskio"
	"github.com/hubbench/hubbench/internal/measure/prepare"
	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/internal/measure/testfolder"
	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

func newDevices(p program) *cobra.Command {
	out := output{program: p}
	var serials bool
	var capture string
	cmd := &cobra.Command{
		Use:   "devices",
		Short: "Show what is plugged in where",
		Long: `Print the disks of this machine as a tree: the port and hub that each is connected to, what its link
negotiated and can carry in one direction, its volumes with their free space and file systems, and what
else is connected to the hub. --all adds disk images, unmounted partitions and other devices.
Nothing is written but the file that you name.

If something is wrong, attach the file that --capture writes to an issue: what this system has
answered, with other words for serial numbers, UUIDs, addresses, and the names of the computer, of
its users and of mounted volumes. Read it before you attach it.`,
		Example: `  hubbench devices
  hubbench devices --json
  hubbench devices --capture my-mac.txt`,
		Args: takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("capture") {
				return out.capture(cmd, capture)
			}
			inv, err := device.Look(cmd.Context(), serials)
			if err != nil {
				return err
			}
			return out.send(report.OfDevices(inv, out.Format == "text" && !out.All))
		},
	}
	cmd.Flags().BoolVar(&serials, "serials", false, "show serial numbers too")
	cmd.Flags().StringVar(&capture, "capture", "",
		"write what the system has answered to this new `FILE`, for an issue")
	out.flags(cmd, printed())
	return cmd
}

// capture writes the system's raw answers to a file, which is not there yet.
func (o *output) capture(cmd *cobra.Command, path string) error {
	for _, name := range []string{"all", "format", "json", "out", "phase", "serials", "table"} {
		if cmd.Flags().Changed(name) {
			return usagef("--capture and --%s contradict each other; give one", name)
		}
	}
	switch {
	case path == "":
		return usagef("--capture needs the name of a new file")
	case exists(path):
		return usagef("--capture %s is there already; give the name of a new file", path)
	case !isFolder(filepath.Dir(path)):
		return usagef("--capture %s: there is no folder %s; create it first", path,
			filepath.Dir(path))
	}
	title := fmt.Sprintf("hubbench %s, %s/%s, %s", toolVersion(), runtime.GOOS, runtime.GOARCH,
		time.Now().UTC().Format(time.DateOnly))
	text, err := device.Capture(cmd.Context(), title)
	if err != nil {
		return err
	}
	o.out = path
	err = o.write(func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
	refused, ok := errors.AsType[*fs.PathError](err)
	if ok && filepath.Dir(refused.Path) == filepath.Dir(path) { // else it is of stdout
		return fmt.Errorf("--capture %s: %w; give a new file in a folder that you may write to",
			path, refused.Err)
	}
	return err
}

func newDoctor(p program) *cobra.Command {
	out := output{program: p}
	cmd := &cobra.Command{
		Use:   "doctor [PATH...]",
		Short: "Check whether this machine and its disks can be measured",
		Long: `Check what every measurement depends on: what plan checks too, and the clock that processes share,
how closely disks start together, sleep and priority; and for each PATH, a folder on a disk: whether
requests bypass the system's cache, whether the system counts what the disk moves, whether something
limits it, whether flushes reach it, and whether new files are written once, and as fast by several
requests at a time.

It takes ten seconds, plus up to a minute per disk, to which it writes up to 1 GB in a folder that it
creates, marks and removes. It prints what needs attention; --all prints every check. Later runs on
this machine warn of what failed.`,
		Example: `  hubbench doctor
  hubbench doctor /Volumes/A /Volumes/B --out doctor.md`,
		Args: takes(0, unlimited),
		RunE: out.runDoctor,
	}
	out.flags(cmd, printed())
	return cmd
}

func (o *output) runDoctor(cmd *cobra.Command, args []string) error {
	ctx, _, release := catchSignals(cmd.Context())
	defer release()
	var paths []string
	err := untilInterrupted(ctx, func() (err error) {
		paths, err = foldersToCheck(args)
		return err
	})
	if err != nil {
		return err
	}
	command, err := ownCommand()
	if err != nil {
		return err
	}
	began, host := time.Now(), rundir.ThisHost()
	checks, err := check.Examine(ctx, check.Options{
		Look:    o.lookAround,
		Paths:   paths,
		RunID:   rundir.NewID(began),
		Command: command,
		Notify:  o.notify,
	})
	if errors.Is(err, context.Canceled) {
		return exitf(exitInterrupted, "interrupted")
	}
	if err != nil {
		return err
	}
	found := &trace.Checkup{
		Tool: toolVersion(), Date: began.UTC().Format(time.RFC3339),
		Host: host.Name, System: host.System(), Checks: checks,
	}
	if err := prepare.SaveCheckup(found); err != nil {
		o.warn("later runs will not know of this result: " + oneLine(err.Error()))
	}
	if err := o.send(report.OfDoctor(found)); err != nil {
		return err
	}
	if failed := found.Failed(); len(failed) > 0 {
		return exitf(exitThreshold, "%d of %d checks failed, first: %s",
			len(failed), len(checks), failed[0].Subject())
	}
	return nil
}

// foldersToCheck are the arguments as absolute paths, each once.
func foldersToCheck(args []string) ([]string, error) {
	var paths []string
	for _, arg := range args {
		path, err := filepath.Abs(arg)
		if err != nil {
			return nil, err
		}
		switch {
		case !exists(path):
			return nil, usagef("%s does not exist; give a folder on the disk", arg)
		case !isFolder(path):
			return nil, usagef("%s is a file; give a folder on the disk", arg)
		case !slices.Contains(paths, path):
			paths = append(paths, path)
		}
	}
	return paths, nil
}

func newClean(p program) *cobra.Command {
	return &cobra.Command{
		Use:   "clean PATH",
		Short: "Remove test files left by a killed run",
		Long: `Remove the folders that hubbench created and marked (.hubbench-RUNID) directly in PATH.
Nothing else is touched. The folder of a run that is still in progress is kept.`,
		Example: `  hubbench clean /Volumes/A`,
		Args:    takes(1, 1),
		RunE:    func(_ *cobra.Command, args []string) error { return runClean(p, args[0]) },
	}
}

func runClean(p program, path string) error {
	if path == "" { // a variable of a script that was not set
		return usagef("clean: PATH is empty; give the disk's folder, or . for the current one")
	}
	cleaned, err := testfolder.Clean(path)
	for _, c := range cleaned {
		if c.Skipped != "" {
			printf(p.stdout, "kept %s: %s\n", c.Path, c.Skipped)
			continue
		}
		printf(p.stdout, "removed %s: %d files, %s\n", c.Path, c.Files, unit.FormatBytes(c.Bytes))
	}
	if err == nil && len(cleaned) == 0 {
		printf(p.stdout, "no hubbench test folders in %s\n", path)
	}
	return diskio.WithHint(err)
}
