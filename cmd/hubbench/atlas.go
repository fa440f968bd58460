package main

import (
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/internal/tell/atlas"
	"github.com/hubbench/hubbench/internal/tell/catalogue"
	tidy "github.com/hubbench/hubbench/internal/tell/table"
)

func newAtlas(p program) *cobra.Command {
	var out output
	var open bool
	cmd := &cobra.Command{
		Use:   "atlas DIR|RUN...",
		Short: "Write many runs as one page: hubs, disks, patterns",
		Long: `Write one page over many runs: what each disk does on each hub beside which others, with what it varies
by from run to run, its history with change points, and links to the reports that are there. A reader
chooses hubs, disks, firmware and days. DIR is a catalogue (hubbench collect); RUN is a run's folder, an
events.jsonl or a report.html.`,
		Example: `  hubbench atlas results/* --open
  hubbench atlas catalogue --out atlas.html`,
		Args: takes(1, unlimited),
		RunE: func(_ *cobra.Command, args []string) error { return runAtlas(p, args, out, open) },
	}
	cmd.Flags().StringVar(&out.out, "out", "atlas.html", "the page to write; - for stdout")
	cmd.Flags().BoolVar(&open, "open", false, "open the page in the browser when done")
	return cmd
}

func runAtlas(p program, paths []string, out output, open bool) error {
	var rows []tidy.Disk
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
		rows = append(rows, tidy.DisksOf(run)...)
	}
	folder, err := filepath.Abs(filepath.Dir(out.out))
	if err != nil {
		return fmt.Errorf("write the atlas: %w", err)
	}
	links := map[string]string{}
	for i := range rows {
		page := rows[i].Source
		switch {
		case isFolder(page):
			page = filepath.Join(page, rundir.ReportFile)
		case !strings.EqualFold(filepath.Ext(page), ".html"): // the events of a run
			page = filepath.Join(filepath.Dir(page), rundir.ReportFile)
		}
		if _, known := links[rows[i].ID]; known || rows[i].Source == "" {
			continue
		}
		links[rows[i].ID] = ""
		if link, err := filepath.Rel(folder, page); err == nil && exists(page) {
			links[rows[i].ID] = (&url.URL{Path: filepath.ToSlash(link)}).String()
		}
	}
	a := atlas.Of(rows, links)
	if len(a.Runs) == 0 {
		return exitf(exitUsage, "no run has disks that were busy at the same time: there is nothing to show")
	}
	a.Tool = toolVersion()
	if err := out.write(p, func(w io.Writer) error { return atlas.Write(w, a) }); err != nil {
		return err
	}
	if open && !out.toStdout() {
		p.openPage(out.out)
	}
	return nil
}
