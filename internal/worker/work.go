package worker

import (
	"context"
	"math"

	"github.com/hubbench/hubbench/internal/clock"
	"github.com/hubbench/hubbench/internal/diskio"
	"github.com/hubbench/hubbench/internal/wire"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// work moves files from the release on: those of the job in a race, then fillers where the phase holds, as many as
// meet its target, or whatever comes until it is enough. lateNS is how long after the release it began.
func (w *worker) work(ctx context.Context, releaseNS, lateNS int64) error {
	files := len(w.job.Sizes)
	if w.job.Stop == scenario.StopHold || w.job.Stop == scenario.StopTime || w.job.Target > 0 {
		files = math.MaxInt
	}
	quotas := make(chan int, 1)
	aim := w.aim(quotas)
	for seq := 0; seq < files; seq++ {
		filler := w.filler(seq)
		if filler && seq == len(w.job.Sizes) {
			if err := w.conn.Send(wire.Message{Kind: wire.WorkedKind}); err != nil {
				return err
			}
		}
		span, err := w.engine.Transfer(ctx, seq, func(bytes, tNS int64) {
			w.journal.progress(w.job, seq, bytes, tNS)
			aim(w.journal.moved.Load(), tNS)
		})
		if seq == 0 {
			w.journal.add(trace.Event{Type: trace.StartType, Phase: w.job.Phase, Disk: w.job.Disk, LateNS: lateNS})
		}
		if err != nil {
			w.cutShort(ctx, seq, span, err, clock.Now()-releaseNS)
			return err
		}
		w.journal.file(w.job, seq, span, filler)
		aim(w.journal.moved.Load(), span.EndNS)
		select {
		case files = <-quotas:
		default:
		}
	}
	return nil
}

// filler reports whether a file is no part of the job's work: the warm-up of a preset, or what a disk moves to keep
// the others company.
func (w *worker) filler(seq int) bool {
	return seq < w.job.IO.Discard || w.job.Stop == scenario.StopHold && seq >= len(w.job.Sizes)
}

// aim returns what takes note of progress where the phase has a target, and hands out how many files that makes. The
// coordinator is told as well: a simulated hub must know when the disk leaves.
func (w *worker) aim(quotas chan int) func(bytes, tNS int64) {
	if w.job.Target == 0 {
		return func(int64, int64) {}
	}
	aim := scenario.NewAim(w.job.Job.Job, w.job.Target)
	return func(bytes, tNS int64) {
		files, decided := aim.Moved(bytes, tNS)
		if !decided {
			return
		}
		select {
		case <-quotas: // the older one
		default:
		}
		quotas <- files
		w.journal.send(wire.Message{Kind: wire.QuotaKind, Bytes: w.job.BytesOf(files)})
	}
}

// cutShort tells what became of a file that did not end: a failure, or a filler that was enough.
func (w *worker) cutShort(ctx context.Context, seq int, span diskio.Span, err error, nowNS int64) {
	if ctx.Err() == nil {
		w.journal.add(trace.Event{Type: trace.ErrorType, Phase: w.job.Phase, Disk: w.job.Disk, Seq: seq, TNS: nowNS, Error: err.Error()})
		return
	}
	if last := w.journal.sampled; w.filler(seq) && last.Bytes > 0 {
		w.journal.file(w.job, seq, diskio.Span{Bytes: last.Bytes, StartNS: span.StartNS, EndNS: last.TNS}, true)
	}
}
