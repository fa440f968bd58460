package history

import (
	"cmp"
	"io"
	"strings"

	"github.com/hubbench/hubbench/internal/exit"
	"github.com/hubbench/hubbench/internal/measure/prepare"
	"github.com/hubbench/hubbench/internal/tell/output"
	"github.com/hubbench/hubbench/internal/tell/recorded"
	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/internal/tell/report/export"
	"github.com/hubbench/hubbench/internal/tell/table"
	"github.com/hubbench/hubbench/pkg/limit"
	"github.com/hubbench/hubbench/pkg/scenario"
)

// CheckOptions holds runs to limits.
type CheckOptions struct {
	output.Output
	Limits    string // Limits is the file; empty for each run's own.
	History   []string
	FailAbove string
	Strict    bool // what lies within the margin of error does not pass
}

// Run checks the runs in paths.
func (o *CheckOptions) Run(paths []string) error {
	var shared []scenario.Limit
	if o.Limits != "" {
		text, err := prepare.ReadSmall(o.Limits)
		if err != nil {
			return exit.Usagef("read the limits: %w", err)
		}
		if shared, err = scenario.LoadLimits(o.Limits, text); err != nil {
			return exit.Usage(err)
		}
	}
	fall, err := parseLimit(o.FailAbove)
	if err != nil {
		return err
	}
	var loaded []*recorded.Run
	for _, path := range paths {
		run, err := recorded.Load(path)
		if err != nil {
			return err
		}
		loaded = append(loaded, run)
	}
	if err := recorded.CheckDistinct(loaded); err != nil {
		return err
	}
	history, err := historyIn(o.History)
	if err != nil {
		return err
	}
	var runs []report.Checked
	var all []limit.Result
	for i, name := range o.NamesOf(paths) {
		checked, err := o.checkRun(loaded[i], shared, loaded, history, fall)
		if err != nil {
			return err
		}
		checked.Run = name
		runs = append(runs, checked)
		all = append(all, checked.Results...)
	}
	if o.Format == "junit" {
		err := o.Write(func(w io.Writer) error { return export.JUnit(w, runs) })
		return cmp.Or(err, o.verdict(all))
	}
	doc := report.OfLimits(runs)
	doc.Tool = o.Tool
	return cmp.Or(o.Send(doc), o.verdict(all))
}

// checkRun holds a run to its limits, its own if no shared ones are given, and to its history.
func (o *CheckOptions) checkRun(run *recorded.Run, limits []scenario.Limit, all []*recorded.Run,
	history [][]table.DiskRow, fall float64) (checked report.Checked, err error) {
	if o.Limits == "" {
		if limits, err = run.Limits(); err != nil {
			return checked, exit.Usage(err)
		}
	}
	samples, notCounted := earlierSamples(history, run, all)
	if len(limits)+len(samples) == 0 {
		if notCounted != "" {
			notCounted = " (left out: " + notCounted + ")"
		}
		return checked,
			exit.Usagef("%s: no limits to hold it to; give --limits FILE, --history RUNS of "+
				"the same setup, or add expect: to the scenario%s", run.Path, notCounted)
	}
	results := limit.Check(run.Analysis, limits, limit.History{Earlier: samples, Fall: fall})
	if o.History != nil && len(samples) == 0 {
		results = append(results, limit.Result{
			Measure: "history", Bounds: "no lower rate", Verdict: limit.Unsure,
			Why: "no earlier run is of the same setup and work",
		})
	}
	checked = report.Checked{Verdict: limit.Worst(results), Results: results,
		Analysis: run.Analysis}
	if o.History != nil {
		checked.History = ofHistory(len(samples), notCounted)
		if len(samples) == 1 {
			checked.History += " One does not show how much rates vary from run to run, so " +
				"intervals don't include it."
		}
	}
	if origin := run.Analysis.Origin; origin != nil {
		checked.Started = origin.Started
		checked.Host = origin.Host
	}
	for _, p := range run.Analysis.Phases {
		if p.Series != nil {
			checked.Seconds += p.Series.EndS
		}
	}
	return checked, nil
}

// verdict is the first limit with the worst verdict as an error; nil if all pass. In a workflow of
// GitHub it says each that did not, or only within the margin of error.
func (o *CheckOptions) verdict(results []limit.Result) (worst error) {
	escape := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	worstCode := exit.OK
	for _, r := range results {
		kind := "warning"
		code := exit.OK
		switch {
		case r.Verdict == limit.Fail:
			kind = "error"
			code = exit.Threshold
		case r.Verdict == limit.Unsure, r.WithinMargin && o.Strict:
			code = exit.Partial
		case !r.WithinMargin:
			continue
		}
		if o.Getenv("GITHUB_ACTIONS") == "true" {
			o.Notef("::%s title=hubbench::%s\n", kind, escape.Replace(report.ResultText(&r)))
		}
		if code > worstCode {
			worstCode = code
			worst = exit.Errorf(code, "%s", report.ResultText(&r))
		}
	}
	return worst
}
