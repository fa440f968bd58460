package main

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/hubbench/hubbench/internal/session"
	"github.com/hubbench/hubbench/pkg/unit"
)

func newRun(p program) *cobra.Command {
	opts := session.Options{Look: p.lookAround}
	opts.Output = p.output()
	cmd := &cobra.Command{
		Use:   "run SCENARIO | PATH... | --resume RUN",
		Short: "Measure disks or run a scenario, analyse and write the report",
		Long: `Check a scenario against this machine, run its phases one after another, print the
results and write them to a new folder: events.jsonl, analysis.json, report.html and more.

A PATH is a folder on a disk, such as where it is mounted. With one or more of them, each on a disk
of its own, hubbench measures each disk's speed for two seconds, writes the scenario that fits the
disks into the run's folder, and runs it: each disk alone, all together, and then pairs, as far as
five minutes go. It says beforehand what it will write.

--direct A answers what the hub costs A: when all is measured, it asks you to connect A directly to
the computer, finds it again, and measures it alone once more. --then "connect the display" shows
that text when all is measured, measures the same again, and compares; it can go back once, to
learn how much equal runs differ.

Ctrl-C stops the run, removes the test files and keeps the results; --resume continues it at the
first phase that is not complete.`,
		Example: `  hubbench run /Volumes/A /Volumes/B --open
  hubbench run my.yaml
  hubbench run my.yaml --out before --open
  hubbench run --resume results/my-20261121-140500`,
		Args: func(cmd *cobra.Command, args []string) error {
			if opts.Resume != "" {
				return takes(0, 0)(cmd, args)
			}
			return takes(1, unlimited)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return session.Run(cmd.Context(), opts, args)
		},
	}
	resultFlags(cmd, &opts.Results)
	failBelowFlag(cmd, &opts.FailBelow)
	flags := cmd.Flags()
	flags.BoolVar(&opts.Yes, "yes", false, "do not ask before writing more than "+
		unit.FormatBytes(session.AskAbove))
	flags.BoolVar(&opts.Quiet, "quiet", false,
		"print only the results, with what failed above them")
	flags.BoolVar(&opts.NoPause, "no-pause", false, "do not wait at the pauses of phases")
	allowFlag(cmd, &opts.Allow)
	flags.StringVar(&opts.Resume, "resume", "", "continue the run in folder `RUN` at its first phase that is not complete")
	flags.StringSliceVar(&opts.Direct, "direct", nil,
		"then measure these disks alone once more, when you have connected them directly: `NAME,NAME`")
	flags.StringVar(&opts.Then, "then", "",
		"then measure all of it again, when you have done what this `TEXT` says, and compare")
	flags.StringArrayVar(&opts.Labels, "label", nil,
		"say this of the run in run.json and in tables, for instance who ran it: `NAME=VALUE`, repeatable")
	flags.IntVar(&opts.Repeat, "repeat", 1, "run each phase `N` times")
	flags.DurationVar(&opts.Phase, "phase", 0, "")
	_ = flags.MarkHidden("phase") // fails only for a flag that is not there
	flags.DurationVar(&opts.Stall, "stall", time.Minute,
		"give up on a disk that moves nothing for this long")
	return cmd
}
