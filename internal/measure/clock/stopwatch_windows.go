package clock

// Stopwatch reads the clock as Now does, from an instant on. On Windows that is the clock itself: Go's own reading there
// is interrupt time, which moves in ticks of 0.5 to 15.6 ms and drifts from the performance counter.
type Stopwatch struct {
	startNS int64
}

// Start starts a stopwatch.
func Start() Stopwatch { return Stopwatch{startNS: Now()} }

// StartNS is the instant of the start, by Now; zero if it was not started.
func (s Stopwatch) StartNS() int64 { return s.startNS }

// Now is the clock's nanoseconds.
func (s Stopwatch) Now() int64 { return Now() }
