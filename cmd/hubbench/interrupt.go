package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
)

// asked is what signals ask of a run, from its first moment until its results are written: the
// first stops it, the second ends it at once. A reader that is gone (a closed pager) ends no run.
type asked struct {
	killed chan struct{}          // closed by the second
	say    atomic.Pointer[func()] // answers the first
}

// asks are the requests to stop from the process in front of this one; until a command takes them,
// each ends it.
type asks struct {
	taken atomic.Bool
	each  chan os.Signal
}

type asksKey struct{}

// askingSignals are those that ask a process to end.
func askingSignals() []os.Signal {
	asking := []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT}
	if !signal.Ignored(syscall.SIGHUP) { // by nohup
		asking = append(asking, syscall.SIGHUP)
	}
	return asking
}

var (
	errKilled = errors.New("interrupted twice")
	errEarly  = errors.New("interrupted before anything was measured")
)

// untilInterrupted does what comes before anything is made or moved: the first interrupt ends it,
// though a disk hangs meanwhile and do goes on.
func untilInterrupted(ctx context.Context, do func() error) error {
	done := make(chan error, 1)
	go func() { done <- do() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return errEarly
	}
}

// catchSignals ends the context at the first signal that asks the process to end. None of them
// kills.
func catchSignals(parent context.Context) (ctx context.Context, a *asked, release func()) {
	ctx, cancel := context.WithCancel(parent)
	signals := make(chan os.Signal, 2)
	if front, ok := parent.Value(asksKey{}).(*asks); ok {
		front.taken.Store(true)
		signals = front.each
	} else {
		signal.Notify(signals, askingSignals()...)
	}
	signal.Ignore(syscall.SIGPIPE)
	a = &asked{killed: make(chan struct{})}
	a.answer(func() {})
	quit := make(chan struct{})
	go func() {
		select {
		case <-signals:
			cancel()
			(*a.say.Load())()
		case <-quit:
			return
		}
		select {
		case <-signals:
			close(a.killed)
		case <-quit:
		}
	}()
	// The signals stay caught: one that comes between here and the process's end must not change
	// its exit code.
	return ctx, a, func() { close(quit); cancel() }
}

// answer has the first interrupt answered by say from now on.
func (a *asked) answer(say func()) { a.say.Store(&say) }

// untilKilled does what a first interrupt does not stop. After a second one it waits for so long,
// and then returns errKilled while do may still be under way.
func (a *asked) untilKilled(wait time.Duration, do func() error) error {
	done := make(chan error, 1)
	go func() { done <- do() }()
	select {
	case err := <-done:
		return err
	case <-a.killed:
	}
	select {
	case err := <-done:
		return err
	case <-time.After(wait):
		return errKilled
	}
}
