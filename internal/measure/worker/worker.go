// Package worker does one disk's job in a process of its own: it gets ready, waits for the release,
// moves the files and reports to the coordinator what happened. It knows one disk and no other, and
// whatever ends it early (a stop, a lost coordinator, a signal), it removes its files first.
// Start at Run.
package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/hubbench/hubbench/internal/measure/clock"
	"github.com/hubbench/hubbench/internal/measure/diskio"
	"github.com/hubbench/hubbench/internal/measure/testfolder"
	"github.com/hubbench/hubbench/internal/measure/wire"
	"github.com/hubbench/hubbench/pkg/policy"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Reasons for which a worker ends early.
var (
	errFinished = errors.New("finished") // no failure: the job ends where it is
	errStopped  = errors.New("stopped by the coordinator")
	// ErrOrphaned is the cause by which a context says so, too.
	ErrOrphaned = errors.New("the coordinator has exited")
)

// heartbeatEvery is how often a worker reports that it is alive, and its progress.
const heartbeatEvery = 500 * time.Millisecond

// stoppedFor is the minimum time between two of these that counts as a stop. Other processes may
// take the processor for a part of it.
const stoppedFor = 2 * time.Second

// minProcs is how many goroutines of a job of timed requests may run at once, on however few cores.
// One that waits for the disk keeps its turn until Go's runtime takes it away, up to 10 ms later,
// and the next request would wait for that; if minProcs are left, the runtime also looks for such
// ones less often. That saved a fifth of the processor time of 24 streams.
const minProcs = 8

// NewEngine makes the engine for a job; hub serves the simulated ones.
type NewEngine func(job wire.Assignment, hub Mover) (diskio.Engine, error)

// worker is the state of one job. It is the simulated engine's Mover.
type worker struct {
	conn      *wire.Conn
	job       wire.Assignment
	log       *zap.Logger
	cancel    context.CancelCauseFunc // cancel ends the job, and says why.
	engine    diskio.Engine
	effective trace.Effective
	release   int64 // release is by clock.Now; zero before.
	released  atomic.Bool

	releases, grants chan int64 // releases is what the coordinator says.
	// events go to the coordinator, as the transfer never waits for a pipe.
	events chan trace.Event
	moved  atomic.Int64 // moved is bytes of the job so far.
	// prepared is bytes written and files removed outside the files' times.
	prepared atomic.Int64
}

// Run serves one job and returns when its files are removed. What goes wrong with the job is
// reported to the coordinator, not returned; an error means that the coordinator could not be
// reached. Whatever has ended that may have ended the clean-up process as well: so the run's test
// files are removed in all its folders then, however early or late in the job it is.
func Run(
	ctx context.Context, conn *wire.Conn, runID string, folders []string, newEngine NewEngine,
	log *zap.Logger,
) error {
	err := serve(ctx, conn, newEngine, log)
	if errors.Is(err, ErrOrphaned) {
		testfolder.RemoveRuns(folders, runID, func(folder string, err error) {
			if err != nil {
				log.Warn("test files left", zap.String("folder", folder), zap.Error(err))
			}
		})
	}
	return err
}

// serve does the job that the coordinator sends, until the coordinator has heard how it ended.
func serve(parent context.Context, conn *wire.Conn, newEngine NewEngine, log *zap.Logger) error {
	first, err := conn.Receive()
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return ErrOrphaned
	}
	if err != nil {
		return err
	}
	if first.Kind != wire.JobKind || first.Job == nil {
		return fmt.Errorf("expected a job, got a %q message: the worker command is for "+
			"hubbench's own use", first.Kind)
	}
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	w := &worker{conn: conn, job: *first.Job, log: log, cancel: cancel,
		releases: make(chan int64, 1),
		grants:   make(chan int64, 1), events: make(chan trace.Event, buffered)}
	heard := make(chan error, 1)
	go func() { heard <- w.listen() }()  // Nothing can interrupt a read of stdin.
	_ = conn.Send(w.run(ctx, newEngine)) // A coordinator that is gone cannot be reached.
	select {
	case err = <-heard:
		return err
	case <-parent.Done():
	}
	if err = context.Cause(parent); !errors.Is(err, ErrOrphaned) {
		err = <-heard
	}
	return err
}

// run does the job with all that goes on beside it, and returns what there is to report.
func (w *worker) run(ctx context.Context, newEngine NewEngine) wire.Message {
	if err := diskio.Foreground(); err != nil {
		w.log.Warn("the worker may run slowly", zap.Error(err))
	}
	if w.job.HasNoFiles() || w.job.Pace > 0 {
		runtime.GOMAXPROCS(max(runtime.GOMAXPROCS(0), minProcs))
	}
	var helpers, heart sync.WaitGroup
	helpers.Go(w.drain)
	quit := make(chan struct{})
	heart.Go(func() { w.heartbeat(quit) })
	done := wire.Message{Kind: wire.DoneKind}
	var err error
	if w.engine, err = newEngine(w.job, w); err != nil { // It may wait for the disk.
		done.Error = err.Error()
	} else {
		done = w.doAndClose(ctx)
	}
	close(quit)
	heart.Wait() // It may write an event.
	close(w.events)
	helpers.Wait()
	return done
}

// doAndClose does the job, and removes its files. It returns what there is to report.
func (w *worker) doAndClose(ctx context.Context) wire.Message {
	// An engine may belong to its thread (io_uring does), from getting ready to removing its files.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := w.do(ctx)
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if errors.Is(err, errFinished) {
		err = nil
	}
	done := wire.Message{Kind: wire.DoneKind}
	if err != nil {
		done.Error = err.Error()
	} else if w.checkCache() {
		done.Effective = &w.effective
	}
	if doubts := w.engine.LateWarnings(); len(doubts) > 0 {
		w.effective.Warnings = append(w.effective.Warnings, doubts...)
		done.Effective = &w.effective
	}
	w.log.Info("job over", zap.String("phase", w.job.Phase), zap.String("disk", w.job.Disk),
		zap.Error(err))
	if left := w.engine.Close(); left != nil {
		w.log.Error("test files left to the clean-up process", zap.String("disk", w.job.Disk),
			zap.Error(left))
	}
	return done
}

// do gets ready, waits, and moves every file. Its thread is its own, so that the first request
// leaves without a hand-over.
func (w *worker) do(ctx context.Context) (err error) {
	if w.effective, err = w.engine.Prepare(ctx, w.prepared.Store); err != nil {
		return err
	}
	ready := wire.Message{
		Kind: wire.ReadyKind, Effective: &w.effective, Prepared: w.prepared.Load(),
	}
	if err := w.conn.Send(ready); err != nil {
		return err
	}
	select {
	case w.release = <-w.releases:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	w.released.Store(true)
	w.engine.Start(w.release, w.emit)
	// The model of a simulated hub has its own limit.
	if limit := w.job.Policy.Limit; limit > 0 && !w.job.Simulated {
		defer time.AfterFunc(time.Duration(w.release-clock.Now())+limit, func() {
			w.cancel(errFinished)
		}).Stop()
	}
	clock.WaitUntil(w.release)
	return w.work(ctx)
}

// emit passes on an event of this job's.
func (w *worker) emit(e trace.Event) {
	e.Phase = w.job.Phase
	e.Disk = w.job.Disk
	w.events <- e
}

// checkCache emits how much of what was to go past the cache is found in it, now that this disturbs
// nothing. It reports whether the job ran differently than assumed.
func (w *worker) checkCache() (otherwise bool) {
	share, ok := w.engine.Cached()
	if !ok {
		return false
	}
	w.emit(trace.Event{
		Type: trace.GaugeType, Name: trace.CachedShare, Value: share, TNS: clock.Now() - w.release,
	})
	if share <= trace.MaxCached {
		return false
	}
	w.effective.Cache = "cached"
	return true
}

// heartbeat reports the job's progress to the coordinator until quit closes. It records how much of
// a core this process has used, and a tick that came so late that it must have been stopped. What
// the coordinator cannot see, since it went on, is the disk's own gap. Before the release it does
// not matter, nor to a model's time.
func (w *worker) heartbeat(quit <-chan struct{}) {
	tick := time.NewTicker(heartbeatEvery)
	defer tick.Stop()
	used := clock.Used()
	// A coordinator that reads nothing is not waited for here.
	for beganNS := clock.Now(); ; beganNS = clock.Now() {
		select {
		case <-tick.C:
			nowNS := clock.Now()
			took := time.Duration(nowNS - beganNS)
			nowUsed := clock.Used()
			working := !w.job.Simulated && w.released.Load()
			if working && beganNS > w.release {
				percent := 100 * (nowUsed - used).Seconds() / took.Seconds()
				w.emit(trace.Event{Type: trace.GaugeType, Name: trace.WorkerCPU, Value: percent,
					TNS: nowNS - w.release})
			}
			used = nowUsed
			if took >= stoppedFor && working && nowNS > w.release {
				w.emit(trace.Event{
					Type: trace.GaugeType, Name: trace.Stopped, Value: took.Seconds(),
					TNS: nowNS - w.release,
				})
			}
			if w.conn.Send(wire.Message{Kind: wire.AliveKind, Bytes: w.moved.Load(),
				Prepared: w.prepared.Load()}) != nil {
				return // The coordinator is gone: listen sees it too.
			}
		case <-quit:
			return
		}
	}
}

// work moves files from the release on, for as long as the policy has it.
func (w *worker) work(ctx context.Context) error {
	lateNS := clock.Now() - w.release
	job := policy.NewJobState(w.job.Phase, w.job.Policy, &w.job.Job.Job)
	worked := false
	for _, ok := job.Next(); ok; _, ok = job.Next() {
		if job.Worked() && !worked { // Filler follows.
			worked = true
			// A coordinator that is gone cannot be reached.
			_ = w.conn.Send(wire.Message{Kind: wire.WorkedKind})
		}
		seq := job.Seq()
		var read int64 // read counts the file's bytes if the job also writes.
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
		} else if filler, ok := job.CutShort(span.StartNS); ok { // The job has done enough.
			w.pass(filler, read) // as the last sample has it
		}
		return err
	}
	return nil
}

// progress passes an event on, and to a simulated hub what it has decided about the job, before the
// next ask.
func (w *worker) progress(job *policy.JobState, e trace.Event, read int64) {
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

// drain sends the coordinator what has gathered, several times a second, until there are no more
// events.
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
	var last trace.Event // last is the last progress.
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

// listen reads what the coordinator says until that lets the worker go, and cancels the job when
// asked to finish or to stop, or when the coordinator is gone, which is the error.
func (w *worker) listen() error {
	for {
		m, err := w.conn.Receive()
		if err != nil {
			w.cancel(ErrOrphaned)
			return ErrOrphaned
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
		case wire.LeaveKind:
			return nil
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
	case doneNS := <-w.grants: // It was said before the job was ended, so it counts.
		return doneNS, nil
	default:
		return 0, context.Cause(ctx)
	}
}
