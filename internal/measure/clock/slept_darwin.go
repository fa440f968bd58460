package clock

import (
	"time"

	"golang.org/x/sys/unix"
)

// slept: CLOCK_MONOTONIC_RAW goes on while the machine sleeps, and CLOCK_UPTIME_RAW does not (clock_gettime(3)).
func slept() time.Duration {
	var all unix.Timespec
	awake := Now()
	if unix.ClockGettime(unix.CLOCK_MONOTONIC_RAW, &all) != nil {
		return 0
	}
	return time.Duration(all.Nano() - awake)
}
