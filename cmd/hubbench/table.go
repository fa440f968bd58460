package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hubbench/hubbench/internal/machine/filesystem"
	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/internal/tell/catalogue"
	"github.com/hubbench/hubbench/internal/tell/recorded"
	tidy "github.com/hubbench/hubbench/internal/tell/table"
)

func grains() (names []string) {
	for _, g := range tidy.Grains() {
		names = append(names, g.Name)
	}
	return names
}

func newTable(p program) *cobra.Command {
	var grain string
	var redact bool
	out := output{program: p}
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
			ending := strings.TrimPrefix(strings.ToLower(filepath.Ext(out.out)), ".")
			switch {
			case out.Format == "markdown":
				out.Format = "md"
			case out.Format != "":
			case slices.Contains(tidy.Formats(), ending):
				out.Format = ending
			default:
				out.Format = "csv"
			}
			if !slices.Contains(tidy.Formats(), out.Format) {
				return usagef("--format %s: it is one of %s",
					out.Format, strings.Join(tidy.Formats(), ", "))
			}
			i := slices.Index(grains(), grain)
			if i < 0 {
				return usagef("--grain %s: it is one of %s", grain, strings.Join(grains(), ", "))
			}
			return out.write(func(w io.Writer) error { // one run in memory at a time
				rows := tidy.NewWriter(w, tidy.Grains()[i], out.Format)
				for _, path := range args {
					run, err := loadAs(recorded.Options{Hashed: redact}, path)
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
		strings.Join(tidy.Formats(), ", ")+" (default by the ending of --out, else csv)")
	flags.StringVar(&out.out, "out", "", "the file to write; - for stdout")
	redactFlag(cmd, &redact)
	// Fails only for a flag that is not there.
	_ = cmd.RegisterFlagCompletionFunc("grain", words(grains()...))
	_ = cmd.RegisterFlagCompletionFunc("format", words(tidy.Formats()...))
	return cmd
}

func newCollect(p program) *cobra.Command {
	var into string
	var compact, redact bool
	cmd := &cobra.Command{
		Use:   "collect [RUN...] --into DIR",
		Short: "Add runs to a catalogue of Parquet files",
		Long: `Add runs to a catalogue: a folder with a table of each grain (hubbench help columns), in one
Parquet file a run, DIR/GRAIN/month=YYYY-MM/RUN-HOSTHASH.parquet. DuckDB, Spark, ClickHouse, pandas
and polars read the folder of a grain as it is. Several machines may add to one catalogue at once. A
run that this computer has added is passed over if its files have the same sizes and times; what it
has added stands in DIR/_state. RUN is a run's folder, an events.jsonl or a report.html.

--compact then rewrites the months that are over into few large files, DIR/GRAIN/month=YYYY-MM/
compact-N.parquet, which engines read many times faster. Others may collect meanwhile: what they add
waits for the next time. While it runs, some runs stand in two files; the views of configs/sql take
each once.`,
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
				return usagef("give the catalogue's folder, such as --into catalogue")
			}
			c, err := catalogue.Open(into)
			if err != nil {
				return usage(err)
			}
			if len(args) > 0 {
				err = runCollect(p, c, args, into, redact)
			}
			if !compact {
				return err
			}
			compactErr := c.Compact(time.Now())
			if errors.Is(compactErr, filesystem.ErrBusy) {
				fmt.Fprintf(p.stdout, "%s: another hubbench is compacting it\n", into)
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

// redactFlag is for tables that others are given.
func redactFlag(cmd *cobra.Command, redact *bool) {
	cmd.Flags().BoolVar(redact, "redact", false,
		"hash the names of hosts and the numbers of hubs, and leave paths out")
}

func runCollect(p program, c *catalogue.Catalogue, paths []string, into string, redact bool) error {
	changed := 0
	var unread []error
	for _, path := range paths {
		folder, name := filepath.Split(path)
		ofRun := exists(filepath.Join(folder, rundir.InfoFile))
		if ofRun && (name == rundir.EventsFile || name == rundir.PackedFile) {
			path = filepath.Clean(folder) // a folder's name says more about the run
		}
		stamp := catalogue.StampOf(path, redact)
		if c.Has(stamp) {
			continue
		}
		run, err := loadAs(recorded.Options{Hashed: redact}, path)
		if err != nil {
			unread = append(unread, err)
			continue
		}
		if err := c.Add(run, stamp); err != nil {
			return err
		}
		changed++
	}
	fmt.Fprintf(p.stdout, "%s: %d of %d runs added or changed\n", into, changed, len(paths))
	if unread != nil {
		return usage(errors.Join(unread...))
	}
	return nil
}
