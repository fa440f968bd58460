package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/hubbench/hubbench/internal/render/text"
	"github.com/hubbench/hubbench/pkg/analysis"
)

func newAnalyze(p program) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "analyze RUN",
		Short: "Print the results of a run",
		Long:  "Analyze a run and print its tables, or analysis.json with --json. RUN is a run's folder, an events.jsonl or a report.html.",
		Args:  takes(1, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			run, err := load(args[0])
			if err != nil {
				return err
			}
			return printAnalysis(p.stdout, run.analysis, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print analysis.json instead of the tables")
	return cmd
}

// printAnalysis writes the result of a run where results go.
func printAnalysis(w io.Writer, a *analysis.Analysis, asJSON bool) error {
	if !asJSON {
		return text.Write(w, a)
	}
	return printJSON(w, a)
}
