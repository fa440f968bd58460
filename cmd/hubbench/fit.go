package main

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/unit"
)

type fitOptions struct {
	out   string
	name  string
	seed  uint64
	check bool
	json  bool
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
	flags.StringVar(&opts.out, "out", "", "the profile to write, a .yaml `FILE`; - for stdout")
	flags.StringVar(&opts.name, "name", "fitted", "the profile's name")
	flags.Uint64Var(&opts.seed, "seed", 1, "seed of the fit's random starting points")
	flags.BoolVar(&opts.check, "check", false, "fit without each phase in turn and predict it")
	flags.BoolVar(&opts.json, "json", false, "print the fit as JSON")
	return cmd
}

func runFit(p program, paths []string, opts fitOptions) error {
	evidence, err := observe(paths)
	if err != nil {
		return err
	}
	how := hub.FitOptions{Name: opts.name, Seed: opts.seed}
	if opts.check {
		held, err := hub.LeaveOneOut(evidence, how)
		if err != nil {
			return fmt.Errorf("check the fit: %w", err)
		}
		if opts.json {
			return printJSON(p.stdout, held)
		}
		return printHeld(p.stdout, held)
	}
	fit, err := hub.FitProfile(evidence, how)
	if err != nil {
		return fmt.Errorf("fit a hub: %w", err)
	}
	switch opts.out {
	case "":
	case "-":
		_, err := p.stdout.Write(fit.YAML())
		return err
	default:
		write := func(w io.Writer) error { _, err := w.Write(fit.YAML()); return err }
		if err := writeFile(opts.out, write); err != nil {
			return err
		}
	}
	if opts.json {
		return printJSON(p.stdout, fit)
	}
	if err := printFit(p.stdout, fit); err != nil {
		return err
	}
	if opts.out != "" {
		_, err = fmt.Fprintf(p.stdout, "\nprofile: %s\n", opts.out)
	}
	return err
}

// observe takes what several runs say of one hub.
func observe(paths []string) (*hub.Evidence, error) {
	evidence := &hub.Evidence{}
	for _, path := range paths {
		run, err := load(path)
		if err != nil {
			return nil, err
		}
		if run.Trace == nil {
			return nil, fmt.Errorf("%s carries its results but not its events, which a fit is made from; give the run folder", path)
		}
		evidence.Add(hub.Observe(run.Trace))
	}
	return evidence, nil
}

func printFit(w io.Writer, fit *hub.Fit) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "parameter\tvalue\t95 % sure\t")
	for _, param := range fit.Parameters {
		sure := ""
		if param.High > param.Low {
			sure = quantity(param.Low, param.Unit) + " to " + quantity(param.High, param.Unit)
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", param.Name, quantity(param.Value, param.Unit), sure, param.Note)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(w)
	if err := printResiduals(w, fit.Residuals); err != nil {
		return err
	}
	fmt.Fprintf(w, "\nmisfit %.2f (near 1 when the model holds)\n", fit.Misfit)
	for _, warning := range fit.Warnings {
		fmt.Fprintf(w, "! %s\n", warning)
	}
	return nil
}

// quantity writes a parameter's value in its unit.
func quantity(v float64, in string) string {
	switch in {
	case "B/s":
		return unit.FormatRate(v)
	case "s":
		return unit.FormatSeconds(v)
	default:
		return fmt.Sprintf("%.3g", v)
	}
}

func printResiduals(w io.Writer, residuals []hub.Residual) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "phase\twho does what\tdisk\tmeasured\tmodel\toff")
	for i := range residuals {
		r := &residuals[i]
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%+.1f %%\n", r.Phase, r.Mix, r.Observed.Disk,
			unit.FormatRate(r.Observed.Rate), unit.FormatRate(r.Model), 100*r.Off())
	}
	return table.Flush()
}

func printHeld(w io.Writer, held []hub.Held) error {
	for _, h := range held {
		fmt.Fprintf(w, "without %s: off by %.1f %% at most\n", h.Phase, 100*h.Worst)
		if h.Note != "" {
			fmt.Fprintf(w, "  %s\n", h.Note)
		}
		if err := printResiduals(w, h.Residuals); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	return nil
}

// printJSON writes a value where results go.
func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
