package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/internal/tell/recorded"
	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/compare"
	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/unit"
)

func newReport(p program) *cobra.Command {
	out := output{program: p}
	cmd := &cobra.Command{
		Use:   "report RUN",
		Short: "Write the report of a run as a page, a picture or a table",
		Long: `Write the report of a run. RUN is a run's folder, an events.jsonl or a report.html. Without --out the
report goes into the run's folder, or beside the file; --out - writes to stdout.`,
		Example: `  hubbench report results/triple-20261120-080000
  hubbench report results/triple-20261120-080000 --format csv --table disks --out -`,
		Args: takes(1, 1),
		RunE: out.report,
	}
	out.flags(cmd, []string{"html", "pdf", "svg", "png", "csv", "md", "gobench", "text", "json"})
	return cmd
}

func (o *output) report(_ *cobra.Command, args []string) error {
	run, err := o.load(args[0])
	if err != nil {
		return err
	}
	if o.out == "" {
		names := map[string]string{"csv": "files.csv", "gobench": "bench.txt", "text": "report.txt"}
		name := cmp.Or(names[o.Format], "report."+o.Format)
		if o.Table != "" { // not beside the report under its own name
			name = "table-" + o.Table + filepath.Ext(name)
		}
		o.out, o.inRun = filepath.Join(run.Folder, name), true
	}
	return o.sendRun(run)
}

func newAnalyze(p program) *cobra.Command {
	out := output{program: p}
	cmd := &cobra.Command{
		Use:   "analyze RUN",
		Short: "Print the results of a run",
		Long: "Analyze a run and print its answer, all of its tables with --all, or analysis.json with --json. " +
			"RUN is a run's folder, an events.jsonl or a report.html.",
		Example: `  hubbench analyze results/triple-20261120-080000 --all
  hubbench analyze events.jsonl --json > analysis.json`,
		Args: takes(1, 1),
		RunE: out.analyze,
	}
	out.flags(cmd, drawn())
	return cmd
}

func (o *output) analyze(_ *cobra.Command, args []string) error {
	run, err := o.load(args[0])
	if err != nil {
		return err
	}
	// A run that was killed before its end lacks its analysis.json.
	path := filepath.Join(run.Folder, rundir.AnalysisFile)
	if !o.shown() && run.Info != nil && !exists(path) {
		root, err := os.OpenRoot(run.Folder)
		if err == nil {
			defer root.Close()
			err = (&rundir.Dir{Root: root}).WriteJSON(rundir.AnalysisFile, run.Analysis)
		}
		if err != nil {
			o.warn(path + " is not written: " + oneLine(err.Error()))
		}
	}
	if err := o.sendRun(run); err != nil || o.All {
		return err
	}
	o.remark(everything(args[0]))
	return nil
}

type compareOptions struct {
	output
	gate      bool // with --fail-above
	failAbove string
	certain   bool
	history   []string
}

func newCompare(p program) *cobra.Command {
	var opts compareOptions
	opts.program, opts.noSizes = p, true
	cmd := &cobra.Command{
		Use:                   "compare [flags] RUN RUN... | compare [flags] BASE... -- NEW...",
		DisableFlagsInUseLine: true,
		Short:                 "Compare runs with the first one, with confidence intervals",
		Long: `Compare runs with the first one. The answer is the largest changes with their 95 % confidence
intervals, or how large a change could be hidden. --all adds every rate, latency and finding, and
what was measured differently. Verdicts are corrected for the number of comparisons.

With BASE... -- NEW..., the runs before -- are repeats of one measurement and those after it of
another. The comparison then includes what varies from run to run, as it does with --history:
earlier runs of the same disks, hub, host and work show how much that is. One run against one
without a history does not include it, and says so.

RUN is a run's folder, an events.jsonl or a report.html.

--fail-above PCT exits with 4 if a rate fell by more than PCT percent, which must be significant
among all rates, and with 3 if such a fall can't be ruled out. A phase that is missing or incomplete
in another run than the first is exit code 4 as well. With --certain, what can't be ruled out is
exit code 0. Rates that step during a phase are held to the limit before and after the step.`,
		Example: `  hubbench compare before after --fail-above 5
  hubbench compare before-1 before-2 before-3 -- after-1 after-2 after-3
  hubbench compare before after --history catalogue`,
		Args: takes(2, unlimited),
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.gate = cmd.Flags().Changed("fail-above")
			return opts.compare(args, cmd.ArgsLenAtDash())
		},
	}
	opts.flags(cmd, drawn())
	cmd.Flags().StringVar(&opts.failAbove, "fail-above", "",
		"exit with 4 if a rate fell by more than `PCT` percent, with 3 if it may have")
	cmd.Flags().BoolVar(&opts.certain, "certain", false,
		"with --fail-above: exit with 0 if a rate only may have fallen")
	historyFlag(cmd, &opts.history, "how much rates vary from run to run")
	return cmd
}

// loadAll loads and analyses the runs on all cores.
func (o *output) loadAll(paths []string) ([]*recorded.Run, error) {
	runs, errs := make([]*recorded.Run, len(paths)), make([]error, len(paths))
	var places []int
	for i := range paths {
		places = append(places, i)
	}
	analysis.InParallel(places, func(i int) {
		if runs[i], errs[i] = o.load(paths[i]); errs[i] == nil {
			errs[i] = checkEvents(runs[i])
		}
	})
	err := cmp.Or(errs...)
	if err == nil {
		err = twice(runs)
	}
	return runs, err
}

// parseFall reads --fail-above: a share from 0 to below 1.
func parseFall(text string) (float64, error) {
	percent, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(text, "%")), 64)
	if err != nil || !(percent >= 0 && percent < 100) {
		return 0, usagef("--fail-above %s: give a percentage from 0 to below 100, such as 5", text)
	}
	return percent / 100, nil
}

// compare compares the runs in paths; those before index dash are repeats, unless it is below 0.
func (o *compareOptions) compare(paths []string, dash int) error {
	limit := 0.0
	if o.gate {
		var err error
		if limit, err = parseFall(o.failAbove); err != nil {
			return err
		}
	}
	if o.certain && !o.gate {
		return usagef("--certain is about --fail-above; add --fail-above PCT")
	}
	if dash >= 0 && (dash == 0 || dash == len(paths)) {
		return usagef("give the repeats of one measurement, --, and those of the other")
	}
	runs, err := o.loadAll(paths)
	if err != nil {
		return err
	}
	first, of := runs[0], runs
	if o.shown() && o.history != nil { // What a page shows has lost its host.
		if first, err = load(paths[0]); err != nil {
			return err
		}
	}
	history, err := historyIn(o.history)
	if err != nil {
		return err
	}
	samples, left := earlier(history, first, runs)
	var all []compare.Input
	for i, name := range o.namesOf(paths) {
		r := runs[i]
		all = append(all, compare.Input{Label: name, Trace: r.Trace, Analysis: r.Analysis,
			Method: r.Method()})
	}
	base, others := all[:1], slices.Collect(slices.Chunk(all[1:], 1))
	if dash > 0 {
		base, others, of = all[:dash], [][]compare.Input{all[dash:]},
			[]*recorded.Run{runs[0], runs[dash]}
	}
	c := compare.Groups(base, others, samples)
	c.LeftOut = left
	if o.gate {
		c.Against(limit, o.certain)
	}
	// A run that was cut short before its first phase did not measure something else.
	for _, pair := range c.Pairs {
		if len(pair.Phases)+len(pair.Searches) == 0 && len(pair.OnlyInNew) > 0 {
			return usagef("%s and %s have no phase of the same name or work: nothing to compare",
				c.Base.Label, pair.Label)
		}
	}
	doc := report.OfComparison(c)
	doc.Tool, doc.Simulated = toolVersion(), true
	for _, r := range of {
		doc.Simulated = doc.Simulated && report.Simulated(r.Trace)
		if hub.Source(r.Analysis.ProfileOrigin) == hub.Specified {
			doc.Model = hub.Specified // the comparison is no surer than the less sure of its runs
		}
	}
	if err := o.send(doc); err != nil || !o.gate {
		return err
	}
	code, gate := 0, fmt.Sprintf("gate of %s %s", unit.FormatPercent(c.Gate.Limit),
		report.Gate(c.Gate))
	switch c.Gate.Outcome {
	case compare.CrossedIt:
		code = exitThreshold
	case compare.CannotJudge:
		code = exitPartial
	case compare.Passed:
		return nil
	}
	return exitf(code, "%s", gate)
}
