package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/pkg/fit"
	"github.com/hubbench/hubbench/pkg/hub"
)

type fitOptions struct {
	output
	profile string // the file to write it to; not an option of its own
	name    string
	seed    uint64
	check   bool
}

func newFit(p program) *cobra.Command {
	var opts fitOptions
	cmd := &cobra.Command{
		Use:   "fit RUN...",
		Short: "Fit a hub profile to runs",
		Long: `Find the hub model that explains one or more runs best, and print its parameters with their 95 %
confidence intervals, and how far the model is off in each phase. --out writes a profile for simulate
and predict. --check instead fits without each phase in turn and shows how well the rest predicts it.`,
		Args: takes(1, unlimited),
		RunE: func(_ *cobra.Command, args []string) error {
			return runFit(p, args, opts)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&opts.out, "out", "", "the profile to write, a .yaml `FILE`, - for stdout; another ending writes the results")
	flags.StringVar(&opts.name, "name", "fitted", "the profile's name")
	flags.Uint64Var(&opts.seed, "seed", 1, "seed of the fit's random starting points")
	flags.BoolVar(&opts.check, "check", false, "fit without each phase in turn and predict it")
	opts.flags(cmd, printed())
	settle := cmd.PreRunE
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		if ending := strings.ToLower(filepath.Ext(opts.out)); opts.out == "-" || ending == ".yaml" || ending == ".yml" {
			opts.profile, opts.out = opts.out, ""
		}
		return settle(cmd, args)
	}
	return cmd
}

func runFit(p program, paths []string, opts fitOptions) error {
	evidence, origin, err := observe(paths)
	if err != nil {
		return err
	}
	how := fit.Options{Name: opts.name, Seed: opts.seed}
	if opts.check {
		held, err := fit.LeaveOneOut(evidence, how)
		if err != nil {
			return fmt.Errorf("check the fit: %w", err)
		}
		return opts.send(p, report.OfCheck(held, opts.name), nil)
	}
	fitted, err := fit.FromEvidence(evidence, how)
	if err != nil {
		return fmt.Errorf("fit a hub: %w", err)
	}
	fitted.Profile.Source = origin
	write := func(w io.Writer) error { _, err := w.Write(fitted.YAML()); return err }
	switch opts.profile {
	case "":
	case "-":
		return write(p.stdout)
	default:
		if err := writeFile(opts.profile, write); err != nil {
			return err
		}
	}
	return opts.send(p, report.OfFit(fitted, opts.name, opts.profile), nil)
}

// observe reads what several runs show of one hub, and the source of the fit: runs simulated from specifications are no
// measurement.
func observe(paths []string) (evidence *hub.Evidence, origin hub.Source, err error) {
	evidence, origin = &hub.Evidence{}, hub.Fitted
	for _, path := range paths {
		run, err := load(path)
		if err != nil {
			return nil, "", err
		}
		if run.Trace == nil {
			return nil, "", fmt.Errorf("%s carries its results but not its events, which a fit is made from; give the run folder", path)
		}
		evidence.Add(fit.Observe(run.Trace))
		if hub.Source(run.Analysis.ProfileOrigin) == hub.Specified {
			origin = hub.Specified
		}
	}
	return evidence, origin, nil
}
