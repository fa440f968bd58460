package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/hubbench/hubbench/configs"
	"github.com/hubbench/hubbench/internal/device"
	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/strictyaml"
)

// prepared is a scenario that has been read and checked against itself, not yet against the machine.
type prepared struct {
	source   []byte
	scenario *scenario.Scenario // nil where an earlier sitting made the plan
	plan     *scenario.Plan
	profile  *hub.Profile // of the simulated hub; nil where every disk is real
	systemOK bool         // the disk that the system runs from may be loaded
	done     int          // phases that an earlier sitting has completed
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
	ready := &prepared{source: source, scenario: s, plan: plan, systemOK: s.AllowSystemDisk}
	for i, d := range plan.Disks {
		if !d.Simulated() && !filepath.IsAbs(d.Path) {
			// The run may be resumed from another folder.
			if plan.Disks[i].Path, err = filepath.Abs(filepath.Join(filepath.Dir(path), d.Path)); err != nil {
				return nil, err
			}
		}
	}
	if plan.Hub != nil {
		if ready.profile, err = ready.loadHub(filepath.Dir(path)); err != nil {
			if badProfile := (*strictyaml.Error)(nil); errors.As(err, &badProfile) {
				return nil, err // it names its own place
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
	for _, d := range r.plan.Disks {
		if name := cmp.Or(d.Profile, d.Name); r.profile.Disk(name) == nil {
			return usage(r.scenario.DiskPos(d.Name).Errorf("disk %s: hub profile %s has no disk %q", d.Name, r.profile.Name, name))
		}
	}
	return nil
}

// results is the folder that run folders go into by default.
func (r *prepared) results() string {
	if r.scenario.Results != "" {
		return r.scenario.Results
	}
	return "results"
}

// check asks the machine whether the plan can run here, with its results in a folder. The first thing
// that cannot be is the error.
func (r *prepared) check(results string) (warnings []string, err error) {
	for _, problem := range r.problems(results) {
		text := r.locate(problem)
		if problem.Fatal {
			return nil, usage(errors.New(text))
		}
		warnings = append(warnings, text)
	}
	return warnings, nil
}

func (r *prepared) problems(results string) []device.Problem {
	return device.Check(r.plan, device.Options{AllowSystemDisk: r.systemOK, Results: results})
}

// devices are the file systems that the real disks' folders are on now.
func (r *prepared) devices() (map[string]uint64, error) {
	ids := map[string]uint64{}
	for _, d := range r.plan.Disks {
		if d.Simulated() {
			continue
		}
		place, err := device.Look(d.Path)
		if err != nil {
			return nil, fmt.Errorf("disk %s: %w", d.Name, err)
		}
		ids[d.Name] = place.ID
	}
	return ids, nil
}

// locate says a problem with the place in the scenario file that it comes from.
func (r *prepared) locate(problem device.Problem) string {
	if r.scenario == nil {
		return problem.Text
	}
	if pos := r.scenario.DiskPos(problem.Disk); pos.Line > 0 {
		return fmt.Sprintf("%s: %s", pos, problem.Text)
	}
	return problem.Text
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
		return nil, fmt.Errorf("no hub profile is called %q; built in are %s, any other is given as a path to its .yaml", name, strings.Join(configs.Hubs(), ", "))
	}
	data, err := readSmall(name)
	if err != nil {
		return nil, fmt.Errorf("hub profile: %w", err)
	}
	return hub.Load(name, data)
}

// most is how much of a file is read as a scenario or profile: more than strictyaml takes, so that it is what
// refuses a longer one, and in its own words.
const most = 2 << 20

// readSmall reads a file that a person wrote, and no more of it than such a file can have.
func readSmall(path string) ([]byte, error) {
	stat, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: no such file; check the spelling, or copy one of configs", path)
	case err != nil:
		return nil, err
	case stat.IsDir():
		return nil, fmt.Errorf("%s: is a folder; give the scenario file in it", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, most))
}
