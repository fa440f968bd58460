package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/hubbench/hubbench/configs"
	"github.com/hubbench/hubbench/internal/measure/prepare"
	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/pkg/fit"
)

type predictOptions struct {
	output
	seed uint64
}

func newPredict(p program) *cobra.Command {
	var opts predictOptions
	cmd := &cobra.Command{
		Use:   "predict PROFILE [DISK...]",
		Short: "Predict what disks get on a hub in every combination",
		Long: `Predict from a hub profile how best to plug in its disks (or those named), what to measure next,
and what they get in combinations of reading, writing and idle: in a dozen to look at first, or with
--all in each. PROFILE is a .yaml that fit wrote, or built in: ` + strings.Join(configs.Hubs(), ", ") + `.
hubbench advise says whether streams survive beside other disks.`,
		Args: takes(1, unlimited),
		RunE: func(_ *cobra.Command, args []string) error {
			profile, err := prepare.LoadProfile(args[0])
			if err != nil {
				return usage(err)
			}
			disks := args[1:]
			if len(disks) == 0 {
				disks = profile.Names()
			}
			prediction, err := fit.Predict(profile, disks, opts.seed)
			if err != nil {
				return usage(err)
			}
			doc := report.OfPrediction(prediction, profile.Name, opts.All)
			doc.Model = profile.Source
			return opts.send(p, doc, nil)
		},
	}
	cmd.Flags().Uint64Var(&opts.seed, "seed", 1, "seed of the sampling behind the intervals")
	opts.flags(cmd, printed())
	return cmd
}
