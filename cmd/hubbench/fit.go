package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/hubbench/hubbench/internal/machine/filesystem"
	"github.com/hubbench/hubbench/internal/measure/prepare"
	"github.com/hubbench/hubbench/internal/tell/output"
	"github.com/hubbench/hubbench/internal/tell/recorded"
	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/model"
)

type fitOptions struct {
	output.Output
	profile string // the file to write it to; not an option of its own
	name    string
	seed    uint64
}

func newFit(p program) *cobra.Command {
	opts := fitOptions{Output: p.output()}
	cmd := &cobra.Command{
		Use:   "fit RUN...",
		Short: "Fit a hub profile to runs",
		Long: `Find the hub model that explains one or more runs best, and print its parameters
with their 95% confidence intervals, and how far the model is off in each phase. --out writes a
profile for simulate and predict.`,
		Example: `  hubbench fit results/* --out my-hub.yaml`,
		Args:    takes(1, unlimited),
		RunE:    func(_ *cobra.Command, args []string) error { return opts.run(args) },
	}
	flags := cmd.Flags()
	flags.StringVar(&opts.Path, "out", "",
		"the profile to write, a .yaml `FILE`, - for stdout; another ending writes the results")
	flags.StringVar(&opts.name, "name", "fitted", "the profile's name")
	flags.Uint64Var(&opts.seed, "seed", 1,
		"seed of the fit's starting points and bootstrap samples")
	documentFlags(cmd, &opts.Output, printed())
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if opts.Path == "-" || prepare.IsScenario(opts.Path) {
			opts.profile = opts.Path
			opts.Path = ""
		}
		return opts.Settle()
	}
	return cmd
}

func (o *fitOptions) run(paths []string) error {
	evidence := &hub.Evidence{}
	origin := hub.Fitted
	for _, path := range paths {
		run, err := recorded.Load(path)
		if err == nil {
			err = run.CheckEvents()
		}
		if err != nil {
			return err
		}
		evidence.Add(model.Observe(run.Trace))
		// Simulated by specifications: no measurement.
		if hub.Source(run.Analysis.ProfileOrigin) == hub.Specified {
			origin = hub.Specified
		}
	}
	fitted, err := model.Fit(evidence, model.FitOptions{Name: o.name, Seed: o.seed})
	if err != nil {
		return fmt.Errorf("fit a hub: %w", err)
	}
	fitted.Profile.Source = origin
	write := func(w io.Writer) error { _, err := w.Write(fitted.YAML()); return err }
	if o.profile == "-" {
		return write(o.Stdout)
	}
	if o.profile != "" {
		if err := filesystem.Write(o.profile, write); err != nil {
			return fmt.Errorf("write results: %w", err)
		}
	}
	return o.Send(report.OfFit(fitted, o.name, o.profile))
}
