package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hubbench/hubbench/internal/machine/filesystem"
	"github.com/hubbench/hubbench/internal/measure/prepare"
	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/pkg/foreign"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

type importOptions struct {
	resultOptions
	from    string
	disks   map[string]string
	starts  map[string]string
	columns map[string]string
	every   time.Duration
}

func newImport(p program) *cobra.Command {
	var opts importOptions
	opts.program = p
	cmd := &cobra.Command{
		Use:   "import FILE...",
		Short: "Make a run of what other tools recorded",
		Long: `Read what another tool recorded of several jobs at once, and analyse it as a run of hubbench. Files are
known by their content:

  fio            logs of bandwidth (NAME_bw.1.log), best with fio's json output, which says what each job
                 moved and when it began; the times of its requests from their logs (NAME_clat.1.log with
                 log_avg_msec=0, or NAME_clat_hist.1.log); json or json+ alone
  elbencho       live statistics (--livecsv) or results (--csvfile)
  DiskSpd        XML, with -D for a timeline (-Rxml -D), or text; its targets are the disks
  iostat         text or JSON with times (iostat -dxt 1), or without and --interval; the devices are the disks
  any table      a CSV file over time, with --map

json of fio alone, elbencho's results and DiskSpd without -D have no timeline: their rates are means over each
job's time, and no rate with all disks busy is claimed of jobs that ran together for a part of it only.

Jobs are put on one clock by the logs (log_unix_epoch=1), by fio's results, or by --start; nothing is
guessed without saying so.`,
		Example: `  hubbench import a_bw.1.log b_bw.1.log results.json --open
  hubbench import a_bw.1.log b_bw.1.log --start a=0s,b=2.5s
  hubbench import results.json
  hubbench import iostat.txt --disk T7=sda,X9=sdb
  hubbench import table.csv --map Time=time,Device=disk,wB=rate`,
		Args: takes(1, unlimited),
		RunE: opts.run,
	}
	flags := cmd.Flags()
	flags.StringVar(&opts.from, "from", "",
		"what the files are: auto or "+strings.Join(foreign.Formats(), ", ")+" (default auto)")
	flags.StringToStringVar(&opts.disks, "disk", nil,
		"the disk of a file, a job or a device, as `NAME=FILE`, NAME=JOB or NAME=DEVICE")
	flags.StringToStringVar(&opts.starts, "start", nil,
		"when a disk's job began, as `NAME=TIME`: RFC 3339, or a time such as 2.5s")
	flags.StringToStringVar(&opts.columns, "map", nil, "what a table's columns are, as `COLUMN=FIELD`: "+
		"time, time_s, time_ms, time_ns; bytes, done_bytes or rate; disk, op, phase")
	opts.flags(cmd)
	flags.DurationVar(&opts.every, "interval", 0,
		"how far apart the reports of iostat are, if they have no times, as a `TIME` such as 1s")
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		// --format is what the results are written as; of an import it may as well say what the
		// files are.
		f := opts.Format
		if f == "auto" || slices.Contains(foreign.Formats(), f) && !slices.Contains(printed(), f) {
			opts.from, opts.Format = f, ""
		}
		if opts.from == "auto" {
			opts.from = ""
		}
		return opts.settle(cmd, args)
	}
	return cmd
}

// maxImport is how much is imported at once. It is held in memory, several times as large as it is
// read, and is as much as fio logs of eight million requests.
const maxImport = 256 << 20

func (o *importOptions) run(_ *cobra.Command, paths []string) error {
	read, err := o.reading()
	if err != nil {
		return err
	}
	var files []foreign.InputFile
	left := int64(maxImport)
	for _, path := range paths {
		data, err := filesystem.ReadFile(path, left)
		if err != nil && exists(path) {
			err = fmt.Errorf("%w; all files together may have %d MiB", err, maxImport>>20)
		}
		if err != nil {
			return usagef("read %s: %w", path, err)
		}
		left -= int64(len(data))
		files = append(files, foreign.InputFile{Name: path, Data: data})
	}
	made, err := foreign.Import(files, read)
	if err != nil {
		return usage(err)
	}
	info := rundir.Info{Tool: made.Tool, Name: "imported", Status: trace.Complete,
		Warnings: made.Notes}
	if !made.Started.IsZero() {
		info.Started = made.Started.Format(time.RFC3339)
	}
	ready := &prepare.Ready{Plan: &scenario.Plan{Name: info.Name}, Scenario: &scenario.Scenario{}}
	dir, err := ready.Create(o.dir, time.Now())
	if err != nil {
		return err
	}
	if err = dir.AppendLines(made.Events); err == nil {
		err = dir.WriteJSON(rundir.InfoFile, info)
	}
	if err := errors.Join(err, dir.Close()); err != nil {
		return fmt.Errorf("write the run: %w", err)
	}
	return o.conclude(dir)
}

// reading is what the flags say of the files.
func (o *importOptions) reading() (foreign.Options, error) {
	read := foreign.Options{
		Format: o.from, Interval: o.every,
		Disks: map[string]string{}, Starts: map[string]time.Time{},
	}
	for name, file := range o.disks {
		read.Disks[file] = name
	}
	for column, field := range o.columns {
		if read.Map == nil {
			read.Map = map[string]string{}
		}
		read.Map[field] = column
	}
	for name, text := range o.starts {
		at, err := time.Parse(time.RFC3339Nano, text)
		if err != nil {
			after, err := time.ParseDuration(text)
			if err != nil {
				return read, usagef("--start %s=%s: give a time such as 2.5s, "+
					"or 2026-11-20T08:00:00Z", name, text)
			}
			at = time.Unix(1, 0).Add(after) // only how they lie counts
		}
		read.Starts[name] = at
	}
	return read, nil
}
