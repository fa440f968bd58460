package session

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/hubbench/hubbench/internal/exit"
	"github.com/hubbench/hubbench/internal/measure/coordinator"
	"github.com/hubbench/hubbench/internal/tell/history"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/strictyaml"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// What a person does by hand in the middle of a run: connect a disk directly, or change the setup.
// The disks are let go of before, and looked for afterwards.

// errDeclined says that a person does not want to go on.
var errDeclined = errors.New("declined")

// addDirect has the plan end with what the disks of --direct do alone when they are not on the hub.
func (r *session) addDirect() error {
	plan := r.ready.Plan
	previous := "" // the disk that was connected directly last
	var names []string
	for _, d := range plan.Disks {
		names = append(names, d.Name)
	}
	for k, name := range r.Direct {
		if slices.Contains(r.Direct[:k], name) {
			continue
		}
		i := slices.Index(names, name)
		if i < 0 {
			return exit.Usagef("--direct %s: no disk has this name; try %s",
				name, strictyaml.Suggest(name, names))
		}
		connection := &plan.Disks[i].Connection
		if trace.OwnPort(*connection) {
			return exit.Usagef("--direct %s: it is connected directly already, as far as is known",
				name)
		}
		*connection = cmp.Or(*connection, trace.OnHub)
		text := "Connect " + name + " directly to the computer."
		if previous != "" {
			text = "Put " + previous + " back on the hub, and connect " + name +
				" directly to the computer."
		}
		if !plan.AddDirect(name, text) {
			return exit.Usagef("--direct %s: no phase has it alone, and nothing to compare with; "+
				"add study: solo", name)
		}
		previous = name
	}
	return nil
}

// runBetweenReplugs carries out the plan, as far as it goes without a person who connects disks in
// another way, and then asks for that, and so on.
func (r *session) runBetweenReplugs(ctx context.Context,
	opts coordinator.Options) (coordinator.Ending, error) {
	plan := r.ready.Plan
	replugged := "" // what the person was last asked to connect in another way
	opts.Pause = func(ctx context.Context, text string) error {
		if text == replugged {
			return nil
		}
		_, err := r.pause(ctx, text)
		return err
	}
	defer func() {
		if replugged != "" {
			r.ready.Unmark(context.WithoutCancel(ctx), opts.RunID)
		}
	}()
	for {
		// A run may have been killed after its last phase.
		opts.Until = min(opts.Done+1, len(plan.Phases))
		for opts.Until < len(plan.Phases) && !plan.Replugs(opts.Until) {
			opts.Until++
		}
		if opts.Done < len(plan.Phases) && plan.Replugs(opts.Done) {
			replugged = plan.Phases[opts.Done].Pause
			devices, err := r.reconnect(ctx, replugged, opts.RunID,
				plan.Phases[opts.Done:opts.Until])
			if err != nil {
				if ctx.Err() != nil {
					err = errors.New("interrupted")
				}
				failed := trace.RunFailure{Phase: plan.Phases[opts.Done].Name, Cause: err.Error()}
				return coordinator.Ending{Status: trace.Partial,
						Failures: []trace.RunFailure{failed}},
					opts.Journal.AppendLines(trace.AppendEvent(nil,
						&trace.Event{Type: trace.EndType, Status: trace.Partial}))
			}
			opts.Devices = devices
		}
		outcome, err := coordinator.Run(ctx, opts)
		if err != nil || outcome.Status != trace.Complete || opts.Until >= len(plan.Phases) {
			return outcome, err
		}
		opts.Done = opts.Until
		opts.Tries = nil
	}
}

// reconnect lets a person connect disks in another way until all that work in the next phases are
// there, and returns the file systems that the disks are on then.
func (r *session) reconnect(ctx context.Context, text, runID string,
	next []scenario.Phase) (map[string]uint64, error) {
	if err := r.ready.Mark(ctx, runID); err != nil {
		return nil, err
	}
	for {
		answer, err := r.pause(ctx, text)
		if err != nil {
			return nil, err
		}
		if word := strings.ToLower(strings.TrimSpace(answer)); word == "n" || word == "no" {
			return nil, errDeclined
		}
		before := slices.Clone(r.ready.Plan.Disks)
		var devices map[string]uint64
		var absent []string
		err = r.prepare(ctx, func(ctx context.Context) error {
			devices, absent = r.ready.Reconnect(ctx, runID)
			return nil
		})
		if err != nil {
			return nil, err
		}
		missing := workingIn(next, absent)
		if len(missing) == 0 {
			for i, d := range r.ready.Plan.Disks {
				if d.Path != before[i].Path {
					r.Notef("%s is at %s now\n", d.Name, d.Path)
				}
			}
			return devices, nil
		}
		text = unit.List(missing) + " is on no volume that is mounted. " +
			"Connect it, and wait until it is mounted."
		if answer == "" {
			return nil, errors.New(strings.TrimSuffix(text, "."))
		}
	}
}

// workingIn returns the disks that work in one of the phases.
func workingIn(phases []scenario.Phase, disks []string) (working []string) {
	for _, disk := range disks {
		for _, phase := range phases {
			if _, works := phase.Job(disk); works {
				working = append(working, disk)
				break
			}
		}
	}
	return working
}

// compareAfterChange measures the same again when a person has changed something, and once more
// when that is undone if the person likes, and compares.
func (r *session) compareAfterChange(ctx context.Context) error {
	first := r.dir.Path
	text := r.Then
	if n := len(r.Direct); n > 0 {
		text = "Put " + r.Direct[n-1] + " back on the hub, and then: " + text
	}
	changed := first + "-then"
	back := first + "-back"
	err := r.measureAgain(ctx, text, changed)
	if errors.Is(err, errDeclined) {
		r.Notef("Nothing is measured again; %s stays as it is.\n", first)
		return nil
	}
	if err != nil {
		return err
	}
	paths := []string{first, back, changed}
	baseline := 2 // the first runs are equal
	err = r.measureAgain(ctx, "How much equal runs differ is not known yet. To find out, undo the "+
		"change: all is measured once more. Or type n, to compare without that.", back)
	if errors.Is(err, errDeclined) {
		paths = []string{first, changed}
		baseline = -1
		err = nil
		r.Notef("The comparison does not include how much equal runs differ.\n")
	}
	if err != nil {
		return err
	}
	names := []string{"before", "after"}
	shown := history.CompareOptions{Output: r.Output, Names: names}
	if err := shown.Run(paths, baseline); err != nil {
		return err
	}
	page := history.CompareOptions{Names: names}
	page.Path = first + "-compared.html"
	page.IntoRun = true
	page.Tool = r.Tool
	page.Stdout = io.Discard
	page.Format = "html"
	if err := page.Run(paths, baseline); err != nil {
		return err
	}
	r.Notef("comparison: %s\n", page.Path)
	if r.OpenReport {
		r.OpenPage(page.Path)
	}
	return nil
}

// measureAgain carries out the same plan into another folder, once a person has done what the text
// asks.
func (r *session) measureAgain(ctx context.Context, text, folder string) error {
	r.interrupts.AnswerBy(func() {})
	id := r.info.RunID
	before := r.dir.Path
	_, err := r.reconnect(ctx, text, id, r.ready.Plan.Phases)
	r.ready.Unmark(context.WithoutCancel(ctx), id)
	if err == nil {
		r.drafted = false
		r.Yes = true // all of it was announced
		err = r.prepare(ctx, func(ctx context.Context) error {
			return r.create(ctx, folder, time.Now())
		})
	}
	switch {
	case ctx.Err() != nil:
		return exit.Errorf(exit.Interrupted, "interrupted; what was measured is in %s", before)
	case err != nil:
		return err
	}
	return r.measure(ctx)
}
