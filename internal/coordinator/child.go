package coordinator

import (
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"

	"github.com/hubbench/hubbench/internal/wire"
	"github.com/hubbench/hubbench/pkg/scenario"
)

// child is a worker process and what is known of it.
type child struct {
	job    scenario.Job
	cmd    *exec.Cmd
	conn   *wire.Conn
	stderr *stderrLog

	ready     bool
	done      bool   // said so itself
	gone      bool   // exited
	killed    string // why we killed it; empty where we did not
	killedAt  time.Time
	lastMoved time.Time // when it last showed that its job goes on
	bytes     int64
	files     int // of its work, ended
}

// report is a message from a child, or, where exited is set, its end.
type report struct {
	from    *child
	message wire.Message
	exited  bool
	err     error // of the exit
}

// newChild starts a worker; what it says goes to reports until its exit, which is always the last.
func newChild(s *starter, cmd *exec.Cmd, stderr *stderrLog, job scenario.Job, reports chan<- report) (*child, error) {
	cmd.Stderr = stderr
	dieWithParent(cmd)
	stdin, stdout, err := s.start(cmd)
	if err != nil {
		return nil, fmt.Errorf("start worker: %w", err)
	}
	c := &child{job: job, cmd: cmd, conn: wire.NewConn(stdout, stdin), stderr: stderr, lastMoved: time.Now()}
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

// kill ends a worker that does not end by itself. Its exit is reported as any other.
func (c *child) kill(why string) {
	if c.killed == "" {
		c.killed, c.killedAt = why, time.Now()
	}
	// The one error is that it has already exited.
	_ = c.cmd.Process.Kill()
}
