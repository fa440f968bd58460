package output

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/hubbench/hubbench/internal/exit"
	"github.com/hubbench/hubbench/internal/machine/filesystem"
	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/internal/tell/cells"
	"github.com/hubbench/hubbench/internal/tell/recorded"
	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/internal/tell/table"
	"github.com/hubbench/hubbench/pkg/limit"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Results says what is made of a run or a simulation when it is over.
type Results struct {
	Output
	Folder     string // Folder is the run's; empty for the usual one.
	Metrics    string // Metrics is the file for node_exporter; empty for none.
	OpenReport bool
	NoPage     bool
	Compress   bool
	// OnlyMissing says that the run was complete before: results that are there stay.
	OnlyMissing bool
	MinRates    []scenario.Limit // MinRates are those of --fail-below.
}

// Settle finds the format, and refuses a metrics file that can't be written when the run is over,
// or that the collector would not read. Its ending also keeps runs and scenarios from being
// replaced.
func (o *Results) Settle() error {
	if o.Metrics == "" {
		return o.Output.Settle()
	}
	if filepath.Ext(o.Metrics) != ".prom" || recorded.IsFolder(o.Metrics) {
		return exit.Usagef("--metrics %s: name a file that ends in .prom, which "+
			"node_exporter reads", o.Metrics)
	}
	probe, err := os.CreateTemp(filepath.Dir(o.Metrics), ".hubbench-*.part")
	if err != nil {
		return exit.Usagef("--metrics: %w; name a file in a folder that you may write to", err)
	}
	if err := errors.Join(probe.Close(), os.Remove(probe.Name())); err != nil {
		return exit.Usage(err)
	}
	return o.Output.Settle()
}

// Conclude analyses what was recorded, prints the results and writes them, and does either where
// the other fails. It ends what is done in the folder.
func (o *Results) Conclude(dir *rundir.Dir) error {
	defer dir.Root.Close()
	signal.Ignore(syscall.SIGPIPE) // A reader that has read enough (head, a pager) ends nothing.
	if dir.Moved() {
		return fmt.Errorf("%s is no longer the folder that the run began in: "+
			"it was moved or replaced, and holds what was recorded; "+
			"find it, and give it to hubbench report", dir.Path)
	}
	run, err := recorded.Load(dir.Path)
	if err != nil {
		return err
	}
	var notWritten error
	if !o.stays(dir, rundir.AnalysisFile) {
		notWritten = dir.WriteJSON(rundir.AnalysisFile, run.Analysis)
	}
	limits, limitsErr := run.Limits()
	if o.IsForOthers() {
		run.Redact()
	}
	notPrinted := o.SendRun(run)
	if notWritten == nil {
		notWritten = o.writeFiles(dir, run)
	}
	report := "hubbench report " + cells.Shell(dir.Path)
	var remarks []string
	switch {
	case o.NoPage:
		remarks = append(remarks, "page: "+report)
	case notWritten == nil:
		remarks = append(remarks, "report: "+dir.File(rundir.ReportFile))
	}
	if !o.All {
		remarks = append(remarks, Everything(dir.Path))
	}
	if limitsErr == nil && len(limits) > 0 {
		remarks = append(remarks, limitsRemark(run, limits, dir.Path))
	}
	o.Remark(remarks...)
	isComplete := run.Trace.Status == trace.Complete // else it may be resumed
	isPlain := filepath.Base(run.Events) == rundir.EventsFile
	if notWritten == nil && o.Compress && isComplete && isPlain {
		notWritten = dir.Compress()
	}
	switch {
	case notWritten != nil:
		return fmt.Errorf("write results: %w; %s holds what was recorded; "+
			"write its report with: %s",
			notWritten, dir.Path, report)
	case notPrinted != nil && !errors.Is(notPrinted, syscall.EPIPE):
		return fmt.Errorf("%w; the results are in %s", notPrinted, dir.Path)
	}
	if o.OpenReport && !o.NoPage {
		o.OpenPage(dir.File(rundir.ReportFile))
	}
	if !isComplete {
		return nil // the caller says so
	}
	return checkMinRates(run, o.MinRates)
}

// stays reports whether a file of the run's folder is to stay as it is.
func (o *Results) stays(dir *rundir.Dir, name string) bool {
	return o.OnlyMissing && recorded.Exists(dir.File(name))
}

// writeFiles writes the page, which redacts the run, and the metrics.
func (o *Results) writeFiles(dir *rundir.Dir, run *recorded.Run) error {
	if !o.NoPage && !o.stays(dir, rundir.ReportFile) {
		if !o.IsForOthers() {
			run.Redact()
		}
		err := filesystem.ReplaceIn(dir.Root, rundir.ReportFile, func(w io.Writer) error {
			return writePage(w, run, false)
		})
		if err != nil {
			return err
		}
	}
	if o.Metrics == "" {
		return nil
	}
	return filesystem.Replace(o.Metrics, func(w io.Writer) error {
		stat, err := os.Stat(run.Events) // last written when the run ended
		if err != nil {
			return err
		}
		return table.Metrics(w, run, stat.ModTime())
	})
}

// limitsRemark says how many of its scenario's limits a run holds.
func limitsRemark(run *recorded.Run, limits []scenario.Limit, path string) string {
	results := limit.Check(run.Analysis, limits, limit.History{})
	return report.LimitsText(results) + ": hubbench check " + cells.Shell(path)
}

// checkMinRates returns an error if a rate is below its minimum, whatever its interval, or was not
// measured.
func checkMinRates(run *recorded.Run, minRates []scenario.Limit) error {
	var failed []error
	for _, r := range limit.Check(run.Analysis, minRates, limit.History{}) {
		if r.Verdict == limit.Fail || r.Value == nil || *r.Value < *r.Min {
			failed = append(failed, errors.New(report.ResultText(&r)))
		}
	}
	if failed == nil {
		return nil
	}
	return &exit.Error{Code: exit.Threshold, Err: errors.Join(failed...)}
}
