package main

import (
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/internal/tell/output"
	"github.com/hubbench/hubbench/internal/tell/recorded"
)

func newAnalyze(p program) *cobra.Command {
	out := p.output()
	cmd := &cobra.Command{
		Use:   "analyze RUN",
		Short: "Print the results of a run",
		Long: "Analyze a run and print its answer, all of its tables with --all, or " +
			"analysis.json with --json. RUN is a run's folder, an events.jsonl or a report.html.",
		Example: `  hubbench analyze results/triple-20261120-080000 --all
  hubbench analyze events.jsonl --json > analysis.json`,
		Args: takes(1, 1),
		RunE: func(_ *cobra.Command, args []string) error { return analyze(&out, args[0]) },
	}
	documentFlags(cmd, &out, drawn())
	return cmd
}

func analyze(o *output.Output, path string) error {
	run, err := o.Load(path)
	if err != nil {
		return err
	}
	// A run that was killed before its end lacks its analysis.json.
	file := filepath.Join(run.Folder, rundir.AnalysisFile)
	if !o.IsForOthers() && run.Info != nil && !recorded.Exists(file) {
		root, err := os.OpenRoot(run.Folder)
		if err == nil {
			defer root.Close()
			err = (&rundir.Dir{Root: root}).WriteJSON(rundir.AnalysisFile, run.Analysis)
		}
		if err != nil {
			o.Warn(file + " is not written: " + output.OneLine(err.Error()))
		}
	}
	if err := o.SendRun(run); err != nil || o.All {
		return err
	}
	o.Remark(output.Everything(path))
	return nil
}
