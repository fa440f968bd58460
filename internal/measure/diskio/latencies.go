package diskio

import (
	"sync"

	"github.com/hubbench/hubbench/pkg/latency"
	"github.com/hubbench/hubbench/pkg/trace"
)

// latencyEveryNS is how much of a job one latency event is about; its ends lie on whole seconds
// since the release.
const latencyEveryNS = 1_000_000_000

// latencies counts how long the requests of a job took, by operation, and emits that once a second.
// A request's time is from when it is handed to the system, or was due to be if it has a time (see
// pacer), until the lane that handed it over sees it done; what hubbench does before and after
// (stamps, checks, emptying the cache) is no part of it. For an application it is a whole call,
// which may move gigabytes.
//
// A goroutine of its own takes the counts and emits them, so that a lane does no more than add to a
// counter. A nil *latencies counts nothing.
type latencies struct {
	emit          func(trace.Event)
	reads, writes latency.Recorder

	// Of the lane that calls tick.
	nextNS int64 // when the stretch ends, in nanoseconds since the release
	lastNS int64 // time of the last tick

	ends   chan int64 // ends of stretches
	writer sync.WaitGroup
}

// newLatencies emits what is counted, until stop.
func newLatencies(emit func(trace.Event)) *latencies {
	l := &latencies{nextNS: latencyEveryNS, emit: emit, ends: make(chan int64)}
	l.writer.Go(func() {
		hist := latency.New()
		for endNS := range l.ends {
			l.write(hist, endNS)
		}
	})
	return l
}

// write emits what was counted.
func (l *latencies) write(hist *latency.Histogram, endNS int64) {
	for _, op := range []trace.Role{trace.Read, trace.Write} {
		hist.Reset()
		l.counter(op).Drain(hist)
		if hist.TotalCount() > 0 {
			l.emit(trace.Event{Type: trace.LatencyType, Op: op, TNS: endNS,
				Hist: latency.Encode(hist)})
		}
	}
}

func (l *latencies) counter(op trace.Role) *latency.Recorder {
	if op == trace.Write {
		return &l.writes
	}
	return &l.reads
}

// record counts a request. Any lane may call it at any time.
func (l *latencies) record(op trace.Role, startNS, endNS int64) {
	if l != nil {
		l.counter(op).Record(endNS - startNS)
	}
}

// tick has the last stretch emitted when its second is over. It is called with the nanoseconds
// since the release, often, and by one lane only. What is counted while the stretch is taken may
// still fall to it.
func (l *latencies) tick(ns int64) {
	if l == nil {
		return
	}
	l.lastNS = ns
	if ns >= l.nextNS {
		l.end(ns)
	}
}

// resume notes that requests begin again after a pause, such as from one file to the next: a
// stretch whose second has passed since ends with the last request before.
func (l *latencies) resume(ns int64) {
	if l != nil && ns >= l.nextNS {
		l.end(l.lastNS)
		l.nextNS = secondAfter(ns)
	}
}

// end has a stretch emitted, unless the one before still is: then it goes on.
func (l *latencies) end(ns int64) {
	select {
	case l.ends <- ns:
		l.nextNS = secondAfter(ns)
	default:
	}
}

// secondAfter returns the first whole second after an instant.
func secondAfter(ns int64) int64 { return (ns/latencyEveryNS + 1) * latencyEveryNS }

// stop emits what is left, once nothing is counted any more.
func (l *latencies) stop() {
	close(l.ends)
	l.writer.Wait()
	l.write(latency.New(), l.lastNS)
}
