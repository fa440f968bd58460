package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hubbench/hubbench/internal/exit"
	"github.com/hubbench/hubbench/internal/session"
	"github.com/hubbench/hubbench/internal/tell/output"
	"github.com/hubbench/hubbench/pkg/foreign"
)

func newImport(p program) *cobra.Command {
	to := output.Results{Output: p.output()}
	var read foreign.Flags
	cmd := &cobra.Command{
		Use:   "import FILE...",
		Short: "Make a run of what other tools recorded",
		Long: `Read what another tool recorded of several jobs at once, and analyse it as a run of
hubbench. Files are known by their content:

  fio            logs of bandwidth (NAME_bw.1.log), best with fio's json output, which says what
                 each job moved and when it began; the times of its requests from their logs
                 (NAME_clat.1.log with log_avg_msec=0, or NAME_clat_hist.1.log); json or json+
                 alone
  elbencho       live statistics (--livecsv) or results (--csvfile)
  DiskSpd        XML, with -D for a timeline (-Rxml -D), or text; its targets are the disks
  iostat         text or JSON with times (iostat -dxt 1), or without and --interval; the devices
                 are the disks
  any table      a CSV file over time, with --map

json of fio alone, elbencho's results and DiskSpd without -D have no timeline: their rates are
means over each job's time, and no rate with all disks busy is claimed of jobs that ran together
for a part of it only.

Jobs are put on one clock by the logs (log_unix_epoch=1), by fio's results, or by --start; nothing
is guessed without saying so.`,
		Example: `  hubbench import a_bw.1.log b_bw.1.log results.json --open
  hubbench import a_bw.1.log b_bw.1.log --start a=0s,b=2.5s
  hubbench import results.json
  hubbench import iostat.txt --disk T7=sda,X9=sdb
  hubbench import table.csv --map Time=time,Device=disk,wB=rate`,
		Args: takes(1, unlimited),
		RunE: func(_ *cobra.Command, args []string) error {
			options, err := read.Options()
			if err != nil {
				return exit.Usage(err)
			}
			return session.Import(&to, args, options)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&read.Format, "from", "",
		"what the files are: auto or "+strings.Join(foreign.Formats(), ", ")+" (default auto)")
	flags.StringToStringVar(&read.Disks, "disk", nil,
		"the disk of a file, a job or a device, as `NAME=FILE`, NAME=JOB or NAME=DEVICE")
	flags.StringToStringVar(&read.Starts, "start", nil,
		"when a disk's job began, as `NAME=TIME`: RFC 3339, or a time such as 2.5s")
	flags.StringToStringVar(&read.Columns, "map", nil, "what a table's columns are, as `COLUMN=FIELD`: "+
		"time, time_s, time_ms, time_ns; bytes, done_bytes or rate; disk, op, phase")
	resultFlags(cmd, &to)
	flags.DurationVar(&read.Interval, "interval", 0,
		"how far apart the reports of iostat are, if they have no times, as a `TIME` such as 1s")
	cmd.PreRunE = func(*cobra.Command, []string) error {
		// --format is what the results are written as; of an import it may as well say what the
		// files are.
		f := to.Format
		if f == "auto" || slices.Contains(foreign.Formats(), f) && !slices.Contains(printed(), f) {
			read.Format = f
			to.Format = ""
		}
		return to.Settle()
	}
	return cmd
}
