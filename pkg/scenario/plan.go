package scenario

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/work"
)

// Plan is a resolved scenario: every phase, every disk's job in it, every file's size.
// The same scenario with the same seed always gives the same plan.
type Plan struct {
	Name   string  `json:"name"`
	Seed   uint64  `json:"seed"` // seed of the workload; a phase may have its own
	Hub    *Hub    `json:"hub,omitempty"`
	Disks  []Disk  `json:"disks"`
	Phases []Phase `json:"phases"`
}

// Disk is one SSD under test: a folder on it, or a profile of the simulated hub.
type Disk struct {
	Name       string `json:"name"`
	Path       string `json:"path,omitempty"`       // a folder on the disk; empty when simulated
	Connection string `json:"connection,omitempty"` // hub, direct, internal: a label for the report
	// Profile is the disk's name in the hub profile; empty when real.
	Profile string `json:"profile,omitempty"`
	About   string `json:"about,omitempty"` // anything worth noting
	Speed   Speed  `json:"-"`               // for forecasts
}

// Speed is how fast a disk is alone, in bytes per second; 0 is not known.
type Speed struct {
	Read  float64 `yaml:"read,required" is:"100 KB/s to 1 TB/s" doc:"when it reads"`
	Write float64 `yaml:"write,required" is:"100 KB/s to 1 TB/s" doc:"when it writes"`
}

// Hub is what the disks hang on: described, for whoever reads the results, or the model that
// simulated disks share.
type Hub struct {
	Name    string  `json:"name,omitempty" yaml:"name" is:"name" doc:"what people call it, such as CalDigit TS4"`
	About   string  `json:"about,omitempty" yaml:"about" doc:"anything worth noting, such as its port, cable and firmware"`
	Profile string  `json:"profile,omitempty" yaml:"profile" doc:"of simulated disks: a built-in hub profile, such as goshen-ridge, or the path of a .yaml"`
	Speedup float64 `json:"speedup,omitempty" yaml:"speedup" is:"0.001 to 1000" default:"1" doc:"of simulated disks: seconds of model time per second"`
}

// Phase is one pattern run once.
type Phase struct {
	Name  string                `json:"name"`  // unique in the run
	Roles map[string]trace.Role `json:"roles"` // every disk of the run
	// Connections are those that differ from Disk.Connection.
	Connections map[string]string `json:"connections,omitempty"`
	// Jobs are of the working disks, in the scenario's order.
	Jobs []Job `json:"jobs"`

	Pause string `json:"pause,omitempty"` // what to do by hand before this phase
	// Cooldown is the rest before this phase; the longest one if UntilIdle.
	Cooldown  time.Duration `json:"cooldown_ns,omitempty"`
	UntilIdle bool          `json:"until_idle,omitempty"` // rest only until the disks are idle

	Stop  string        `json:"stop,omitempty"`     // race (also if empty) | hold | time
	Limit time.Duration `json:"limit_ns,omitempty"` // when a phase that stops by time does
	// Target is how long each job is to take, whose files are as many as that needs; 0: its Sizes
	// are its work.
	Target time.Duration `json:"target_ns,omitempty"`

	// Steady ends a phase when every job's rates in the last five windows of this length are (see
	// policy). 0: no.
	Steady time.Duration `json:"steady_ns,omitempty"`
	// AfterFall says that jobs that write must be steady after a fall of their cache.
	AfterFall bool `json:"after_fall,omitempty"`
	// Precondition is the share of each volume that is filled before; 0: as it is.
	Precondition float64 `json:"precondition,omitempty"`
	// Saturation is the step of the preset; nil if it is none.
	Saturation *trace.Saturation `json:"saturation,omitempty"`
	// Search says that the phase stands for all tries of a search.
	Search *Search `json:"search,omitempty"`
	// Try says that the phase is one of these tries; in no plan.
	Try *trace.Try `json:"try,omitempty"`

	Test string `json:"test,omitempty"` // test of a preset with several, such as SEQ1M QD8
	// What the preset's original makes of the counted files' rates: median | best; empty: nothing.
	Score string `json:"score,omitempty"`

	// Links are those of the disks, for forecasts: every disk is on one, or there are none.
	Links []Link `json:"-"`
}

// When a phase ends.
const (
	StopRace = "race" // every disk stops at its last file, and the others go on alone
	StopHold = "hold" // a disk that has moved its last file moves filler until all have
	StopTime = "time" // all stop at Phase.Limit
)

// What a preset's original makes of its passes.
const (
	ScoreMedian = "median"
	ScoreBest   = "best"
)

// Job is one disk's work in a phase.
type Job struct {
	Disk  string     `json:"disk"`
	Role  trace.Role `json:"role"`
	Sizes []int64    `json:"sizes"` // bytes of each file, in the order of transfer
	Seed  uint64     `json:"seed"`  // seed of the data written
	IO    IO         `json:"io"`

	// Source is what Sizes were taken from; zero of a job that accompanies others.
	Source work.Sizes `json:"source,omitzero"`
	Order  string     `json:"order,omitempty"` // in which

	Pace float64 `json:"pace,omitempty"` // maximum in bytes per second; 0: none
	// Reads is the share of reads, of a job that writes as well; 0: see Role.
	Reads float64 `json:"reads,omitempty"`
	// Streams are played or recorded: Sizes is then the bytes of a second of all, repeated.
	Streams []stream.Spec `json:"streams,omitempty"`
	// Stretch is how much of each stream is on the disk, to be used over and over.
	Stretch time.Duration `json:"stretch_ns,omitempty"`
	// Probe is the time from one single request to the next; 0: no probe.
	Probe time.Duration `json:"probe_ns,omitempty"`

	// Alone is the disk's speed alone at this, for forecasts, in bytes per second; 0: not known.
	Alone float64 `json:"-"`
}

// Search looks, by trying, for the largest value with which all streams of the phase stay clean.
type Search struct {
	Kind string        `json:"kind"` // trace.SearchStreams | trace.SearchPace
	Disk string        `json:"disk"` // disk whose streams are counted, or whose pace is sought
	Hold time.Duration `json:"hold_ns"`
	// Max is the largest value tried: streams, or bytes per second; 0 of a pace: no limit.
	Max float64 `json:"most"`
}

// Simulated reports whether the disks exist only in the hub's model.
func (p *Plan) Simulated() bool { return p.Hub != nil && p.Hub.Profile != "" }

// Disk finds a disk by its name; without one, the zero Disk.
func (p *Plan) Disk(name string) Disk {
	for _, d := range p.Disks {
		if d.Name == name {
			return d
		}
	}
	return Disk{}
}

// Simulated reports whether the disk exists only in the hub model.
func (d Disk) Simulated() bool { return d.Profile != "" }

// Check reports why a plan that was read from a file cannot be run: one made from a scenario always
// can.
func (p *Plan) Check() error {
	if p.Hub != nil && (p.Hub.Speedup < 0 || math.IsNaN(p.Hub.Speedup) || p.Simulated() &&
		p.Hub.Speedup == 0) {
		return fmt.Errorf("plan: the hub's speedup is %g", p.Hub.Speedup)
	}
	if len(p.Phases) > maxPlanPhases {
		return fmt.Errorf("plan: %d phases, more than %d", len(p.Phases), maxPlanPhases)
	}
	seen := map[string]bool{}
	for i := range p.Phases {
		phase := &p.Phases[i]
		if seen[phase.Name] {
			return fmt.Errorf("plan: two phases %q", phase.Name)
		}
		seen[phase.Name] = true
		if min(phase.Cooldown, phase.Limit, phase.Target, phase.Steady) < 0 ||
			phase.Stop == StopTime && phase.Limit == 0 {
			return fmt.Errorf("plan: phase %q has a time below zero, or none to end at", phase.Name)
		}
		if len(phase.Jobs) == 0 {
			return fmt.Errorf("plan: phase %q has no jobs; they were lost or removed: restore the "+
				"file, or begin a new run", phase.Name)
		}
		for _, job := range phase.Jobs {
			if err := job.check(p); err != nil {
				return fmt.Errorf("plan: phase %q, disk %q: %w", phase.Name, job.Disk, err)
			}
		}
	}
	return nil
}

func (j Job) check(p *Plan) error {
	io := j.IO
	disk := p.Disk(j.Disk)
	const maxDepth = 1024
	blocks := io.Block >= 1 && io.Block <= maxBlock && io.Depth >= 1 && io.Depth <= maxDepth &&
		io.Block*int64(io.Depth) <= maxBuffers
	files := len(j.Sizes)
	switch {
	case disk.Name == "":
		return fmt.Errorf("the plan has no such disk")
	case j.Role != trace.Read && j.Role != trace.Write:
		return fmt.Errorf("role %q: want read or write", j.Role)
	case files == 0 || files > maxPlanFiles || slices.Min(j.Sizes) <= 0 ||
		slices.Max(j.Sizes) > maxPlanBytes:
		return fmt.Errorf("its files have no size that can be moved")
	case !disk.Simulated() && !blocks:
		return fmt.Errorf("%d requests of %d bytes at a time", io.Depth, io.Block)
	case j.Pace < 0 || math.IsNaN(j.Pace) || !(j.Reads >= 0 && j.Reads < 1) || j.Probe < 0:
		return fmt.Errorf("a pace, mix or probe below zero")
	}
	for _, s := range j.Streams {
		if s.Count < 1 || s.Frame <= 0 || s.Buffer <= 0 || !(s.Rate > 0) || s.Offset(1) < 1 {
			return fmt.Errorf("%s cannot be streamed", s)
		}
	}
	return nil
}

// AddDirect appends the phases in which the disk is alone once more, connected directly. The first
// of them waits for a person, who is shown the text. It reports whether there is such a phase.
func (p *Plan) AddDirect(disk, text string) bool {
	for _, phase := range slices.Clone(p.Phases) {
		if len(phase.Jobs) != 1 || phase.Jobs[0].Disk != disk ||
			phase.Connections[disk] == trace.Direct {
			continue
		}
		base := trace.Unnumbered(phase.Name)
		phase.Name = base + ", " + trace.Direct + strings.TrimPrefix(phase.Name, base)
		phase.Connections = map[string]string{disk: trace.Direct}
		phase.Pause = text
		text = ""
		p.Phases = append(p.Phases, phase)
	}
	return text == ""
}

// Replugs reports whether a person connects real disks in another way before the phase.
func (p *Plan) Replugs(phase int) bool {
	var before map[string]string
	if phase > 0 {
		before = p.Phases[phase-1].Connections
	}
	next := &p.Phases[phase]
	return next.Pause != "" && !p.Simulated() && !maps.Equal(before, next.Connections)
}

// Event returns the first line of a trace of the plan, begun at a wall time (a label; empty if
// nothing ran).
func (p *Plan) Event(started string) trace.Event {
	e := trace.Event{Type: trace.RunType, Version: trace.FormatVersion, Name: p.Name,
		Started: started}
	for _, d := range p.Disks {
		e.Disks = append(e.Disks, trace.Disk{Name: d.Name, Path: d.Path, Connection: d.Connection,
			Profile: d.Profile})
	}
	return e
}

// Event returns the first line of the phase in a trace.
func (p *Phase) Event() trace.Event {
	return trace.Event{
		Type: trace.PhaseType, Phase: p.Name, Roles: p.Roles, Stop: p.Stop, Test: p.Test,
		Score:       p.Score,
		Connections: p.Connections, Work: p.Works(), Search: p.Try,
		SteadyNS:   p.Steady.Nanoseconds(),
		Saturation: p.Saturation,
	}
}

// Who says which disks do what in the phase: "A and B read, C writes", "A plays 4 streams, B writes
// at up to 200 MB/s".
func (p *Phase) Who() string { return work.Who(p.disks(), p.Works()) }

// Title returns what to call the phase in what people read: its name or, if that is only a pattern,
// who does what.
func (p *Phase) Title() string { return work.Title(p.Name, p.disks(), p.Works()) }

// Label returns the title and, unless that says it, who does what: "race: all write".
func (p *Phase) Label() string {
	title := p.Title()
	who := p.Who()
	if strings.HasPrefix(title, who) {
		return title
	}
	return title + ": " + who
}

// disks returns those at work, in the scenario's order, and then the idle ones.
func (p *Phase) disks() []string {
	var disks []string
	for _, j := range p.Jobs {
		disks = append(disks, j.Disk)
	}
	for _, disk := range slices.Sorted(maps.Keys(p.Roles)) {
		if !slices.Contains(disks, disk) {
			disks = append(disks, disk)
		}
	}
	return disks
}

// Job finds a disk's job; there is none if the disk is idle.
func (p Phase) Job(disk string) (Job, bool) {
	for _, j := range p.Jobs {
		if j.Disk == disk {
			return j, true
		}
	}
	return Job{}, false
}

// Movers returns the jobs that have files to move, and do not only accompany others.
func (p Phase) Movers() []Job {
	return slices.DeleteFunc(slices.Clone(p.Jobs), Job.HasNoFiles)
}

// Bytes returns the work of all disks in the phase that have files to move.
func (p Phase) Bytes() int64 {
	var sum int64
	for _, j := range p.Movers() {
		sum += j.Bytes()
	}
	return sum
}

// Files returns the number of files to move in the phase.
func (p Phase) Files() int {
	n := 0
	for _, j := range p.Movers() {
		n += len(j.Sizes)
	}
	return n
}

// HasNoFiles reports whether the job lasts as long as the others of its phase: it has no work of
// its own to finish.
func (j Job) HasNoFiles() bool { return len(j.Streams) > 0 || j.Probe > 0 }

// Bytes returns the job's whole work; of one that accompanies others, what it moves in a second.
func (j Job) Bytes() int64 { return sum(j.Sizes) }

// Size returns the bytes of file seq. A job that is not done after the last of its Sizes (it fills,
// or works for a time) begins again with the first, and moves each such file in place of the
// earlier one.
func (j Job) Size(seq int) int64 { return j.Sizes[seq%len(j.Sizes)] }

// Rate returns what the job moves in a second if nothing holds it up, in bytes; 0 if it is
// unlimited.
func (j Job) Rate() float64 {
	switch {
	case len(j.Streams) > 0:
		return float64(streamSecond(j.Streams))
	case j.Probe > 0:
		return float64(j.IO.Block) / j.Probe.Seconds()
	}
	return j.Pace
}

// Writes returns the share of writes in what the job moves.
func (j Job) Writes() float64 {
	switch {
	case j.Reads > 0:
		return 1 - j.Reads
	case j.Role == trace.Write:
		return 1
	}
	return 0
}

func streamSecond(specs []stream.Spec) int64 { return int64(math.Round(stream.TotalRate(specs))) }
