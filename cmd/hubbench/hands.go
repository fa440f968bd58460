package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/internal/measure/coordinator"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/strictyaml"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// What a person does by hand in the middle of a run: connect a disk directly, or change the setup. The disks are let go
// of before, and looked for afterwards.

// addDirect has the plan end with what the disks of --direct do alone when they are not on the hub.
func (r *session) addDirect() error {
	plan := r.ready.Plan
	before := ""
	for k, name := range r.direct {
		if slices.Contains(r.direct[:k], name) {
			continue
		}
		i := slices.IndexFunc(plan.Disks, func(d scenario.Disk) bool { return d.Name == name })
		if i < 0 {
			var names []string
			for _, d := range plan.Disks {
				names = append(names, d.Name)
			}
			return exitf(exitUsage, "--direct %s: no disk has this name; try %s", name, strictyaml.Suggest(name, names))
		}
		disk := &plan.Disks[i]
		if disk.Connection == "" {
			disk.Connection = trace.OnHub
		}
		if trace.OwnPort(disk.Connection) {
			return exitf(exitUsage, "--direct %s: it is connected directly already, as far as is known", name)
		}
		text := "Connect " + name + " directly to the computer."
		if before != "" {
			text = "Put " + before + " back on the hub, and connect " + name + " directly to the computer."
		}
		if !plan.AddDirect(name, text) {
			return exitf(exitUsage, "--direct %s: no phase has it alone, and nothing to compare with; add study: solo", name)
		}
		before = name
	}
	return nil
}

// sessions carries out the plan, as far as it goes without a person who connects disks in another way, and then asks
// for that, and so on.
func (r *session) sessions(ctx context.Context, opts coordinator.Options) (coordinator.Outcome, error) {
	plan, told := r.ready.Plan, ""
	opts.Pause = func(ctx context.Context, text string) error {
		if text == told {
			return nil
		}
		_, err := pause(ctx, r.program, text, r.noPause)
		return err
	}
	defer func() {
		if told != "" {
			r.ready.Unmark(opts.RunID)
		}
	}()
	for {
		opts.Until = opts.Done + 1
		for opts.Until < len(plan.Phases) && !plan.Replugs(opts.Until) {
			opts.Until++
		}
		if opts.Done < len(plan.Phases) && plan.Replugs(opts.Done) {
			told = plan.Phases[opts.Done].Pause
			devices, err := r.reconnect(ctx, told, opts.RunID, plan.Phases[opts.Done:opts.Until])
			if err != nil {
				if ctx.Err() != nil {
					err = errors.New("interrupted")
				}
				failed := trace.RunFailure{Phase: plan.Phases[opts.Done].Name, Cause: err.Error()}
				return coordinator.Outcome{Status: trace.Partial, Failures: []trace.RunFailure{failed}},
					opts.Journal.AppendLines(trace.AppendEvent(nil, &trace.Event{Type: trace.EndType, Status: trace.Partial}))
			}
			opts.Devices = devices
		}
		outcome, err := coordinator.Run(ctx, opts)
		if err != nil || outcome.Status != trace.Complete || opts.Until >= len(plan.Phases) {
			return outcome, err
		}
		opts.Done, opts.Tried = opts.Until, nil
	}
}

// reconnect lets a person connect disks in another way until all that work in the next phases are there, and returns
// the file systems that the disks are on then.
func (r *session) reconnect(ctx context.Context, text, runID string, next []scenario.Phase) (map[string]uint64, error) {
	if err := r.ready.Mark(runID); err != nil {
		return nil, err
	}
	for {
		pressed, err := pause(ctx, r.program, text, r.noPause)
		if err != nil {
			return nil, err
		}
		before := slices.Clone(r.ready.Plan.Disks)
		devices, absent := r.ready.Reconnect(ctx, runID)
		absent = slices.DeleteFunc(absent, func(disk string) bool {
			return !slices.ContainsFunc(next, func(p scenario.Phase) bool { _, works := p.Job(disk); return works })
		})
		if len(absent) == 0 {
			for i, d := range r.ready.Plan.Disks {
				if d.Path != before[i].Path {
					sayf(r.stderr, "%s is at %s now\n", d.Name, d.Path)
				}
			}
			return devices, nil
		}
		text = fmt.Sprintf("%s is on no volume that is mounted. Connect it, and wait until it is mounted.", unit.List(absent))
		if !pressed {
			return nil, errors.New(strings.TrimSuffix(text, "."))
		}
	}
}
