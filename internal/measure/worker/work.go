package worker

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/hubbench/hubbench/internal/measure/clock"
	"github.com/hubbench/hubbench/internal/measure/diskio"
	"github.com/hubbench/hubbench/internal/measure/wire"
	"github.com/hubbench/hubbench/pkg/policy"
	"github.com/hubbench/hubbench/pkg/trace"
)

// work moves files from the release on, for as long as the policy has it. lateNS is how long after the release it
// began.
func (w *worker) work(ctx context.Context, releaseNS, lateNS int64) error {
	job := policy.NewJob(w.job.Phase, w.job.Policy, &w.job.Job.Job)
	worked := false
	for _, ok := job.Next(); ok; _, ok = job.Next() {
		if job.Worked() && !worked { // what follows is filler
			worked = true
			_ = w.conn.Send(wire.Message{Kind: wire.WorkedKind}) // a coordinator that is gone cannot be reached
		}
		seq := job.Seq()
		var read int64 // of the file, if the job also writes
		span, err := w.engine.Transfer(ctx, seq, func(bytes, of, tNS int64) {
			read = of
			w.emit(job, job.Progress(bytes, tNS), read)
		})
		if seq == 0 {
			start := job.Event(trace.StartType)
			start.LateNS = lateNS
			w.journal.events <- start
		}
		if err != nil {
			span.Read = read // as the last sample has it
			w.failed(ctx, job, span, err, clock.Now()-releaseNS)
			return err
		}
		w.emit(job, job.File(span.Bytes, span.StartNS, span.EndNS), span.Read)
	}
	return nil
}

// emit passes an event on, and to a simulated hub what it has decided about the job, before the next ask.
func (w *worker) emit(job *policy.Job, e trace.Event, read int64) {
	w.journal.moved.Store(job.Moved())
	w.moved(e, read)
	for window, ok := job.Settled(); ok; window, ok = job.Settled() {
		_ = w.conn.Send(wire.Message{Kind: wire.SteadyKind, Window: window})
	}
	if bytes, ok := job.Quota(); ok && w.job.Simulated {
		_ = w.conn.Send(wire.Message{Kind: wire.QuotaKind, Bytes: bytes})
	}
}

// moved passes on what was moved: one event, or one of each direction.
func (w *worker) moved(e trace.Event, read int64) {
	if w.job.Reads == 0 {
		w.journal.events <- e
		return
	}
	reads, writes := policy.Both(e, read)
	for _, e := range [...]trace.Event{reads, writes} {
		if e.Bytes > 0 {
			w.journal.events <- e
		}
	}
}

// failed handles a file that did not end: a failure, or a filler that was enough.
func (w *worker) failed(ctx context.Context, job *policy.Job, span diskio.Span, err error, nowNS int64) {
	if ctx.Err() == nil {
		e := job.Event(trace.ErrorType)
		e.TNS, e.Error = nowNS, err.Error()
		w.journal.events <- e
	} else if e, ok := job.CutShort(span.StartNS); ok {
		w.moved(e, span.Read)
	}
}

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

// inbox sorts what the coordinator says. It is the simulated engine's diskio.Hub.
type inbox struct {
	conn    *wire.Conn
	release chan int64
	grants  chan int64
}

// listen reads until the coordinator closes its end, and cancels the job when asked to finish or to stop, or when
// that happens.
func (in *inbox) listen(cancel context.CancelCauseFunc) {
	for {
		m, err := in.conn.Receive()
		if err != nil {
			cancel(errOrphaned)
			return
		}
		switch m.Kind {
		case wire.ReleaseKind:
			in.release <- m.AtNS
		case wire.GrantKind:
			in.grants <- m.DoneNS
		case wire.FinishKind:
			cancel(errFinished)
		case wire.StopKind:
			cancel(errStopped)
		}
	}
}

// Move asks the hub for a stretch and waits for the grant.
func (in *inbox) Move(ctx context.Context, bytes int64) (doneNS int64, err error) {
	if ctx.Err() != nil {
		return 0, context.Cause(ctx)
	}
	if err := in.conn.Send(wire.Message{Kind: wire.AskKind, Bytes: bytes}); err != nil {
		return 0, err
	}
	select {
	case doneNS := <-in.grants:
		return doneNS, nil
	case <-ctx.Done():
	}
	select {
	case doneNS := <-in.grants: // said before the job was ended: it counts
		return doneNS, nil
	default:
		return 0, context.Cause(ctx)
	}
}
