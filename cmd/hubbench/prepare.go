package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hubbench/hubbench/configs"
	"github.com/hubbench/hubbench/internal/device"
	"github.com/hubbench/hubbench/internal/rundir"
	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/search"
	"github.com/hubbench/hubbench/pkg/strictyaml"
)

// prepared is a scenario that has been read and checked against itself, not yet against the machine.
type prepared struct {
	source   []byte
	scenario *scenario.Scenario // nil if an earlier session made the plan
	plan     *scenario.Plan
	profile  *hub.Profile        // of the simulated hub; nil if every disk is real
	allow    []string            // the codes of checks to leave out
	seen     *hardware.Inventory // what is plugged in, as the checks found it; nil: not known
	look     program             // finds out what is plugged in
	done     int                 // phases that an earlier session has completed
	tried    []search.Outcome    // and tries of the next one's search
}

// prepare loads a scenario and makes its plan. Nothing is touched.
func prepare(path string) (*prepared, error) {
	source, err := readSmall(path)
	if err != nil {
		return nil, usage(err)
	}
	s, err := scenario.Load(path, source)
	if err != nil {
		return nil, usage(err)
	}
	plan, err := s.Plan()
	if err != nil {
		return nil, usage(err)
	}
	ready := &prepared{source: source, scenario: s, plan: plan}
	if s.AllowSystemDisk {
		ready.allow = []string{systemDisk}
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
		if ready.profile, err = ready.loadHub(filepath.Dir(path)); err != nil {
			if badProfile := (*strictyaml.Error)(nil); errors.As(err, &badProfile) {
				return nil, usage(err) // it names its own place
			}
			return nil, usage(s.HubPos().Errorf("%s", err))
		}
		if err := ready.checkProfile(); err != nil {
			return nil, err
		}
	}
	return ready, nil
}

// checkProfile refuses disks that the hub profile does not know.
func (r *prepared) checkProfile() error {
	known := r.profile.Names()
	var unknown []error
	for _, d := range r.plan.Disks {
		if name := cmp.Or(d.Profile, d.Name); r.profile.Disk(name) == nil {
			try := strictyaml.Suggest(name, known)
			if all := strictyaml.Choice(known); all != try {
				try += " (of " + all + ")"
			}
			unknown = append(unknown, r.scenario.DiskPos(d.Name).Errorf("disk %s: hub profile %s has no disk %s; try %s",
				d.Name, r.profile.Name, strictyaml.Quote(name), try))
		}
	}
	return usage(errors.Join(unknown...))
}

// defaultResults is where run folders go unless the scenario says otherwise.
const defaultResults = "results"

// resultsOf is the folder that a scenario's run folders go into by default.
func resultsOf(s *scenario.Scenario) string { return cmp.Or(s.Results, defaultResults) }

// check asks the machine whether the plan can run here, with its results in a folder. What cannot be is the error.
func (r *prepared) check(ctx context.Context, results string) (warnings []string, err error) {
	var fatal []error
	for _, problem := range r.problems(ctx, results) {
		text := r.locate(problem) + " [" + problem.Code + "]"
		if problem.Fatal {
			fatal = append(fatal, errors.New(text))
			continue
		}
		warnings = append(warnings, text)
	}
	return warnings, usage(errors.Join(fatal...))
}

// devices are the file systems that the real disks' folders are on now.
func (r *prepared) devices(notify func(text string)) (map[string]uint64, error) {
	ids := map[string]uint64{}
	for _, d := range r.plan.Disks {
		if d.Simulated() {
			continue
		}
		err := notifyIfSlow(notify, reachTimeout, diskAt(d), func() error {
			place, err := device.Inspect(d.Path)
			ids[d.Name] = place.ID
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("disk %s: %w", d.Name, err)
		}
	}
	return ids, nil
}

// inspectTimeout is how long a run that is over asks for a disk that may hang.
const inspectTimeout = 2 * time.Second

// moved says which disks are no longer where they were when the run began: what is left on them could not be removed.
func (r *prepared) moved(before map[string]uint64) (texts []string) {
	found := make(chan string, len(before)) // gets the path of one that is gone, and nothing of one that is there
	for name, id := range before {
		path := r.plan.Disk(name).Path
		go func() {
			if place, err := device.Inspect(path); err != nil || place.ID != id {
				found <- fmt.Sprintf("disk %s is no longer at %s: test files of this run may be left on it; connect it, and run hubbench clean %s", name, path, quoteForShell(path))
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
		case <-over: // of those that hang, whoever could not remove their files says it
		}
	}
	slices.Sort(texts)
	return texts
}

// setup is what the run's disks are and hang on, as far as the checks have found out or the scenario says; nil if
// nothing is known.
func (r *prepared) setup() *hardware.Setup {
	s := &hardware.Setup{}
	paths, words := map[string]string{}, map[string]string{}
	for _, d := range r.plan.Disks {
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
	if h := r.plan.Hub; h != nil {
		name, about = h.Name, h.About
	}
	return s.Described(name, about, words)
}

// loadHub loads the plan's hub profile; a relative path to one counts from folder and becomes absolute.
func (r *prepared) loadHub(folder string) (*hub.Profile, error) {
	name := r.plan.Hub.Profile
	if _, builtIn := configs.Hub(name); !builtIn && isPath(name) && !filepath.IsAbs(name) {
		path, err := filepath.Abs(filepath.Join(folder, name))
		if err != nil {
			return nil, err
		}
		r.plan.Hub.Profile = path
	}
	return loadProfile(r.plan.Hub.Profile)
}

// isPath tells the path of a profile from the name of a built-in one.
func isPath(profile string) bool { return strings.ContainsAny(profile, `/\.`) }

// loadProfile finds a hub profile by its built-in name or its path.
func loadProfile(name string) (*hub.Profile, error) {
	if data, ok := configs.Hub(name); ok {
		return hub.Load(name, data)
	}
	if !isPath(name) {
		return nil, fmt.Errorf("no hub profile is called %q; try %s, or the path of a .yaml", name, strictyaml.Suggest(name, configs.Hubs()))
	}
	data, err := readSmall(name)
	if err != nil {
		return nil, fmt.Errorf("hub profile: %w", err)
	}
	return hub.Load(name, data)
}

// maxSize is how much of a file is read as a scenario or profile: more than strictyaml takes, so that it is what
// refuses a longer one, and in its own words.
const maxSize = 2 << 20

// readSmall reads a file that a person wrote, and no more of it than such a file can have.
func readSmall(path string) ([]byte, error) {
	stat, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: no such file; check the spelling, or copy a scenario from configs", path)
	case err != nil:
		return nil, err
	case stat.IsDir():
		inside := filepath.Join(path, rundir.ScenarioFile)
		if _, err := os.Stat(inside); err == nil {
			return nil, fmt.Errorf("%s: is the folder of a run; give its scenario, %s, to make another like it", path, inside)
		}
		return nil, fmt.Errorf("%s: is a folder; give the scenario file in it", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, maxSize))
}
