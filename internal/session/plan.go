package session

import (
	"context"
	"time"

	"github.com/hubbench/hubbench/internal/exit"
	"github.com/hubbench/hubbench/internal/measure/prepare"
	"github.com/hubbench/hubbench/internal/tell/cells"
	"github.com/hubbench/hubbench/internal/tell/output"
	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/pkg/forecast"
	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/scenario"
)

// Forecast returns what a plan comes to: how long it takes, what it writes, and the space it needs.
func Forecast(ready *prepare.Ready) (*report.Plan, error) {
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

// Plan prints what a scenario would do, and touches nothing.
func Plan(
	ctx context.Context, out *output.Output,
	look func(context.Context) (*hardware.Inventory, error), path string, allow []string,
) error {
	ready, err := prepare.Load(path, out.Notify)
	if err != nil {
		return exit.Usage(err)
	}
	ready.Look = look
	_ = ready.OpenResults(ctx, "")
	_ = ready.OpenFolders(ctx) // the checks report it in detail
	if err := ready.SkipChecks(allow); err != nil {
		return exit.Usage(err)
	}
	problems := ready.Problems(ctx, ready.Folder("", time.Now()))
	plan, err := Forecast(ready)
	if err != nil {
		return err
	}
	plan.File = path
	fatal := 0
	for _, problem := range problems {
		check := report.PlanCheck{Code: problem.Code, Fatal: problem.Fatal,
			Text: ready.Locate(problem)}
		plan.Checks = append(plan.Checks, check)
		if problem.Fatal {
			fatal++
		}
	}
	if err := out.Send(report.OfPlan(*plan)); err != nil {
		return err
	}
	if out.Format == "text" && out.Path == "" && !out.All {
		out.Notef("every phase and disk, and what the times assume: hubbench plan %s --all\n",
			cells.Shell(path))
	}
	if fatal > 0 {
		return exit.Usagef("%s cannot run here: %d of the checks failed", path, fatal)
	}
	return nil
}
