package coordinator

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"syscall"
	"time"

	"go.uber.org/zap"

	"github.com/hubbench/hubbench/internal/measure/wire"
	"github.com/hubbench/hubbench/pkg/scenario"
)

// child is a worker process and what is known of it.
type child struct {
	job    scenario.Job
	cmd    *exec.Cmd
	conn   *wire.Conn
	stderr *stderrLog

	ready    bool
	done     bool   // said so itself
	gone     bool   // exited
	killed   string // why we killed it; empty if we did not
	killedAt time.Time
	silent   time.Duration // for which its job has not gone on
	warned   bool          // a person was warned of that
	bytes    int64
	beside   int64 // what it has done outside its files' times
	outbox   chan wire.Message
	files    int // of its work, ended
}

// report is a message from a child, or, if exited is set, its end.
type report struct {
	from    *child
	message wire.Message
	exited  bool
	err     error // of the exit
}

// newChild starts a worker; what it says goes to reports until its exit, which is always the last.
func newChild(s *starter, cmd *exec.Cmd, stderr *stderrLog, job scenario.Job, reports chan<- report) (*child, error) {
	cmd.Stderr = stderr
	DieWithParent(cmd, syscall.SIGTERM) // which asks it to clean up
	stdin, stdout, err := s.start(cmd)
	if err != nil {
		return nil, fmt.Errorf("start worker: %w", err)
	}
	c := &child{job: job, cmd: cmd, conn: wire.NewConn(stdout, stdin), stderr: stderr,
		outbox: make(chan wire.Message, outboxSize)}
	go func() { // until leave
		for m := range c.outbox {
			_ = c.conn.Send(m) // a worker that cannot be reached is about to exit
		}
	}()
	go func() {
		var broken error
		for {
			m, err := c.conn.Receive()
			if err != nil {
				if !errors.Is(err, io.EOF) {
					broken = err
					_ = cmd.Process.Kill() // it cannot be talked to
				}
				break
			}
			reports <- report{from: c, message: m}
		}
		err := cmd.Wait()
		reports <- report{from: c, exited: true, err: errors.Join(broken, err)}
	}()
	return c, nil
}

// outboxSize is how many messages a worker may leave unread. A healthy one has read each before the next.
const outboxSize = 64

// send sends the worker a message. The pipe to a worker that does not read, such as a stopped one, fills up: that
// holds up no one else.
func (c *child) send(m wire.Message) {
	if c.gone {
		return
	}
	select {
	case c.outbox <- m:
	default:
		c.kill("it does not read its messages")
	}
}

// leave notes that the worker has exited, or that its exit is not waited for.
func (c *child) leave() {
	if !c.gone {
		c.gone = true
		close(c.outbox)
	}
}

// kill ends a worker that does not end by itself. Its exit is reported as any other.
func (c *child) kill(why string) {
	if c.killed == "" {
		c.killed, c.killedAt = why, time.Now()
	}
	// The one error is that it has already exited.
	_ = c.cmd.Process.Kill()
}

// stderrLog takes one worker's stderr: its log lines go to run.log as they are, anything else (a crash
// of the Go runtime) is wrapped, so that run.log stays JSON, and its first line kept as the cause.
type stderrLog struct {
	out   io.Writer
	log   *zap.Logger
	part  []byte
	crash string
}

func (s *stderrLog) Write(data []byte) (int, error) {
	s.part = append(s.part, data...)
	for {
		end := bytes.IndexByte(s.part, '\n')
		if end < 0 {
			return len(data), nil
		}
		line, text := s.part[:end+1], string(bytes.TrimSpace(s.part[:end]))
		s.part = s.part[end+1:]
		switch {
		case text == "":
		case text[0] == '{':
			_, _ = s.out.Write(line) // a log that cannot be written must not end a run
		default:
			s.log.Error("worker stderr", zap.String("text", text))
			s.crash = cmp.Or(s.crash, text)
		}
	}
}
