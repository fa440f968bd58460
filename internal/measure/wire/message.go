// Package wire is the protocol between the coordinator and a worker: messages in JSON, each behind its
// length, over the worker's stdin and stdout. It defines the messages, not when to send them (see worker
// and coordinator). Start at Message and Conn.
package wire

import (
	"github.com/hubbench/hubbench/internal/measure/diskio"
	"github.com/hubbench/hubbench/pkg/policy"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Kind says what a message is.
type Kind string

// What the coordinator says.
const (
	JobKind     Kind = "job"     // Job: what to do; get ready
	ReleaseKind Kind = "release" // AtNS: begin at this instant of clock.Now
	GrantKind   Kind = "grant"   // DoneNS: the hub moved what was asked by this model time
	FinishKind  Kind = "finish"  // the job ends here, and is whole
	StopKind    Kind = "stop"    // stop at the next request, remove the files, end
)

// What a worker says.
const (
	ReadyKind Kind = "ready" // Effective: waiting for the release
	// Lines: events of a trace; Files: of the job that end with these; Moved: they show that something has moved
	EventsKind Kind = "events"
	AskKind    Kind = "ask"    // Bytes: wanted of the hub; one at a time
	WorkedKind Kind = "worked" // all of the job's files are moved; it goes on with filler until it gets FinishKind
	QuotaKind  Kind = "quota"  // Bytes: what the job comes to in all, as far as is known by now
	SteadyKind Kind = "steady" // Window: at its end the job was steady
	AliveKind  Kind = "alive"  // Bytes: moved so far by this job; Beside: what it did outside its files' times
	// Error: empty if all went well; Effective: if it is not what it was when ready. The worker ends after it
	DoneKind Kind = "done"
)

// Message is any message of either side, flat: which fields count depends on Kind.
type Message struct {
	Kind      Kind             `json:"kind"`
	Job       *Job             `json:"job,omitempty"`
	AtNS      int64            `json:"at_ns,omitempty"`
	Effective *trace.Effective `json:"effective,omitempty"`
	Lines     []byte           `json:"-"` // behind the rest, as they are
	Files     int              `json:"files,omitempty"`
	Moved     bool             `json:"moved,omitempty"`
	Bytes     int64            `json:"bytes,omitempty"`
	Beside    int64            `json:"beside,omitempty"`
	DoneNS    int64            `json:"done_ns,omitempty"`
	Window    int              `json:"window,omitempty"`
	Error     string           `json:"error,omitempty"`
}

// Job is an engine's job, which engine it is for, and when it ends.
type Job struct {
	diskio.Job
	Simulated bool   `json:"simulated,omitempty"`
	Device    uint64 `json:"device,omitempty"` // that the folder was on when the run began
	// The folders of all the run's disks: where a worker that has lost the coordinator removes the run's files.
	Folders []string      `json:"folders,omitempty"`
	Policy  policy.Policy `json:"policy"` // of the phase
}
