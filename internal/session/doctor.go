package session

import (
	"context"
	"errors"
	"time"

	"github.com/hubbench/hubbench/internal/exit"
	"github.com/hubbench/hubbench/internal/machine/check"
	"github.com/hubbench/hubbench/internal/measure/prepare"
	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/internal/supervisor"
	"github.com/hubbench/hubbench/internal/tell/output"
	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Doctor checks whether this machine, and the disks that folders are on, can be measured.
func Doctor(
	parent context.Context, out *output.Output,
	look func(context.Context) (*hardware.Inventory, error), folders []string,
) error {
	ctx, _, release := supervisor.CatchSignals(parent)
	defer release()
	var paths []string
	err := supervisor.UntilInterrupted(ctx, func() (err error) {
		paths, err = prepare.Folders(folders)
		return err
	})
	if err != nil {
		return err
	}
	command, err := OwnCommand()
	if err != nil {
		return err
	}
	began := time.Now()
	host := rundir.ThisHost()
	checks, err := check.Examine(ctx, check.Options{
		Look:    look,
		Paths:   paths,
		RunID:   rundir.NewID(began),
		Command: command,
		Notify:  out.Notify,
	})
	if errors.Is(err, context.Canceled) {
		return exit.Errorf(exit.Interrupted, "interrupted")
	}
	if err != nil {
		return err
	}
	found := &trace.Checkup{
		Tool: out.Tool, Date: began.UTC().Format(time.RFC3339),
		Host: host.Name, System: host.System(), Checks: checks,
	}
	if err := prepare.SaveCheckup(found); err != nil {
		out.Warn("later runs will not know of this result: " + output.OneLine(err.Error()))
	}
	if err := out.Send(report.OfDoctor(found)); err != nil {
		return err
	}
	if failed := found.Failed(); len(failed) > 0 {
		return exit.Errorf(exit.Threshold, "%d of %d checks failed, first: %s",
			len(failed), len(checks), failed[0].Subject())
	}
	return nil
}
