package trace

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
	PhaseEndType Type = "phase_end"
	EndType      Type = "end"
)

// The two values of a status.
const (
	Complete = "complete"
	Partial  = "partial"
)

// Event is one line of events.jsonl, flat: which fields count depends on Type.
// Times are nanoseconds since the phase's release.
type Event struct {
	Type Type `json:"type"`

	// run
	Version int    `json:"version,omitempty"`
	Name    string `json:"name,omitempty"`
	Started string `json:"started,omitempty"` // wall time, RFC 3339: a label, never a measurement
	Disks   []Disk `json:"disks,omitempty"`

	// all but run and end
	Phase string `json:"phase,omitempty"`

	// phase
	Roles       map[string]Role   `json:"roles,omitempty"`
	Stop        string            `json:"stop,omitempty"`        // race (also where empty) | hold | time: what ended the jobs
	Test        string            `json:"test,omitempty"`        // which of a preset's tests this is
	Score       string            `json:"score,omitempty"`       // median | best: of the files, by the preset's original
	Connections map[string]string `json:"connections,omitempty"` // of disks, where not the run's

	// start, progress, file, error
	Disk    string `json:"disk,omitempty"`
	Op      Role   `json:"op,omitempty"`
	Seq     int    `json:"seq,omitempty"`
	Bytes   int64  `json:"bytes,omitempty"`
	TNS     int64  `json:"t_ns,omitempty"`     // progress, error
	StartNS int64  `json:"start_ns,omitempty"` // file: just before its first request
	EndNS   int64  `json:"end_ns,omitempty"`   // file: just after its flush
	Filler  bool   `json:"filler,omitempty"`   // file: keeps the disk busy and is no part of its work
	LateNS  int64  `json:"late_ns,omitempty"`  // start: wall nanoseconds between the release and the worker's first request
	Error   string `json:"error,omitempty"`

	// phase_end, end
	Status string `json:"status,omitempty"`
}

// Disk is a disk as the run line names it.
type Disk struct {
	Name       string `json:"name"`
	Path       string `json:"path,omitempty"`
	Connection string `json:"connection,omitempty"`
	Profile    string `json:"profile,omitempty"` // of a simulated disk
}
