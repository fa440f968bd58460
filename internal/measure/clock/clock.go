// Package clock reads the machine's monotonic clock, and waits for an instant of it precisely enough for
// several processes to begin together. Its nanoseconds are the same for every process of one machine, which
// Go's own monotonic reading does not promise; they are not wall time and mean nothing on another machine
// or after a reboot. Start at Now, then WaitUntil;
// SleepUntil is for callers that wait often and need no such precision.
package clock

// WaitUntil returns at the instant ns of Now, or at once when that has passed. Call it from a goroutine
// locked to its thread (runtime.LockOSThread): the thread's timers become precise and stay so.
//
// It sleeps until a little before the instant and spins for the rest: a sleep alone wakes late by the
// scheduler's latency, a long spin takes the processor from the other processes that wait for the same instant.
func WaitUntil(ns int64) {
	sleepUntil(ns - spinNS)
	for Now() < ns {
	}
}

// SleepUntil returns soon after the instant ns of Now, some 0.1 ms on an idle machine, without spinning. As WaitUntil, it
// makes the timers of its thread precise.
func SleepUntil(ns int64) { sleepUntil(ns) }
