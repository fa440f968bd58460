package main

import (
	"github.com/spf13/cobra"
)

func newAnalyze(p program) *cobra.Command {
	var out output
	cmd := &cobra.Command{
		Use:   "analyze RUN",
		Short: "Print the results of a run",
		Long:  "Analyze a run and print its answer, all of its tables with --all, or analysis.json with --json. RUN is a run's folder, an events.jsonl or a report.html.",
		Args:  takes(1, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			run, err := load(args[0])
			if err != nil {
				return err
			}
			if !out.All {
				out.more = []string{everything(args[0])}
			}
			return sendRun(p, run, out)
		},
	}
	out.flags(cmd, drawn())
	return cmd
}
