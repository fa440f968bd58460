package main

import (
	"github.com/spf13/cobra"

	"github.com/hubbench/hubbench/internal/tell/history"
)

func newCheck(p program) *cobra.Command {
	opts := history.CheckOptions{Output: p.output()}
	cmd := &cobra.Command{
		Use:   "check RUN...",
		Short: "Check runs against limits: pass, fail or cannot tell",
		Long: `Check runs against the limits under expect: in their scenario, or to those of a
file. A limit fails only if the measurement's whole interval lies beyond it, significantly among
all limits. If the interval reaches across, the limit passes within the margin of error; if there
is none, the value decides. hubbench init --expect RUN writes the limits of a good run.

With --history, intervals include what varies from run to run, and each rate is held to the mean of
the earlier runs of the same disks, hub, host and work: it may be lower by --fail-above percent.

It exits with 0 if all pass, 4 if one fails, and 3 if none fails but one was not measured, or, with
--strict, passes only within the margin of error. A run that is incomplete fails, as does a limit
of a phase or disk that is missing. In GitHub's workflows what does not pass by a margin is an
annotation, and --format md >> "$GITHUB_STEP_SUMMARY" adds a summary. RUN is a run's folder, an
events.jsonl or a report.html.`,
		Example: `  hubbench check results/triple-20261120-080000
  hubbench check results/* --limits limits.yaml --format junit --out limits.xml
  hubbench check results/triple-20261121-080000 --history catalogue --fail-above 10`,
		Args: takes(1, unlimited),
		RunE: func(_ *cobra.Command, args []string) error { return opts.Run(args) },
	}
	cmd.Flags().StringVar(&opts.Limits, "limits", "",
		"the `FILE` of the limits, or a scenario (default each run's own scenario)")
	historyFlag(cmd, &opts.History, "no rate may be lower than theirs")
	cmd.Flags().StringVar(&opts.FailAbove, "fail-above", "5", "with --history: fail if a rate is lower by more than `PCT` percent")
	cmd.Flags().BoolVar(&opts.Strict, "strict", false,
		"exit with 3 if a limit passes only within the margin of error")
	formatFlags(cmd, &opts.Output, append(printed(), "junit"))
	return cmd
}
