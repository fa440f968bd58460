// Package interrupt is how hubbench is asked to end. The first signal stops what a command does, the second ends it at
// once; and a command that looks at disks does so behind a process that touches none, so that a disk that hangs cannot
// hang the terminal.
package interrupt

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// Asked is what signals ask of a run, from its first moment until its results are written: the first stops it, the
// second ends it at once. A reader that is gone (a closed pager) ends no run.
type Asked struct {
	kill chan struct{} // closed by the second

	mu  sync.Mutex
	say func() // answers the first
}

// asks are the requests to stop from the process in front of this one; until a command takes them, each ends it.
type asks struct {
	taken atomic.Bool
	each  chan os.Signal
}

type asksKey struct{}

// Process is what belongs to the whole process, which cmd has and passes down.
type Process struct {
	Args                  []string // with the program's name
	Env                   []string
	Stdin, Stdout, Stderr *os.File
	Exit                  func(code int)
	Failed, Interrupted   int // exit codes
}

// askingSignals are those that ask a process to end.
func askingSignals() []os.Signal {
	asking := []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT}
	if !signal.Ignored(syscall.SIGHUP) { // by nohup
		asking = append(asking, syscall.SIGHUP)
	}
	return asking
}

// ErrKilled is a second interrupt.
var ErrKilled = errors.New("interrupted twice")

// ErrEarly is an interrupt before anything was made or moved.
var ErrEarly = errors.New("interrupted before anything was measured")

// Until does what comes before anything is made or moved: the first interrupt ends it, though a disk hangs
// meanwhile and do goes on.
func Until(ctx context.Context, do func() error) error {
	done := make(chan error, 1)
	go func() { done <- do() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ErrEarly
	}
}

// Catch ends the context at the first signal that asks the process to end. None of them kills.
func Catch(parent context.Context) (ctx context.Context, asked *Asked, release func()) {
	ctx, cancel := context.WithCancel(parent)
	signals := make(chan os.Signal, 2)
	if a, ok := parent.Value(asksKey{}).(*asks); ok {
		a.taken.Store(true)
		signals = a.each
	} else {
		signal.Notify(signals, askingSignals()...)
	}
	signal.Ignore(syscall.SIGPIPE)
	asked = &Asked{kill: make(chan struct{}), say: func() {}}
	quit := make(chan struct{})
	go func() {
		for _, act := range []func(){func() { cancel(); asked.first() }, func() { close(asked.kill) }} {
			select {
			case <-signals:
				act()
			case <-quit:
				return
			}
		}
	}()
	// The signals stay caught: one that comes between here and the process's end must not change its exit code.
	return ctx, asked, func() { close(quit); cancel() }
}

// Answer has the first interrupt answered by say from now on.
func (i *Asked) Answer(say func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.say = say
}

func (i *Asked) first() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.say()
}

// Killed is closed by the second interrupt.
func (i *Asked) Killed() <-chan struct{} { return i.kill }

// UntilKilled does what a first interrupt does not stop. After a second one it waits for so long, and then returns
// ErrKilled while do may still be under way.
func (i *Asked) UntilKilled(wait time.Duration, do func() error) error {
	done := make(chan error, 1)
	go func() { done <- do() }()
	select {
	case err := <-done:
		return err
	case <-i.kill:
	}
	select {
	case err := <-done:
		return err
	case <-time.After(wait):
		return ErrKilled
	}
}
