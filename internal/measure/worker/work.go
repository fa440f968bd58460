package worker

import (
	"context"

	"github.com/hubbench/hubbench/internal/measure/clock"
	"github.com/hubbench/hubbench/internal/measure/diskio"
	"github.com/hubbench/hubbench/internal/measure/wire"
	"github.com/hubbench/hubbench/pkg/policy"
	"github.com/hubbench/hubbench/pkg/trace"
)

// work moves files from the release on, for as long as the policy has it. lateNS is how long after the release it began.
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
