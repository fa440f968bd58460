package clock

import "golang.org/x/sys/unix"

// wholeClock is awakeClock with the time asleep (clock_gettime(2)).
const (
	awakeClock = unix.CLOCK_MONOTONIC
	wholeClock = unix.CLOCK_BOOTTIME
)

// spinNS is how long before the instant the sleep ends. Three processes on two cores started within
// 22 us of one another (median; p99 72 us) with it; longer spins were worse, as the processes take
// turns.
const spinNS = 60_000

// SleepUntil returns soon after the instant ns of Now, some 0.1 ms on an idle machine, without
// spinning. As WaitUntil, it makes the timers of its thread precise.
func SleepUntil(ns int64) {
	if ns <= Now() {
		return
	}
	// The kernel may otherwise gather this thread's timers in groups 50 us wide. If it refuses, the
	// wait still works and the skew that is recorded shows the difference.
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0)
	ts := unix.NsecToTimespec(ns)
	// The instant is absolute, so an interrupted sleep simply resumes. (The Go runtime interrupts
	// threads with signals as a matter of course.)
	for unix.ClockNanosleep(awakeClock, unix.TIMER_ABSTIME, &ts, nil) == unix.EINTR {
	}
}
