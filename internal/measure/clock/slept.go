package clock

import "time"

// Slept is how long the machine has been asleep since it was started: zero if the system does not say. Only its growth
// means anything.
func Slept() time.Duration { return slept() }

// LongPause is the minimum time without a look at the clock, which is read several times a second, that shows that the process
// was stopped (Ctrl-Z, a debugger, a frozen container). No process waits that long on a busy machine.
const LongPause = 5 * time.Second
