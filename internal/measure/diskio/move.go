package diskio

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/hubbench/hubbench/internal/measure/clock"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// settleBytes is the stretch after which buffered writes are pushed out; the cache holds up to
// three of them at a time.
const settleBytes = 32 << 20

// settlesPerSecond is the minimum rate at which a job at a pace does so.
const settlesPerSecond = 20

// Start notes the release, and starts to emit how long requests take.
func (e *real) Start(releaseNS int64, emit func(trace.Event)) {
	e.release, e.emit = releaseNS, emit
	for _, g := range e.gauges {
		emit(g)
	}
	e.pacer = newPacer(e)
	e.latencies = newLatencies(emit)
}

// Transfer moves file seq. A size that is no whole number of sectors is written in whole sectors
// and cut to size afterwards, outside the span, which counts the file's own bytes only. A pass that
// reaches its cap ends early, and its span says how far it came.
func (e *real) Transfer(ctx context.Context, seq int, sample Sampler) (Span, error) {
	span, err := e.transfer(ctx, seq, sample)
	e.failed = e.failed || err != nil
	return span, e.job.explain(fmt.Sprintf("%s file %d", e.job.Role, seq), err)
}

func (e *real) transfer(ctx context.Context, seq int, sample Sampler) (span Span, err error) {
	if err := e.pause(ctx, seq); err != nil {
		return span, err
	}
	if e.next == nil || e.nextSeq != seq {
		if err := e.openNext(seq); err != nil {
			return span, err
		}
	}
	f, r := e.next, e.nextFile
	e.next = nil
	t := e.newTransfer(f, r, e.op())
	t.sample, t.latencies = sample, e.latencies
	t.cap = e.job.IO.Cap.Nanoseconds()
	t.pacer, t.reads, t.mixKey = e.pacer, e.job.Reads, e.job.Seed
	if e.job.IO.Mode == scenario.ModeApp {
		t.setBlock(maxRequest)
		if t.pacer != nil {
			t.setBlock(layoutBlock)
		}
	} else if e.job.IO.Access == scenario.AccessRandom {
		t.shuffle(e.job.Seed + uint64(seq))
	}
	if e.job.Probe > 0 {
		t.part(e.job.Size(seq), e.job.Seed)
	}
	if e.requests() {
		t.first = e.requested
		e.requested += t.requests
	}
	if e.reads() && e.job.IO.Mode == scenario.ModeDirect && e.verifies() {
		t.checking = checkStamps
	}
	err = e.moveOpen(ctx, t, e.job.IO.Flush)
	e.until = t.endNS
	span = Span{Bytes: t.done.Load(), Read: t.read.Load(), StartNS: t.startNS - e.release,
		EndNS: t.endNS - e.release}
	if err = errors.Join(err, e.closeFile(f)); err == nil {
		err = e.finishFile(ctx, t, r)
	}
	if err != nil {
		return span, e.keepEvidence(err, r)
	}
	e.ended = clock.Now()
	e.moved++
	return span, nil
}

// verifies reports whether the job checks at least the stamps.
func (e *real) verifies() bool {
	return e.job.IO.Verify == scenario.VerifyStamps || e.job.IO.Verify == scenario.VerifyFull
}

// pause waits between two files as the job asks.
func (e *real) pause(ctx context.Context, seq int) error {
	if e.ended == 0 {
		return ctx.Err()
	}
	wait := e.job.IO.Rest + e.job.IO.Think - time.Duration(clock.Now()-e.ended)
	if step := e.job.IO.Step.Nanoseconds(); step > 0 {
		sinceNS := clock.Now() - e.release
		wait = time.Duration(stepOf(seq, step, sinceNS) - sinceNS)
	}
	if wait > 0 {
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
	}
	return ctx.Err()
}

// stepOf is when file seq begins, in nanoseconds since the release as all are: at its own step, or
// at the next one if that is past.
func stepOf(seq int, stepNS, sinceNS int64) int64 {
	return max(int64(seq)*stepNS, (sinceNS+stepNS-1)/stepNS*stepNS)
}

// openNext opens file seq. One that is to be written again is allocated; beyond the job's last
// file, each takes the place of the one written a round before.
func (e *real) openNext(seq int) (err error) {
	e.nextSeq = seq
	if len(e.files) > 0 {
		e.nextFile = e.files[seq%len(e.files)]
	} else {
		if before := seq - len(e.job.Sizes); before >= 0 {
			if err := e.folder.RemoveFile(e.first + before); err != nil {
				return fmt.Errorf("make room for file %d: %w", seq, err)
			}
		}
		e.nextFile = e.newRecord(e.job.Size(seq))
	}
	e.next, err = e.open(e.nextFile, e.op())
	return err
}

// newRecord is a file that the job is about to write.
func (e *real) newRecord(size int64) record {
	return record{Number: e.folder.Number(), Size: size, Unit: unitOf(e.job.IO.Block),
		Period: e.period(), Keep: e.job.IO.Keep}
}

// open opens a file for the job's requests, one at a time. A new one is made, after room for it.
func (e *real) open(r record, op trace.Role) (testFile, error) {
	again := e.folder.Has(r.Number)
	fresh := op == trace.Write && !again && !r.Fill
	if fresh && e.job.IO.Footprint > 0 {
		if err := e.folder.MakeRoom(r.Size, e.job.IO.Footprint); err != nil {
			return nil, err
		}
	}
	f, err := e.openFile(r, opening{op: op, again: again, direct: e.traits.direct, lanes: e.lanes})
	if err != nil {
		return nil, err
	}
	if fresh && e.job.IO.Preallocate && e.traits.reserveNo == nil && !e.inOrder {
		if err := e.reserve(f, r); err != nil {
			return nil, errors.Join(fmt.Errorf("allocate test file %s: %w", r.Name(), err),
				f.close())
		}
	}
	if err := e.mover.attach(f); err != nil {
		return nil, errors.Join(err, f.close())
	}
	return f, nil
}

// openFile opens a test file as it is, or creates it.
func (e *real) openFile(r record, o opening) (testFile, error) {
	f, err := e.system.open(e.folder.Root, r.Name(), o)
	if err != nil {
		verb := "open"
		if o.op == trace.Write && !o.again {
			verb = "create"
		}
		return nil, fmt.Errorf("%s test file %s: %w", verb, r.Name(), err)
	}
	return f, nil
}

// reserve makes room for a new file, to be written in any order. If that fails in the middle of a
// job, the file is written anyway, and the job says so; a volume that is full would only fail
// later.
func (e *real) reserve(f testFile, r record) error {
	err := f.reserve(e.padded(r.Size))
	if err == nil && e.traits.inOrder == nil {
		err = f.declare(e.padded(r.Size))
	}
	if err == nil || e.release == 0 || isFull(err) {
		return err
	}
	if len(e.Doubts()) == 0 { // one is enough
		e.warn("space could not be reserved for file %d of the job (%v): if that happens, the time of allocation "+
			"is part of the measurement", e.nextSeq, err)
	}
	return nil
}

func (e *real) closeFile(f testFile) error { return errors.Join(e.mover.detach(), f.close()) }

func (e *real) padded(size int64) int64 {
	sector := e.traits.sector
	return (size + sector - 1) / sector * sector
}

// newTransfer is the sequential transfer of an open file, with only its start and end timed.
func (e *real) newTransfer(f testFile, r record, op trace.Role) *transfer {
	t := &transfer{file: f, op: op, size: r.Size, want: r.Size, padded: e.padded(r.Size),
		stamps:  e.stamper(r),
		release: e.release, sampleNS: e.sampleNS, now: e.timing.now}
	t.setBlock(e.job.IO.Block)
	if e.job.IO.Mode == scenario.ModeApp && op == trace.Write {
		t.stamps.put(e.buf[:min((t.size+dataUnit-1)/dataUnit*dataUnit, appBytes)], 0, 0)
	}
	if !e.traits.direct && e.job.IO.Mode == scenario.ModeDirect {
		stretch := int64(settleBytes)
		if e.job.Pace > 0 { // what is pushed out at once is no burst
			stretch = min(stretch, int64(e.job.Pace/settlesPerSecond))
		}
		t.settle = max(stretch/t.block, 1) * t.block
	}
	return t
}

// stamper stamps and checks a file of the job's.
func (e *real) stamper(r record) stamper {
	return stamper{tag: tagOf(e.job.RunID, e.job.Disk), file: uint32(r.Number), unit: r.Unit,
		period: r.Period,
		size:   r.Size}
}

// moveOpen does the timed part: requests and flush.
func (e *real) moveOpen(ctx context.Context, t *transfer, flush string) error {
	err := e.mover.move(ctx, t)
	if t.startNS > 0 {
		t.latencies.tick(t.now() - t.release) // the last request has ended, in whichever slot
	}
	if err == nil && t.op == trace.Write {
		err = t.file.flush(flush)
	}
	t.endNS = t.now()
	return err
}

// finishFile does what is not timed: a written file gets its size and its place among the test
// files, and is verified if the job wants it.
func (e *real) finishFile(ctx context.Context, t *transfer, r record) error {
	if t.op == trace.Write {
		if t.done.Load() < t.size && !e.folder.Has(r.Number) {
			// The cap ended it: a file with holes is useless.
			return e.folder.Root.Remove(r.Name())
		}
		if err := e.written(r); err != nil {
			return err
		}
	}
	switch {
	case e.job.IO.Verify == scenario.VerifyFull:
		return e.readBack(ctx, r, checkAll)
	case e.job.IO.Mode == scenario.ModeApp && t.op == trace.Read && e.verifies():
		// One call for the whole file leaves nothing to look at while it is read.
		return e.readBack(ctx, r, checkStamps)
	}
	return nil
}

// written gives a file that was written in whole sectors its size, and lists it.
func (e *real) written(r record) error {
	if e.padded(r.Size) > r.Size {
		if err := e.folder.Truncate(r); err != nil {
			return err
		}
	}
	if !e.folder.Has(r.Number) {
		e.folder.Add(r)
	}
	return nil
}

// readBack reads the file once more, untimed, and compares it with what must have been written.
func (e *real) readBack(ctx context.Context, r record, how checking) error {
	err := e.moveBeside(ctx, r, trace.Read, max(e.job.IO.Block/r.Unit, 1)*r.Unit, how)
	if e.op() == trace.Write {
		e.refill()
	}
	return err
}

// moveBeside moves a file outside the files' times, in blocks of that size, and reports its
// progress as such. What is written is on the medium then, and what is read comes from there.
func (e *real) moveBeside(
	ctx context.Context, r record, op trace.Role, block int64, how checking,
) error {
	f, err := e.open(r, op)
	if err != nil {
		return err
	}
	t := e.newTransfer(f, r, op)
	t.setBlock(block)
	t.checking = how
	t.sample = func(bytes, _, _ int64) { e.reportBeside(e.beside + bytes) }
	if op == trace.Read && !e.traits.direct {
		err = e.evict(f)
	}
	if err == nil {
		err = e.moveOpen(ctx, t, e.traits.fullest())
		e.besides(t.size)
	}
	return errors.Join(err, e.closeFile(f))
}

// keepEvidence moves a file whose content is wrong aside and completes the error about it.
func (e *real) keepEvidence(err error, r record) error {
	m, wrong := errors.AsType[*Mismatch](err)
	if !wrong {
		return err
	}
	name, keepErr := e.folder.Evidence(r) // the caller has closed it
	m.File = filepath.Join(e.folder.Path, name)
	if e.traits.fills() {
		m.FileSystem = e.traits.fileSystem
	}
	return errors.Join(err, keepErr)
}
