// Package scenario loads a scenario file, checks it, and resolves it into a Plan. It touches no disk. Start at Load, then Scenario.Plan.
package scenario

import (
	"slices"
	"time"

	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/strictyaml"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Scenario is a scenario file, checked and with its defaults filled in.
type Scenario struct {
	Name            string
	Hub             *Hub // nil if not given
	Disks           []Disk
	Phases          []PhaseSpec
	Results         string // the folder for run folders; empty: the tool's default
	Seed            uint64 // of the workload
	AllowSystemDisk bool   // a disk under test may be the one the system runs from

	unsure     bool                      // not all disks' names are known, as their part of the file has errors
	interleave bool                      // the study's repeats are rounds of all its phases
	pos        strictyaml.Pos            // of the phases, or the study
	places     map[string]strictyaml.Pos // of each disk's path or profile
	hubPos     strictyaml.Pos            // of the profile
	work       Workload                  // of every phase, unless it says otherwise
}

// PhaseSpec is one entry of the scenario's phases, or one phase of its study; Repeat, and a preset with several
// tests, make several phases of it.
type PhaseSpec struct {
	Name        string // empty: named after its pattern
	Pattern     string // as given; from the roles, in the order of the disks, if those were given
	Roles       map[string]trace.Role
	Connections map[string]string // of disks connected otherwise in this phase
	Workload    Workload          // the scenario's, with what the phase overrides
	Files       map[string]int    // number of files of single disks; the others have the workload's
	Repeat      int               // at least 1
	Cooldown    time.Duration
	UntilIdle   bool          // end the cooldown when the disks are idle
	Stop        string        // StopRace | StopHold | StopTime
	Limit       time.Duration // of StopTime
	Pause       string

	Streams map[string][]stream.Spec // what disks play or record
	Probes  map[string]Probe         // the disks that are asked for single requests
	Mix     map[string]float64       // share of reads, of disks that read and write at once
	Pace    map[string]float64       // maximum in bytes per second, of disks with a limit
	Search  *Search                  // nil: none

	Steady       time.Duration // see Phase
	Precondition float64

	pos   strictyaml.Pos
	auto  string // the name if Name is empty, but for its number
	study bool   // of the study
}

// Load reads a scenario file. name is only for errors, which are of type *strictyaml.Error, or strictyaml.Errors if
// there are several: each names the file, line and column and says what to try.
func Load(name string, data []byte) (*Scenario, error) {
	doc, err := strictyaml.Parse(name, data)
	if err != nil {
		return nil, err
	}
	if n, ok := doc.Root().Mapping().Get("version"); ok {
		if _, ok := n.Int(1, 1); !ok {
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

// value is the format of a scenario file, for Load and for Schema.
func (s *Scenario) value() strictyaml.Value {
	s.work = defaultWorkload()
	return strictyaml.Object{
		Keys: []strictyaml.Key{
			{Name: "version", Need: true, Value: strictyaml.Int(new(int), 1, 1), About: "the version of this format"},
			{Name: "name", Need: true, Value: strictyaml.FileName(&s.Name), About: "the name of the runs, and of their folders"},
			{Name: "hub", Value: s.hub(), About: "what the disks are connected to: its name and a note, or the profile that simulated disks share"},
			{Name: "disks", Need: true, Value: s.disks(), About: "the SSDs, all real or all simulated"},
			{Name: "workload", Value: s.workload(), About: "what each disk moves; a phase may override any of it"},
			{Name: "phases", Value: strictyaml.Lazy(s.phases), About: "what runs, in this order"},
			{Name: "study", Value: strictyaml.Lazy(s.study), About: "a set of phases in one word; they run after phases"},
			{Name: "results", Value: text(&s.Results).Default("results"), About: "where run folders go"},
			{Name: "allow_system_disk", Value: strictyaml.Bool(&s.AllowSystemDisk), About: "true allows tests on the disk that the system runs from"},
		},
		Also: append(inheritedRules(&s.work), simulatedRules(), runsSchema()),
		Check: func(top *strictyaml.Mapping) {
			s.checkHub(top)
			s.Seed = s.work.Seed
			for _, key := range []string{"phases", "study", "workload"} {
				s.pos = top.PosOf(key)
				if _, ok := top.Get(key); ok {
					break
				}
			}
			s.checkRuns(top)
		},
	}.Value()
}

// DiskPos is where the scenario file names a disk's path or profile, for errors about what is found there.
func (s *Scenario) DiskPos(disk string) strictyaml.Pos { return s.places[disk] }

// HubPos is where the scenario file names the hub's profile.
func (s *Scenario) HubPos() strictyaml.Pos { return s.hubPos }

// simulated reports whether the disks exist only in a hub's profile.
func (s *Scenario) simulated() bool { return len(s.Disks) > 0 && s.Disks[0].Simulated() }

// hasDisk reports whether there is a disk of that name.
func (s *Scenario) hasDisk(name string) bool {
	return slices.ContainsFunc(s.Disks, func(d Disk) bool { return d.Name == name })
}

// diskNames lists the disks in the scenario's order.
func (s *Scenario) diskNames() []string {
	names := make([]string, len(s.Disks))
	for i, d := range s.Disks {
		names[i] = d.Name
	}
	return names
}
