package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/hubbench/hubbench/configs"
	"github.com/hubbench/hubbench/pkg/hub"
)

type predictOptions struct {
	seed uint64
	json bool
}

func newPredict(p program) *cobra.Command {
	var opts predictOptions
	cmd := &cobra.Command{
		Use:   "predict PROFILE [DISK...]",
		Short: "Predict what disks get on a hub in every combination",
		Long: `Predict from a hub profile what its disks (or those named) get in every combination of reading,
writing and idle, how best to plug them in, and what to measure next. PROFILE is a .yaml that fit
wrote, or built in: ` + strings.Join(configs.Hubs(), ", ") + ".",
		Args: takes(1, unlimited),
		RunE: func(_ *cobra.Command, args []string) error {
			profile, err := loadProfile(args[0])
			if err != nil {
				return usage(err)
			}
			disks := args[1:]
			if len(disks) == 0 {
				for _, d := range profile.Disks {
					disks = append(disks, d.Name)
				}
			}
			prediction, err := hub.Predict(profile, disks, opts.seed)
			if err != nil {
				return usage(err)
			}
			if opts.json {
				return printJSON(p.stdout, prediction)
			}
			return printPrediction(p.stdout, prediction)
		},
	}
	cmd.Flags().Uint64Var(&opts.seed, "seed", 1, "seed of the sampling behind the intervals")
	cmd.Flags().BoolVar(&opts.json, "json", false, "print the prediction as JSON")
	return cmd
}

func printPrediction(w io.Writer, p *hub.Prediction) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "GB/s\t%s\ttogether\tleast kept\t\n", strings.Join(p.Disks, "\t"))
	for _, row := range p.Rows {
		var cells []string
		for _, e := range row.Rates {
			cells = append(cells, estimate(e))
		}
		measured := ""
		if row.Measured {
			measured = "measured"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%.0f %%\t%s\n", row.Pattern, strings.Join(cells, "\t"), estimate(row.Total), 100*row.Kept, measured)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w)
	for i := range p.Placements {
		fmt.Fprintln(w, p.Placements[i].String())
	}
	if p.Next != nil {
		fmt.Fprintf(w, "\n%s\n", p.Next)
	}
	return nil
}

// estimate is a rate in GB/s with half its interval; idle disks have none.
func estimate(e hub.Estimate) string {
	switch {
	case e.Rate == 0:
		return "-"
	case e.High > e.Low:
		return fmt.Sprintf("%.2f ±%.2f", e.Rate/1e9, (e.High-e.Low)/2e9)
	default:
		return fmt.Sprintf("%.2f", e.Rate/1e9)
	}
}
