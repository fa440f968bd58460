package worker

import (
	"context"
	"time"

	"github.com/hubbench/hubbench/internal/measure/clock"
	"github.com/hubbench/hubbench/internal/measure/wire"
	"github.com/hubbench/hubbench/pkg/policy"
	"github.com/hubbench/hubbench/pkg/trace"
)

// work moves files from the release on, for as long as the policy has it.
func (w *worker) work(ctx context.Context) error {
	lateNS := clock.Now() - w.release
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
			w.progress(job, job.Progress(bytes, tNS), read)
		})
		if seq == 0 {
			start := job.Event(trace.StartType)
			start.LateNS = lateNS
			w.events <- start
		}
		if err == nil {
			w.progress(job, job.File(span.Bytes, span.StartNS, span.EndNS), span.Read)
			continue
		}
		if ctx.Err() == nil {
			failed := job.Event(trace.ErrorType)
			failed.TNS, failed.Error = clock.Now()-w.release, err.Error()
			w.events <- failed
		} else if filler, ok := job.CutShort(span.StartNS); ok { // that was enough
			w.pass(filler, read) // as the last sample has it
		}
		return err
	}
	return nil
}

// progress passes an event on, and to a simulated hub what it has decided about the job, before the next ask.
func (w *worker) progress(job *policy.Job, e trace.Event, read int64) {
	w.moved.Store(job.Moved())
	w.pass(e, read)
	for window, ok := job.Settled(); ok; window, ok = job.Settled() {
		_ = w.conn.Send(wire.Message{Kind: wire.SteadyKind, Window: window})
	}
	if bytes, ok := job.Quota(); ok && w.job.Simulated {
		_ = w.conn.Send(wire.Message{Kind: wire.QuotaKind, Bytes: bytes})
	}
}

// pass passes on what was moved: one event, or one of each direction.
func (w *worker) pass(e trace.Event, read int64) {
	if w.job.Reads == 0 {
		w.events <- e
		return
	}
	reads, writes := policy.Both(e, read)
	for _, e := range [...]trace.Event{reads, writes} {
		if e.Bytes > 0 {
			w.events <- e
		}
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

// drain sends the coordinator what has gathered, several times a second, until there are no more events.
func (w *worker) drain() {
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	batch := wire.Message{Kind: wire.EventsKind}
	send := func() {
		if len(batch.Lines) > 0 {
			// A coordinator that is gone cannot be reached; listen ends the job.
			_ = w.conn.Send(batch)
			batch = wire.Message{Kind: wire.EventsKind, Lines: batch.Lines[:0]}
		}
	}
	var last trace.Event // of progress
	for {
		select {
		case <-tick.C:
			send()
		case e, ok := <-w.events:
			if !ok {
				send()
				return
			}
			batch.Lines = trace.AppendEvent(batch.Lines, &e)
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
				last = e
			}
			if len(batch.Lines) >= maxBatch {
				send()
			}
		}
	}
}

// listen reads what the coordinator says until it closes its end, and cancels the job when asked to finish or to stop,
// or when that happens.
func (w *worker) listen() {
	for {
		m, err := w.conn.Receive()
		if err != nil {
			w.cancel(errOrphaned)
			return
		}
		switch m.Kind {
		case wire.ReleaseKind:
			w.releases <- m.AtNS
		case wire.GrantKind:
			w.grants <- m.DoneNS
		case wire.FinishKind:
			w.cancel(errFinished)
		case wire.StopKind:
			w.cancel(errStopped)
		}
	}
}

// Move asks the hub for a stretch and waits for the grant.
func (w *worker) Move(ctx context.Context, bytes int64) (doneNS int64, err error) {
	if ctx.Err() != nil {
		return 0, context.Cause(ctx)
	}
	if err := w.conn.Send(wire.Message{Kind: wire.AskKind, Bytes: bytes}); err != nil {
		return 0, err
	}
	select {
	case doneNS := <-w.grants:
		return doneNS, nil
	case <-ctx.Done():
	}
	select {
	case doneNS := <-w.grants: // said before the job was ended: it counts
		return doneNS, nil
	default:
		return 0, context.Cause(ctx)
	}
}
