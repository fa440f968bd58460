package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/pkg/compare"
	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/unit"
)

type compareOptions struct {
	output
	failAbove string
}

func newCompare(p program) *cobra.Command {
	var opts compareOptions
	cmd := &cobra.Command{
		Use:                   "compare [flags] RUN RUN... | compare [flags] BASE... -- NEW...",
		DisableFlagsInUseLine: true,
		Short:                 "Compare runs with the first one, with confidence intervals",
		Long: `Compare runs with the first one. The answer is the largest changes with their 95 % confidence
intervals, or the bound within which nothing changed. --all adds every rate, latency and finding, and
what was measured differently. Verdicts are corrected for the number of comparisons.

With BASE... -- NEW..., the runs before -- are repeats of one measurement and those after it of
another, at least three in total. The comparison then includes what varies from run to run.

RUN is a run's folder, an events.jsonl or a report.html.

--fail-above PCT exits with 4 if a rate fell by more than PCT percent: the difference is significant
and the measured fall is larger, or the data cannot tell and the measured fall is larger. With 0, any
significant fall counts and nothing else. A phase that is missing or incomplete in another run than
the first is exit code 4 as well.`,
		Args: takes(2, unlimited),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runCompare(p, args, cmd.ArgsLenAtDash(), opts, cmd.Flags().Changed("fail-above"))
		},
	}
	opts.flags(cmd, drawn())
	cmd.Flags().StringVar(&opts.failAbove, "fail-above", "", "exit with 4 if a rate fell by more than `PCT` percent, or may have")
	return cmd
}

// runCompare compares the runs in paths; those before index dash are repeats, unless it is below 0.
func runCompare(p program, paths []string, dash int, opts compareOptions, gate bool) error {
	limit := 0.0
	if gate {
		var err error
		if limit, err = strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(opts.failAbove, "%")), 64); err != nil || !(limit >= 0 && limit < 100) {
			return usage(fmt.Errorf("--fail-above %s: give a percentage from 0 to below 100, such as 5", opts.failAbove))
		}
	}
	if dash >= 0 && (dash == 0 || dash == len(paths) || len(paths) < 3) {
		return usage(errors.New("give the repeats of one measurement, --, and those of the other: at least three runs in total"))
	}
	runs, err := loadRuns(paths)
	if err != nil {
		return err
	}
	var c *compare.Comparison
	if dash > 0 {
		c = compare.Groups(runs[:dash], runs[dash:])
		runs = []compare.Run{runs[0], runs[dash]}
	} else {
		c = compare.Compare(runs[0], runs[1:]...)
	}
	if gate {
		c.Against(limit / 100)
	}
	if err := checkShared(c); err != nil {
		return err
	}
	doc := report.OfComparison(c)
	doc.Tool = toolVersion()
	doc.Simulated = !slices.ContainsFunc(runs, func(r compare.Run) bool { return !report.Simulated(r.Trace) })
	if slices.ContainsFunc(runs, func(r compare.Run) bool { return hub.Source(r.Analysis.ProfileOrigin) == hub.Specified }) {
		doc.Model = hub.Specified // the comparison is no surer than the less sure of its runs
	}
	if err := opts.send(p, doc, nil); err != nil {
		return err
	}
	if !gate {
		return nil
	}
	return crossed(c.Gate)
}

func loadRuns(paths []string) ([]compare.Run, error) {
	runs := make([]compare.Run, len(paths))
	for i, path := range paths {
		loaded, err := load(path)
		if err != nil {
			return nil, err
		}
		if loaded.Trace == nil {
			return nil, fmt.Errorf("%s carries its results but not its %s, which are too many for a page; give the run folder", path, rundir.EventsFile)
		}
		runs[i] = compare.Run{Label: path, Trace: loaded.Trace, Analysis: loaded.Analysis, Method: loaded.Method()}
	}
	return runs, nil
}

// checkShared refuses runs that measured something other than the base. One that was cut short before its first phase did not.
func checkShared(c *compare.Comparison) error {
	for _, pair := range c.Pairs {
		if len(pair.Phases)+len(pair.Searches) == 0 && len(pair.OnlyHere) > 0 {
			return usage(fmt.Errorf("%s and %s have no phase of the same name or work: nothing to compare", c.Base.Label, pair.Label))
		}
	}
	return nil
}

// crossed is an error unless the gate was passed.
func crossed(g *compare.Gate) error {
	switch g.Outcome {
	case compare.CrossedIt:
		return &exitError{exitThreshold, errors.New("gate of " + unit.FormatPercent(g.Limit) + " " + report.Gate(g))}
	case compare.CannotJudge:
		return errors.New("--fail-above: " + report.Gate(g))
	}
	return nil
}
