// Package diskio moves the bytes of one job, and records when each file really began and ended.
// An Engine is one way of doing it: real files past the cache, frames of streams at their times, or the simulated
// hub. It knows nothing of other disks, of messages or of a run (see worker). Start at Engine, then New.
package diskio

import (
	"context"

	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Engine moves the files of one job. From one goroutine locked to its thread, the worker calls Prepare, waits
// for the release, calls Start, then Transfer for file 0, 1, 2 ..., and Close in every case.
type Engine interface {
	// Prepare does all that must lie outside the timing before the release: the marked folder, buffers
	// touched, the files a read phase reads, the first file open. It returns what the job really got. Until Close has
	// returned, the engine passes to beside, from its own goroutine or another, how much it has done so far that is not in the
	// files' times: bytes written before the release or read back, files removed and files dropped from the cache. A disk that hangs shows as
	// no progress.
	Prepare(ctx context.Context, beside func(done int64)) (trace.Effective, error)
	// Start gives the release instant (clock.Now's nanoseconds); all times returned count from it. From then on until
	// Close has returned, the engine emits what it observes beside the files: latency and stream events, whose phase and
	// disk are filled in by the worker. It emits them one at a time, from any goroutine, and never from the transfer loop.
	Start(releaseNS int64, emit func(trace.Event))
	// Transfer moves file seq of the job. Opening, allocation and closing lie outside the span it returns.
	// It calls sample from its own goroutine or another, never concurrently, never after returning.
	// When ctx ends it stops at the next request and returns ctx's error.
	Transfer(ctx context.Context, seq int, sample Sampler) (Span, error)
	// Cached is, after the last file, the share of the files moved past the cache that lies in it nevertheless; ok is false
	// if that is not known.
	Cached() (share float64, ok bool)
	// Doubts are warnings that have come up since Prepare.
	Doubts() []string
	// Close removes every file and folder the job made (unless it is to keep them).
	Close() error
}

// Sampler takes a point of progress: bytes of the file done by tNS, and how many of these were read if the job reads
// and writes at once.
type Sampler func(bytes, read, tNS int64)

// Span is one transferred file: from just before its first request to just after its flush.
type Span struct {
	Bytes, StartNS, EndNS int64
	Read                  int64 // of the bytes, if the job reads and writes at once
}

// Job is what an engine is made for: the plan's job and where to do it.
type Job struct {
	scenario.Job
	RunID string // names the marked folder
	Phase string
	Dir   string // the disk's folder
	// CarryOver is the sizes of the files that the disk's next job needs to exist (see scenario.Plan.CarryOver).
	// Close leaves what there is of them when the job has succeeded; whoever sets it calls
	// RemoveRun when the run ends.
	CarryOver []int64
	// Fill is the share of the disk's volume that is full at the release; what is written for that stays if KeepFill,
	// for the next phase, and Space is what must remain free for test files.
	Fill     float64
	KeepFill bool
	Space    int64
}
