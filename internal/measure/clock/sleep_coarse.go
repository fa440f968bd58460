//go:build !linux && !darwin

package clock

import "time"

// sleepUntil sleeps to the instant ns if no system call takes an absolute one.
func sleepUntil(ns int64) {
	if rest := ns - Now(); rest > 0 {
		time.Sleep(time.Duration(rest))
	}
}
