// Package clock reads the machine's monotonic clock, and waits for an instant of it precisely
// enough for several processes to begin together. Its nanoseconds are the same for every process of
// one machine, which Go's own monotonic reading does not promise; they are not wall time and mean
// nothing on another machine or after a reboot. Start at Now, then WaitUntil; SleepUntil is for
// callers that wait often and need no such precision.
package clock

import (
	"runtime"
	"time"
)

// LongPause is the minimum time without a look at the clock, which is read several times a second,
// that shows that the process was stopped (Ctrl-Z, a debugger, a frozen container). No process
// waits that long on a busy machine.
const LongPause = 5 * time.Second

// WaitUntil returns at the instant ns of Now, or at once when that has passed. Call it from a
// goroutine locked to its thread (runtime.LockOSThread): the thread's timers become precise and
// stay so.
//
// It sleeps until a little before the instant and spins for the rest: a sleep alone wakes late by
// the scheduler's latency, a long spin takes the processor from the other processes that wait for
// the same instant.
func WaitUntil(ns int64) {
	SleepUntil(ns - spinNS)
	for Now() < ns {
	}
}

// Stopwatch reads the clock as Now does, from an instant on, and without asking the kernel each
// time: Go reads the same monotonic clock, only from an origin of its own. Not on Windows, where
// Go's reading is interrupt time, which moves in ticks of 0.5 to 15.6 ms and drifts from the
// performance counter.
type Stopwatch struct {
	startNS int64
	began   time.Time
}

// Start starts a stopwatch. Its first reading is the earlier one, so that nothing seems to lie
// after an end that Now gives. If the process is interrupted between its readings, it takes others.
func Start() Stopwatch {
	for tries := 1; ; tries++ {
		s := Stopwatch{startNS: Now(), began: time.Now()}
		if tries == 10 || Now()-s.startNS < 2_000 {
			return s
		}
	}
}

// StartNS returns the instant of the start, by Now; zero if it was not started.
func (s Stopwatch) StartNS() int64 { return s.startNS }

// Now returns the clock's nanoseconds.
func (s Stopwatch) Now() int64 {
	if runtime.GOOS == "windows" {
		return Now()
	}
	return s.startNS + int64(time.Since(s.began))
}
