package main

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/hubbench/hubbench/internal/device"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/unit"
)

func newPlan(p program) *cobra.Command {
	return &cobra.Command{
		Use:   "plan SCENARIO",
		Short: "Show what a scenario would do, and touch nothing",
		Long: `Print the phases of a scenario, how much they move and write, how long they take, the space they
need on each disk, and every check of this machine that is not passed. Nothing is written.`,
		Args: takes(1, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			return runPlan(p.stdout, args[0])
		},
	}
}

func runPlan(w io.Writer, path string) error {
	ready, err := prepare(path)
	if err != nil {
		return err
	}
	forecasts, err := ready.forecasts()
	if err != nil {
		return err
	}
	var total forecast
	for _, f := range forecasts {
		total = total.plus(f)
	}
	if err := printPhases(w, ready, forecasts, total); err != nil {
		return err
	}
	if err := printDisks(w, ready, total); err != nil {
		return err
	}
	problems := ready.problems(ready.folder("", time.Now()))
	if len(problems) == 0 {
		_, err := fmt.Fprintln(w, "\nChecks: all passed")
		return err
	}
	fmt.Fprintln(w, "\nChecks:")
	fatal := 0
	for _, problem := range problems {
		kind := "warning"
		if problem.Fatal {
			kind, fatal = "error", fatal+1
		}
		fmt.Fprintf(w, "  %s: %s\n", kind, ready.locate(problem))
	}
	if fatal > 0 {
		return usage(fmt.Errorf("%s cannot run here: %d of the checks failed", path, fatal))
	}
	return nil
}

// printDisks says what each disk has to take.
func printDisks(w io.Writer, ready *prepared, total forecast) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "\n  disk\twhere\twritten in total\tspace needed\tfree")
	totals := ready.plan.Totals()
	for i, disk := range ready.plan.Disks {
		where, free, bound := disk.Path, "-", totals[i].Bound
		if disk.Simulated() {
			where, bound = "profile "+disk.Profile, scenario.Exact // as the model is
		} else if place, err := device.Inspect(disk.Path); err == nil {
			free = unit.FormatBytes(place.Free)
		}
		fmt.Fprintf(table, "  %s\t%s\t%s\t%s\t%s\n", disk.Name, where,
			amount(bound, total.writes[disk.Name]), unit.FormatBytes(totals[i].Space), free)
	}
	return table.Flush()
}
