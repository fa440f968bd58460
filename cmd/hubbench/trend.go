package main

import (
	"github.com/spf13/cobra"

	"github.com/hubbench/hubbench/internal/tell/history"
)

func newTrend(p program) *cobra.Command {
	opts := history.TrendOptions{Output: p.output()}
	cmd := &cobra.Command{
		Use:   "trend RUN... | CATALOGUE",
		Short: "Show when a rate changed",
		Long: `Show the rate of one phase over runs, in order of time and host by host: which hosts
changed, when and by how much, and what else was recorded to change in the same run. A page
(--format html) draws each host; --all lists the stretches between changes of all hosts, each with
its mean and a 95% interval by how the runs differ.

A change is reported if noise of the size seen between runs would hardly make it: in fewer than 2
of 100 series of runs, and in fewer than 5 of 100 fleets of steady hosts. Runs on another hub, of
other disks or with other work than the newest run of their host are left out.

--fail-above PCT exits with 4 if the last stretch of a host is lower than the one before by more
than PCT percent, significantly among all hosts, and with 3 if that can't be ruled out.

RUN is a run's folder, an events.jsonl or a report.html, CATALOGUE a folder that hubbench collect
made. Pages and pictures hold no host's name: they count the hosts.`,
		Example: `  hubbench trend results/* --phase WWW --disk A
  hubbench trend catalogue --out trend.html
  hubbench trend results/* --history catalogue`,
		Args: takes(1, unlimited),
		RunE: func(_ *cobra.Command, args []string) error { return opts.Run(args) },
	}
	formatFlags(cmd, &opts.Output, drawn())
	historyFlag(cmd, &opts.History, "further runs of the series")
	cmd.Flags().StringVar(&opts.FailAbove, "fail-above", "",
		"exit with 4 if a rate fell by more than `PCT` percent, with 3 if it may have")
	cmd.Flags().StringVar(&opts.Phase, "phase", "",
		"the phase, and its repeats (default the one of the first run with most disks busy)")
	cmd.Flags().StringVar(&opts.Disk, "disk", "", "the disk (default all together)")
	return cmd
}
