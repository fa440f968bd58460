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
func (m *mover) prepareFiles(ctx context.Context) error {
	need := m.job.Needs()
	m.files = m.folder.Match(need, m.fits)
	stay := append(m.folder.Match(m.job.Beyond(m.job.CarryOver), nil), m.files...)
	if m.job.Fill > 0 { // else they are of earlier phases
		stay = append(stay, m.folder.Filling()...)
	}
	if err := m.folder.RemoveAllBut(stay); err != nil {
		return fmt.Errorf("remove files of earlier phases: %w", err)
	}
	if m.job.Fill > 0 || slices.ContainsFunc(m.files, record.Missing) {
		if err := m.writeBefore(ctx, need); err != nil {
			return err
		}
	}
	if m.reads() {
		return m.emptyCache()
	}
	return nil
}

// fits reports whether an existing file is usable for this job. One that is overwritten is so in
// the same units, and only if it is not to be kept.
func (m *mover) fits(r record) bool {
	return m.op() == trace.Read || !r.Keep && r.Unit == unitOf(m.job.IO.Block) &&
		r.Period == m.period()
}

// period is that of the files the job writes.
func (m *mover) period() int64 {
	if m.job.IO.Mode == scenario.ModeApp {
		return appBytes
	}
	return 0
}

// writeBefore writes the missing of the needed files before the release, and what fills the volume,
// by an engine of its own.
func (m *mover) writeBefore(ctx context.Context, need []int64) (err error) {
	buf, block := m.buf, max(m.job.IO.Block, layoutBlock)
	depth := int64(len(buf)) / block
	if m.inOrder {
		depth = 1
	}
	m.buf = buf[:depth*block]                    // Its parts begin where direct requests may.
	_, _ = m.startEngine(int(depth), !m.timed()) // the job's own is judged
	defer func() {
		err = errors.Join(err, m.engine.close())
		m.engine = nil
		m.buf = buf
	}()
	for i, size := range need {
		if !m.files[i].Missing() {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		m.files[i] = m.plan(size)
		if err := m.moveUntimed(ctx, m.files[i], trace.Write, block, checkNothing); err != nil {
			return fmt.Errorf("write test file %d before the phase: %w", i, err)
		}
	}
	if m.job.Fill > 0 {
		return m.fill(ctx, block)
	}
	return nil
}

// fill brings the volume to the share of its size that the job asks for; what is there already
// counts. A volume that is full before, because others write to it too, is as full as it can be:
// the job then begins with a warning.
func (m *mover) fill(ctx context.Context, block int64) error {
	v, err := filesystem.Volume(m.job.Dir)
	if err != nil {
		return err
	}
	percent := 100 * m.job.Fill
	bytes, whole := v.Filling(m.job.Fill, m.job.Space-m.folder.Bytes)
	if !whole {
		m.warn("the volume cannot be filled to %.0f%% and hold the test files as well: it is "+
			"filled to %.0f%%",
			percent, 100*float64(v.Used+bytes)/float64(v.Size))
	}
	if used := float64(v.Used) / float64(v.Size); used > m.job.Fill+0.01 {
		m.warn("the volume is to be filled to %.0f%%, and is %.0f%% full already", percent,
			100*used)
	}
	for bytes >= layoutBlock {
		r := m.plan(min(bytes, fillFile) / layoutBlock * layoutBlock)
		r.Fill = true
		r.Keep = false
		err := m.moveUntimed(ctx, r, trace.Write, block, checkNothing)
		if isFull(err) {
			m.warn("the volume was full before it had been filled to %.0f%%: something else "+
				"writes to it", percent)
			return m.folder.Root.Remove(r.Name())
		}
		if err != nil {
			return fmt.Errorf("fill the volume to %.0f%%: %w", percent, err)
		}
		bytes -= r.Size
	}
	return nil
}

// countBackground reports progress outside the files' times.
func (m *mover) countBackground(done int64) {
	m.backgroundDone += done
	m.reportBackground(m.backgroundDone)
}

// emptyCache makes sure that no file to be read is in the cache, or warns. Direct requests may meet
// one there too: an earlier phase may have moved it through the cache, which macOS then reads it
// from.
func (m *mover) emptyCache() error {
	bytes, cached, err := m.cachedOf(m.files, 1, func(f testFile) error {
		defer m.countBackground(1) // each may wait for a flush
		return m.evict(f)
	})
	if err != nil {
		return fmt.Errorf("drop the files to be read from the cache: %w", err)
	}
	switch {
	case m.traits.direct:
	case cached < 0:
		m.warn("this system does not say whether its cache still holds the files to be read: " +
			"a rate above the link's limit means that it does")
	case cached > bytes/100:
		m.warn("%d of the %d bytes to be read could not be dropped from the cache: they are read "+
			"at the speed of memory", cached, bytes)
	}
	return nil
}

// evict drops a file from the cache. A file system that does not let it has the job go on with a
// warning.
func (m *mover) evict(f testFile) error {
	err := f.evict()
	if !errors.Is(err, errNoMapping) {
		return err
	}
	if !m.evictRefused {
		m.evictRefused = true
		m.warn("files cannot be dropped from the cache here (%v): what it still holds is read at "+
			"the speed of memory", err)
	}
	return nil
}

// Cached looks at what the job has left: a file system may take direct requests and keep their
// pages, and macOS reads from those that are there. Only whole pages count, since cutting a file to
// its size fetches the last. What a later file of the job has replaced is not looked at.
func (m *mover) Cached() (share float64, ok bool) {
	if !m.traits.direct || m.job.IO.Mode != scenario.ModeDirect || m.cachesWrites() {
		return 0, false
	}
	files := m.files
	if len(files) == 0 {
		first, _ := m.folder.Find(m.firstNew)
		files = m.folder.Records[first:]
	}
	bytes, cached, err := m.cachedOf(files, int64(os.Getpagesize()), nil)
	if err != nil || cached < 0 || bytes == 0 { // a file that is gone cannot be looked at
		return 0, false
	}
	return float64(cached) / float64(bytes), true
}

// cachedOf returns how many bytes of the files' whole pages there are, and how many of them the
// cache holds after what is first done to each; -1 if the system does not say.
func (m *mover) cachedOf(
	files []record, page int64, first func(testFile) error,
) (bytes, cached int64, err error) {
	for _, r := range files {
		f, err := m.openFile(r, opening{op: trace.Read, direct: m.traits.direct, lanes: 1})
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
