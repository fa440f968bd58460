package trace

import (
	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/work"
)

// Type says which kind of line an event is.
type Type string

// The kinds of line in events.jsonl. A reader ignores any other.
const (
	RunType      Type = "run"
	PhaseType    Type = "phase"
	StartType    Type = "start"
	ProgressType Type = "progress"
	FileType     Type = "file"
	ErrorType    Type = "error"
	GaugeType    Type = "gauge"
	LatencyType  Type = "latency"
	StreamType   Type = "stream"
	PhaseEndType Type = "phase_end"
	EndType      Type = "end"
)

// The two values of a status.
const (
	Complete = "complete"
	Partial  = "partial"
)

// Event is one line of events.jsonl, flat: which fields count depends on Type. Their keys are in
// codec.go, in the same order; encoding/json knows none of them: AppendEvent writes an event, and
// Reader reads it. Times are nanoseconds since the phase's release.
type Event struct {
	Type Type

	// all but run and end
	Phase string

	// start, progress, file, error, gauge, latency, stream; of a gauge of the host it is empty
	Disk    string
	Op      Role
	Seq     int
	Bytes   int64
	StartNS int64 // file: just before its first request
	EndNS   int64 // file: just after its flush
	Filler  bool  // file: keeps the disk busy and is no part of its work
	LateNS  int64 // start: wall nanoseconds between the release and the worker's first request
	Stream  string
	TNS     int64 // progress, error, gauge, latency, stream

	// stream
	Due      int   // frames so far
	Late     int   // number of these that were late
	BufferNS int64 // the lowest since the last line
	StallNS  int64 // how long the longest stall since the last line had lasted

	Hist  string // latency: of the requests that ended in the second up to TNS, by pkg/latency
	Error string

	// run
	Version int
	Name    string  // name of a gauge too
	Value   float64 // gauge
	Started string  // wall time, RFC 3339: a label, never a measurement
	Disks   []Disk
	// What the run was measured on, if it is known.
	Hardware *hardware.Setup

	// phase
	Roles       map[string]Role
	Stop        string            // race (also if empty) | hold | time: what ended the jobs
	Test        string            // name of the preset's test
	Score       string            // median | best: of the files, by the preset's original
	Connections map[string]string // connections of disks that differ from the run's
	// Work is that of each disk; in traces without it, of disks whose work is limited or a mix.
	Work   map[string]work.Work
	Search *Try // the try of a search
	// The phase was to go on until all rates were steady, in windows of this length; 0: no
	SteadyNS   int64
	Saturation *Saturation // the step of the preset saturation

	// phase_end, end
	Status string
}

// The names of gauges: of a disk, or of the host if the line names none. Counters count from some
// start of the device's own.
const (
	Temperature = "temperature_c"
	DeviceRead  = "device_read_bytes"  // counter: all that was read from the device, by any program
	DeviceWrite = "device_write_bytes" // counter
	// Counter: requests that the driver saw fail or had to repeat
	DeviceFailures = "device_failed_requests"
	Throttles      = "throttle_events" // counter, as the device reports them
	// How busy all cores are, or the fast ones of a Mac with several kinds: at 100 the host has
	// nothing to spare
	CPU       = "cpu_percent"
	WorkerCPU = "worker_cpu_percent" // what the process that works on the disk used of one core
	// For how long the machine has just slept, or hubbench was stopped: all of it, or the worker of
	// a disk
	Stopped = "stopped_s"
	// Bits per second that the slowest link of the disk's path has negotiated.
	LinkState = "link_state"
	// Of a disk with streams: the host's largest delay in serving them, which is not the disk's
	// fault
	HostLate = "host_late_s"
	// LeftOut counts requests that were due and never made, for a disk at a pace or with a probe.
	LeftOut = "requests_left_out"
	// Of the files that a job moved past the cache: how much the cache held when it had ended
	CachedShare = "cached_share"
	// CachedWrites is how many bytes each direct write of a job had, if that was too few to go past
	// the cache.
	CachedWrites = "cached_writes_bytes"
	// FilledFiles is 1 of a job whose new files the file system fills as well: the device writes
	// more than the job counts.
	FilledFiles = "filled_files"
	// Counter: what the job has read once more to verify it, which no file counts
	ReadBack = "read_back_bytes"
)

// MaxCached is the cached share that a stray page or two may add up to.
const MaxCached = 0.01

// Disk is a disk as the run line names it.
type Disk struct {
	Name       string `json:"name"`
	Path       string `json:"path,omitempty"`
	Connection string `json:"connection,omitempty"`
	Profile    string `json:"profile,omitempty"` // profile of a simulated disk
	// Of a simulated disk: how the profile's figures were obtained, as hub.Source has it
	Origin string `json:"origin,omitempty"`
}

// Try is one try of a search.
type Try struct {
	Search string `json:"search"` // its name: of the scenario's phase
	// streams: how many streams stay clean; pace: how fast the others may go
	Kind string `json:"kind"`
	// Disk is the one whose streams are counted, or whose pace is sought.
	Disk  string  `json:"disk"`
	Value float64 `json:"value"` // streams, or bytes per second
	// Unlimited says that the disk goes as fast as it can: there is no Value.
	Unlimited bool `json:"unlimited,omitempty"`
	Alone     bool `json:"alone,omitempty"` // without the phase's other disks
	// Which of how many steps the value is, from the lowest that can be tried to the highest; 0:
	// not known.
	Step  int `json:"step,omitempty"`
	Steps int `json:"steps,omitempty"`
}

// Saturation is one step of finding out where a disk's fast cache ends.
type Saturation struct {
	Of     string `json:"of"` // the scenario's phase whose steps these are
	Step   string `json:"step"`
	Disk   string `json:"disk,omitempty"`    // the disk that works, if it is one
	RestNS int64  `json:"rest_ns,omitempty"` // before a burst
}

// The steps.
const (
	SaturationAlone = "alone" // a disk writes until its cache is full, and on
	SaturationBurst = "burst" // it writes for a short time after a rest
	// All work, until the caches of those that write are full, and on.
	SaturationTogether = "together"
)

// The kinds of search.
const (
	SearchStreams = "streams"
	SearchPace    = "pace"
)

// StreamSample returns what an event of the type StreamType says of its stream.
func (e *Event) StreamSample() stream.Sample {
	return stream.Sample{Due: e.Due, Late: e.Late, BufferNS: e.BufferNS, StallNS: e.StallNS}
}

// Role is what a disk does in a phase.
type Role = work.Role

// The three roles, as they stand in scenario files and traces.
const (
	Read  = work.Read
	Write = work.Write
	Idle  = work.Idle
)

// How a disk is connected, as scenarios and traces name it. Other labels are free.
const (
	OnHub    = "hub"
	Direct   = "direct"   // on a port of its own
	Internal = "internal" // built into the computer
)

// OwnPort reports whether a disk of this connection contends with nobody on the hub.
func OwnPort(connection string) bool { return connection == Direct || connection == Internal }
