package diskio

import (
	"sync"
	"sync/atomic"

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
// Two sets of counters take turns: while the lanes fill one, a goroutine of its own emits the
// other, so that a lane does no more than add to a counter. A nil *latencies counts nothing.
type latencies struct {
	emit    func(trace.Event)
	turns   [2]counters
	turn    atomic.Uint32 // index of the one being filled
	writing atomic.Bool   // the other is being emitted

	// Of the lane that calls tick.
	nextNS int64 // when the stretch ends, in nanoseconds since the release
	lastNS int64 // time of the last tick

	stretches chan stretch
	writer    sync.WaitGroup
}

// counters are of reads and of writes.
type counters [2]latency.Recorder

// stretch is what a latency event is about.
type stretch struct {
	turn  uint32
	endNS int64
}

// newLatencies emits what is counted, until stop.
func newLatencies(emit func(trace.Event)) *latencies {
	l := &latencies{nextNS: latencyEveryNS, emit: emit, stretches: make(chan stretch, 1)}
	l.writer.Go(func() {
		hist := latency.New()
		for s := range l.stretches {
			l.write(hist, s.endNS, &l.turns[s.turn])
			l.writing.Store(false)
		}
	})
	return l
}

// write emits what the counters hold, and clears them.
func (l *latencies) write(hist *latency.Histogram, endNS int64, list ...*counters) {
	for i, op := range [...]trace.Role{trace.Read, trace.Write} {
		hist.Reset()
		for _, c := range list {
			c[i].Drain(hist)
		}
		if hist.TotalCount() > 0 {
			l.emit(trace.Event{Type: trace.LatencyType, Op: op, TNS: endNS,
				Hist: latency.Encode(hist)})
		}
	}
}

// record counts a request. Any lane may call it at any time.
func (l *latencies) record(op trace.Role, startNS, endNS int64) {
	if l == nil {
		return
	}
	c := &l.turns[l.turn.Load()]
	if op == trace.Write {
		c[1].Record(endNS - startNS)
	} else {
		c[0].Record(endNS - startNS)
	}
}

// tick has the last stretch emitted when its second is over. It is called with the nanoseconds
// since the release, often, and by one lane only. What another lane counts at that instant may
// still fall to the old stretch; if the one before is not emitted yet, the stretch goes on.
func (l *latencies) tick(ns int64) {
	if l == nil {
		return
	}
	l.lastNS = ns
	if ns >= l.nextNS {
		l.cut(ns)
	}
}

// resume notes that requests begin again after a pause, such as from one file to the next: a
// stretch whose second has passed since ends with the last request before.
func (l *latencies) resume(ns int64) {
	if l != nil && ns >= l.nextNS {
		l.cut(l.lastNS)
		l.nextNS = after(ns)
	}
}

func (l *latencies) cut(endNS int64) {
	if !l.writing.CompareAndSwap(false, true) {
		return
	}
	turn := l.turn.Load()
	l.turn.Store(1 - turn)
	l.stretches <- stretch{turn, endNS} // there is room: nothing is being emitted
	l.nextNS = after(endNS)
}

// after is the first whole second after an instant.
func after(ns int64) int64 { return (ns/latencyEveryNS + 1) * latencyEveryNS }

// stop emits what is left, once nothing is counted any more.
func (l *latencies) stop() {
	close(l.stretches)
	l.writer.Wait()
	l.write(latency.New(), l.lastNS, &l.turns[0], &l.turns[1])
}
