package clock

import "time"

// Slept is how long the machine has been asleep since it was started: zero if the system does not say. Only its growth
// means anything.
func Slept() time.Duration { return slept() }

// LongPause is the least time without a look at the clock, by who looks several times a second, that means that the process
// stood still (Ctrl-Z, a debugger, a frozen container). A busy machine lets nobody wait that long.
const LongPause = 5 * time.Second
