package main

import (
	"time"

	"golang.org/x/sys/windows"
)

// front is not needed: nothing is known of processes that cannot be ended here, but of a console that sends its
// signals to all of them.
func front() (code int, ok bool) { return 0, false }

// behind has nothing before it.
func behind(exit func(code int)) (*asks, func(code int)) { return nil, exit }

// processorTime is how long this process has computed, and the system for it.
func processorTime() time.Duration {
	var began, ended, system, user windows.Filetime // the last two are lengths, in 100 ns
	// This fails for no process's own.
	_ = windows.GetProcessTimes(windows.CurrentProcess(), &began, &ended, &system, &user)
	// Their lower halves, which begin anew every seven minutes, are enough to compare two moments.
	return time.Duration(system.LowDateTime+user.LowDateTime) * 100
}
