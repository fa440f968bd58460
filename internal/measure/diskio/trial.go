package diskio

import (
	"cmp"
	"context"
	"errors"
	"runtime"

	"github.com/hubbench/hubbench/internal/measure/clock"
	"github.com/hubbench/hubbench/internal/measure/testfolder"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Trial is the result of a job outside any run.
type Trial struct {
	Effective trace.Effective
	Bytes     int64
	Seconds   float64 // from the first request to after the last flush
	// Bytes of the files that the system's cache holds afterwards; -1 if it does not say.
	Cached int64
}

// Try does a job by itself, for checks of a machine: through the engine of a run, and with what an
// engine does not report. Files that the job's CarryOver names stay for the next of the same RunID;
// RemoveRun ends that. Whenever something has moved, alive is called.
func Try(ctx context.Context, job Job, alive func()) (out Trial, err error) {
	// io_uring belongs to its thread.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	m := newMover(job, systemCalls())
	defer func() { err = errors.Join(err, m.Close()) }()
	if out.Effective, err = m.Prepare(ctx, func(int64) { alive() }); err != nil {
		return out, err
	}
	m.Start(clock.Now(), func(trace.Event) {})
	var first, last int64
	for seq := range job.Sizes {
		moved := int64(0)
		span, err := m.Transfer(ctx, seq, func(bytes, _, _ int64) {
			if bytes != moved {
				moved = bytes
				alive()
			}
		})
		if err != nil {
			return out, err
		}
		if seq == 0 {
			first = span.StartNS
		}
		last = span.EndNS
		out.Bytes += span.Bytes
	}
	out.Seconds = float64(last-first) / 1e9
	_, out.Cached, err = m.cachedOf(m.folder.Records, 1, nil)
	return out, err
}

// FlushTimes are what flushes took, each after one small write to a place that had been written
// before.
type FlushTimes struct {
	WriteNS []int64
	FlushNS []int64
	Refused error // why the file system has no such flush; nil if it does
}

// TryFlush writes a sector and flushes, that many times. The places are written before: then a
// flush brings the sector to the medium and, most of the time, nothing of the file system's own
// records. After each, alive is called.
func TryFlush(ctx context.Context, dir, runID, mode string, times int,
	alive func()) (out FlushTimes, err error) {
	folder, err := testfolder.Open(dir, runID)
	if err != nil {
		return out, err
	}
	defer func() {
		err = errors.Join(err, folder.Remove())
	}()
	tr, err := probe(openTestFile, folder.Root, true, cachedBelow)
	if err != nil {
		return out, err
	}
	f, err := makeProbe(openTestFile, folder.Root, tr.direct)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, f.close()) }()
	buf, err := newBuffer(probeSector)
	if err != nil {
		return out, err
	}
	defer freeBuffer(buf)
	for n := range 2 * times {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		if n == times { // from here on the places have been written before
			if err := f.flush(tr.fullest()); err != nil {
				return out, err
			}
		}
		noise(buf, uint64(n), 0)
		start := clock.Now()
		sector := request{op: trace.Write, p: buf, off: int64(n%times) * probeSector,
			want: probeSector}
		if err := sector.do(f); err != nil {
			return out, err
		}
		alive()
		if n < times {
			continue
		}
		written := clock.Now()
		if err := f.flush(mode); err != nil {
			if mode == scenario.FlushFull && tr.fullFlushErr != nil {
				out.Refused = tr.fullFlushErr
				err = nil
			}
			return out, err
		}
		out.WriteNS = append(out.WriteNS, written-start)
		out.FlushNS = append(out.FlushNS, clock.Now()-written)
	}
	return out, nil
}

// TryReserve reserves space for a file, with everything that this has the file system write on the
// disk.
func TryReserve(dir, runID string, size int64) error {
	folder, err := testfolder.Open(dir, runID)
	if err != nil {
		return err
	}
	f, err := makeProbe(openTestFile, folder.Root, false)
	if err == nil {
		err = f.reserve(size)
		_ = f.declare(size) // Without the right to, Windows has reserved the space all the same.
		err = cmp.Or(err, f.flush(scenario.FlushFsync))
		err = errors.Join(err, f.close())
	}
	return errors.Join(err, folder.Remove())
}
