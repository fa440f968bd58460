package supervisor

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/hubbench/hubbench/internal/exit"
	"github.com/hubbench/hubbench/internal/watch"
)

// Interrupts are what signals ask of a run, from its first moment until its results are written:
// the first stops it, the second ends it at once. A reader that is gone (a closed pager) ends no
// run.
type Interrupts struct {
	Killed chan struct{} // Killed is closed by the second.
	answer atomic.Pointer[func()]
}

// requests are the requests to stop that come from the supervisor; until a command takes them, each
// ends it.
type requests struct {
	taken   atomic.Bool
	signals chan os.Signal
}

type requestsKey struct{}

// endingSignals returns those that ask a process to end.
func endingSignals() []os.Signal {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT}
	if !signal.Ignored(syscall.SIGHUP) { // by nohup
		signals = append(signals, syscall.SIGHUP)
	}
	return signals
}

var (
	// ErrKilled says that a second interrupt ended what was done.
	ErrKilled = errors.New("interrupted twice")
	// ErrEarly says that an interrupt came before anything was made.
	ErrEarly = exit.Errorf(exit.Interrupted, "interrupted before anything was measured")
)

// UntilInterrupted does what comes before anything is made or moved: the first interrupt ends it,
// though a disk hangs meanwhile and do goes on.
func UntilInterrupted(ctx context.Context, do func() error) error {
	done := make(chan error, 1)
	go func() { done <- do() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ErrEarly
	}
}

// ReadLine reads one line unless ctx ends first; the read itself cannot be interrupted and is left
// behind. At the end of the input the line lacks its newline.
func ReadLine(ctx context.Context, in io.Reader) (string, error) {
	defer watch.Elsewhere(ctx)()
	var line string
	err := UntilInterrupted(ctx, func() (err error) {
		if line, err = bufio.NewReader(in).ReadString('\n'); errors.Is(err, io.EOF) {
			return nil
		}
		return err
	})
	if err != nil {
		return "", err // the line may still come
	}
	return line, nil
}

// CatchSignals ends the context at the first signal that asks the process to end. None of them
// kills.
func CatchSignals(parent context.Context) (ctx context.Context, i *Interrupts, release func()) {
	ctx, cancel := context.WithCancel(parent)
	signals := make(chan os.Signal, 2)
	if supervised, ok := parent.Value(requestsKey{}).(*requests); ok {
		supervised.taken.Store(true)
		signals = supervised.signals
	} else {
		signal.Notify(signals, endingSignals()...)
	}
	signal.Ignore(syscall.SIGPIPE)
	i = &Interrupts{Killed: make(chan struct{})}
	i.AnswerBy(func() {})
	quit := make(chan struct{})
	go func() {
		select {
		case <-signals:
			cancel()
			(*i.answer.Load())()
		case <-quit:
			return
		}
		select {
		case <-signals:
			close(i.Killed)
		case <-quit:
		}
	}()
	// The signals stay caught: one that comes between here and the process's end must not change
	// its exit code.
	return ctx, i, func() { close(quit); cancel() }
}

// AnswerBy has the first interrupt answered by a function from now on.
func (i *Interrupts) AnswerBy(answer func()) { i.answer.Store(&answer) }

// UntilKilled does what a first interrupt does not stop. After a second one it waits for so long,
// and then returns ErrKilled while do may still be under way.
func (i *Interrupts) UntilKilled(wait time.Duration, do func() error) error {
	done := make(chan error, 1)
	go func() { done <- do() }()
	select {
	case err := <-done:
		return err
	case <-i.Killed:
	}
	select {
	case err := <-done:
		return err
	case <-time.After(wait):
		return ErrKilled
	}
}
