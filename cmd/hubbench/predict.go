package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/hubbench/hubbench/configs"
	"github.com/hubbench/hubbench/internal/exit"
	"github.com/hubbench/hubbench/internal/measure/prepare"
	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/pkg/model"
)

func newPredict(p program) *cobra.Command {
	out := p.output()
	var seed uint64
	cmd := &cobra.Command{
		Use:   "predict PROFILE [DISK...]",
		Short: "Predict what disks get on a hub in every combination",
		Long: `Predict from a hub profile how best to plug in its disks (or those named), what to
measure next, and what they get in combinations of reading, writing and idle: in a dozen to look at
first, or with --all in each. PROFILE is a .yaml that fit wrote, or built in:
` + strings.Join(configs.Hubs(), ", ") + `.
Whether streams survive beside other disks, hubbench simulate shows: see its --profile.`,
		Example: `  hubbench predict goshen-ridge
  hubbench predict my-hub.yaml A B --all`,
		Args: takes(1, unlimited),
		RunE: func(_ *cobra.Command, args []string) error {
			profile, err := prepare.LoadProfile(args[0])
			if err != nil {
				return exit.Usage(err)
			}
			disks := args[1:]
			if len(disks) == 0 {
				disks = profile.Names()
			}
			prediction, err := model.Predict(profile, disks, seed)
			if err != nil {
				return exit.Usage(err)
			}
			doc := report.OfPrediction(prediction, profile.Name, out.All)
			doc.Model = profile.Source
			return out.Send(doc)
		},
	}
	cmd.Flags().Uint64Var(&seed, "seed", 1, "seed of the sampling behind the intervals")
	documentFlags(cmd, &out, printed())
	return cmd
}
