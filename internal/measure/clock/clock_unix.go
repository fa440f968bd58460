//go:build unix

package clock

import (
	"time"

	"golang.org/x/sys/unix"
)

// Now returns the monotonic clock in nanoseconds, one for all processes of the machine, which does
// not run while it sleeps.
func Now() int64 {
	var ts unix.Timespec
	// The call cannot fail: the clock exists on every system, and the address is valid.
	_ = unix.ClockGettime(awakeClock, &ts)
	return ts.Nano()
}

// Slept returns how long the machine has been asleep since it was started: zero if the system does
// not say. Only its growth means anything.
func Slept() time.Duration {
	awake := Now() // first: what passes between the two must not look like the opposite of sleep
	var all unix.Timespec
	if unix.ClockGettime(wholeClock, &all) != nil {
		return 0
	}
	return time.Duration(all.Nano() - awake)
}

// Used returns how long this process has computed, and the system for it.
func Used() time.Duration {
	var used unix.Rusage
	_ = unix.Getrusage(unix.RUSAGE_SELF, &used) // fails for no process's own
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
