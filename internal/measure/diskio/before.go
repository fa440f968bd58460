package diskio

import (
	"context"
	"errors"
	"fmt"

	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// prepareFiles makes sure that the files the job reads or overwrites exist: those that earlier phases left,
// and new ones for the rest. What neither this job nor the next can use is removed.
func (e *real) prepareFiles(ctx context.Context) error {
	need := e.job.Needs()
	mine := e.testFiles.match(need, e.fits)
	later := e.testFiles.match(e.job.Beyond(e.job.CarryOver), anyRecord)
	if err := e.testFiles.removeAllBut(append(later, mine...)...); err != nil {
		return fmt.Errorf("remove files of earlier phases: %w", err)
	}
	mine = e.testFiles.match(need, e.fits) // removing moved them
	e.files = make([]record, len(need))
	var missing []int
	for i, r := range mine {
		if r != nil {
			e.files[i] = *r
		} else {
			missing = append(missing, i)
		}
	}
	if err := e.writeBefore(ctx, missing, need); err != nil {
		return err
	}
	if err := e.inLargeBlocks(func(block int64) error { return e.fill(ctx, block) }); err != nil {
		return err
	}
	return e.emptyCache()
}

func anyRecord(record) bool { return true }

// fits reports whether an existing file is usable for this job.
func (e *real) fits(r record) bool {
	if e.op() == trace.Read {
		return true
	}
	// It is overwritten: in the same units, and only if it is not to be kept.
	return !r.Keep && r.Unit == unitOf(e.job.IO.Block) && r.Period == e.period()
}

// period is that of the files the job writes.
func (e *real) period() int64 {
	if e.job.IO.Mode == scenario.ModeApp {
		return appBytes
	}
	return 0
}

// writeBefore writes the missing of the needed files before the release. It takes large blocks, however
// small the job's are: this is not measured, and small blocks would leave the file in pieces.
func (e *real) writeBefore(ctx context.Context, missing []int, need []int64) error {
	if len(missing) == 0 {
		return nil
	}
	return e.inLargeBlocks(func(block int64) error {
		for _, i := range missing {
			if err := ctx.Err(); err != nil {
				return err
			}
			e.files[i] = e.newRecord(need[i])
			if err := e.writeOne(ctx, e.files[i], block); err != nil {
				return fmt.Errorf("write test file %d before the phase: %w", i, err)
			}
		}
		return nil
	})
}

// inLargeBlocks calls do with the mover set to blocks of layoutBlock or more.
func (e *real) inLargeBlocks(do func(block int64) error) (err error) {
	block := e.job.IO.Block
	if block < layoutBlock {
		job, buf, lanes, depth := e.mover, e.buf, e.lanes, len(e.buf)/layoutBlock
		block = layoutBlock
		e.buf = buf[:depth*layoutBlock]   // whose parts begin where direct requests may
		e.mover, _, _ = e.newMover(depth) // the warning about io_uring was given before
		defer func() {
			err = errors.Join(err, e.mover.close())
			e.mover, e.buf, e.lanes = job, buf, lanes
		}()
	}
	return do(block)
}

// writeOne writes a file to the medium, whatever the job's own flush: bytes still on their way would slow
// what follows.
func (e *real) writeOne(ctx context.Context, r record, block int64) error {
	f, err := e.open(r, trace.Write)
	if err != nil {
		return err
	}
	t, err := e.writeOpen(ctx, f, r, block)
	if err != nil {
		return err
	}
	return e.written(t, r)
}

func (e *real) writeOpen(ctx context.Context, f testFile, r record, block int64) (*transfer, error) {
	t := e.newTransfer(f, r, trace.Write)
	t.setBlock(block)
	t.sample = func(bytes, _, _ int64) { e.reportBeside(e.beside + bytes) }
	err := e.moveOpen(ctx, t)
	e.besides(r.Size)
	if err == nil {
		err = f.flush(e.traits.fullest())
	}
	return t, errors.Join(err, e.closeFile(f))
}

// besides reports progress outside the files' times.
func (e *real) besides(done int64) {
	e.beside += done
	if e.reportBeside != nil {
		e.reportBeside(e.beside)
	}
}

// emptyCache makes sure that no file to be read is in the cache, or warns. Direct requests may meet one there
// too: an earlier phase may have moved it through the cache, which macOS then reads it from.
func (e *real) emptyCache() error {
	if !e.reads() {
		return nil
	}
	var bytes, cached int64
	for _, r := range e.files {
		f, err := e.open(r, trace.Read)
		if err != nil {
			return err
		}
		err = f.evict()
		bytes, cached = bytes+r.Size, cached+f.cached(r.Size)
		if err = errors.Join(err, e.closeFile(f)); err != nil {
			return fmt.Errorf("drop the files to be read from the cache: %w", err)
		}
		e.besides(1) // each may wait for a flush
	}
	switch {
	case e.traits.direct:
	case cached < 0:
		e.warn("this system does not say whether its cache still holds the files to be read: a rate above the link's limit means that it does")
	case cached > bytes/100:
		e.warn("%d of the %d bytes to be read could not be dropped from the cache: they are read at the speed of memory", cached, bytes)
	}
	return nil
}
