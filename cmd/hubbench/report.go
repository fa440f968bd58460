package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/hubbench/hubbench/internal/render/html"
	"github.com/hubbench/hubbench/internal/rundir"
	"github.com/hubbench/hubbench/pkg/analysis"
)

type reportOptions struct {
	format string
	out    string
}

func newReport(p program) *cobra.Command {
	var opts reportOptions
	cmd := &cobra.Command{
		Use:   "report RUN",
		Short: "Write a run's report again",
		Long:  "Write the report of a run folder or a lone events.jsonl. Without --out the page goes into the run folder, or beside the events file.",
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return runReport(p, args[0], opts)
		},
	}
	cmd.Flags().StringVar(&opts.format, "format", "html", "what to write: html")
	cmd.Flags().StringVar(&opts.out, "out", "", "the file to write")
	return cmd
}

func runReport(p program, path string, opts reportOptions) error {
	if opts.format != "html" {
		return usage(fmt.Errorf("unknown format %q; this version writes html", opts.format))
	}
	loaded, err := rundir.Load(path)
	if err != nil {
		return err
	}
	out := opts.out
	if out == "" {
		out = filepath.Join(loaded.Folder, rundir.ReportFile)
	}
	if err := writePage(out, loaded, analysis.Analyze(loaded.Trace, analysis.Options{})); err != nil {
		return err
	}
	_, err = fmt.Fprintln(p.stdout, out)
	return err
}

// writePage writes the HTML report of a run to a file.
func writePage(path string, loaded *rundir.Loaded, a *analysis.Analysis) (err error) {
	file, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	w := bufio.NewWriter(file)
	if err := html.Write(w, html.Input{Run: loaded.Trace, Analysis: a, Info: pageInfo(loaded)}); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return w.Flush()
}
