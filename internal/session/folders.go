package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hubbench/hubbench/internal/exit"
	"github.com/hubbench/hubbench/internal/machine/device"
	"github.com/hubbench/hubbench/internal/measure/coordinator"
	"github.com/hubbench/hubbench/internal/measure/prepare"
	"github.com/hubbench/hubbench/internal/measure/probe"
	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/internal/supervisor"
	"github.com/hubbench/hubbench/pkg/draft"
	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/unit"
)

// A person names folders, each on a disk of its own, and gets the scenario that fits these disks.
// What the folders are and how fast the disks are is found out before it is written.

// draft measures how fast the disks of some folders are, and returns the scenario for them, to be
// called file.
func (r *session) draft(ctx context.Context, folders []string, file string) ([]byte, error) {
	var inv *hardware.Inventory
	var disks []draft.Target
	measuring := coordinator.Options{
		RunID: rundir.NewID(time.Now()), Stall: r.Stall, Kill: r.interrupts.Killed,
		Notify: r.Notify,
	}
	err := r.prepare(ctx, func(ctx context.Context) (err error) {
		seen, lookErr := r.Look(ctx)
		// It takes seconds on a Mac.
		r.Look = func(context.Context) (*hardware.Inventory, error) { return seen, lookErr }
		if inv = seen; lookErr != nil {
			inv = &hardware.Inventory{}
		}
		if disks, err = r.disksOf(inv, folders); err != nil {
			return err
		}
		var planned []scenario.Disk
		for _, d := range disks {
			planned = append(planned, scenario.Disk{Name: d.Name, Path: d.Folder})
		}
		measuring.Plan = probe.Plan(planned)
		ready := &prepare.Ready{Plan: measuring.Plan, Look: r.Look, Watch: r.watch()}
		// It is too short to be held up by what else the disks do: the run itself is checked for
		// that.
		if err = ready.SkipChecks(append(slices.Clone(r.Allow), "busy", "background")); err != nil {
			return exit.Usage(err)
		}
		var wrong []error
		for _, p := range ready.Problems(ctx, "") {
			// A scenario says what it means to measure; folders may be a mistake.
			if p.Fatal || p.Code == "same_disk" {
				wrong = append(wrong, fmt.Errorf("%s [%s]", p.Text, p.Code))
			}
		}
		if wrong != nil {
			return exit.Usage(errors.Join(wrong...))
		}
		if measuring.Command, err = OwnCommand(); err != nil {
			return err
		}
		measuring.Devices, err = ready.Devices(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	if !r.Quiet {
		r.Notef("Measuring %s for %s each, with test files of %s, removed at once.\n",
			unit.Plural(len(disks), "disk"), unit.FormatSeconds((2 * probe.Each).Seconds()),
			unit.FormatBytes(probe.Space))
	}
	speeds, err := probe.Speeds(ctx, measuring)
	switch {
	case ctx.Err() != nil:
		return nil, supervisor.ErrEarly
	case err != nil:
		return nil, err
	}
	for i := range disks {
		d := &disks[i]
		d.Speed = speeds[d.Name]
		if !r.Quiet {
			r.Notef("  %s writes %s and reads %s alone (%s)\n",
				d.Name, unit.FormatRate(d.Speed.Write), unit.FormatRate(d.Speed.Read),
				strings.TrimSuffix(d.Folder+", "+d.About(), ", "))
		}
	}
	return draft.Write(inv, disks, file, r.Phase), nil
}

// disksOf returns the disks that the folders are on, each named after its folder.
func (r *session) disksOf(inv *hardware.Inventory, named []string) ([]draft.Target, error) {
	folders, err := prepare.Folders(named)
	if err != nil {
		return nil, err
	}
	if len(folders) < len(named) {
		return nil, exit.Usagef("a folder is named twice; name each disk once")
	}
	var disks []draft.Target
	for _, folder := range folders {
		place, err := device.Inspect(folder)
		if err != nil {
			return nil, exit.Usage(err)
		}
		if place.NotDisk() == device.RAM && !slices.Contains(r.Allow, "not_disk") {
			return nil,
				exit.Usagef("%s is RAM (%s), not a disk; give a folder on the disk under test, "+
					"or --allow not_disk to measure that", folder, place.Filesystem)
		}
		disks = append(disks, draft.In(inv, folder, place.Path, place.Free, disks))
	}
	return disks, nil
}
