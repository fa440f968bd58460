package main

import (
	"cmp"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hubbench/hubbench/internal/measure/prepare"
	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/internal/tell/recorded"
	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/internal/tell/report/export"
	tidy "github.com/hubbench/hubbench/internal/tell/table"
	"github.com/hubbench/hubbench/pkg/limit"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/strictyaml"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

type checkOptions struct {
	output
	limits    string // the file
	history   []string
	failAbove string
}

func newCheck(p program) *cobra.Command {
	var opts checkOptions
	opts.program = p
	cmd := &cobra.Command{
		Use:   "check RUN...",
		Short: "Check runs against limits: pass, fail or cannot tell",
		Long: `Check runs against the limits under expect: in their scenario, or to those of a file. A limit passes if the
measurement's whole 95 % confidence interval is within it, fails if it is outside, significantly among all
limits, and cannot be judged in between. hubbench init --expect RUN writes the limits of a good run.

With --history, intervals include what varies from run to run, and each rate is held to the mean of the
earlier runs of the same disks, hub, host and work: it may be lower by --fail-above percent.

It exits with 0 if all pass, 4 if one fails, and 3 if none fails but one cannot be judged. A run that is
incomplete fails, as does a limit of a phase or disk that is missing. In GitHub's workflows what does not
pass is an annotation, and --format md >> "$GITHUB_STEP_SUMMARY" adds a summary. RUN is a run's folder, an
events.jsonl or a report.html.`,
		Example: `  hubbench check results/triple-20261120-080000
  hubbench check results/* --limits limits.yaml --format junit --out limits.xml
  hubbench check results/triple-20261121-080000 --history catalogue --fail-above 10`,
		Args: takes(1, unlimited),
		RunE: opts.run,
	}
	cmd.Flags().StringVar(&opts.limits, "limits", "",
		"the `FILE` of the limits, or a scenario (default each run's own scenario)")
	historyFlag(cmd, &opts.history, "no rate may be lower than theirs")
	cmd.Flags().StringVar(&opts.failAbove, "fail-above", "5", "with --history: fail if a rate is lower by more than `PCT` percent")
	opts.formatFlags(cmd, append(printed(), "junit"))
	return cmd
}

func (o *checkOptions) run(_ *cobra.Command, paths []string) error {
	var shared []scenario.Limit
	if o.limits != "" {
		text, err := prepare.ReadSmall(o.limits)
		if err != nil {
			return usagef("read the limits: %w", err)
		}
		if shared, err = scenario.LoadLimits(o.limits, text); err != nil {
			return usage(err)
		}
	}
	fall, err := parseFall(o.failAbove)
	if err != nil {
		return err
	}
	var loaded []*recorded.Run
	for _, path := range paths {
		run, err := load(path)
		if err != nil {
			return err
		}
		loaded = append(loaded, run)
	}
	if err := twice(loaded); err != nil {
		return err
	}
	history, err := historyIn(o.history)
	if err != nil {
		return err
	}
	var runs []report.Checked
	var all []limit.Result
	for i, name := range o.namesOf(paths) {
		checked, err := o.checkRun(loaded[i], shared, loaded, history, fall)
		if err != nil {
			return err
		}
		checked.Run = name
		runs = append(runs, checked)
		all = append(all, checked.Results...)
	}
	if o.Format == "junit" {
		err := o.write(func(w io.Writer) error { return export.JUnit(w, runs) })
		return cmp.Or(err, o.verdict(all))
	}
	doc := report.OfLimits(runs)
	doc.Tool = toolVersion()
	return cmp.Or(o.send(doc), o.verdict(all))
}

// checkRun holds a run to its limits, its own if no shared ones are given, and to its history.
func (o *checkOptions) checkRun(run *recorded.Run, limits []scenario.Limit, all []*recorded.Run,
	history [][]tidy.DiskRow, fall float64) (checked report.Checked, err error) {
	if o.limits == "" {
		if limits, err = ownLimits(run); err != nil {
			return checked, usage(err)
		}
	}
	samples, left := earlier(history, run, all)
	if len(limits)+len(samples) == 0 {
		if left != "" {
			left = " (left out: " + left + ")"
		}
		return checked, usagef("%s: no limits to hold it to; give --limits FILE, --history RUNS of "+
			"the same setup, or add expect: to the scenario%s", run.Path, left)
	}
	results := limit.Check(run.Analysis, limits, limit.History{Earlier: samples, Fall: fall})
	if o.history != nil && len(samples) == 0 {
		results = append(results, limit.Result{
			Measure: "history", Bounds: "no lower rate", Verdict: limit.Unsure,
			Why: "no earlier run is of the same setup and work",
		})
	}
	checked = report.Checked{Verdict: limit.Worst(results), Results: results}
	if o.history != nil {
		checked.History = ofHistory(len(samples), left)
		if len(samples) == 1 {
			checked.History += " One does not show how much rates vary from run to run, so " +
				"intervals don't include it."
		}
	}
	if origin := run.Analysis.Origin; origin != nil {
		checked.Started, checked.Host = origin.Started, origin.Host
	}
	for _, p := range run.Analysis.Phases {
		if p.Series != nil {
			checked.Seconds += p.Series.EndS
		}
	}
	return checked, nil
}

// verdict is the first limit with the worst verdict as an error; nil if all pass. In a workflow of
// GitHub it says each that did not.
func (p program) verdict(results []limit.Result) (worst error) {
	escape := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	for _, r := range results {
		kind, code := "error", exitThreshold
		switch r.Verdict {
		case limit.Fail:
		case limit.Unsure:
			kind, code = "warning", exitPartial
		default:
			continue
		}
		if os.Getenv("GITHUB_ACTIONS") == "true" {
			p.sayf("::%s title=hubbench::%s\n", kind, escape.Replace(report.ResultText(&r)))
		}
		if worst == nil && r.Verdict == limit.Worst(results) {
			worst = exitf(code, "%s", report.ResultText(&r))
		}
	}
	return worst
}

// ownLimits are those of the run's own scenario.
func ownLimits(run *recorded.Run) ([]scenario.Limit, error) {
	text, err := rundir.LoadScenario(run.Folder)
	if text == nil || err != nil {
		return nil, err
	}
	return scenario.LoadLimits(filepath.Join(run.Folder, rundir.ScenarioFile), text)
}

// leastRates reads --fail-below, which names a disk in a phase (DISK.PHASE); repeats also share a
// name without their number. The names of a search's tries are not known in advance.
func leastRates(given []string, plan *scenario.Plan) (limits []scenario.Limit, err error) {
	all := map[string]scenario.Limit{}
	for _, p := range plan.Phases {
		if p.Search != nil {
			continue
		}
		for _, j := range p.Jobs {
			for _, name := range []string{p.Name, trace.Unnumbered(p.Name)} {
				all[j.Disk+"."+name] = scenario.Limit{Phase: name, Disk: j.Disk,
					Measure: scenario.Measures()[0]}
			}
		}
	}
	for _, text := range given {
		at := max(strings.LastIndexByte(text, '='), 0)
		least, err := unit.ParseRate(strings.TrimPrefix(text[at:], "="))
		if err != nil || !strings.HasSuffix(strings.ToLower(text), "b/s") {
			return nil, usagef("--fail-below %s: write DISK.PHASE=RATE, such as A.WWW=1.2GB/s",
				text)
		}
		l, known := all[text[:at]]
		if !known {
			return nil, usagef("--fail-below %s: the scenario has no such disk and phase; try %s",
				text, strictyaml.Suggest(text[:at], slices.Sorted(maps.Keys(all))))
		}
		l.Min = &least
		limits = append(limits, l)
	}
	return limits, nil
}

// failBelow returns an error if a rate is below its minimum, whatever its interval, or was not
// measured.
func failBelow(run *recorded.Run, limits []scenario.Limit) error {
	var failed []error
	for _, r := range limit.Check(run.Analysis, limits, limit.History{}) {
		if r.Verdict == limit.Fail || r.Value == nil || *r.Value < *r.Min {
			failed = append(failed, errors.New(report.ResultText(&r)))
		}
	}
	if failed == nil {
		return nil
	}
	return &exitError{exitThreshold, errors.Join(failed...)}
}
