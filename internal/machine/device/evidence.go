package device

import (
	"context"
	"runtime"
	"slices"
	"time"

	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/scenario"
)

// evidence is what was looked at before a plan is judged. What could not be had is empty.
type evidence struct {
	plan      *scenario.Plan
	places    map[string]Place // of the real disks, by name
	results   *Place
	machine   *hardware.Inventory // never nil
	traffic   map[string]float64  // what moves on a disk that should be idle, in bytes per second
	processes []Process           // with what they did meanwhile
	saving    string              // how the processor is held back to save power; empty if it is not
	wrote     map[string]Written  // by earlier runs, by disk
	looked    bool                // at what is plugged in
	unlooked  error               // why that is not known
}

// gather looks, and says what is wrong with folders that cannot be looked at.
func gather(ctx context.Context, plan *scenario.Plan, opts Options) (*evidence, findings) {
	e := &evidence{plan: plan, places: map[string]Place{}, machine: &hardware.Inventory{}, wrote: map[string]Written{}}
	var found findings
	for _, disk := range plan.Disks {
		if disk.Simulated() {
			continue
		}
		place, err := Inspect(disk.Path)
		if err != nil {
			found.unusable(disk, err, runtime.GOOS)
			continue
		}
		e.places[disk.Name] = place
	}
	if len(e.places) == 0 {
		return e, found
	}
	if opts.Results != "" {
		// A results folder that cannot be looked at fails when it is made, with a better message.
		if place, err := inspectAbove(opts.Results); err == nil {
			e.results = &place
		}
	}
	for _, w := range opts.Recent {
		e.remember(w)
	}
	if opts.Look != nil {
		machine, err := opts.Look(ctx)
		if machine != nil {
			e.machine = machine
		}
		e.looked, e.unlooked = true, err
	}
	e.saving = SavingPower(ctx)
	e.watch(ctx, opts)
	return e, found
}

// remember keeps what an earlier run wrote to the volume of a disk, if it is the latest to do so.
func (e *evidence) remember(w Written) {
	then, err := Inspect(w.Path)
	if err != nil {
		return
	}
	for name, place := range e.places {
		if last, ok := e.wrote[name]; place.sameVolume(then) && (!ok || w.Ago < last.Ago) {
			e.wrote[name] = w
		}
	}
}

// watch looks at the disks' counters and the machine's processes twice, and keeps what happened between.
func (e *evidence) watch(ctx context.Context, opts Options) {
	count := func() map[string]int64 {
		counts := map[string]int64{}
		for name, place := range e.places {
			if opts.Moved == nil {
				break
			}
			if bytes, ok := opts.Moved(place.Path); ok {
				counts[name] = bytes
			}
		}
		return counts
	}
	running := func() []Process {
		if opts.Running == nil {
			return nil
		}
		// Processes that cannot be listed are none to warn of.
		list, _ := opts.Running(ctx)
		return list
	}
	earlier, before, began := running(), count(), time.Now()
	if opts.Watch > 0 {
		timer := time.NewTimer(opts.Watch)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return
		}
		took := time.Since(began).Seconds()
		e.traffic = map[string]float64{}
		for name, after := range count() {
			if first, ok := before[name]; ok {
				e.traffic[name] = float64(after-first) / took
			}
		}
	}
	e.processes = earlier
	if opts.Watch > 0 {
		e.processes = between(earlier, running(), time.Since(began))
	}
}

// behind is the disk and the volume that hold a disk's folder; nil if the machine does not say.
func (e *evidence) behind(name string) (*hardware.Disk, *hardware.Volume) {
	return e.at(e.places[name])
}

func (e *evidence) at(place Place) (*hardware.Disk, *hardware.Volume) {
	return e.machine.Holding(place.Path)
}

// beneath are the physical disks under a place; none if the machine does not say.
func (e *evidence) beneath(place Place) []*hardware.Disk {
	return e.machine.Physical(e.at(place))
}

// shared is a physical disk that both places lie on; nil if none is known.
func (e *evidence) shared(p, q Place) *hardware.Disk {
	others := e.beneath(q)
	for _, disk := range e.beneath(p) {
		if slices.Contains(others, disk) {
			return disk
		}
	}
	return nil
}
