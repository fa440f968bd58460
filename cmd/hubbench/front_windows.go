package main

import (
	"context"
	"time"

	"golang.org/x/sys/windows"
)

// front is not needed: nothing is known of processes that cannot be ended here, but of a console that sends its
// signals to all of them.
func front() (code int, ok bool) { return 0, false }

// behind has nothing before it.
func behind(ctx context.Context, exit func(code int)) (context.Context, func(code int)) {
	return ctx, exit
}

// processorTime is how long this process has computed, and the system for it.
func processorTime() time.Duration {
	var began, ended, system, user windows.Filetime // the last two are lengths, in 100 ns
	// This fails for no process's own.
	_ = windows.GetProcessTimes(windows.CurrentProcess(), &began, &ended, &system, &user)
	// Their lower halves, which begin anew every seven minutes, are enough to compare two moments.
	return time.Duration(system.LowDateTime+user.LowDateTime) * 100
}
