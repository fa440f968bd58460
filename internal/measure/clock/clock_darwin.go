package clock

import (
	"time"

	"golang.org/x/sys/unix"
)

// wholeClock goes on while the machine sleeps, and awakeClock does not (clock_gettime(3)).
const (
	awakeClock = unix.CLOCK_UPTIME_RAW
	wholeClock = unix.CLOCK_MONOTONIC_RAW
)

// spinNS is long, because the sleep is relative and nothing promises when it ends; Macs have cores
// to spare for it.
const spinNS = 1_000_000

// SleepUntil sleeps to the instant ns on a timer of its own that macOS does not gather with others
// (NOTE_CRITICAL in kevent(2)); a plain sleep may end a millisecond late, and later on battery or
// in the background. The timer is relative: an absolute one (NOTE_MACHTIME) counts ticks of 125/3
// ns on Apple silicon and of 1 ns elsewhere, and what passes between reading the clock and arming
// the timer is made up for by the spin that follows.
func SleepUntil(ns int64) {
	queue, err := unix.Kqueue()
	if err == nil {
		defer func() { _ = unix.Close(queue) }()
	}
	for rest := ns - Now(); rest > 0; rest = ns - Now() {
		if err == nil {
			err = sleepCritical(queue, rest)
		}
		if err != nil {
			// As good as can be had; the skew that is recorded shows the difference.
			time.Sleep(time.Duration(rest))
		}
	}
}

// sleepCritical sleeps for that many nanoseconds, or until a signal interrupts it.
func sleepCritical(queue int, ns int64) error {
	timer := []unix.Kevent_t{{
		Ident: 1, Filter: unix.EVFILT_TIMER, Flags: unix.EV_ADD | unix.EV_ONESHOT,
		Fflags: unix.NOTE_NSECONDS | unix.NOTE_CRITICAL, Data: ns,
	}}
	rang := make([]unix.Kevent_t, 1)
	n, err := unix.Kevent(queue, timer, rang, nil)
	switch {
	case err == unix.EINTR:
		return nil
	case n == 1 && rang[0].Flags&unix.EV_ERROR != 0:
		return unix.Errno(rang[0].Data)
	}
	return err
}
