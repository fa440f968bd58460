package diskio

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/hubbench/hubbench/internal/machine/filesystem"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// fillFile is the size of the files that fill a volume: one that every file system takes.
const fillFile = 1 << 30

// prepareFiles makes sure that the files the job reads or overwrites exist: those that earlier
// phases left, and new ones for the rest. What neither this job nor the next can use is removed.
// New ones are written in large blocks, however small the job's are: this is not measured, and
// small blocks would leave the file in pieces.
func (e *real) prepareFiles(ctx context.Context) error {
	need := e.job.Needs()
	e.files = e.folder.Match(need, e.fits)
	stay := append(e.folder.Match(e.job.Beyond(e.job.CarryOver), nil), e.files...)
	if e.job.Fill > 0 { // else they are of earlier phases
		stay = append(stay, e.folder.Filling()...)
	}
	if err := e.folder.RemoveAllBut(stay); err != nil {
		return fmt.Errorf("remove files of earlier phases: %w", err)
	}
	if e.job.Fill > 0 || slices.ContainsFunc(e.files, record.Missing) {
		if err := e.writeBefore(ctx, need); err != nil {
			return err
		}
	}
	if e.reads() {
		return e.emptyCache()
	}
	return nil
}

// fits reports whether an existing file is usable for this job. One that is overwritten is so in
// the same units, and only if it is not to be kept.
func (e *real) fits(r record) bool {
	return e.op() == trace.Read || !r.Keep && r.Unit == unitOf(e.job.IO.Block) &&
		r.Period == e.period()
}

// period is that of the files the job writes.
func (e *real) period() int64 {
	if e.job.IO.Mode == scenario.ModeApp {
		return appBytes
	}
	return 0
}

// writeBefore writes the missing of the needed files before the release, and what fills the volume,
// by a mover of its own.
func (e *real) writeBefore(ctx context.Context, need []int64) (err error) {
	buf, block := e.buf, max(e.job.IO.Block, layoutBlock)
	depth := int64(len(buf)) / block
	if e.inOrder {
		depth = 1
	}
	e.buf = buf[:depth*block]     // Its parts begin where direct requests may.
	_, _ = e.newMover(int(depth)) // the job's own is judged
	defer func() {
		err = errors.Join(err, e.mover.close())
		e.mover, e.buf = nil, buf
	}()
	for i, size := range need {
		if !e.files[i].Missing() {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		e.files[i] = e.newRecord(size)
		if err := e.writeOne(ctx, e.files[i], block); err != nil {
			return fmt.Errorf("write test file %d before the phase: %w", i, err)
		}
	}
	if e.job.Fill > 0 {
		return e.fill(ctx, block)
	}
	return nil
}

// writeOne writes a file to the medium, whatever the job's own flush: bytes still on their way
// would slow what follows.
func (e *real) writeOne(ctx context.Context, r record, block int64) error {
	if err := e.moveBeside(ctx, r, trace.Write, block, checkNothing); err != nil {
		return err
	}
	return e.written(r)
}

// fill brings the volume to the share of its size that the job asks for; what is there already
// counts. A volume that is full before, because others write to it too, is as full as it can be:
// the job then begins with a warning.
func (e *real) fill(ctx context.Context, block int64) error {
	v, err := filesystem.Volume(e.job.Dir)
	if err != nil {
		return err
	}
	percent := 100 * e.job.Fill
	bytes, whole := v.Filling(e.job.Fill, e.job.Space-e.folder.Bytes)
	if !whole {
		e.warn("the volume cannot be filled to %.0f %% and hold the test files as well: it is filled to %.0f %%",
			percent, 100*float64(v.Used+bytes)/float64(v.Size))
	}
	if used := float64(v.Used) / float64(v.Size); used > e.job.Fill+0.01 {
		e.warn("the volume is to be filled to %.0f %%, and is %.0f %% full already", percent,
			100*used)
	}
	for bytes >= layoutBlock {
		r := e.newRecord(min(bytes, fillFile) / layoutBlock * layoutBlock)
		r.Fill, r.Keep = true, false
		err := e.writeOne(ctx, r, block)
		if isFull(err) {
			e.warn("the volume was full before it had been filled to %.0f %%: something else writes to it", percent)
			return e.folder.Root.Remove(r.Name())
		}
		if err != nil {
			return fmt.Errorf("fill the volume to %.0f %%: %w", percent, err)
		}
		bytes -= r.Size
	}
	return nil
}

// besides reports progress outside the files' times.
func (e *real) besides(done int64) {
	e.beside += done
	e.reportBeside(e.beside)
}

// emptyCache makes sure that no file to be read is in the cache, or warns. Direct requests may meet
// one there too: an earlier phase may have moved it through the cache, which macOS then reads it
// from.
func (e *real) emptyCache() error {
	bytes, cached, err := e.cachedOf(e.files, 1, func(f testFile) error {
		defer e.besides(1) // each may wait for a flush
		return e.evict(f)
	})
	if err != nil {
		return fmt.Errorf("drop the files to be read from the cache: %w", err)
	}
	switch {
	case e.traits.direct:
	case cached < 0:
		e.warn("this system does not say whether its cache still holds the files to be read: " +
			"a rate above the link's limit means that it does")
	case cached > bytes/100:
		e.warn("%d of the %d bytes to be read could not be dropped from the cache: they are read at the speed of "+
			"memory", cached, bytes)
	}
	return nil
}

// evict drops a file from the cache. A file system that does not let it has the job go on with a
// warning.
func (e *real) evict(f testFile) error {
	err := f.evict()
	if !errors.Is(err, errNoMapping) {
		return err
	}
	if !e.stays {
		e.stays = true
		e.warn("files cannot be dropped from the cache here (%v): what it still holds is read at the "+
			"speed of memory", err)
	}
	return nil
}

// Cached looks at what the job has left: a file system may take direct requests and keep their
// pages, and macOS reads from those that are there. Only whole pages count, since cutting a file to
// its size fetches the last. What a later file of the job has replaced is not looked at.
func (e *real) Cached() (share float64, ok bool) {
	if !e.traits.direct || e.job.IO.Mode != scenario.ModeDirect || e.cachesWrites() {
		return 0, false
	}
	files := e.files
	if len(files) == 0 {
		first, _ := e.folder.Find(e.first)
		files = e.folder.Records[first:]
	}
	bytes, cached, err := e.cachedOf(files, int64(os.Getpagesize()), nil)
	if err != nil || cached < 0 || bytes == 0 { // a file that is gone cannot be looked at
		return 0, false
	}
	return float64(cached) / float64(bytes), true
}

// cachedOf is how many bytes of the files' whole pages there are, and how many of them the cache
// holds after what is first done to each; -1 if the system does not say.
func (e *real) cachedOf(
	files []record, page int64, first func(testFile) error,
) (bytes, cached int64, err error) {
	for _, r := range files {
		f, err := e.openFile(r, opening{op: trace.Read, direct: e.traits.direct, lanes: 1})
		if err != nil {
			return 0, 0, err
		}
		if first != nil {
			err = first(f)
		}
		whole := r.Size / page * page
		bytes += whole
		if held := f.cached(whole); held < 0 || cached < 0 {
			cached = -1
		} else {
			cached += held
		}
		if err = errors.Join(err, f.close()); err != nil {
			return 0, 0, err
		}
	}
	return bytes, cached, nil
}
