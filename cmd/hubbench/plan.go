package main

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/hubbench/hubbench/internal/device"
	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

func newPlan(p program) *cobra.Command {
	return &cobra.Command{
		Use:   "plan SCENARIO",
		Short: "Say what a scenario would do, and touch nothing",
		Args:  cobra.ExactArgs(1),
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
	if err := printPhases(w, ready); err != nil {
		return err
	}
	if err := printDisks(w, ready); err != nil {
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

// printPhases says what happens when, and how long it takes.
func printPhases(w io.Writer, ready *prepared) error {
	plan := ready.plan
	expected, err := ready.expect()
	if err != nil {
		return err
	}
	where := "real disks"
	if plan.Hub != nil {
		where = "simulated on hub " + ready.profile.Name
	}
	fmt.Fprintf(w, "%s: %d phases, %d disks, %s\n\n", plan.Name, len(plan.Phases), len(plan.Disks), where)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "  phase\twho does what\tfiles\tmoves\ttime")
	var moved int64
	var total time.Duration
	for _, phase := range plan.Phases {
		took := expected[phase.Name]
		moved, total = moved+phase.Bytes(), total+took
		fmt.Fprintf(table, "  %s\t%s\t%d\t%s\t%s\n", phase.Name, phase.Who(), phase.Files(),
			unit.FormatBytes(phase.Bytes()), unit.FormatSeconds(took.Seconds()))
	}
	fmt.Fprintf(table, "  total\t\t\t%s\t%s\n", unit.FormatBytes(moved), unit.FormatSeconds(total.Seconds()))
	if err := table.Flush(); err != nil {
		return err
	}
	if plan.Hub == nil {
		fmt.Fprintf(w, "  The times are the least that one link of %s allows, without what read phases write first.\n", unit.FormatRate(linkRate))
	} else if plan.Hub.Speedup != 1 {
		fmt.Fprintf(w, "  The times are the model's; it runs %g times as fast as the clock.\n", plan.Hub.Speedup)
	}
	return nil
}

// linkRate is what a Thunderbolt 3 or 4 link carries in one direction: measured over tens of seconds,
// 3.2 to 3.4 GB/s.
const linkRate = 3.4e9

// expect is how long each phase takes: by the model where it is simulated, else at least.
func (r *prepared) expect() (map[string]time.Duration, error) {
	expected := map[string]time.Duration{}
	if r.profile != nil {
		return expected, hub.Simulate(r.plan, r.profile, func(e *trace.Event) error {
			if e.Type == trace.FileType {
				expected[e.Phase] = max(expected[e.Phase], time.Duration(e.EndNS))
			}
			return nil
		})
	}
	for _, phase := range r.plan.Phases {
		expected[phase.Name] = time.Duration(float64(phase.Bytes()) / linkRate * float64(time.Second))
	}
	return expected, nil
}

// printDisks says what each disk has to take.
func printDisks(w io.Writer, ready *prepared) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "\n  disk\twhere\twritten in all\tmost at a time\tfree")
	totals := ready.plan.Totals()
	for i, disk := range ready.plan.Disks {
		where, free := disk.Path, "-"
		if disk.Simulated() {
			where = "profile " + disk.Profile
		} else if bytes, err := device.FreeBytes(disk.Path); err == nil {
			free = unit.FormatBytes(bytes)
		}
		fmt.Fprintf(table, "  %s\t%s\t%s\t%s\t%s\n", disk.Name, where,
			unit.FormatBytes(totals[i].Written), unit.FormatBytes(totals[i].Space), free)
	}
	return table.Flush()
}
