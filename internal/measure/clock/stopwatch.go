//go:build !windows

package clock

import "time"

// Stopwatch reads the clock as Now does, from an instant on, and without asking the kernel each time: Go reads the
// same monotonic clock, only from an origin of its own.
type Stopwatch struct {
	startNS int64
	began   time.Time
}

// Start starts a stopwatch. Its first reading is the earlier one, so that nothing seems to lie after an end that Now
// gives.
func Start() Stopwatch {
	return Stopwatch{startNS: Now(), began: time.Now()}
}

// StartNS is the instant of the start, by Now; zero if it was not started.
func (s Stopwatch) StartNS() int64 { return s.startNS }

// Now is the clock's nanoseconds.
func (s Stopwatch) Now() int64 { return s.startNS + int64(time.Since(s.began)) }
