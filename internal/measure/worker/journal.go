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
	// maxBatch is how many bytes of lines are sent at once.
	maxBatch = 1 << 20
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
	batch := wire.Message{Kind: wire.EventsKind}
	send := func() {
		if len(batch.Lines) > 0 {
			// A coordinator that is gone cannot be reached; the inbox ends the job.
			_ = j.conn.Send(batch)
			batch = wire.Message{Kind: wire.EventsKind, Lines: batch.Lines[:0]}
		}
	}
	var last trace.Event // of progress
	add := func(e *trace.Event) {
		batch.Lines = trace.AppendEvent(batch.Lines, e)
		switch e.Type {
		case trace.FileType:
			batch.Moved = true
			if !e.Filler {
				batch.Files++
			}
		case trace.StartType, trace.ErrorType:
			batch.Moved = true
		case trace.ProgressType:
			batch.Moved = batch.Moved || e.Seq != last.Seq || e.Bytes != last.Bytes
			last = *e
		}
	}
	for {
		select {
		case e, ok := <-j.events:
			if !ok {
				send()
				return
			}
			if add(&e); len(batch.Lines) >= maxBatch {
				send()
			}
		case <-tick.C:
			send()
		}
	}
}
