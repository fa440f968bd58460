package worker

import (
	"sync/atomic"
	"time"

	"github.com/hubbench/hubbench/internal/measure/wire"
	"github.com/hubbench/hubbench/pkg/trace"
)

const (
	// flushEvery is how long an event may wait for others to be sent with.
	flushEvery = 100 * time.Millisecond
	// buffered is how many events the transfer may be ahead of the pipe: at 50 ms samples, minutes.
	buffered = 4096
)

// journal carries events from the transfer to the coordinator, so that the transfer never waits
// for a pipe: it fills a buffer, drain empties it.
type journal struct {
	conn   *wire.Conn
	events chan trace.Event
	moved  atomic.Int64 // bytes of the job so far
	beside atomic.Int64 // what was done outside the files' times
}

// drain sends what has gathered, several times a second, until there are no more events.
func (j *journal) drain() {
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	var batch []trace.Event
	send := func() {
		if len(batch) > 0 {
			// A coordinator that is gone cannot be reached; the inbox ends the job.
			_ = j.conn.Send(wire.Message{Kind: wire.EventsKind, Events: batch})
			batch = batch[:0]
		}
	}
	for {
		select {
		case e, ok := <-j.events:
			if !ok {
				send()
				return
			}
			if batch = append(batch, e); len(batch) == cap(j.events) {
				send()
			}
		case <-tick.C:
			send()
		}
	}
}
