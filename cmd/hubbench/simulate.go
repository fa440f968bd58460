package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/hubbench/hubbench/internal/measure/prepare"
	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/trace"
)

type simulateOptions struct {
	resultOptions
	profile string
}

func newSimulate(p program) *cobra.Command {
	var opts simulateOptions
	cmd := &cobra.Command{
		Use:   "simulate SCENARIO",
		Short: "Run a scenario on the hub model instead of real disks",
		Long: `Run a scenario on the hub model in virtual time. The outputs are those of a run, at once and
without a disk. For a scenario with real disks --profile names the hub, which must have disks of
the same names.`,
		Example: `  hubbench simulate configs/demo.yaml
  hubbench simulate my.yaml --profile goshen-ridge`,
		Args: takes(1, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			return runSimulate(p, args[0], opts)
		},
	}
	opts.flags(cmd)
	cmd.Flags().StringVar(&opts.profile, "profile", "", "the hub `PROFILE`: a built-in name or a .yaml (default the scenario's)")
	return cmd
}

func runSimulate(p program, path string, opts simulateOptions) error {
	ready, err := prepare.Load(path, p.notify)
	if err != nil {
		return usage(err)
	}
	if opts.profile != "" {
		if err := ready.Simulate(opts.profile); err != nil {
			return usage(err)
		}
	}
	if ready.Profile == nil {
		return usage(fmt.Errorf("%s has real disks; name the hub to simulate them on, such as --profile goshen-ridge", path))
	}
	began := time.Now()
	dir, err := ready.Create(opts.dir, began)
	if err != nil {
		return err
	}
	info := ready.Info(toolVersion(), began)
	info.Simulated = true
	err = hub.Simulate(ready.Plan, ready.Profile, func(e *trace.Event) error {
		if e.Type == trace.RunType {
			e.Started = info.Started
		}
		return dir.Journal.Append(*e)
	})
	if err == nil {
		info.Status = trace.Complete
		err = dir.WriteJSON(rundir.InfoFile, info)
	}
	if err := errors.Join(err, dir.Close()); err != nil {
		return err
	}
	return conclude(p, dir, opts.resultOptions)
}
