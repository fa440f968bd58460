package clock

import (
	"time"

	"golang.org/x/sys/unix"
)

// slept: CLOCK_BOOTTIME is CLOCK_MONOTONIC with the time asleep (clock_gettime(2)).
func slept() time.Duration {
	var all unix.Timespec
	awake := Now() // first: what passes between the two must not look like the opposite of sleep
	if unix.ClockGettime(unix.CLOCK_BOOTTIME, &all) != nil {
		return 0
	}
	return time.Duration(all.Nano() - awake)
}
