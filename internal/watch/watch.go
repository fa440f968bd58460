// Package watch notices that nothing moves, tells a person, and gives up. All that may wait for a
// disk is watched by it: a worker, what is recorded, a check, a command. A [Silence] counts; who
// opens a file does that in [Watch.Do], which says what it waits for.
package watch

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"
)

const (
	// After is how long nothing may move before a person is told.
	After = 8 * time.Second
	// Every is how often it is looked.
	Every = 250 * time.Millisecond
	// idle is how much a process computes between two looks while it waits: one that reads even
	// 2 MB/s needs more.
	idle = Every / 100
)

// Verdict is what a look at something that does not move calls for.
type Verdict int

// What a look can call for.
const (
	Wait   Verdict = iota
	Tell           // a person, once in each silence
	GiveUp         // nothing has moved for as long as it may
)

// Silence counts how long something has not moved. Its zero value is ready.
type Silence struct {
	For  time.Duration
	last time.Time // the look before; zero at first
	told bool
}

// Moved begins a new silence.
func (s *Silence) Moved() {
	s.For = 0
	s.told = false
}

// Look adds the time since the look before. A silence of usual is nothing to tell; one that lasts
// for stall longer ends the wait, unless stall is zero. If no look happened for a while, this
// process was stopped or the machine slept: the disk is not to blame.
func (s *Silence) Look(now time.Time, usual, stall time.Duration) Verdict {
	if !s.last.IsZero() {
		s.For += min(now.Sub(s.last), 2*Every)
	}
	s.last = now
	switch {
	case stall > 0 && s.For >= usual+stall:
		return GiveUp
	case s.For >= usual+After && !s.told:
		s.told = true
		return Tell
	}
	return Wait
}

// HangError is the error of what was given up.
type HangError struct {
	What string
	For  time.Duration
}

func (e *HangError) Error() string {
	return fmt.Sprintf("%s: nothing has moved for %s: the disk hangs; check that it is connected",
		e.What, e.For.Round(time.Second))
}

// Watch is who is told of what does not move, and how long it may last. Without Notify nobody is
// told.
type Watch struct {
	Notify func(text string)
	Stall  time.Duration // until it is given up; zero: never
	Option string        // by which a person sets that, such as --stall
	Grace  time.Duration // as Stall, once the context has ended
	// Looks begins the looks, and returns what ends them; nil: by the clock
	Looks func() (looks <-chan time.Time, end func())
	// Used returns the processor time so far: whoever computes does not wait; nil if others compute
	Used func() time.Duration
}

// Do does something that may wait for a disk, and returns its error. A disk that hangs may block it
// for ever, in a goroutine of its own: Do returns a [HangError] when it is given up, or the
// context's cause soon after that ends. do calls moved when something has moved. What it waits for
// that is no disk, or is watched itself, it begins with the context that it gets.
func (w Watch) Do(
	ctx context.Context, what string, do func(ctx context.Context, moved func()) error,
) error {
	defer Elsewhere(ctx)()
	inner := &gate{}
	ended, moves := make(chan error, 1), make(chan struct{}, 1)
	moved := func() {
		select {
		case moves <- struct{}{}:
		default:
		}
	}
	go func() { ended <- do(context.WithValue(ctx, gateKey{}, inner), moved) }()
	looks, end := w.Look()
	defer end()
	var silence Silence
	silence.Look(time.Now(), 0, 0)
	var used time.Duration
	stall := w.Stall
	over := ctx.Done()
	for {
		select {
		case err := <-ended:
			return err
		case <-moves:
			silence.Moved()
		case <-over:
			if w.Grace == 0 {
				return context.Cause(ctx)
			}
			over = nil
			silence.Moved()
			stall = w.Grace
		case now := <-looks:
			if w.computes(&used) || inner.open.Load() > 0 {
				silence.Moved()
			}
			switch verdict := silence.Look(now, 0, stall); {
			case verdict == GiveUp && ctx.Err() != nil:
				return context.Cause(ctx)
			case verdict == GiveUp:
				return &HangError{what, silence.For}
			case verdict == Tell && w.Notify != nil:
				w.Notify(w.notice(what))
			}
		}
	}
}

// Look begins the looks at what may hang, one in every Every.
func (w Watch) Look() (looks <-chan time.Time, end func()) {
	if w.Looks != nil {
		return w.Looks()
	}
	tick := time.NewTicker(Every)
	return tick.C, tick.Stop
}

// computes reports whether the process has computed since the look before.
func (w Watch) computes(used *time.Duration) bool {
	if w.Used == nil {
		return false
	}
	before := *used
	*used = w.Used()
	return *used-before > idle
}

// notice says what is waited for, why it may take so long, and when it is given up, if ever.
func (w Watch) notice(what string) string {
	text := "waiting for " + what + ": nothing has moved for " + After.String() +
		": its disk is starting up, very slow or hangs, or the system asks in a window of its own " +
		"whether this terminal may use it"
	if w.Stall > 0 {
		text += "; hubbench gives up on it after " + w.Stall.String()
	}
	if w.Stall > 0 && w.Option != "" {
		text += " (" + w.Option + ")"
	}
	return text
}

// gate says that what is watched waits for something that is no disk, or is watched itself.
type gate struct{ open atomic.Int32 }

type gateKey struct{}

// Elsewhere has a wait, until the function that it returns is called, not be taken for one for a
// disk: a person, a program or a reader may take any time.
func Elsewhere(ctx context.Context) (back func()) {
	outer, ok := ctx.Value(gateKey{}).(*gate)
	if !ok {
		return func() {}
	}
	outer.open.Add(1)
	return func() { outer.open.Add(-1) }
}
