package coordinator

import (
	"context"
	"errors"
	"io"
	"os/exec"
	"runtime"

	"github.com/hubbench/hubbench/internal/watch"
)

// starter starts processes from one thread that lives as long as the run. On Linux a child is
// signalled when the thread that started it ends, and Go ends threads at any time.
type starter struct {
	ctx    context.Context
	watch  watch.Watch
	starts chan func()
	quit   chan struct{}
	kill   <-chan struct{}
}

// newStarter starts processes until it is closed. What hangs is watched as w says.
func newStarter(ctx context.Context, w watch.Watch, kill <-chan struct{}) *starter {
	w.Grace = stopTimeout
	s := &starter{
		ctx: ctx, watch: w, starts: make(chan func(), 1), quit: make(chan struct{}), kill: kill,
	}
	go func() {
		runtime.LockOSThread()
		for {
			select {
			case start := <-s.starts:
				start()
			case <-s.quit:
				return
			}
		}
	}()
	return s
}

// start starts a process with a pipe to its stdin and one from its stdout. A process that is being
// started closes what files this one has open, which a disk that hangs may hold up (FUSE flushes
// them), such as the one that the results are on: it is not waited for after kill, nor long after
// an interrupt.
func (s *starter) start(cmd *exec.Cmd) (stdin io.WriteCloser, stdout io.Reader, err error) {
	if stdin, err = cmd.StdinPipe(); err != nil {
		return nil, nil, err
	}
	if stdout, err = cmd.StdoutPipe(); err != nil {
		return nil, nil, err
	}
	done := make(chan error, 1)
	const what = "a process of hubbench's own to start"
	err = s.watch.Do(s.ctx, what, func(context.Context, func()) error {
		starts := s.starts
		for {
			select {
			case starts <- func() { done <- cmd.Start() }: // It waits if the one before hangs.
				starts = nil
			case err := <-done:
				return err
			case <-s.quit:
				return errStartHangs
			case <-s.kill:
				return errStartHangs
			}
		}
	})
	_, hangs := errors.AsType[*watch.HangError](err)
	if hangs || s.ctx.Err() != nil && errors.Is(err, context.Cause(s.ctx)) {
		err = errStartHangs
	}
	return stdin, stdout, err
}

var errStartHangs = errors.New("no process can be started while a disk hangs")

func (s *starter) close() { close(s.quit) }
