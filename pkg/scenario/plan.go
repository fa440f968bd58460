package scenario

import (
	"slices"
	"time"

	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/work"
)

// Plan is a resolved scenario: every phase, every disk's job in it, every file's size.
// The same scenario with the same seed always gives the same plan.
type Plan struct {
	Name   string  `json:"name"`
	Seed   uint64  `json:"seed"` // of the workload; a phase may have one of its own
	Hub    *Hub    `json:"hub,omitempty"`
	Disks  []Disk  `json:"disks"`
	Phases []Phase `json:"phases"`
}

// Disk is one SSD under test: a folder on it, or a profile of the simulated hub.
type Disk struct {
	Name       string `json:"name"`
	Path       string `json:"path,omitempty"`       // a folder on the disk; empty when simulated
	Connection string `json:"connection,omitempty"` // hub, direct, internal: a label for the report
	Profile    string `json:"profile,omitempty"`    // the disk's name in the hub profile; empty when real
	About      string `json:"about,omitempty"`      // anything worth noting
}

// Simulated reports whether the disks exist only in the hub's model.
func (p *Plan) Simulated() bool { return p.Hub != nil && p.Hub.Profile != "" }

// Disk finds a disk by its name; without one, the zero Disk.
func (p *Plan) Disk(name string) Disk {
	if i := slices.IndexFunc(p.Disks, func(d Disk) bool { return d.Name == name }); i >= 0 {
		return p.Disks[i]
	}
	return Disk{}
}

// Simulated reports whether the disk exists only in the hub model.
func (d Disk) Simulated() bool { return d.Profile != "" }

// Hub is what the disks hang on: described, for whoever reads the results, or the model that simulated disks share.
type Hub struct {
	Name    string  `json:"name,omitempty"`
	About   string  `json:"about,omitempty"`   // anything worth noting
	Profile string  `json:"profile,omitempty"` // of simulated disks: a built-in name, or a path to a profile file
	Speedup float64 `json:"speedup,omitempty"` // of simulated disks: model seconds per wall second
}

// Phase is one pattern run once.
type Phase struct {
	Name        string                `json:"name"`                  // unique in the run
	Roles       map[string]trace.Role `json:"roles"`                 // every disk of the run
	Connections map[string]string     `json:"connections,omitempty"` // of the disks that are connected otherwise than Disk.Connection says
	Jobs        []Job                 `json:"jobs"`                  // the working disks, in the scenario's order

	Pause     string        `json:"pause,omitempty"`       // what to do by hand before this phase
	Cooldown  time.Duration `json:"cooldown_ns,omitempty"` // rest before this phase; the longest one if UntilIdle
	UntilIdle bool          `json:"until_idle,omitempty"`  // rest only until the disks are idle

	Stop   string        `json:"stop,omitempty"`      // race (also if empty) | hold | time
	Limit  time.Duration `json:"limit_ns,omitempty"`  // when a phase that stops by time does
	Target time.Duration `json:"target_ns,omitempty"` // how long each job is to take, whose files are as many as that needs; 0: its Sizes are its work

	// Steady ends a phase when every job is steady: its rates in the last five windows of this length are (see policy). 0: no.
	Steady       time.Duration     `json:"steady_ns,omitempty"`
	AfterFall    bool              `json:"after_fall,omitempty"`   // of jobs that write: steady after a fall, as of a cache that is full
	Precondition float64           `json:"precondition,omitempty"` // share of each volume that is filled before the release; 0: as it is
	Saturation   *trace.Saturation `json:"saturation,omitempty"`   // which step of the preset saturation this is; nil: of none
	Search       *Search           `json:"search,omitempty"`       // the phase stands for all tries of a search
	Try          *trace.Try        `json:"try,omitempty"`          // the phase is one of these tries; in no plan

	Test  string `json:"test,omitempty"`  // of a preset with several tests, such as SEQ1M QD8
	Score string `json:"score,omitempty"` // what the preset's original makes of the counted files' rates: median | best; empty: nothing

	Links []Link `json:"-"` // known links of the disks, for forecasts: every disk is on one, or there are none
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
	Seed  uint64     `json:"seed"`  // of the data written
	IO    IO         `json:"io"`

	Source work.Sizes `json:"source,omitzero"` // where Sizes were taken from; zero of a job that accompanies others
	Order  string     `json:"order,omitempty"` // in which

	Pace    float64       `json:"pace,omitempty"`       // maximum in bytes per second; 0: none
	Reads   float64       `json:"reads,omitempty"`      // of a job that reads and writes at once: the share of reads; 0: it does what its role says
	Streams []stream.Spec `json:"streams,omitempty"`    // a job of streams: its Sizes are the bytes of a second of all of them, which it repeats
	Stretch time.Duration `json:"stretch_ns,omitempty"` // how much of each stream is on the disk, to be used over and over
	Probe   time.Duration `json:"probe_ns,omitempty"`   // time from one single request to the next; 0: no probe
}

// Accompanies reports whether the job lasts as long as the other jobs of its phase: it has no work of its own to finish.
func (j Job) Accompanies() bool { return len(j.Streams) > 0 || j.Probe > 0 }

// Search looks, by trying, for the largest value with which all streams of the phase stay clean.
type Search struct {
	Kind string        `json:"kind"` // trace.SearchStreams | trace.SearchPace
	Disk string        `json:"disk"` // whose streams are counted, or whose pace is sought
	Hold time.Duration `json:"hold_ns"`
	Max  float64       `json:"most"` // largest value tried: streams, or bytes per second; 0 of a pace: no limit
}

// Size is the bytes of file seq. A job that is not done after the last of its Sizes (it fills, or works for
// a time) begins again with the first, and moves each such file in place of the earlier one.
func (j Job) Size(seq int) int64 { return j.Sizes[seq%len(j.Sizes)] }

// How bytes are moved: blocks past the cache, or whole files as a plain application does.
const (
	ModeDirect = "direct"
	ModeApp    = "app"
)

// Orders of the blocks in a file.
const (
	AccessSequential = "sequential"
	AccessRandom     = "random"
)

// What is flushed before a written file's time ends.
const (
	FlushNone  = "none"
	FlushFsync = "fsync"
	FlushFull  = "full" // to the medium itself
)

// How data read is verified.
const (
	VerifyOff    = "off"
	VerifyStamps = "stamps" // each block's stamp
	VerifyFull   = "full"   // each byte
)

// IO is how a job is to move its bytes; what it really did is in trace.Effective.
type IO struct {
	Mode        string `json:"mode"`                // direct | app
	Block       int64  `json:"block"`               // bytes per request
	Depth       int    `json:"depth"`               // requests in flight
	Flush       string `json:"flush"`               // none | fsync | full
	Verify      string `json:"verify"`              // off | stamps | full
	Preallocate bool   `json:"preallocate"`         // reserve the space before the timing starts
	Keep        bool   `json:"keep,omitempty"`      // leave the test files when the run ends
	Footprint   int64  `json:"footprint,omitempty"` // maximum size of test files at one time; 0: no limit

	Access  string        `json:"access,omitempty"`   // sequential (also if empty) | random: every block once, in random order
	Cap     time.Duration `json:"cap_ns,omitempty"`   // maximum time of a file, after which the rest of it is left; 0: no limit
	OneFile bool          `json:"one_file,omitempty"` // each of Sizes, all alike, is a pass over one and the same file, written in full before
	Rest    time.Duration `json:"rest_ns,omitempty"`  // pause before each file but the first
	Step    time.Duration `json:"step_ns,omitempty"`  // files begin at its multiples after the release, so that disks that rest keep in step; 0: at once
	Discard int           `json:"discard,omitempty"`  // number of warm-up files, which do not count
}
