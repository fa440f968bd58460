package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hubbench/hubbench/internal/machine/device"
	"github.com/hubbench/hubbench/internal/measure/prepare"
	"github.com/hubbench/hubbench/internal/tell/cells"
	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/pkg/forecast"
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
published; WORDs select those with them in their names: plan --codecs prores uhd-25.`,
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
	ready, err := prepare.Load(path, p.notify)
	if err != nil {
		return usage(err)
	}
	ready.Look = p.lookAround
	ready.ReachResults("")
	_ = ready.Reach() // the checks report it in detail
	if err := ready.LeaveOut(allow); err != nil {
		return usage(err)
	}
	problems := ready.Problems(ctx, ready.Folder("", time.Now()))
	plan, err := forecastPlan(ready)
	if err != nil {
		return err
	}
	fatal := 0
	for _, problem := range problems {
		plan.Checks = append(plan.Checks, report.Check{Code: problem.Code, Fatal: problem.Fatal, Text: ready.Locate(problem)})
		if problem.Fatal {
			fatal++
		}
	}
	if err := out.send(p, report.OfPlan(*plan), nil); err != nil {
		return err
	}
	if out.Format == "text" && out.out == "" && !out.All {
		sayf(p.stderr, "every phase and disk, and what the times assume: hubbench plan %s --all\n", cells.Shell(path))
	}
	if fatal > 0 {
		return usage(fmt.Errorf("%s cannot run here: %d of the checks failed", path, fatal))
	}
	return nil
}

// forecastPlan is what the plan is expected to come to.
func forecastPlan(ready *prepare.Ready) (*report.Plan, error) {
	volumes := ready.Volumes()
	forecasts, err := forecast.Of(ready.Plan, ready.Profile, volumes)
	if err != nil {
		return nil, err
	}
	told := func(f forecast.Forecast) report.Forecast {
		return report.Forecast{
			Moves: f.Moves, Writes: f.Written(), MoveBound: f.MoveBound, WriteBound: f.WriteBound,
			Min: f.Min, Max: f.Max, Open: f.Open, Tries: f.Tries,
		}
	}
	total, totals := forecast.Total(forecasts), ready.Plan.Totals()
	plan := &report.Plan{Plan: ready.Plan, Total: told(total)}
	if ready.Profile != nil {
		plan.Model = ready.Profile.Name
	}
	for _, f := range forecasts {
		plan.Forecasts = append(plan.Forecasts, told(f))
	}
	for i, disk := range ready.Plan.Disks {
		d := report.PlannedDisk{Name: disk.Name, Where: disk.Path, Writes: total.Writes[disk.Name], Bound: totals[i].Bound, Space: forecast.Space(ready.Plan, disk.Name, volumes)}
		if disk.Simulated() {
			d.Where, d.Bound = "profile "+disk.Profile, scenario.Exact // as the model is
		} else if volume, known := volumes[disk.Name]; known {
			d.Free = &volume.Free
		}
		plan.Disks = append(plan.Disks, d)
	}
	return plan, nil
}

// allowFlag lets a command leave out checks of the machine.
func allowFlag(cmd *cobra.Command, allow *[]string) {
	cmd.Flags().StringSliceVar(allow, "allow", nil, "skip the checks with these `CODES`, such as busy,background; each problem ends with its code in brackets")
}

// checksHelp lists the checks that can be left out.
func checksHelp() string {
	var b strings.Builder
	for _, c := range device.Codes() {
		if !c.Always {
			fmt.Fprintf(&b, "  %-16s  %s\n", c.Name, c.Finds)
		}
	}
	return strings.TrimRight(b.String(), "\n")
}
