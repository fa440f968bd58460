package main

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/hubbench/hubbench/internal/machine/filesystem"
	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/internal/tell/atlas"
	"github.com/hubbench/hubbench/internal/tell/catalogue"
	tidy "github.com/hubbench/hubbench/internal/tell/table"
)

func newAtlas(p program) *cobra.Command {
	var out string
	var open bool
	cmd := &cobra.Command{
		Use:   "atlas DIR|RUN...",
		Short: "Write many runs as one page: hubs, disks, patterns",
		Long: `Write one page over many runs: what each disk does on each hub beside which others, with what it varies
by from run to run, its history with change points, and links to the reports. A reader chooses hubs,
disks, firmware and days. DIR is a catalogue (hubbench collect); RUN is a run's folder, an events.jsonl
or a report.html.`,
		Example: `  hubbench atlas results/* --open
  hubbench atlas catalogue --out atlas.html`,
		Args: takes(1, unlimited),
		RunE: func(_ *cobra.Command, args []string) error { return runAtlas(p, args, out, open) },
	}
	cmd.Flags().StringVar(&out, "out", "atlas.html", "the page to write; - for stdout")
	cmd.Flags().BoolVar(&open, "open", false, "open the page in the browser when done")
	return cmd
}

func runAtlas(p program, paths []string, out string, open bool) error {
	var rows []tidy.Disk
	links := map[string]string{}
	for _, path := range paths {
		if isFolder(filepath.Join(path, "disk")) {
			of, err := catalogue.Disks(path)
			if err != nil {
				return err
			}
			rows = append(rows, of...)
			continue
		}
		run, err := load(path)
		if err != nil {
			return err
		}
		about, of := tidy.Of(tidy.Grains()[1], run)
		for _, row := range of {
			if disk, ok := row.(tidy.Disk); ok {
				rows = append(rows, disk)
			}
		}
		page := filepath.Join(run.Folder, rundir.ReportFile)
		if link, err := filepath.Rel(filepath.Dir(out), page); err == nil && exists(page) {
			links[about.ID] = filepath.ToSlash(link)
		}
	}
	a := atlas.Of(rows, links)
	if len(a.Runs) == 0 {
		return exitf(exitUsage, "no run has disks that were busy at the same time: there is nothing to show")
	}
	a.Tool = toolVersion()
	write := func(w io.Writer) error { return atlas.Write(w, a) }
	if out == "-" {
		return write(p.stdout)
	}
	if err := filesystem.Write(out, write); err != nil {
		return fmt.Errorf("write the atlas: %w", err)
	}
	fmt.Fprintln(p.stdout, out)
	if open {
		if err := openPage(out); err != nil {
			sayf(p.stderr, "warning: %s\n", oneLine(err.Error()))
		}
	}
	return nil
}
