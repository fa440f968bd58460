package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hubbench/hubbench/internal/device"
	"github.com/hubbench/hubbench/internal/report"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/stream"
)

func newPlan(p program) *cobra.Command {
	var out output
	var allow []string
	var codecs bool
	cmd := &cobra.Command{
		Use:   "plan SCENARIO | --codecs [WORD...]",
		Short: "Show what a scenario would do, and touch nothing",
		Long: `Print how much a scenario moves and writes, how long it takes, the free space it needs, its phases or
disks, and every check of this machine that did not pass. --all prints every phase, every disk and
what the figures assume. Nothing is written.

Each problem ends with its check's code in brackets. An error prevents a run; a warning is kept with
the results. --allow CODE skips a check, here and in run:

` + checksHelp() + `

--codecs lists the codecs that streams may play or record, with their rates and where these were
published; with words, those that have them in their names: plan --codecs prores uhd-25.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if codecs {
				return nil
			}
			return takes(1, 1)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if codecs {
				return listCodecs(p, args, out)
			}
			return runPlan(cmd.Context(), p, args[0], allow, out)
		},
	}
	allowFlag(cmd, &allow)
	cmd.Flags().BoolVar(&codecs, "codecs", false, "list the codecs for streams, and plan nothing")
	out.flags(cmd, printed())
	return cmd
}

// listCodecs lists the codecs whose names have all the words.
func listCodecs(p program, words []string, out output) error {
	if err := out.settle(); err != nil {
		return err
	}
	codecs := slices.DeleteFunc(stream.Codecs(), func(c stream.Codec) bool {
		return slices.ContainsFunc(words, func(word string) bool {
			return !strings.Contains(strings.ToLower(c.Name+" "+c.Label), strings.ToLower(word))
		})
	})
	if len(codecs) == 0 {
		return usage(fmt.Errorf("no codec has %s in its name; hubbench plan --codecs lists all", strings.Join(words, " and ")))
	}
	return out.send(p, report.OfCodecs(codecs), nil)
}

func runPlan(ctx context.Context, p program, path string, allow []string, out output) error {
	if err := out.settle(); err != nil {
		return err
	}
	ready, err := prepareAt(p, path, "")
	if err != nil {
		return err
	}
	ready.look = p
	_ = ready.reach(p) // the checks say it better
	if err := ready.allowing(allow); err != nil {
		return err
	}
	problems := ready.problems(ctx, ready.folder("", time.Now()))
	forecasts, err := ready.forecasts()
	if err != nil {
		return err
	}
	var total forecast
	plan := report.Plan{Plan: ready.plan}
	if ready.profile != nil {
		plan.Model = ready.profile.Name
	}
	for _, f := range forecasts {
		total = total.plus(f)
		plan.Forecasts = append(plan.Forecasts, f.report())
	}
	plan.Total, plan.Disks = total.report(), ready.disks(total)
	fatal := 0
	for _, problem := range problems {
		plan.Checks = append(plan.Checks, report.Check{Code: problem.Code, Fatal: problem.Fatal, Text: ready.locate(problem)})
		if problem.Fatal {
			fatal++
		}
	}
	if err := out.send(p, report.OfPlan(plan), nil); err != nil {
		return err
	}
	if out.format == "text" && out.out == "" && !out.all {
		sayf(p.stderr, "every phase and disk, and what the times assume: hubbench plan %s --all\n", quoteForShell(path))
	}
	if fatal > 0 {
		return usage(fmt.Errorf("%s cannot run here: %d of the checks failed", path, fatal))
	}
	return nil
}

// disks are what each disk has to take.
func (r *prepared) disks(total forecast) []report.PlannedDisk {
	var out []report.PlannedDisk
	totals := r.plan.Totals()
	for i, disk := range r.plan.Disks {
		d := report.PlannedDisk{Name: disk.Name, Where: disk.Path, Writes: total.writes[disk.Name], Bound: totals[i].Bound, Space: r.space(disk)}
		if disk.Simulated() {
			d.Where, d.Bound = "profile "+disk.Profile, scenario.Exact // as the model is
		} else if place, err := device.Inspect(disk.Path); err == nil {
			d.Free = &place.Free
		}
		out = append(out, d)
	}
	return out
}

// space is what test files, and what fills a volume, take up on a disk at one time.
func (r *prepared) space(disk scenario.Disk) int64 {
	fillings := r.fillings(disk)
	var most, filled int64
	for i, stock := range r.plan.Stock(disk.Name) {
		if len(fillings) > 0 {
			filled += fillings[i]
		}
		most = max(most, stock.Space+filled)
		if !r.plan.KeepsFilling(i) {
			filled = 0
		}
	}
	return most
}
