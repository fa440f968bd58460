// Package prepare makes a scenario ready to run: it reads it, makes its plan, asks the machine whether the plan can run
// here, and says what the plan comes to. It asks nobody and prints nothing.
package prepare

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/hubbench/hubbench/internal/machine/device"
	"github.com/hubbench/hubbench/internal/measure/diskio"
	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/internal/tell/cells"
	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/search"
	"github.com/hubbench/hubbench/pkg/strictyaml"
)

// Ready is a scenario that has been read and checked against itself, and as far as it has been asked for, against the
// machine.
type Ready struct {
	Plan    *scenario.Plan
	Profile *hub.Profile     // of the simulated hub; nil if the disks are real
	Allow   []string         // the codes of checks to leave out
	Done    int              // phases that an earlier session has completed
	Tried   []search.Outcome // and tries of the next one's search

	Scenario *scenario.Scenario                                 // nil if an earlier session made the plan
	Look     func(context.Context) (*hardware.Inventory, error) // finds out what is plugged in
	Notify   func(text string)                                  // is told of a disk that takes long to answer

	source []byte
	seen   *hardware.Inventory // what is plugged in, as the checks found it; nil: not known
}

// Load reads a scenario and makes its plan. Nothing is touched. An error is a mistake in the scenario.
func Load(path string, notify func(text string)) (*Ready, error) {
	source, err := readSmall(path)
	if err != nil {
		return nil, err
	}
	s, err := scenario.Load(path, source)
	if err != nil {
		return nil, err
	}
	plan, err := s.Plan()
	if err != nil {
		return nil, err
	}
	ready := &Ready{source: source, Scenario: s, Plan: plan, Look: lookAround, Notify: notify}
	if s.AllowSystemDisk {
		ready.Allow = []string{systemDisk}
	}
	for i, d := range plan.Disks {
		if !d.Simulated() && !filepath.IsAbs(d.Path) {
			// The run may be resumed from another folder.
			if plan.Disks[i].Path, err = filepath.Abs(filepath.Join(filepath.Dir(path), d.Path)); err != nil {
				return nil, err
			}
		}
	}
	if plan.Simulated() {
		if ready.Profile, err = ready.loadHub(filepath.Dir(path)); err != nil {
			if _, placed := errors.AsType[*strictyaml.Error](err); placed {
				return nil, err // it names its own place
			}
			return nil, s.HubPos().Errorf("%s", err)
		}
		if err := ready.checkProfile(); err != nil {
			return nil, err
		}
	}
	return ready, nil
}

func lookAround(ctx context.Context) (*hardware.Inventory, error) {
	return device.Look(ctx, device.LookOptions{})
}

// Rest is what is left of a run that was cut off, by the plan that it began with.
func Rest(rest *rundir.Unfinished, notify func(text string)) (*Ready, error) {
	r := &Ready{Plan: rest.Info.Plan, Allow: rest.Info.Allow, Done: rest.Done, Tried: rest.Tried, Look: lookAround, Notify: notify}
	if rest.Info.SystemOK && !slices.Contains(r.Allow, systemDisk) { // a run before Allow
		r.Allow = append(r.Allow, systemDisk)
	}
	if r.Plan.Simulated() {
		var err error
		if r.Profile, err = LoadProfile(r.Plan.Hub.Profile); err != nil {
			return nil, err
		}
	}
	remove := func(d scenario.Disk) error { return diskio.RemoveRun(d.Path, rest.Info.RunID) } // what a power cut left
	if err := r.each(remove); err != nil {
		return nil, fmt.Errorf("resume run: %w", err)
	}
	return r, nil
}

// each does something with every real disk, for as long as that takes.
func (r *Ready) each(do func(scenario.Disk) error) error {
	for _, d := range r.Plan.Disks {
		if d.Simulated() {
			continue
		}
		what := fmt.Sprintf("disk %s (%s)", d.Name, d.Path)
		if err := device.NotifyIfSlow(r.Notify, device.SlowAfter, what, func() error { return do(d) }); err != nil {
			return fmt.Errorf("disk %s: %w", d.Name, err)
		}
	}
	return nil
}

// Reach opens every real disk's folder, before anything else is asked of it.
func (r *Ready) Reach() error {
	return r.each(func(d scenario.Disk) error { return diskio.Reach(d.Path) })
}

// Volumes are those of the real disks, as far as the machine tells.
func (r *Ready) Volumes() map[string]scenario.Volume {
	volumes := map[string]scenario.Volume{}
	for _, d := range r.Plan.Disks {
		if d.Simulated() {
			continue
		}
		if place, err := device.Inspect(d.Path); err == nil { // else a check says why
			volumes[d.Name] = scenario.Volume{Size: place.Size, Used: place.Used, Free: place.Free}
		}
	}
	return volumes
}

// Devices are the file systems that the real disks' folders are on now.
func (r *Ready) Devices() (map[string]uint64, error) {
	ids := map[string]uint64{}
	return ids, r.each(func(d scenario.Disk) error {
		place, err := device.Inspect(d.Path)
		ids[d.Name] = place.ID
		return err
	})
}

// inspectTimeout is how long a finished run waits for a disk that may hang.
const inspectTimeout = 2 * time.Second

// Moved says which disks are no longer where they were when the run began: what is left on them could not be removed.
func (r *Ready) Moved(before map[string]uint64) (texts []string) {
	found := make(chan string, len(before)) // gets the path of one that is gone, and nothing of one that is there
	for name, id := range before {
		path := r.Plan.Disk(name).Path
		go func() {
			if place, err := device.Inspect(path); err != nil || place.ID != id {
				found <- fmt.Sprintf("disk %s is no longer at %s: test files of this run may be left on it; connect it, and run hubbench clean %s", name, path, cells.Shell(path))
				return
			}
			found <- ""
		}()
	}
	over := time.After(inspectTimeout)
	for range before {
		select {
		case text := <-found:
			if text != "" {
				texts = append(texts, text)
			}
		case <-over: // for disks that hang, the failed removal reports it
		}
	}
	slices.Sort(texts)
	return texts
}

// Setup is what the run's disks are and hang on, as far as the checks have found out or the scenario says; nil if
// nothing is known.
func (r *Ready) Setup() *hardware.Setup {
	s := &hardware.Setup{}
	paths, words := map[string]string{}, map[string]string{}
	for _, d := range r.Plan.Disks {
		if d.About != "" {
			words[d.Name] = d.About
		}
		if place, err := device.Inspect(d.Path); !d.Simulated() && err == nil {
			paths[d.Name] = place.Path
		}
	}
	if r.seen != nil {
		s = r.seen.Setup(paths)
	}
	name, about := "", ""
	if h := r.Plan.Hub; h != nil {
		name, about = h.Name, h.About
	}
	return s.Described(name, about, words)
}

// SameDisks refuses to go on if another disk lies at a disk's path than when the run began, such as the system's own
// if an external one is not mounted.
func (r *Ready) SameDisks(before *hardware.Setup) error {
	now := r.Setup()
	if before == nil || now == nil {
		return nil
	}
	for _, d := range r.Plan.Disks {
		if why := before.Disks[d.Name].Differs(now.Disks[d.Name]); why != "" {
			return fmt.Errorf("disk %s: %s is not on the disk that it was on when the run began: %s; connect that disk, or begin a new run", d.Name, d.Path, why)
		}
	}
	return nil
}
