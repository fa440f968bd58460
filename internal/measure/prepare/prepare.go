// Package prepare makes a scenario ready to run: it reads it, makes its plan, asks the machine
// whether the plan can run here, and says what the plan comes to. It asks nobody and prints
// nothing.
package prepare

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/hubbench/hubbench/configs"
	"github.com/hubbench/hubbench/internal/machine/device"
	"github.com/hubbench/hubbench/internal/measure/diskio"
	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/internal/measure/testfolder"
	"github.com/hubbench/hubbench/internal/tell/cells"
	"github.com/hubbench/hubbench/internal/watch"
	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/search"
	"github.com/hubbench/hubbench/pkg/strictyaml"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Ready is a scenario that has been read and checked against itself, and as far as it has been
// asked for, against the machine.
type Ready struct {
	Plan    *scenario.Plan
	Profile *hub.Profile        // Profile is the simulated hub's; nil if the disks are real.
	Allow   []string            // Allow has the codes of the checks to skip.
	Done    int                 // Done counts the phases that an earlier session has completed.
	Tries   []search.TryOutcome // Tries are those of the next phase's search that are done.

	// Scenario is nil if an earlier session made the plan.
	Scenario *scenario.Scenario
	// Look finds out what is plugged in.
	Look func(context.Context) (*hardware.Inventory, error)
	// Watch is how a disk that does not answer is watched.
	Watch watch.Watch

	inside map[string]string // inside is the folder of each marked disk, from its volume's root.
	source []byte
	// seen is what is plugged in, as the checks found it; nil: not known.
	seen *hardware.Inventory
}

// Load reads a scenario and makes its plan. Nothing is touched. An error is a mistake in the
// scenario.
func Load(path string, notify func(text string)) (*Ready, error) {
	source, err := ReadSmall(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, source, 1, notify)
}

// Parse is Load of a scenario that has been read, each of whose phases is to run that many times as
// often. Without a path no person has written it, and no problem is said with its place.
func Parse(path string, source []byte, repeat int, notify func(text string)) (*Ready, error) {
	s, err := scenario.Load(path, source)
	if err != nil {
		return nil, err
	}
	s.Repeat(repeat)
	plan, err := s.Plan()
	if err != nil {
		return nil, err
	}
	ready := &Ready{source: source, Scenario: s, Plan: plan, Look: lookAround,
		Watch: watch.Watch{Notify: notify}}
	if s.AllowSystemDisk {
		ready.Allow = []string{systemDisk}
	}
	// Paths count from the scenario's folder, and the run may be resumed from another one.
	absolute := func(to *string) {
		if !filepath.IsAbs(*to) && err == nil {
			*to, err = filepath.Abs(filepath.Join(filepath.Dir(path), *to))
		}
	}
	for i := range plan.Disks {
		if !plan.Disks[i].Simulated() {
			absolute(&plan.Disks[i].Path)
		}
	}
	if plan.Simulated() && isPath(plan.Hub.Profile) {
		absolute(&plan.Hub.Profile)
	}
	if err != nil {
		return nil, err
	}
	if plan.Simulated() {
		if ready.Profile, err = LoadProfile(plan.Hub.Profile); err != nil {
			if _, placed := errors.AsType[*strictyaml.Error](err); placed {
				return nil, err // It names its own place.
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
	return device.Look(ctx, false)
}

// Resume returns what is left of a run that was cut off, by the plan that it began with. Its disks
// are watched as w says.
func Resume(ctx context.Context, rest *rundir.Unfinished, w watch.Watch) (*Ready, error) {
	r := &Ready{
		Plan: rest.Info.Plan, Allow: rest.Info.Allow, Done: rest.Done, Tries: rest.Tries,
		Look: lookAround, Watch: w,
	}
	if r.Plan.Simulated() {
		var err error
		if r.Profile, err = LoadProfile(r.Plan.Hub.Profile); err != nil {
			return nil, err
		}
	}
	// A power cut may have left files.
	remove := func(d scenario.Disk) error { return testfolder.RemoveRun(d.Path, rest.Info.RunID) }
	if err := r.each(ctx, remove); err != nil {
		return nil, fmt.Errorf("resume run: %w", err)
	}
	return r, nil
}

// each does something with every real disk, unless it hangs.
func (r *Ready) each(ctx context.Context, do func(scenario.Disk) error) error {
	for _, d := range r.Plan.Disks {
		if d.Simulated() {
			continue
		}
		what := fmt.Sprintf("disk %s (%s)", d.Name, d.Path)
		err := r.Watch.Do(ctx, what, func(context.Context, func()) error { return do(d) })
		if _, hangs := errors.AsType[*watch.HangError](err); hangs {
			return err // It names the disk.
		}
		if err != nil {
			return fmt.Errorf("disk %s: %w", d.Name, err)
		}
	}
	return nil
}

// OpenFolders opens every real disk's folder, before anything else is asked of it.
func (r *Ready) OpenFolders(ctx context.Context) error {
	return r.each(ctx, func(d scenario.Disk) error { return openFolder(d.Path) })
}

// openFolder reads a disk's folder, as a job does first, however long that takes: a disk at rest
// spins up, and macOS asks the person whether the terminal may use the volume, and holds the call
// back until there is an answer. Done before a job, neither is mistaken for a disk that hangs.
func openFolder(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return diskio.WithHint(err)
	}
	_, err = f.ReadDir(1)
	if errors.Is(err, io.EOF) {
		err = nil // it is empty
	}
	return diskio.WithHint(errors.Join(err, f.Close()))
}

// Volumes returns those of the real disks, as far as the machine tells.
func (r *Ready) Volumes() map[string]scenario.Volume {
	volumes := map[string]scenario.Volume{}
	for _, d := range r.Plan.Disks {
		if d.Simulated() {
			continue
		}
		if place, err := device.Inspect(d.Path); err == nil { // Else a check says why.
			volumes[d.Name] = scenario.Volume{Size: place.Size, Used: place.Used, Free: place.Free}
		}
	}
	return volumes
}

// Devices returns the file systems that the real disks' folders are on now.
func (r *Ready) Devices(ctx context.Context) (map[string]uint64, error) {
	ids := map[string]uint64{}
	return ids, r.each(ctx, func(d scenario.Disk) error {
		place, err := device.Inspect(d.Path)
		ids[d.Name] = place.ID
		return err
	})
}

// inspectTimeout is how long a finished run waits for a disk that may hang.
const inspectTimeout = 2 * time.Second

// Moved says which disks are no longer where they were when the run began: what is left on them
// could not be removed.
func (r *Ready) Moved(before map[string]uint64) (texts []string) {
	// It gets the path of a disk that is gone, and nothing for one that is there.
	found := make(chan string, len(before))
	for name, id := range before {
		path := r.Plan.Disk(name).Path
		go func() {
			if place, err := device.Inspect(path); err != nil || place.ID != id {
				found <- fmt.Sprintf("disk %s is no longer at %s: test files of this run may be "+
					"left on it; connect it, and run hubbench clean %s", name, path,
					cells.Shell(path))
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
		case <-over: // For disks that hang, the failed removal reports it.
		}
	}
	slices.Sort(texts)
	return texts
}

// Setup returns what the run's disks are and hang on, as far as the checks have found out or the
// scenario says; nil if nothing is known.
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
		name = h.Name
		about = h.About
	}
	return s.Described(name, about, words)
}

// SameDisks refuses to go on if another disk lies at a disk's path than when the run began, such as
// the system's own if an external one is not mounted.
func (r *Ready) SameDisks(before *hardware.Setup) error {
	now := r.Setup()
	if before == nil || now == nil {
		return nil
	}
	for _, d := range r.Plan.Disks {
		if why := before.Disks[d.Name].Differs(now.Disks[d.Name]); why != "" {
			return fmt.Errorf("disk %s: %s is not on the disk that it was on when the run began: "+
				"%s; connect that disk, or begin a new run", d.Name, d.Path, why)
		}
	}
	return nil
}

// DefaultResults is where run folders go unless the scenario says otherwise.
const DefaultResults = "results"

// ResultsOf returns the folder that a scenario's run folders go into by default.
func ResultsOf(s *scenario.Scenario) string { return cmp.Or(s.Results, DefaultResults) }

// OpenResults looks at where the results are to go, asked for or not. The one error is that it
// hangs.
func (r *Ready) OpenResults(ctx context.Context, asked string) error {
	into := ResultsOf(r.Scenario)
	if asked != "" {
		into = filepath.Dir(asked)
	}
	what := "results folder " + cmp.Or(asked, into)
	return r.Watch.Do(ctx, what, func(context.Context, func()) error {
		for _, folder := range []string{into, asked} {
			_, _ = os.ReadDir(folder) // Errors are reported when the run's folder is made.
		}
		return nil
	})
}

// Folder returns the run's folder: the one asked for, else one named for the scenario and the time.
func (r *Ready) Folder(asked string, began time.Time) string {
	if asked != "" {
		return asked
	}
	first := filepath.Join(ResultsOf(r.Scenario), rundir.Name(r.Plan.Name, began))
	path := first
	for n := 2; ; n++ { // Another run began in this second.
		if _, err := os.Lstat(path); err != nil {
			return path
		}
		path = fmt.Sprintf("%s-%d", first, n)
	}
}

// Create makes the run's folder. Of two runs that take the same name at once, one takes the next.
func (r *Ready) Create(asked string, began time.Time) (*rundir.Dir, error) {
	for {
		dir, err := rundir.Create(r.Folder(asked, began), r.source)
		if asked != "" || !errors.Is(err, rundir.ErrTaken) {
			return dir, err
		}
	}
}

// Info is run.json as it stands when a run begins.
func (r *Ready) Info(tool string, began time.Time) rundir.Info {
	return rundir.Info{
		Tool: tool, RunID: rundir.NewID(began), Name: r.Plan.Name,
		Started: began.UTC().Format(time.RFC3339),
		Status:  rundir.Running, Host: rundir.ThisHost(), Plan: r.Plan, Allow: r.Allow,
		SystemOK: slices.Contains(r.Allow, systemDisk), Doctor: r.lastCheckup(),
		Effective: map[string]map[string]trace.Effective{},
	}
}

// LoadScenario reads a scenario, and makes no plan of it.
func LoadScenario(path string) (*scenario.Scenario, error) {
	source, err := ReadSmall(path)
	if err != nil {
		return nil, err
	}
	return scenario.Load(path, source)
}

// LoadProfile finds a hub profile by its built-in name or its path.
func LoadProfile(name string) (*hub.Profile, error) {
	if data, ok := configs.Hub(name); ok {
		return hub.Load(name, data)
	}
	if !isPath(name) {
		return nil, fmt.Errorf("no hub profile is called %q; try %s, or the path of a .yaml",
			name, strictyaml.Suggest(name, configs.Hubs()))
	}
	data, err := ReadSmall(name)
	if err != nil {
		return nil, fmt.Errorf("hub profile: %w", err)
	}
	return hub.Load(name, data)
}

// isPath distinguishes a profile's path from the name of a built-in one.
func isPath(profile string) bool { return strings.ContainsAny(profile, `/\.`) }

// Simulate has the plan's disks simulated by a hub profile in place of the scenario's own.
func (r *Ready) Simulate(profile string) (err error) {
	if r.Profile, err = LoadProfile(profile); err != nil {
		return err
	}
	r.setHub(profile)
	return r.checkProfile()
}

// SwapHub puts the simulated disks on the hub of another profile, and returns that.
func (r *Ready) SwapHub(profile string) (*hub.Profile, error) {
	other, err := LoadProfile(profile)
	if err != nil {
		return nil, err
	}
	if !reflect.DeepEqual(r.Profile, other) { // else the disks are on it
		r.Profile = r.Profile.OnHub(other)
	}
	r.setHub(profile)
	return other, nil
}

// setHub names the plan's hub, for run.json. What the scenario calls its own is of another one.
func (r *Ready) setHub(profile string) {
	speedup := 1.0
	if r.Plan.Hub != nil {
		speedup = cmp.Or(r.Plan.Hub.Speedup, 1)
	}
	r.Plan.Hub = &scenario.Hub{Profile: profile, Speedup: speedup}
}

// checkProfile refuses disks that the hub profile does not know.
func (r *Ready) checkProfile() error {
	known := r.Profile.Names()
	var unknown []error
	for _, d := range r.Plan.Disks {
		if name := cmp.Or(d.Profile, d.Name); r.Profile.Disk(name) == nil {
			try := strictyaml.Suggest(name, known)
			if all := strictyaml.Choice(known); all != try {
				try += " (of " + all + ")"
			}
			unknown = append(unknown, r.Scenario.DiskPos(d.Name).Errorf(
				"disk %s: hub profile %s has no disk %s; try %s",
				d.Name, r.Profile.Name, strictyaml.Quote(name), try))
		}
	}
	return errors.Join(unknown...)
}

// ReadSmall reads a file that a person wrote, or enough of it for strictyaml to refuse one that is
// too long.
func ReadSmall(path string) ([]byte, error) {
	stat, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: no such file; check the spelling (hubbench init writes a "+
			"scenario)", path)
	case err != nil:
		return nil, err
	case stat.IsDir():
		inside := filepath.Join(path, rundir.ScenarioFile)
		if _, err := os.Stat(inside); err == nil {
			return nil, fmt.Errorf("%s: is the folder of a run; give its scenario, %s, to make "+
				"another like it", path, inside)
		}
		return nil, fmt.Errorf("%s: is a folder; give the scenario file in it", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, strictyaml.MaxBytes+1))
}
