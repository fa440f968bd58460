package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/internal/tell/cells"
	"github.com/hubbench/hubbench/internal/tell/report/form"
)

// resultOptions say where the results of a run or a simulation go.
type resultOptions struct {
	output
	dir  string
	open bool
}

func (o *resultOptions) flags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&o.dir, "out", "", "the run's `FOLDER` (default results/NAME-DATE-TIME)")
	flags.BoolVar(&o.open, "open", false, "open the report in the browser when done")
	o.output.formatFlags(cmd, printed())
}

// conclude analyses what was recorded, writes the results and prints them, which it does where they cannot be written too.
func conclude(p program, dir *rundir.Dir, opts resultOptions) error {
	run, err := load(dir.Path)
	if err != nil {
		return err
	}
	page := dir.File(rundir.ReportFile)
	notWritten := dir.WriteJSON(rundir.AnalysisFile, run.Analysis)
	if notWritten == nil {
		notWritten = sendRun(program{stdout: io.Discard}, run, output{Form: form.Form{Format: "html"}, out: page, own: true})
	}
	if notWritten == nil {
		opts.more = []string{"report: " + page}
	}
	if !opts.All {
		opts.more = append(opts.more, everything(dir.Path))
	}
	printed := sendRun(p, run, opts.output)
	if err := cmp.Or(unreported(notWritten, dir), unprinted(printed, dir)); err != nil {
		return err
	}
	if opts.open {
		if err := openPage(page); err != nil {
			sayf(p.stderr, "warning: %s\n", oneLine(err.Error())) // the run is none the worse for it
		}
	}
	return nil
}

// unprinted says where the results are that could not be printed. Whoever has read enough of them (head, a pager) has not
// made the run any worse.
func unprinted(err error, dir *rundir.Dir) error {
	if err == nil || errors.Is(err, syscall.EPIPE) {
		return nil
	}
	return fmt.Errorf("%w; the results are in %s", err, dir.Path)
}

// unreported says what is left of a run whose results could not be written.
func unreported(err error, dir *rundir.Dir) error {
	next := "hubbench report " + cells.Shell(dir.Path)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.ENOSPC):
		return fmt.Errorf("no space left for the report: %s holds what was recorded; make room, and write it with: %s", dir.Path, next)
	}
	return fmt.Errorf("%w; %s holds what was recorded: %s", err, dir.Path, next)
}

// everything says which command prints all of a run's results.
func everything(path string) string {
	return "everything: hubbench analyze " + cells.Shell(path) + " --all"
}
