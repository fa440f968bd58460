package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hubbench/hubbench/internal/machine/check"
	"github.com/hubbench/hubbench/internal/measure/life"
	"github.com/hubbench/hubbench/internal/measure/prepare"
	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/internal/tell/cells"
	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/internal/tell/report/export"
	"github.com/hubbench/hubbench/pkg/forecast"
	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
)

type planOptions struct {
	output
	allow  []string
	codecs bool
}

func newPlan(p program) *cobra.Command {
	var opts planOptions
	opts.program = p
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
		Example: `  hubbench plan hubbench.yaml --all
  hubbench plan --codecs prores uhd-25`,
		Args: func(cmd *cobra.Command, args []string) error {
			if opts.codecs {
				return nil
			}
			return takes(1, 1)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if opts.codecs {
				return opts.listCodecs(args)
			}
			return opts.run(cmd.Context(), args[0])
		},
	}
	allowFlag(cmd, &opts.allow)
	cmd.Flags().BoolVar(&opts.codecs, "codecs", false,
		"list the codecs for streams, and plan nothing")
	opts.flags(cmd, printed())
	return cmd
}

func (o *output) listCodecs(words []string) error {
	codecs := slices.DeleteFunc(stream.Codecs(), func(c stream.Codec) bool {
		return slices.ContainsFunc(words, func(word string) bool {
			return !strings.Contains(strings.ToLower(c.Name+" "+c.Label), strings.ToLower(word))
		})
	})
	if len(codecs) == 0 {
		return usagef("no codec has %s in its name; hubbench plan --codecs lists all",
			strings.Join(words, " and "))
	}
	return o.send(report.OfCodecs(codecs))
}

func (o *planOptions) run(ctx context.Context, path string) error {
	ready, err := prepare.Load(path, o.notify)
	if err != nil {
		return usage(err)
	}
	ready.Look = o.lookAround
	ready.OpenResults("")
	_ = ready.OpenFolders() // the checks report it in detail
	if err := ready.SkipChecks(o.allow); err != nil {
		return usage(err)
	}
	problems := ready.Problems(ctx, ready.Folder("", time.Now()))
	plan, err := forecastPlan(ready)
	if err != nil {
		return err
	}
	fatal := 0
	for _, problem := range problems {
		check := report.PlanCheck{Code: problem.Code, Fatal: problem.Fatal, Text: ready.Locate(problem)}
		plan.Checks = append(plan.Checks, check)
		if problem.Fatal {
			fatal++
		}
	}
	if err := o.send(report.OfPlan(*plan)); err != nil {
		return err
	}
	if o.Format == "text" && o.out == "" && !o.All {
		o.sayf("every phase and disk, and what the times assume: hubbench plan %s --all\n",
			cells.Shell(path))
	}
	if fatal > 0 {
		return usagef("%s cannot run here: %d of the checks failed", path, fatal)
	}
	return nil
}

func forecastPlan(ready *prepare.Ready) (*report.Plan, error) {
	volumes := ready.Volumes()
	forecasts, err := forecast.Of(ready.Plan, ready.Profile, volumes)
	if err != nil {
		return nil, err
	}
	total, totals := forecast.Total(forecasts), ready.Plan.Totals()
	plan := &report.Plan{Plan: ready.Plan, Forecasts: forecasts, Total: total}
	if ready.Profile != nil {
		plan.Model = ready.Profile.Name
	}
	for i, disk := range ready.Plan.Disks {
		d := report.PlannedDisk{
			Name: disk.Name, Where: disk.Path, Writes: total.Writes[disk.Name],
			Bound: totals[i].Bound,
			Space: forecast.Space(ready.Plan, disk.Name, volumes),
		}
		if disk.Simulated() {
			d.Where, d.Bound = "profile "+disk.Profile, scenario.Exact // as the model is
		} else if volume, known := volumes[disk.Name]; known {
			d.Free = &volume.Free
		}
		plan.Disks = append(plan.Disks, d)
	}
	return plan, nil
}

func allowFlag(cmd *cobra.Command, allow *[]string) {
	cmd.Flags().StringSliceVar(allow, "allow", nil,
		"skip the checks with these `CODES`, such as busy,background; each problem ends with its code in brackets")
}

func checksHelp() string {
	var b strings.Builder
	for _, c := range check.Table() {
		if c.When&check.Plan != 0 && c.When&check.Must == 0 {
			fmt.Fprintf(&b, "  %-16s  %s\n", c.Code, c.Finds)
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

type simulateOptions struct {
	resultOptions
	profile string
}

func newSimulate(p program) *cobra.Command {
	var opts simulateOptions
	opts.program = p
	cmd := &cobra.Command{
		Use:   "simulate SCENARIO",
		Short: "Run a scenario on the hub model instead of real disks",
		Long: `Run a scenario on the hub model in virtual time. The outputs are those of a run, at once and
without a disk. For a scenario with real disks --profile names the hub, which must have disks of
the same names.`,
		Example: `  hubbench simulate hubbench.yaml
  hubbench simulate my.yaml --profile goshen-ridge`,
		Args: takes(1, 1),
		RunE: opts.run,
	}
	opts.flags(cmd)
	opts.belowFlag(cmd)
	cmd.Flags().StringVar(&opts.profile, "profile", "",
		"the hub `PROFILE`: a built-in name or a .yaml (default the scenario's)")
	return cmd
}

func (o *simulateOptions) run(_ *cobra.Command, args []string) error {
	ready, err := prepare.Load(args[0], o.notify)
	if err == nil && o.profile != "" {
		err = ready.Simulate(o.profile)
	}
	if err != nil {
		return usage(err)
	}
	if ready.Profile == nil {
		return usagef("%s has real disks; name the hub to simulate them on, "+
			"such as --profile goshen-ridge",
			args[0])
	}
	if o.least, err = leastRates(o.below, ready.Plan); err != nil {
		return err
	}
	began := time.Now()
	dir, err := ready.Create(o.dir, began)
	if err != nil {
		return err
	}
	info := ready.Info(toolVersion(), began)
	info.Simulated = true
	err = hub.Simulate(ready.Plan, ready.Profile, func(e *trace.Event) error {
		if e.Type == trace.RunType {
			e.Started = info.Started
		}
		return dir.Append(*e)
	})
	if err == nil {
		info.Status, info.State = trace.Complete, life.Concluded
		err = dir.WriteJSON(rundir.InfoFile, info)
	}
	if err := errors.Join(err, dir.Close()); err != nil {
		return err
	}
	return o.conclude(dir)
}

func newSchema(p program) *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of scenarios, for editors",
		Long: `Print the JSON Schema (draft 2020-12) of scenario files: the keys that hubbench reads, with their
meanings, defaults and ranges. An editor with a YAML language server completes and checks a scenario
that begins with this line:

    # yaml-language-server: $schema=` + scenario.SchemaURL + `

To work offline, save the schema beside the scenario and name the file in that line:

    hubbench schema > scenario.schema.json
    # yaml-language-server: $schema=scenario.schema.json`,
		Args: takes(0, 0),
		RunE: func(*cobra.Command, []string) error {
			return export.JSON(p.stdout, scenario.Schema())
		},
	}
}
