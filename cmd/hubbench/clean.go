package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/hubbench/hubbench/internal/machine/device"
	"github.com/hubbench/hubbench/internal/measure/diskio"
	"github.com/hubbench/hubbench/pkg/unit"
)

func newClean(p program) *cobra.Command {
	return &cobra.Command{
		Use:   "clean PATH",
		Short: "Remove test files left by a killed run",
		Long: `Remove the folders that hubbench created and marked (.hubbench-RUNID) directly in PATH.
Nothing else is touched. The folder of a run that is still in progress is kept.`,
		Args: takes(1, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			return runClean(p, args[0])
		},
	}
}

func runClean(p program, path string) error {
	if path == "" { // a variable of a script that was not set
		return usage(errors.New("clean: PATH is empty; give the disk's folder, or . for the current one"))
	}
	var cleaned []diskio.Cleaned
	err := device.NotifyIfSlow(p.notify, device.SlowAfter, path, func() (err error) {
		cleaned, err = diskio.Clean(path)
		return err
	})
	for _, c := range cleaned {
		if c.Skipped != "" {
			sayf(p.stdout, "kept %s: %s\n", c.Path, c.Skipped)
			continue
		}
		sayf(p.stdout, "removed %s: %d files, %s\n", c.Path, c.Files, unit.FormatBytes(c.Bytes))
	}
	if err == nil && len(cleaned) == 0 {
		sayf(p.stdout, "no hubbench test folders in %s\n", path)
	}
	return err
}
