package main

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/hubbench/hubbench/internal/exit"
	"github.com/hubbench/hubbench/internal/machine/filesystem"
	"github.com/hubbench/hubbench/internal/tell/catalogue"
)

func newCollect(p program) *cobra.Command {
	var into string
	var compact, redact bool
	cmd := &cobra.Command{
		Use:   "collect [RUN...] --into DIR",
		Short: "Add runs to a catalogue of Parquet files",
		Long: `Add runs to a catalogue: a folder with a table of each grain (hubbench help
columns), in one Parquet file a run, DIR/GRAIN/month=YYYY-MM/RUN-HOSTHASH.parquet. DuckDB, Spark,
ClickHouse, pandas and polars read the folder of a grain as it is. Several machines may add to one
catalogue at once. A run that this computer has added is passed over if its files have the same
sizes and times; what it has added stands in DIR/_state. RUN is a run's folder, an events.jsonl or
a report.html.

--compact then rewrites the months that are over into few large files, DIR/GRAIN/month=YYYY-MM/
compact-N.parquet, which engines read many times faster. Others may collect meanwhile: what they
add waits for the next time. While it runs, some runs stand in two files; the views of configs/sql
take each once.`,
		Example: `  hubbench collect results/* --into catalogue
  hubbench collect --compact --into catalogue
  duckdb -c "SELECT hub, arg_min(model, retention) FROM 'catalogue/disk/*/*.parquet' WHERE reference = 'alone' GROUP BY hub"`,
		Args: func(cmd *cobra.Command, args []string) error {
			if compact {
				return nil
			}
			return takes(1, unlimited)(cmd, args)
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if into == "" {
				return exit.Usagef("give the catalogue's folder, such as --into catalogue")
			}
			c, err := catalogue.Open(into)
			if err != nil {
				return exit.Usage(err)
			}
			defer c.Close()
			if len(args) > 0 {
				err = collect(p, c, args, into, redact)
			}
			if !compact {
				return err
			}
			compactErr := c.Compact(time.Now())
			if errors.Is(compactErr, filesystem.ErrBusy) {
				fmt.Fprintf(p.Stdout, "%s: another hubbench is compacting it\n", into)
				compactErr = nil
			}
			return cmp.Or(err, compactErr)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&into, "into", "", "the catalogue's `DIR`, which is made if it is not there")
	flags.BoolVar(&compact, "compact", false,
		"then rewrite the months that are over into few large files")
	redactFlag(cmd, &redact)
	return cmd
}

// collect says how many runs it adds.
func collect(p program, c *catalogue.Catalogue, paths []string, into string, redact bool) error {
	added, unread, err := c.Collect(paths, redact)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.Stdout, "%s: %d of %d runs added or changed\n", into, added, len(paths))
	if unread != nil {
		return exit.Usage(errors.Join(unread...))
	}
	return nil
}
