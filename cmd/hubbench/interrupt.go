package main

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

// interrupts are what signals ask of a run, from its first moment until its results are written: the first stops it, the
// second ends it at once. A reader that is gone (a closed pager) ends no run.
type interrupts struct {
	kill chan struct{} // closed by the second

	mu  sync.Mutex
	say func() // answers the first
}

// asks are what the process in front of this one passes on, until a command takes them each of them ends it.
type asks struct {
	taken atomic.Bool
	each  chan os.Signal
}

// asksKey is what a context has them by.
type asksKey struct{}

// askingSignals are those that ask a process to end.
func askingSignals() []os.Signal {
	asking := []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT}
	if !signal.Ignored(syscall.SIGHUP) { // by nohup
		asking = append(asking, syscall.SIGHUP)
	}
	return asking
}

// errKilled is a second interrupt.
var errKilled = errors.New("interrupted twice")

// untilInterrupted does what comes before anything is made or moved: the first interrupt ends it, though a disk hangs
// meanwhile and do goes on.
func untilInterrupted(ctx context.Context, do func() error) error {
	done := make(chan error, 1)
	go func() { done <- do() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return &exitError{code: exitInterrupted, err: errors.New("interrupted before anything was measured")}
	}
}

// onInterrupt ends the context at the first signal that asks the process to end. None of them kills.
func onInterrupt(parent context.Context) (ctx context.Context, asked *interrupts, release func()) {
	ctx, cancel := context.WithCancel(parent)
	signals := make(chan os.Signal, 2)
	if a, ok := parent.Value(asksKey{}).(*asks); ok {
		a.taken.Store(true)
		signals = a.each
	} else {
		signal.Notify(signals, askingSignals()...)
	}
	signal.Ignore(syscall.SIGPIPE)
	asked = &interrupts{kill: make(chan struct{}), say: func() {}}
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

// answer has the first interrupt answered by say from now on.
func (i *interrupts) answer(say func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.say = say
}

func (i *interrupts) first() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.say()
}

// untilKilled does what a first interrupt does not stop. After a second one it waits for so long, and then returns
// errKilled while do may still be under way.
func (i *interrupts) untilKilled(wait time.Duration, do func() error) error {
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
		return errKilled
	}
}
