package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hubbench/hubbench/internal/measure/rundir"
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
another, at least three in total. The comparison then includes what varies from run to run.

RUN is a run's folder, an events.jsonl or a report.html.

--fail-above PCT exits with 4 if a rate fell by more than PCT percent: the difference is significant
and the measured fall is larger, or the data cannot tell and the measured fall is larger. With 0, any
significant fall counts and nothing else. A phase that is missing or incomplete in another run than
the first is exit code 4 as well.
Without --certain, a fall that may be by less, or due to noise, is enough: no fall passes unseen.
With --certain, a fall must be proven: its whole 95 % interval is below -PCT. The interval of one run
against one does not include what varies from run to run: where equal runs vary by 2 %, such pairs fail
a gate of 5 % in 0 to 4 of 20 cases, and a lower one more often. Repeat both: BASE... -- NEW...`,
		Example: `  hubbench compare before after --fail-above 5
  hubbench compare before-1 before-2 before-3 -- after-1 after-2 after-3`,
		Args: takes(2, unlimited),
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.gate = cmd.Flags().Changed("fail-above")
			return opts.compare(args, cmd.ArgsLenAtDash())
		},
	}
	opts.flags(cmd, drawn())
	cmd.Flags().StringVar(&opts.failAbove, "fail-above", "",
		"exit with 4 if a rate fell by more than `PCT` percent, or may have")
	cmd.Flags().BoolVar(&opts.certain, "certain", false,
		"with --fail-above: only if a rate is proven to have fallen by more; repeat both sides")
	return cmd
}

// loadAll loads and analyses the runs on all cores.
func (o *compareOptions) loadAll(paths []string) ([]compare.Run, error) {
	runs, errs := make([]compare.Run, len(paths)), make([]error, len(paths))
	var places []int
	for i, name := range o.namesOf(paths) {
		runs[i].Label = name
		places = append(places, i)
	}
	analysis.InParallel(places, func(i int) {
		loaded, err := o.load(paths[i])
		if err == nil {
			err = checkEvents(loaded)
		}
		if errs[i] = err; err == nil {
			r := &runs[i]
			r.Trace, r.Analysis, r.Method = loaded.Trace, loaded.Analysis, loaded.Method()
		}
	})
	return runs, cmp.Or(errs...)
}

// compare compares the runs in paths; those before index dash are repeats, unless it is below 0.
func (o *compareOptions) compare(paths []string, dash int) error {
	limit := 0.0
	if o.gate {
		var err error
		limit, err = strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(o.failAbove, "%")), 64)
		if err != nil || !(limit >= 0 && limit < 100) {
			return usagef("--fail-above %s: give a percentage from 0 to below 100, such as 5",
				o.failAbove)
		}
	}
	if o.certain && !o.gate {
		return usagef("--certain says when --fail-above fails; add --fail-above PCT")
	}
	if dash >= 0 && (dash == 0 || dash == len(paths) || len(paths) < 3) {
		return usagef("give the repeats of one measurement, --, and those of the other: " +
			"at least three runs in total")
	}
	runs, err := o.loadAll(paths)
	if err != nil {
		return err
	}
	var c *compare.Comparison
	if dash > 0 {
		c = compare.Groups(runs[:dash], runs[dash:])
		runs = []compare.Run{runs[0], runs[dash]}
	} else {
		c = compare.Runs(runs[0], runs[1:]...)
	}
	switch {
	case o.certain:
		c.AgainstCertain(limit / 100)
	case o.gate:
		c.Against(limit / 100)
	}
	for _, pair := range c.Pairs { // a run that was cut short before its first phase did not measure something else
		if len(pair.Phases)+len(pair.Searches) == 0 && len(pair.OnlyHere) > 0 {
			return usagef("%s and %s have no phase of the same name or work: nothing to compare",
				c.Base.Label, pair.Label)
		}
	}
	doc := report.OfComparison(c)
	doc.Tool, doc.Simulated = toolVersion(), true
	for _, r := range runs {
		doc.Simulated = doc.Simulated && report.Simulated(r.Trace)
		if hub.Source(r.Analysis.ProfileOrigin) == hub.Specified {
			doc.Model = hub.Specified // the comparison is no surer than the less sure of its runs
		}
	}
	if err := o.send(doc); err != nil || !o.gate {
		return err
	}
	switch g := c.Gate; g.Outcome {
	case compare.CrossedIt:
		return exitf(exitThreshold, "gate of %s %s", unit.FormatPercent(g.Limit), report.Gate(g))
	case compare.CannotJudge:
		return fmt.Errorf("--fail-above: %s", report.Gate(g))
	}
	return nil
}
