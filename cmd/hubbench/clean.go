package main

import (
	"github.com/spf13/cobra"

	"github.com/hubbench/hubbench/internal/exit"
	"github.com/hubbench/hubbench/internal/measure/diskio"
	"github.com/hubbench/hubbench/internal/measure/testfolder"
	"github.com/hubbench/hubbench/internal/tell/output"
	"github.com/hubbench/hubbench/pkg/unit"
)

func newClean(p program) *cobra.Command {
	return &cobra.Command{
		Use:   "clean PATH",
		Short: "Remove test files left by a killed run",
		Long: `Remove the folders that hubbench created and marked (.hubbench-RUNID) directly in
PATH, also those that were renamed since. Nothing else is touched. The folder of a run that is still in progress is kept.`,
		Example: `  hubbench clean /Volumes/A`,
		Args:    takes(1, 1),
		RunE:    func(_ *cobra.Command, args []string) error { return runClean(p, args[0]) },
	}
}

func runClean(p program, path string) error {
	if path == "" { // a variable of a script that was not set
		return exit.Usagef("clean: PATH is empty; give the disk's folder, or . for the current one")
	}
	cleaned, err := testfolder.Clean(path)
	for _, c := range cleaned {
		if c.Skipped != "" {
			output.Printf(p.Stdout, "kept %s: %s\n", c.Path, c.Skipped)
			continue
		}
		output.Printf(p.Stdout, "removed %s: %d files, %s\n", c.Path, c.Files,
			unit.FormatBytes(c.Bytes))
	}
	if err == nil && len(cleaned) == 0 {
		output.Printf(p.Stdout, "no hubbench test folders in %s\n", path)
	}
	return diskio.WithHint(err)
}
