package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hubbench/hubbench/internal/report"
	"github.com/hubbench/hubbench/internal/rundir"
	"github.com/hubbench/hubbench/pkg/compare"
)

type compareOptions struct {
	output
	failAbove float64
}

func newCompare(p program) *cobra.Command {
	var opts compareOptions
	cmd := &cobra.Command{
		Use:   "compare RUN RUN...",
		Short: "Compare runs with the first one, with confidence intervals",
		Long: `Compare runs with the first one, phase by phase and disk by disk. Each rate has its change, a
confidence interval, and a verdict that is corrected for the number of comparisons. Differences in
how the runs were made come first.

RUN is a run's folder, an events.jsonl or a report.html.

--fail-above PCT exits with 4 if a rate fell by more than PCT percent and the difference is
significant ("slower" in the tables). With 0, any significant fall counts. Rates with too little data
do not count; their number is printed to stderr.`,
		Args: takes(2, unlimited),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runCompare(p, args, opts, cmd.Flags().Changed("fail-above"))
		},
	}
	opts.flags(cmd, drawn(), []string{"changes"})
	cmd.Flags().Float64Var(&opts.failAbove, "fail-above", 0, "exit with 4 if a rate fell significantly, and by more than `PCT` percent")
	return cmd
}

func runCompare(p program, paths []string, opts compareOptions, gate bool) error {
	if gate && !(opts.failAbove >= 0 && opts.failAbove < 100) {
		return usage(fmt.Errorf("--fail-above %v: give a percentage from 0 to below 100", opts.failAbove))
	}
	if err := opts.settle(); err != nil {
		return err
	}
	runs := make([]compare.Run, len(paths))
	for i, path := range paths {
		loaded, err := load(path)
		if err != nil {
			return err
		}
		if loaded.Trace == nil {
			return fmt.Errorf("%s carries its results but not its %s, which are too many for a page; give the run folder", path, rundir.EventsFile)
		}
		runs[i] = compare.Run{Label: path, Trace: loaded.Trace, Analysis: loaded.analysis, Method: methodOf(loaded.Info)}
	}
	c := compare.Compare(runs[0], runs[1:]...)
	if err := checkShared(c); err != nil {
		return err
	}
	doc := report.OfComparison(c)
	doc.Tool = toolVersion()
	doc.Simulated = !slices.ContainsFunc(runs, func(r compare.Run) bool { return !report.Simulated(r.Trace) })
	if err := opts.send(p, doc, nil); err != nil {
		return err
	}
	if !gate {
		return nil
	}
	return crossed(p.stderr, c, opts.failAbove)
}

// checkShared refuses runs that have nothing in common with the base: a gate must not pass for want of comparisons.
func checkShared(c *compare.Comparison) error {
	for _, pair := range c.Pairs {
		if len(pair.Phases) == 0 {
			return usage(fmt.Errorf("%s and %s have no phase of the same name: nothing to compare", c.Base.Label, pair.Label))
		}
	}
	return nil
}

// crossed is an error where a rate fell by more than the given percentage. What the gate cannot go by is said.
func crossed(stderr io.Writer, c *compare.Comparison, percent float64) error {
	rates, unjudged := 0, 0
	for _, pair := range c.Pairs {
		for _, phase := range pair.Phases {
			for _, r := range phase.Rates {
				rates++
				if r.Verdict == compare.TooLittle {
					unjudged++
				}
			}
		}
		if len(pair.OnlyBase) > 0 {
			fmt.Fprintf(stderr, "hubbench: not in %s, so --fail-above cannot go by it: %s\n", pair.Label, strings.Join(pair.OnlyBase, ", "))
		}
	}
	if unjudged == rates {
		return errors.New("no rate could be judged, so --fail-above has nothing to go by; the tables say why")
	}
	if unjudged > 0 {
		fmt.Fprintf(stderr, "hubbench: %d of %d rates have too little data for --fail-above to go by\n", unjudged, rates)
	}
	falls := c.Falls(percent / 100)
	if len(falls) == 0 {
		return nil
	}
	worst := slices.MinFunc(falls, func(a, b compare.Fall) int { return cmp.Compare(*a.Change, *b.Change) })
	return &exitError{exitThreshold, fmt.Errorf("%d of %d rates fell by more than %g %%, most of all in %s: %s (%s) by %s in %s",
		len(falls), rates, percent, worst.Phase, report.RateDisk(&worst.Rate), worst.Measure, report.Change(*worst.Change), worst.Run)}
}

// methodOf is what run.json says of how a run was made; nil where there is none, or without a plan.
func methodOf(info *rundir.Info) *compare.Method {
	if info == nil || info.Plan == nil {
		return nil
	}
	m := &compare.Method{
		Tool: info.Tool, Host: info.Host.Name, System: systemOf(info.Host), Plan: info.Plan,
		Effective: map[string]map[string]compare.Mode{}, Simulated: info.Simulated,
	}
	for phase, disks := range info.Effective {
		m.Effective[phase] = map[string]compare.Mode{}
		for disk, e := range disks {
			m.Effective[phase][disk] = compare.Mode{Engine: e.Engine, Cache: e.Cache, Flush: e.Flush, Block: e.Block, Depth: e.Depth}
		}
	}
	return m
}
