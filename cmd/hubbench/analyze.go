package main

import (
	"encoding/json"
	"io"

	"github.com/spf13/cobra"

	"github.com/hubbench/hubbench/internal/render/text"
	"github.com/hubbench/hubbench/internal/rundir"
	"github.com/hubbench/hubbench/pkg/analysis"
)

func newAnalyze(p program) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "analyze RUN",
		Short: "Print what a run shows",
		Long:  "Analyze a run folder or a lone events.jsonl, and print the tables, or analysis.json with --json.",
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			loaded, err := rundir.Load(args[0])
			if err != nil {
				return err
			}
			return printAnalysis(p.stdout, analysis.Analyze(loaded.Trace, analysis.Options{}), asJSON)
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
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(a)
}
