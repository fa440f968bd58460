package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hubbench/hubbench/internal/render/csv"
	"github.com/hubbench/hubbench/internal/render/gobench"
	"github.com/hubbench/hubbench/internal/render/html"
	"github.com/hubbench/hubbench/internal/render/md"
	"github.com/hubbench/hubbench/internal/render/plot"
	"github.com/hubbench/hubbench/internal/rundir"
)

type reportOptions struct {
	format string
	out    string
	chart  string
	phase  string
	dark   bool
}

// reportFormats are the formats of a report and the file each is written to by default.
func reportFormats() map[string]string {
	return map[string]string{
		"html": rundir.ReportFile, "svg": "report.svg", "png": "report.png", "csv": "files.csv", "md": "report.md", "gobench": "bench.txt",
	}
}

func newReport(p program) *cobra.Command {
	var opts reportOptions
	formats := strings.Join(slices.Sorted(maps.Keys(reportFormats())), ", ")
	cmd := &cobra.Command{
		Use:   "report RUN",
		Short: "Write the report of a run as a page, a picture or a table",
		Long: `Write the report of a run. RUN is a run's folder, an events.jsonl or a report.html. Without --out the
report goes into the run's folder, or beside the file; --out - writes to stdout.`,
		Args: takes(1, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			return runReport(p, args[0], opts)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&opts.format, "format", "html", "what to write: "+formats)
	flags.StringVar(&opts.out, "out", "", "the file to write")
	flags.StringVar(&opts.chart, "chart", "", fmt.Sprintf("which chart an svg or png shows: %v (default the first)", plot.Names()))
	flags.StringVar(&opts.phase, "phase", "", "which phase an svg or png shows (default the first)")
	flags.BoolVar(&opts.dark, "dark", false, "an svg or png for dark backgrounds")
	return cmd
}

func runReport(p program, path string, opts reportOptions) error {
	file, known := reportFormats()[opts.format]
	if !known {
		return usage(fmt.Errorf("--format %s: try one of %s", opts.format, strings.Join(slices.Sorted(maps.Keys(reportFormats())), ", ")))
	}
	run, err := load(path)
	if err != nil {
		return err
	}
	if run.Trace == nil && opts.format != "md" {
		return fmt.Errorf("%s carries its results but not its %s, which are too many for a page; give the run folder", path, rundir.EventsFile)
	}
	write := func(w io.Writer) error { return writeReport(w, run, opts) }
	if opts.out == "-" {
		return write(p.stdout)
	}
	out := cmp.Or(opts.out, filepath.Join(run.Folder, file))
	if slices.Contains([]string{rundir.EventsFile, rundir.InfoFile, rundir.ScenarioFile, rundir.LogFile, rundir.AnalysisFile}, filepath.Base(out)) {
		return usage(fmt.Errorf("--out %s: that is the name of a run's own record; choose another", out))
	}
	if err := writeFile(out, write); err != nil {
		return err
	}
	_, err = fmt.Fprintln(p.stdout, out)
	return err
}

// writeReport writes a run in one of the formats.
func writeReport(w io.Writer, run *found, opts reportOptions) error {
	switch opts.format {
	case "csv":
		return csv.Write(w, run.Trace)
	case "md":
		return md.Write(w, run.analysis)
	case "gobench":
		return gobench.Write(w, run.Trace, run.analysis)
	case "svg", "png":
		err := plot.Write(w, run.Trace, run.analysis, plot.Options{
			Chart: plot.Name(opts.chart), Phase: opts.phase, Format: plot.Format(opts.format), Dark: opts.dark,
		})
		return usage(err) // it fails only for a chart or a phase that is not there
	default:
		return writePage(w, run)
	}
}

// writePage writes the HTML report, with the run's events in it.
func writePage(w io.Writer, run *found) (err error) {
	events, err := run.events()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, events.Close()) }()
	return html.Write(w, html.Input{Run: run.Trace, Analysis: run.analysis, Info: pageInfo(run.Loaded), Events: events})
}

// writeFile writes a file whole or not at all.
func writeFile(path string, write func(io.Writer) error) error {
	part := path + ".part"
	file, err := os.Create(part)
	if err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	w := bufio.NewWriter(file)
	if err := errors.Join(write(w), w.Flush(), file.Close()); err != nil {
		return errors.Join(err, os.Remove(part))
	}
	if err := os.Rename(part, path); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}
