package clock

import "time"

// Slept is how long the machine has been asleep since it was started: zero where the system does not say. Only its growth
// means anything.
func Slept() time.Duration { return slept() }
