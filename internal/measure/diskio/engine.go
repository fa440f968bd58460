// Package diskio moves the bytes of one job, and records when each file really began and ended. An
// Engine is one way of doing it: files past the cache, or frames of streams at their times; that of
// a simulated disk is in worker. It knows nothing of other disks, of messages or of a run. Start at
// Engine, then New.
package diskio

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"

	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Engine moves the files of one job. From one goroutine locked to its thread, the worker calls
// Prepare, waits for the release, calls Start, then Transfer for file 0, 1, 2 ..., and Close in
// every case.
type Engine interface {
	// Prepare does all that must lie outside the timing before the release: the marked folder,
	// buffers touched, the files a read phase reads, the first file open. It returns what the job
	// really got. Until Close has returned, the engine passes to background, from its own goroutine
	// or another, how much it has done so far that is not in the files' times: bytes written before
	// the release or read back, files removed and files dropped from the cache. A disk that hangs
	// shows as no progress.
	Prepare(ctx context.Context, background func(done int64)) (trace.Effective, error)
	// Start gives the release instant (clock.Now's nanoseconds); all times returned count from it.
	// From then on until Close has returned, the engine emits what it observes apart from the
	// files: latency and stream events, whose phase and disk are filled in by the worker. It emits
	// them one at a time, from any goroutine, and never from the transfer loop.
	Start(releaseNS int64, emit func(trace.Event))
	// Transfer moves file seq of the job. Opening, allocation and closing lie outside the span it
	// returns. It calls sample from its own goroutine or another, never concurrently, never after
	// returning. When ctx ends it stops at the next request and returns ctx's error.
	Transfer(ctx context.Context, seq int, sample Sampler) (Span, error)
	// Cached is, after the last file, the share of the files moved past the cache that lies in it
	// nevertheless; ok is false if that is not known.
	Cached() (share float64, ok bool)
	// LateWarnings are warnings that have come up since Prepare.
	LateWarnings() []string
	// Close removes every file and folder the job made (unless it is to keep them).
	Close() error
}

// Sampler takes a point of progress: bytes of the file done by tNS, and how many of these were read
// if the job reads and writes at once.
type Sampler func(bytes, read, tNS int64)

// Span is one transferred file: from just before its first request to just after its flush.
type Span struct {
	Bytes, StartNS, EndNS int64
	Read                  int64 // bytes read, if the job reads and writes at once
}

// Job is what an engine is made for: the plan's job and where to do it.
type Job struct {
	scenario.Job
	RunID string // names the marked folder
	Phase string
	Dir   string // the disk's folder
	// CarryOver is the sizes of the files that the disk's next job needs to exist (see
	// scenario.Plan.CarryOver). Close leaves what there is of them when the job has succeeded;
	// whoever sets it calls RemoveRun when the run ends.
	CarryOver []int64
	// Fill is the share of the disk's volume that is full at the release; what is written for that
	// stays if KeepFill, for the next phase, and Space is what must remain free for test files.
	Fill     float64
	KeepFill bool
	Space    int64
}

// explain says what failed on which disk, and ends with what to try if anything is known.
func (j Job) explain(step string, err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return WithHint(fmt.Errorf("disk %s: %s in %s: %w", j.Disk, step, j.Dir, err))
}

// WithHint appends to err what to try, if anything is known.
func WithHint(err error) error {
	if hint := hintFor(err); hint != "" {
		return fmt.Errorf("%w; %s", err, hint)
	}
	return err
}

// hintFor returns what to try after err; empty if nothing sensible can be said.
func hintFor(err error) string {
	switch {
	case isFull(err):
		return "free some space, use fewer or smaller files, or set a footprint"
	case isTooLarge(err):
		format := "exFAT, APFS, NTFS or ext4"
		if runtime.GOOS == "darwin" { // Its exFAT driver writes files twice and has lost data.
			format = "APFS"
		}
		return "this file system does not support files that large (FAT32: up to 4 GiB); use " +
			"smaller files, or format the disk as " + format
	case isReadOnly(err):
		return "mount the volume writable, or choose another folder"
	case isGone(err):
		return "the disk was disconnected or has failed; check its cable, hub port and power"
	case lacksConsent(runtime.GOOS, err):
		return "macOS has not allowed the program that hubbench runs in (Terminal, iTerm, an " +
			"editor) to use this disk: allow it removable volumes in System Settings > Privacy & " +
			"Security > Files & Folders, or Full Disk Access, and restart that program"
	case errors.Is(err, fs.ErrPermission):
		return "choose a folder that you may write to"
	case errors.Is(err, fs.ErrNotExist):
		return "check that the disk is mounted and that the folder exists"
	case isHeld(err):
		return "another program has it open, such as a scanner for malware: end that, or have it " +
			"leave out the disk"
	}
	return ""
}
