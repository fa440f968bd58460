// Package scenario loads a scenario file, checks it, and resolves it into a Plan. It touches no disk.
// Start at Load, then Scenario.Plan.
package scenario

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/stream"
	yaml "github.com/hubbench/hubbench/pkg/strictyaml"
)

const maxDisks = 64

// SchemaURL is where the schema of the newest version is published.
const SchemaURL = "https://raw.githubusercontent.com/hubbench/hubbench/main/configs/scenario.schema.json"

// Scenario is a scenario file, checked and with its defaults filled in. A field with the tag yaml is a key of the
// file, read in this order.
type Scenario struct {
	Version         int         `yaml:"version,required" is:"1 to 1" doc:"the version of this format"`
	Name            string      `yaml:"name,required" doc:"the name of the runs, and of their folders"`
	Hub             *Hub        `yaml:"hub" doc:"what the disks are connected to: its name and a note, or the profile that simulated disks share"` // nil if not given
	Disks           []Disk      `yaml:"disks,required" doc:"the SSDs, all real or all simulated"`
	work            workload    `yaml:"workload" doc:"what each disk moves; a phase may override any of it"`
	specs           []phaseSpec `yaml:"phases" doc:"what runs, in this order"`
	interleave      bool        `yaml:"study" doc:"a set of phases in one word; they run after phases"` // its repeats are rounds of all its phases
	Results         string      `yaml:"results" default:"results" doc:"where run folders go"`           // empty: the tool's default
	AllowSystemDisk bool        `yaml:"allow_system_disk" doc:"true allows tests on the disk that the system runs from"`
	Expect          []Limit     `yaml:"expect" doc:"what the run must hold: hubbench check compares it"`

	Seed   uint64              // of the workload
	unsure bool                // not all disks' names are known, as their part of the file has errors
	pos    yaml.Pos            // of the phases, or the study
	places map[string]yaml.Pos // of each disk's path or profile
	hubPos yaml.Pos            // of the profile
}

// Load reads a scenario file. name is only for errors, which are of type *strictyaml.Error, or
// strictyaml.Errors if there are several: each names the file, line and column and says what to try.
func Load(name string, data []byte) (*Scenario, error) {
	doc, err := yaml.Parse(name, data)
	if err != nil {
		return nil, err
	}
	if n, ok := doc.Root().Mapping().Get("version"); ok {
		if yaml.Int(new(int), 1, 1).Read(n); doc.Err() != nil {
			return nil, doc.Err() // another version's keys would only look like mistakes
		}
	}
	s := &Scenario{}
	s.value().Read(doc.Root())
	if err := doc.Err(); err != nil {
		return nil, err
	}
	return s, nil
}

// Schema is the JSON Schema of scenario files, made of the keys that Load reads.
func Schema() yaml.Schema {
	schema := (&Scenario{}).value().Schema()
	schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	schema["title"] = "hubbench scenario"
	schema["$defs"] = yaml.Schema{"codec": yaml.Schema{"enum": stream.CodecNames()}}
	return schema
}

// value is the format of a scenario file, for Load and for Schema.
func (s *Scenario) value() yaml.Value {
	s.work = workload{Preset: "random", Seed: 1,
		IO: IO{Mode: ModeDirect, Block: 8 << 20, Depth: 4, Verify: VerifyOff, Preallocate: true}}
	return yaml.Object{
		Keys: yaml.Struct(s, yaml.Values{
			"name": ownName(&s.Name), "hub": s.hub(), "disks": s.disks(), "workload": s.workload(),
			"phases": yaml.Lazy(s.phases), "study": yaml.Lazy(s.study), "expect": limits(&s.Expect),
		}),
		Check: func(top *yaml.Mapping) {
			s.checkHub(top)
			s.Seed = s.work.Seed
			for _, key := range []string{"phases", "study", "workload"} {
				s.pos = top.PosOf(key)
				if top.Has(key) {
					break
				}
			}
			s.checkRuns(top)
		},
	}.Value()
}

// hub is what the disks hang on: described, or the model that simulated disks share.
func (s *Scenario) hub() yaml.Value {
	h := &Hub{Speedup: 1}
	profile := yaml.Line(&h.Profile).Then(func(n yaml.Node) { s.hubPos = n.Pos() })
	return yaml.Object{
		Keys:  yaml.Struct(h, yaml.Values{"name": yaml.Name(&h.Name), "profile": profile}),
		Short: "profile",
	}.Value().First(func(yaml.Node) { s.Hub = h })
}

// checkHub checks that simulated disks have a model of a hub, and real ones none.
func (s *Scenario) checkHub(top *yaml.Mapping) {
	if len(s.Disks) == 0 {
		return
	}
	at, described := top.Get("hub")
	if !described {
		if s.simulated() {
			top.Missing("hub", "simulated disks need a hub; add hub: {profile: goshen-ridge}")
		}
		return
	}
	hub := at.Mapping()
	if s.simulated() {
		if !hub.Has("profile") {
			hub.Missing("profile", "simulated disks need the profile of a hub; add profile: goshen-ridge")
		}
		return
	}
	for _, d := range s.Disks {
		if d.Path == "" {
			return
		}
	}
	s.Hub.Speedup = 0
	for _, key := range []string{"profile", "speedup"} {
		if n, ok := hub.Get(key); ok {
			n.Errorf("%s is for simulated disks, and these have paths; "+
				"delete it, or give the disks simulate: {profile: ...}", n.Label())
		}
	}
}

func (s *Scenario) disks() yaml.Value {
	s.unsure, s.places = true, map[string]yaml.Pos{}
	folders := map[string]string{} // the disk of each folder
	var simulated []bool
	disks := yaml.Items[Disk]{
		To: &s.Disks,
		Item: func(d *Disk) yaml.Value {
			disk := d.object()
			disk.Check = func(m *yaml.Mapping) {
				s.checkDisk(m, d, folders)
				is := m.Has("simulate")
				if simulated = append(simulated, is); is != simulated[0] && (is || d.Path != "") {
					m.Errorf("real and simulated disks cannot share a hub; make all of one kind")
				}
			}
			return disk.Value()
		},
		Empty: "disks is empty; add one, such as {name: A, path: /Volumes/A}",
		Max:   maxDisks,
	}.Value()
	return disks.Then(func(yaml.Node) { s.unsure = len(s.Disks) == 0 || s.hasDisk("") })
}

func (d *Disk) object() yaml.Object {
	simulate := struct {
		Profile string `yaml:"profile,required" doc:"the disk's name in the hub's profile"`
	}{}
	in := yaml.Object{Keys: yaml.Struct(&simulate, nil), Short: "profile"}.Value().
		Then(func(yaml.Node) { d.Profile = simulate.Profile })
	return yaml.Object{
		Keys: yaml.Struct(d, yaml.Values{"name": ownName(&d.Name), "path": folder(&d.Path), "simulate": in}),
		Among: []yaml.Among{{
			Keys:    []string{"path", "simulate"},
			Both:    "a disk is either real or simulated; delete path or simulate",
			Neither: "the disk has no path; add path: and a folder on it, or simulate: {profile: ...}",
		}},
	}
}

func (s *Scenario) checkDisk(m *yaml.Mapping, d *Disk, folders map[string]string) {
	if at, ok := m.Get("name"); ok {
		if d.Name == "" {
			d.Name = at.Raw() // invalid, but the name that phases use
		}
		alreadyThere(at, "disk", d.Name, s.diskNames())
	}
	if at, ok := m.Get("path"); ok && d.Path != "" {
		folder := filepath.Clean(d.Path)
		if other, again := folders[folder]; again {
			at.Errorf("disk %s has the same folder; give each disk its own", yaml.Quote(other))
		}
		folders[folder] = d.Name
		s.places[d.Name] = at.Pos()
	}
	if at, ok := m.Get("simulate"); ok {
		s.places[d.Name] = at.Pos()
	}
}

// DiskPos is where the scenario file names a disk's path or profile, for errors about what is found there.
func (s *Scenario) DiskPos(disk string) yaml.Pos { return s.places[disk] }

// HubPos is where the scenario file names the hub's profile.
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

// folder is the path of one. On Windows D:data, and D: alone, are relative to a program's folder on the drive.
func folder(to *string) yaml.Value {
	onDrive := regexp.MustCompile(`^[A-Za-z]:([^/\\]|$)`)
	return yaml.Line(to).With("not", yaml.Schema{"pattern": "^~(/|$)|" + onDrive.String()}).Then(func(n yaml.Node) {
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
