package clock

import "golang.org/x/sys/unix"

// spinNS is long, because the sleep is relative and nothing promises when it ends; Macs have cores to spare for it.
const spinNS = 1_000_000

// Now is the monotonic clock in nanoseconds: CLOCK_UPTIME_RAW, which counts from boot for every process
// and, like the disks, does not run while the machine sleeps.
func Now() int64 {
	var ts unix.Timespec
	// The call cannot fail: the clock exists since macOS 10.12, and the address is valid.
	_ = unix.ClockGettime(unix.CLOCK_UPTIME_RAW, &ts)
	return ts.Nano()
}
