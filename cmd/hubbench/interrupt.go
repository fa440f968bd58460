package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// interrupts are what signals ask of a run, from before anything is recorded until its results are written: the first
// stops it, the second ends it at once. A reader that is gone (a closed pager) ends no run.
type interrupts struct {
	kill chan struct{} // closed by the second

	mu  sync.Mutex
	say func() // answers the first
}

// errTwice is a second interrupt.
var errTwice = errors.New("interrupted twice")

// onInterrupt ends the context at the first signal that asks the process to end. Until release none of them kills.
func onInterrupt(parent context.Context) (ctx context.Context, asked *interrupts, release func()) {
	ctx, cancel := context.WithCancel(parent)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
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
	return ctx, asked, func() { signal.Stop(signals); close(quit); cancel() }
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

// unlessTwice does what a first interrupt does not stop, and leaves it behind at the second.
func (i *interrupts) unlessTwice(do func() error) error {
	done := make(chan error, 1)
	go func() { done <- do() }()
	select {
	case err := <-done:
		return err
	case <-i.kill:
		return errTwice
	}
}
