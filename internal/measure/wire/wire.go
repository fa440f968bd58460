// Package wire is the protocol between the coordinator and a worker: messages in JSON, each behind
// its length, over the worker's stdin and stdout. It defines the messages, not when to send them
// (see worker and coordinator). Start at Message and Conn.
package wire

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/hubbench/hubbench/internal/measure/diskio"
	"github.com/hubbench/hubbench/pkg/policy"
	"github.com/hubbench/hubbench/pkg/trace"
)

// MessageKind says what a message is.
type MessageKind string

// What the coordinator says.
const (
	// JobKind has the Job to get ready for.
	JobKind MessageKind = "job"
	// ReleaseKind has the instant AtNS of clock.Now at which to begin.
	ReleaseKind MessageKind = "release"
	// GrantKind says that the hub has moved what was asked for by the model's time DoneNS.
	GrantKind MessageKind = "grant"
	// FinishKind ends the job where it is, and it is whole.
	FinishKind MessageKind = "finish"
	// StopKind asks to stop at the next request, and to remove the files.
	StopKind MessageKind = "stop"
	// LeaveKind says that DoneKind was heard. A worker whose stdin ends earlier cleans up.
	LeaveKind MessageKind = "leave"
)

// What a worker says.
const (
	// HelloKind is the first, and has the Build of the program that the worker is.
	HelloKind MessageKind = "hello"
	// ReadyKind says that it waits for the release. It has Effective, and Prepared as in AliveKind.
	ReadyKind MessageKind = "ready"
	// EventsKind has Lines, which are events of a trace, the number of Files of the job that end
	// with them, and whether they show that something has Moved.
	EventsKind MessageKind = "events"
	// AskKind asks the hub for so many Bytes, once at a time.
	AskKind MessageKind = "ask"
	// WorkedKind says that all of the job's files are moved; it goes on until it gets FinishKind.
	WorkedKind MessageKind = "worked"
	// QuotaKind has the Bytes that the job comes to in all, as far as is known by now.
	QuotaKind MessageKind = "quota"
	// SteadyKind says that the job was steady at the end of a Window.
	SteadyKind MessageKind = "steady"
	// AliveKind has the Bytes that the job has moved so far, and those Prepared for it.
	AliveKind MessageKind = "alive"
	// DoneKind has an Error unless all went well, and Effective if it has changed since ReadyKind.
	// The worker ends when it gets LeaveKind.
	DoneKind MessageKind = "done"
)

// Message is any message of either side, flat: which fields count depends on Kind.
type Message struct {
	Kind      MessageKind      `json:"kind"`
	Job       *Assignment      `json:"job,omitempty"`
	AtNS      int64            `json:"at_ns,omitempty"`
	Effective *trace.Effective `json:"effective,omitempty"`
	Lines     []byte           `json:"-"` // Lines come behind the rest, as they are.
	Files     int              `json:"files,omitempty"`
	Moved     bool             `json:"moved,omitempty"`
	Bytes     int64            `json:"bytes,omitempty"`
	Prepared  int64            `json:"prepared,omitempty"`
	DoneNS    int64            `json:"done_ns,omitempty"`
	Window    int              `json:"window,omitempty"`
	Error     string           `json:"error,omitempty"`
	Build     string           `json:"build,omitempty"`
}

// Assignment is an engine's job, which engine it is for, and when it ends.
type Assignment struct {
	diskio.Job
	Simulated bool `json:"simulated,omitempty"`
	// Device is where the folder was when the run began.
	Device uint64        `json:"device,omitempty"`
	Policy policy.Policy `json:"policy"` // Policy is that of the phase.
}

// maxFrame bounds what a broken peer can make us allocate. The largest valid message is a job
// of a million file sizes, some 12 MB.
const maxFrame = 64 << 20

// Conn sends and receives messages. Send may be called from several goroutines, Receive from one.
type Conn struct {
	r   *bufio.Reader
	mu  sync.Mutex
	w   io.Writer
	buf []byte
}

// NewConn talks over a pair of pipes.
func NewConn(r io.Reader, w io.Writer) *Conn {
	return &Conn{r: bufio.NewReader(r), w: w}
}

// Send writes one message in a single write.
func (c *Conn) Send(m Message) error {
	body, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("encode %s message: %w", m.Kind, err)
	}
	if len(m.Lines) > 0 {
		body = append(append(body, '\n'), m.Lines...) // The JSON is on one line.
	}
	if len(body) > maxFrame {
		return fmt.Errorf("encode %s message: %d bytes exceed the limit of %d", m.Kind, len(body),
			maxFrame)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.buf = binary.BigEndian.AppendUint32(c.buf[:0], uint32(len(body)))
	c.buf = append(c.buf, body...)
	if _, err := c.w.Write(c.buf); err != nil {
		return fmt.Errorf("send %s message: %w", m.Kind, err)
	}
	return nil
}

// Receive reads the next message. It returns io.EOF if the peer closed between messages.
func (c *Conn) Receive() (Message, error) {
	var m Message
	var head [4]byte
	if _, err := io.ReadFull(c.r, head[:]); err != nil {
		if errors.Is(err, io.EOF) {
			return m, io.EOF
		}
		return m, fmt.Errorf("receive message: %w", err)
	}
	n := binary.BigEndian.Uint32(head[:])
	if n > maxFrame {
		return m, fmt.Errorf("receive message: a frame of %d bytes exceeds the limit of %d: is "+
			"something else writing to this pipe?", n, maxFrame)
	}
	// ReadAll grows with what arrives: a false length costs nothing.
	body, err := io.ReadAll(io.LimitReader(c.r, int64(n)))
	if err != nil {
		return m, fmt.Errorf("receive message: %w", err)
	}
	if len(body) < int(n) {
		return m, fmt.Errorf("receive message: %w", io.ErrUnexpectedEOF)
	}
	fields, lines, _ := bytes.Cut(body, []byte{'\n'})
	if err := json.Unmarshal(fields, &m); err != nil {
		return m, fmt.Errorf("receive message: %w", err)
	}
	if len(lines) > 0 {
		m.Lines = lines
	}
	return m, nil
}
