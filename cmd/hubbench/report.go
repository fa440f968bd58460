package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/internal/tell/recorded"
	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/internal/tell/report/export"
)

func newReport(p program) *cobra.Command {
	var out output
	var anonymous bool
	cmd := &cobra.Command{
		Use:   "report RUN",
		Short: "Write the report of a run as a page, a picture or a table",
		Long: `Write the report of a run. RUN is a run's folder, an events.jsonl or a report.html. Without --out the
report goes into the run's folder, or beside the file; --out - writes to stdout.`,
		Args: takes(1, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			return runReport(p, args[0], out, anonymous)
		},
	}
	out.flags(cmd, []string{"html", "svg", "png", "csv", "md", "gobench", "text", "json"})
	cmd.Flags().BoolVar(&anonymous, "anonymous", false, "leave out the names of the host and its users, paths, volume labels and serial numbers")
	return cmd
}

// reportFile is the file that a format is written to by default.
func reportFile(format string) string {
	names := map[string]string{"html": rundir.ReportFile, "csv": "files.csv", "gobench": "bench.txt", "text": "report.txt"}
	return cmp.Or(names[format], "report."+format)
}

func runReport(p program, path string, out output, anonymous bool) error {
	if slices.Contains([]string{rundir.EventsFile, rundir.InfoFile, rundir.ScenarioFile, rundir.LogFile, rundir.AnalysisFile}, filepath.Base(out.out)) {
		return usage(fmt.Errorf("--out %s: that is the name of a run's own record; choose another", out.out))
	}
	run, err := load(path)
	if err != nil {
		return err
	}
	if out.out == "" {
		name := reportFile(out.Format)
		if out.Table != "" { // not beside the report under its own name
			name = "table-" + out.Table + filepath.Ext(name)
		}
		if anonymous { // beside the run's own
			name = "anonymous-" + name
		}
		out.out, out.own = filepath.Join(run.Folder, name), true
	}
	if anonymous {
		if err := run.Anonymize(); err != nil {
			return err
		}
	}
	return sendRun(p, run, out)
}

// sendRun writes a run in one of the formats: its report, or its data.
func sendRun(p program, r *recorded.Run, out output) (err error) {
	data := out.Format == "csv" && out.Table == "" || out.Format == "gobench"
	if r.Trace == nil && (data || out.Format == "svg" || out.Format == "png" || out.Format == "html") {
		return fmt.Errorf("%s carries its results but not its %s, which are too many for a page; give the run folder", r.Path, rundir.EventsFile)
	}
	if data {
		write := func(w io.Writer) error {
			if out.Format == "csv" {
				return export.CSV(w, r.Trace)
			}
			return export.GoBench(w, r.Trace, r.Analysis)
		}
		if out.out == "-" {
			return write(p.stdout)
		}
		if err := out.write(write); err != nil {
			return err
		}
		_, err := fmt.Fprintln(p.stdout, out.out)
		return err
	}
	if out.Format == "json" { // without the figures, which take a long run's most memory to draw up
		return out.send(p, &report.Document{Data: r.Analysis}, nil)
	}
	doc := r.Document()
	if out.Format != "html" {
		return out.send(p, doc, nil)
	}
	events, err := r.OpenEvents()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, events.Close()) }()
	return out.send(p, doc, events)
}
