package main

import (
	"github.com/spf13/cobra"

	"github.com/hubbench/hubbench/internal/tell/history"
)

func newCompare(p program) *cobra.Command {
	opts := history.CompareOptions{Output: p.output()}
	opts.NoSizes = true
	cmd := &cobra.Command{
		Use:                   "compare [flags] RUN RUN... | compare [flags] BASE... -- NEW...",
		DisableFlagsInUseLine: true,
		Short:                 "Compare two runs, or rank several, with confidence intervals",
		Long: `Compare a run with the first one. The answer is the largest changes with their 95%
confidence intervals, or how large a change could be hidden. --all adds every rate, latency and
finding, and what was measured differently. Verdicts are corrected for the number of comparisons.

Three runs or more, such as of hubs with the same disks, are ranked by what the disks move together
in the loads with most disks that all of the runs have. Runs that cannot be told apart from the
first of them share a place. Repeats within a run (repeat: 5) are what intervals rest on.

With BASE... -- NEW..., the runs before -- are repeats of one measurement and those after it of
another. The comparison then includes what varies from run to run, as it does with --history:
earlier runs of the same disks, hub, host and work show how much that is. One run against one
without a history does not include it, and says so.

RUN is a run's folder, an events.jsonl or a report.html.

--fail-above PCT exits with 4 if a rate fell by more than PCT percent, which must be significant
among all rates, and with 3 if such a fall can't be ruled out. A phase that is missing or
incomplete in another run than the first is exit code 4 as well. With --certain, what can't be
ruled out is exit code 0. Rates that step during a phase are held to the limit before and after the
step.`,
		Example: `  hubbench compare before after --fail-above 5
  hubbench compare dock-1 dock-2 dock-3
  hubbench compare before-1 before-2 before-3 -- after-1 after-2 after-3
  hubbench compare before after --history catalogue
  hubbench compare before after --names "no display,display"`,
		Args: takes(2, unlimited),
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Gate = cmd.Flags().Changed("fail-above")
			return opts.Run(args, cmd.ArgsLenAtDash())
		},
	}
	documentFlags(cmd, &opts.Output, drawn())
	cmd.Flags().StringVar(&opts.FailAbove, "fail-above", "",
		"exit with 4 if a rate fell by more than `PCT` percent, with 3 if it may have")
	cmd.Flags().StringSliceVar(&opts.Names, "names", nil,
		"what to call the two: `BASE,NEW`, such as \"no display,display\"")
	cmd.Flags().BoolVar(&opts.Certain, "certain", false,
		"with --fail-above: exit with 0 if a rate only may have fallen")
	historyFlag(cmd, &opts.History, "how much rates vary from run to run")
	return cmd
}
