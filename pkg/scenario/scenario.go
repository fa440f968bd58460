// Package scenario loads a scenario file, checks it, and resolves it into a Plan. It touches no
// disk. Start at Load, then Scenario.Plan.
package scenario

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/stream"
	yaml "github.com/hubbench/hubbench/pkg/strictyaml"
)

// SchemaURL is where the schema of the newest version is published.
const SchemaURL = "https://raw.githubusercontent.com/hubbench/hubbench/main/" +
	"configs/scenario.schema.json"

// Scenario is a scenario file, checked and with its defaults filled in.
type Scenario struct {
	Name            string
	Hub             *Hub // nil if not given
	Disks           []Disk
	Results         string // the folder for run folders; empty: the tool's default
	Seed            uint64 // the workload's
	AllowSystemDisk bool   // a disk under test may be the one the system runs from
	Expect          []Limit

	specs []phaseSpec
	work  workload // every phase has it, unless it says otherwise
	// Not all disks' names are known, as their part of the file has errors.
	unsure     bool
	interleave bool                // the study's repeats are rounds of all its phases
	pos        yaml.Pos            // where the phases begin, or the study
	places     map[string]yaml.Pos // where each disk's path or profile is
	hubPos     yaml.Pos            // where the hub's profile is
}

// fileKeys are the keys of a scenario file. Each of its keys is a field, here or in the type of a
// field: what its tags mean is in strictyaml.Of. What no tag can say is checked where the keys
// become a Scenario.
type fileKeys struct {
	At *yaml.Mapping

	Version         int         `yaml:"version,required" is:"1" doc:"the version of this format"`
	Name            ownName     `yaml:"name,required" doc:"the name of the runs, and of their folders"`
	Hub             *hubKeys    `yaml:"hub" word:"profile" doc:"what the disks are connected to: its name and a note, or the profile that simulated disks share"`
	Disks           []diskKeys  `yaml:"disks,required" max:"64" empty:"disks is empty; add one, such as {name: A, path: /Volumes/A}" doc:"the SSDs, all real or all simulated"`
	Workload        workload    `yaml:"workload" word:"preset" doc:"what each disk moves; a phase may override any of it"`
	Phases          []phaseKeys `yaml:"phases" max:"1000" empty:"phases is empty; add one, such as {pattern: W}" doc:"what runs, in this order"`
	Study           *studyKeys  `yaml:"study" doc:"a set of phases in one word; they run after phases"`
	Results         string      `yaml:"results" shows:"results" doc:"where run folders go"`
	AllowSystemDisk bool        `yaml:"allow_system_disk" default:"false" doc:"true allows tests on the disk that the system runs from"`
	Expect          []limitKeys `yaml:"expect" empty:"there are no limits; add some, such as {phase: WWW, rate: {min: 1.2 GB/s}}" doc:"what the run must hold: hubbench check compares it"`
}

type hubKeys struct {
	Hub `yaml:",inline"`
	At  *yaml.Mapping
}

type diskKeys struct {
	At *yaml.Mapping
	_  yaml.Among `keys:"path simulate" both:"a disk is either real or simulated; delete path or simulate" neither:"the disk has no path; add path: and a folder on it, or simulate: {profile: ...}"`

	Name       ownName    `yaml:"name,required" doc:"what the disk is called in phases and results"`
	Path       folder     `yaml:"path" doc:"a folder on the disk; a relative one starts at the scenario file"`
	Simulate   *simulated `yaml:"simulate" word:"profile" doc:"in place of a path: the disk exists only in the hub's profile"`
	Connection string     `yaml:"connection" doc:"how it is connected, a label for the report: hub, direct, or what you like"`
	About      string     `yaml:"about" doc:"anything worth noting, such as its enclosure and cable"`
	Speed      Speed      `yaml:"speed" doc:"how fast it is alone, such as {read: 3 GB/s, write: 2 GB/s}: plan forecasts by it"`
}

type simulated struct {
	Profile string `yaml:"profile,required" doc:"the disk's name in the hub's profile"`
}

// Load reads a scenario file. name is only for errors, which are of type *strictyaml.Error, or
// strictyaml.Errors if there are several: each names the file, line and column and says what to
// try.
func Load(name string, data []byte) (*Scenario, error) {
	doc, err := yaml.Parse(name, data)
	if err != nil {
		return nil, err
	}
	f := &fileKeys{}
	if n, ok := doc.Root().Mapping().Get("version"); ok {
		if yaml.Field(f, "Version").Read(n); doc.Err() != nil {
			return nil, doc.Err() // Another version's keys would only look like mistakes.
		}
	}
	yaml.Of(f).Read(doc.Root())
	s := f.scenario()
	if err := doc.Err(); err != nil {
		return nil, err
	}
	return s, nil
}

// Schema returns the JSON Schema of scenario files, made of the keys that Load reads.
func Schema() yaml.Schema {
	schema := yaml.Of(&fileKeys{}).Schema
	schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	schema["title"] = "hubbench scenario"
	schema["$defs"] = yaml.Schema{"codec": yaml.Schema{"enum": stream.CodecNames()}}
	return schema
}

// scenario checks what the file says.
func (f *fileKeys) scenario() *Scenario {
	s := &Scenario{
		Name: string(f.Name), Results: f.Results, Seed: f.Workload.Seed,
		AllowSystemDisk: f.AllowSystemDisk,
		Expect:          limits(f.Expect), work: f.Workload, places: map[string]yaml.Pos{},
	}
	for _, key := range []string{"phases", "study", "workload"} {
		s.pos = f.At.PosOf(key)
		if f.At.Has(key) {
			break
		}
	}
	s.addDisks(f.Disks)
	s.addHub(f)
	s.checkWorkload(f.Workload.At, &s.work)
	for i := range f.Phases {
		s.addPhase(&f.Phases[i])
	}
	if n, ok := f.At.Get("study"); ok {
		s.addStudy(n, f.Study)
	}
	s.checkRuns(f.At)
	return s
}

// addHub checks that simulated disks have a model of a hub, and real ones none.
func (s *Scenario) addHub(f *fileKeys) {
	if f.Hub == nil {
		if s.simulated() {
			f.At.Missing("hub", "simulated disks need a hub; add hub: {profile: goshen-ridge}")
		}
		return
	}
	s.Hub = &f.Hub.Hub
	s.hubPos = f.Hub.At.PosOf("profile")
	if s.simulated() {
		if !f.Hub.At.Has("profile") {
			f.Hub.At.Missing("profile",
				"simulated disks need the profile of a hub; add profile: goshen-ridge")
		}
		return
	}
	if slices.ContainsFunc(s.Disks, func(d Disk) bool {
		return d.Path == ""
	}) || len(s.Disks) == 0 {
		return
	}
	s.Hub.Speedup = 0
	for _, key := range []string{"profile", "speedup"} {
		if n, ok := f.Hub.At.Get(key); ok {
			n.Errorf("%s is for simulated disks, and these have paths; "+
				"delete it, or give the disks simulate: {profile: ...}", n.Label())
		}
	}
}

func (s *Scenario) addDisks(disks []diskKeys) {
	folders := map[string]string{} // the disk of each folder
	for i := range disks {
		k := &disks[i]
		m := disks[i].At
		d := Disk{Name: string(k.Name), Path: string(k.Path), Connection: k.Connection,
			About: k.About, Speed: k.Speed}
		if at, ok := m.Get("name"); ok {
			if d.Name == "" {
				d.Name = at.Raw() // invalid, but the name that phases use
			}
			alreadyThere(at, "disk", d.Name, s.diskNames())
		}
		if k.Simulate != nil {
			d.Profile = k.Simulate.Profile
			s.places[d.Name] = m.PosOf("simulate")
		}
		if at, ok := m.Get("path"); ok && d.Path != "" {
			folder := filepath.Clean(d.Path)
			if other, again := folders[folder]; again {
				at.Errorf("disk %s has the same folder; give each disk its own", yaml.Quote(other))
			}
			folders[folder] = d.Name
			s.places[d.Name] = at.Pos()
		}
		if is := k.Simulate != nil; is != (disks[0].Simulate != nil) && (is || d.Path != "") {
			m.Errorf("real and simulated disks cannot share a hub; make all of one kind")
		}
		s.Disks = append(s.Disks, d)
	}
	s.unsure = len(s.Disks) == 0 || s.hasDisk("")
}

// DiskPos returns where the scenario file names a disk's path or profile, for errors about what is
// found there.
func (s *Scenario) DiskPos(disk string) yaml.Pos { return s.places[disk] }

// HubPos returns where the scenario file names the hub's profile.
func (s *Scenario) HubPos() yaml.Pos { return s.hubPos }

// simulated reports whether the disks exist only in a hub's profile.
func (s *Scenario) simulated() bool { return len(s.Disks) > 0 && s.Disks[0].Simulated() }

func (s *Scenario) diskNames() []string {
	names := make([]string, len(s.Disks))
	for i, d := range s.Disks {
		names[i] = d.Name
	}
	return names
}

func (s *Scenario) firstDisk() string { return append(s.diskNames(), "A")[0] }

func (s *Scenario) hasDisk(name string) bool { return slices.Contains(s.diskNames(), name) }

// unknownDisk reports a name that no disk has, if the disks are known.
func (s *Scenario) unknownDisk(errorf func(string, ...any), name string) {
	if !s.unsure {
		errorf("unknown disk %s; try %s", yaml.Quote(name), yaml.Suggest(name, s.diskNames()))
	}
}

// folder is the path of one. On Windows D:data, and D: alone, are relative to a program's folder on
// the drive.
type folder string

// Value returns a line.
func (f *folder) Value() yaml.Value {
	to := (*string)(f)
	onDrive := regexp.MustCompile(`^[A-Za-z]:([^/\\]|$)`)
	not := yaml.Schema{"pattern": "^~(/|$)|" + onDrive.String()}
	return yaml.Line(to).With("not", not).Then(func(n yaml.Node) {
		switch drive := onDrive.FindString(*to); {
		case *to == "~" || strings.HasPrefix(*to, "~/"):
			n.Errorf("~ is not expanded here; write the folder's full path")
		case drive != "":
			n.Errorf(`%s is relative to a program's current folder on drive %s; `+
				`write the folder's full path, such as '%s\hubbench'`,
				yaml.Quote(*to), drive[:2], drive[:2])
		}
	})
}
