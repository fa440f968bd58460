package prepare

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
	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/strictyaml"
)

// LoadScenario reads a scenario, and makes no plan of it.
func LoadScenario(path string) (*scenario.Scenario, error) {
	source, err := readSmall(path)
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
		return nil, fmt.Errorf("no hub profile is called %q; try %s, or the path of a .yaml", name, strictyaml.Suggest(name, configs.Hubs()))
	}
	data, err := readSmall(name)
	if err != nil {
		return nil, fmt.Errorf("hub profile: %w", err)
	}
	return hub.Load(name, data)
}

// isPath distinguishes a profile's path from the name of a built-in one.
func isPath(profile string) bool { return strings.ContainsAny(profile, `/\.`) }

// loadHub loads the plan's hub profile; a relative path to one counts from folder and becomes absolute.
func (r *Ready) loadHub(folder string) (*hub.Profile, error) {
	name := r.Plan.Hub.Profile
	if _, builtIn := configs.Hub(name); !builtIn && isPath(name) && !filepath.IsAbs(name) {
		path, err := filepath.Abs(filepath.Join(folder, name))
		if err != nil {
			return nil, err
		}
		r.Plan.Hub.Profile = path
	}
	return LoadProfile(r.Plan.Hub.Profile)
}

// Simulate has the plan's disks simulated by a hub profile in place of the scenario's own.
func (r *Ready) Simulate(profile string) (err error) {
	if r.Profile, err = LoadProfile(profile); err != nil {
		return err
	}
	if r.Plan.Hub == nil {
		r.Plan.Hub = &scenario.Hub{}
	}
	r.Plan.Hub.Speedup = cmp.Or(r.Plan.Hub.Speedup, 1)
	r.Plan.Hub.Profile = profile // for run.json
	return r.checkProfile()
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
			unknown = append(unknown, r.Scenario.DiskPos(d.Name).Errorf("disk %s: hub profile %s has no disk %s; try %s",
				d.Name, r.Profile.Name, strictyaml.Quote(name), try))
		}
	}
	return errors.Join(unknown...)
}

// maxSize limits what is read of a scenario or profile: more than strictyaml accepts, which then refuses a longer one.
const maxSize = 2 << 20

// readSmall reads a file that a person wrote, up to maxSize.
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
