package main

import (
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hubbench/hubbench/internal/exit"
	"github.com/hubbench/hubbench/internal/tell/recorded"
	"github.com/hubbench/hubbench/internal/tell/table"
)

func newTable(p program) *cobra.Command {
	var grain string
	var redact bool
	out := p.output()
	cmd := &cobra.Command{
		Use:   "table RUN...",
		Short: "Write runs as one tidy table for other programs",
		Long: `Write runs as one table with a row for each phase, disk, file, second or finding,
and a column for everything known of it. hubbench help columns says what each column is.
RUN is a run's folder, an events.jsonl or a report.html.`,
		Example: `  hubbench table results/* > disks.csv
  hubbench table results/* --grain phase --out phases.parquet
  duckdb -c "SELECT hub, arg_min(model, retention), min(retention) FROM 'disks.csv' WHERE reference = 'alone' GROUP BY hub"`,
		Args: takes(1, unlimited),
		RunE: func(_ *cobra.Command, args []string) error {
			ending := strings.TrimPrefix(strings.ToLower(filepath.Ext(out.Path)), ".")
			switch {
			case out.Format == "markdown":
				out.Format = "md"
			case out.Format != "":
			case slices.Contains(table.Formats(), ending):
				out.Format = ending
			default:
				out.Format = "csv"
			}
			if !slices.Contains(table.Formats(), out.Format) {
				return exit.Usagef("--format %s: it is one of %s",
					out.Format, strings.Join(table.Formats(), ", "))
			}
			i := slices.Index(grains(), grain)
			if i < 0 {
				return exit.Usagef("--grain %s: it is one of %s", grain,
					strings.Join(grains(), ", "))
			}
			return out.Write(func(w io.Writer) error { // one run in memory at a time
				rows := table.NewWriter(w, table.Grains()[i], out.Format)
				for _, path := range args {
					run, err := recorded.Options{Hashed: redact}.Load(path)
					if err == nil {
						err = rows.Add(run)
					}
					if err != nil {
						return err
					}
				}
				return rows.Close()
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&grain, "grain", "disk", "what a row stands for: "+strings.Join(grains(), ", "))
	flags.StringVar(&out.Format, "format", "",
		strings.Join(table.Formats(), ", ")+" (default by the ending of --out, else csv)")
	flags.StringVar(&out.Path, "out", "", "the file to write; - for stdout")
	redactFlag(cmd, &redact)
	// Fails only for a flag that is not there.
	_ = cmd.RegisterFlagCompletionFunc("grain", words(grains()...))
	_ = cmd.RegisterFlagCompletionFunc("format", words(table.Formats()...))
	return cmd
}

// grains returns what a row may stand for.
func grains() (names []string) {
	for _, g := range table.Grains() {
		names = append(names, g.Name)
	}
	return names
}
