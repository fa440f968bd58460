package main

import (
	"cmp"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/hubbench/hubbench/internal/tell/output"
)

func newReport(p program) *cobra.Command {
	out := p.output()
	cmd := &cobra.Command{
		Use:   "report RUN",
		Short: "Write the report of a run as a page, a picture or a table",
		Long: `Write the report of a run. RUN is a run's folder, an events.jsonl or a report.html.
Without --out the report goes into the run's folder, or beside the file; --out - writes to stdout.`,
		Example: `  hubbench report results/triple-20261120-080000
  hubbench report results/triple-20261120-080000 --format csv --table disks --out -`,
		Args: takes(1, 1),
		RunE: func(_ *cobra.Command, args []string) error { return writeReport(&out, args[0]) },
	}
	documentFlags(cmd, &out, []string{"html", "svg", "png", "csv", "md", "gobench", "text", "json"})
	return cmd
}

func writeReport(o *output.Output, path string) error {
	run, err := o.Load(path)
	if err != nil {
		return err
	}
	if o.Path == "" {
		names := map[string]string{"csv": "files.csv", "gobench": "bench.txt", "text": "report.txt"}
		name := cmp.Or(names[o.Format], "report."+o.Format)
		if o.Table != "" { // not beside the report under its own name
			name = "table-" + o.Table + filepath.Ext(name)
		}
		o.Path = filepath.Join(run.Folder, name)
		o.IntoRun = true
	}
	return o.SendRun(run)
}
