package diskio

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/hubbench/hubbench/internal/clock"
	"github.com/hubbench/hubbench/pkg/scenario"
)

// What a job gets that leaves these zero.
const (
	defaultBlock    = 1 << 20
	defaultDepth    = 8
	defaultSampleNS = 50_000_000
)

const (
	maxDepth = 1024
	// maxBuffers is what all requests in flight may hold together.
	maxBuffers = 1 << 30
	// minNoise is how much different noise a job writes at least, however small its blocks.
	minNoise = 4 << 20
	// settleBytes is the stretch after which buffered writes are pushed out: as much as the cache ever
	// holds of a file, times three.
	settleBytes = 32 << 20
)

// real moves a job's bytes to and from real files.
type real struct {
	job     Job
	system  system
	folder  *folder
	traits  traits
	buf     []byte
	mover   mover
	first   int      // number of the job's file 0 in the folder, where earlier phases may have left some
	made    []string // test files of this job that exist
	next    testFile // open and allocated for the next Transfer
	nextSeq int
	release int64
}

// system is what an engine asks of the operating system; tests put faults between.
type system struct {
	open opener
	ring func(buf []byte, depth int) (mover, error) // errors.ErrUnsupported where there is no such thing
}

// New makes the engine for a job on real files. It touches nothing until Prepare.
func New(job Job) (Engine, error) {
	return newReal(job, system{open: openTestFile, ring: newRingMover})
}

func newReal(job Job, sys system) (*real, error) {
	if job.SampleNS <= 0 {
		job.SampleNS = defaultSampleNS
	}
	if job.IO.Block == 0 {
		job.IO.Block = defaultBlock
	}
	if job.IO.Depth == 0 {
		job.IO.Depth = defaultDepth
	}
	if err := job.check(); err != nil {
		return nil, fmt.Errorf("disk %s: %w", job.Disk, err)
	}
	return &real{job: job, system: sys}, nil
}

// check refuses what no disk could do.
func (j Job) check() error {
	switch {
	case j.Role != scenario.Read && j.Role != scenario.Write:
		return fmt.Errorf("a job must read or write, not %q", j.Role)
	case len(j.Sizes) == 0:
		return errors.New("the job has no files")
	case j.IO.Block < 0 || j.IO.Block > maxBuffers:
		return fmt.Errorf("block of %d bytes: it must lie between 1 byte and 1 GiB", j.IO.Block)
	case j.IO.Depth < 0 || j.IO.Depth > maxDepth:
		return fmt.Errorf("depth %d: it must lie between 1 and %d", j.IO.Depth, maxDepth)
	case j.IO.Block*int64(j.IO.Depth) > maxBuffers:
		return fmt.Errorf("%d requests of %d bytes in flight: together they may have 1 GiB; use a smaller block or depth", j.IO.Depth, j.IO.Block)
	}
	for seq, size := range j.Sizes {
		if size <= 0 {
			return fmt.Errorf("file %d has %d bytes: a file must have at least 1", seq, size)
		}
	}
	return nil
}

// Prepare makes the folder, finds out what the file system can do, and readies buffers and files.
func (e *real) Prepare(ctx context.Context) (Effective, error) {
	eff, err := e.prepare(ctx)
	return eff, e.job.explain("prepare", err)
}

func (e *real) prepare(ctx context.Context) (eff Effective, err error) {
	job := &e.job
	if e.folder, err = openFolder(job.Dir, job.RunID, job.IO.Keep); err != nil {
		return eff, err
	}
	if e.first, err = e.folder.free(); err != nil {
		return eff, err
	}
	if e.traits, err = probe(e.system.open, e.folder.root, true); err != nil {
		return eff, fmt.Errorf("try the disk: %w", err)
	}
	eff = e.effective()
	if err := e.makeMover(&eff); err != nil {
		return eff, err
	}
	if job.Role == scenario.Read {
		if err := e.writeReadSet(ctx); err != nil {
			return eff, err
		}
	}
	return eff, e.openNext(0)
}

// effective settles how the job will really run, and says where that is not what was asked for.
func (e *real) effective() Effective {
	asked := e.job.IO
	eff := Effective{Cache: "direct", Flush: asked.Flush, Block: asked.Block, Depth: asked.Depth}
	if !e.traits.direct {
		eff.Cache = "buffered"
		eff.Warnings = append(eff.Warnings, "no direct requests here ("+e.traits.whyNot+"): the cache takes part, and is written out and emptied as the job goes")
	}
	if over := eff.Block % e.traits.sector; over != 0 {
		eff.Block += e.traits.sector - over
		eff.Warnings = append(eff.Warnings, fmt.Sprintf("the block of %d bytes is no multiple of the disk's %d-byte sector: %d is used", asked.Block, e.traits.sector, eff.Block))
	}
	if asked.Preallocate && e.job.Role == scenario.Write && !e.traits.reserves {
		eff.Warnings = append(eff.Warnings, fmt.Sprintf("the file system allocates nothing in advance (%v): allocation lies inside the timing", e.traits.reserveNo))
	}
	if eff.Flush == "" {
		eff.Flush = flushNone
	}
	e.job.IO.Block, e.job.IO.Flush = eff.Block, eff.Flush
	return eff
}

// makeMover gets the buffers, fills them (which also touches every page) and starts the lanes.
func (e *real) makeMover(eff *Effective) (err error) {
	if e.buf, err = newBuffer(bufferBytes(eff.Block, eff.Depth)); err != nil {
		return err
	}
	noise(e.buf, e.job.Seed, 0)
	eff.Engine = "threads"
	if e.traits.direct {
		if e.mover, err = e.system.ring(e.buf, eff.Depth); err == nil {
			eff.Engine = "io_uring"
			return nil
		}
		if !errors.Is(err, errors.ErrUnsupported) {
			eff.Warnings = append(eff.Warnings, fmt.Sprintf("io_uring is refused here (%v): threads move the bytes, at a higher cost in processor time", err))
		}
	}
	e.mover = newThreads(e.buf, eff.Depth)
	return nil
}

// bufferBytes is the memory of a job's requests: a whole number of blocks for each.
func bufferBytes(block int64, depth int) int64 {
	return int64(depth) * max(block, minNoise/int64(depth)/block*block)
}

// fileName is the name of the job's file seq.
func (e *real) fileName(seq int) string { return fmt.Sprintf("data-%06d.bin", e.first+seq) }

// openNext opens file seq, allocated if it is to be written.
func (e *real) openNext(seq int) error {
	f, err := e.openFile(seq, e.job.Role)
	if err != nil {
		return err
	}
	e.next, e.nextSeq = f, seq
	return nil
}

func (e *real) openFile(seq int, op scenario.Role) (testFile, error) {
	f, err := e.system.open(e.folder.root, e.fileName(seq), opening{op: op, direct: e.traits.direct, lanes: e.job.IO.Depth})
	if err != nil {
		return nil, fmt.Errorf("open test file %d: %w", seq, err)
	}
	if op == scenario.Write {
		e.made = append(e.made, e.fileName(seq))
		if e.job.IO.Preallocate && e.traits.reserves {
			if err := f.reserve(e.padded(e.job.Sizes[seq])); err != nil {
				return nil, errors.Join(fmt.Errorf("allocate test file %d: %w", seq, err), f.close())
			}
		}
	}
	return f, nil
}

// padded is the size in whole sectors.
func (e *real) padded(size int64) int64 {
	sector := e.traits.sector
	return (size + sector - 1) / sector * sector
}

// Start notes the release.
func (e *real) Start(releaseNS int64) { e.release = releaseNS }

// Transfer moves file seq. A size that is no whole number of sectors is written in whole sectors and cut to
// size afterwards, outside the span, which counts the file's own bytes only.
func (e *real) Transfer(ctx context.Context, seq int, sample Sampler) (Span, error) {
	span, err := e.transfer(ctx, seq, sample)
	return span, e.job.explain(fmt.Sprintf("%s file %d", e.job.Role, seq), err)
}

func (e *real) transfer(ctx context.Context, seq int, sample Sampler) (span Span, err error) {
	if seq < 0 || seq >= len(e.job.Sizes) {
		return span, fmt.Errorf("the job has %d files", len(e.job.Sizes))
	}
	if err := ctx.Err(); err != nil {
		return span, err
	}
	if e.next == nil || e.nextSeq != seq {
		if err := e.openNext(seq); err != nil {
			return span, err
		}
	}
	f := e.next
	e.next = nil
	defer func() { err = errors.Join(err, f.close()) }()
	return e.moveFile(ctx, f, seq, e.job.Role, sample)
}

// moveFile does the timed part: requests and flush.
func (e *real) moveFile(ctx context.Context, f testFile, seq int, op scenario.Role, sample Sampler) (Span, error) {
	size := e.job.Sizes[seq]
	t := &transfer{
		file: f, op: op, size: size, padded: e.padded(size), block: e.job.IO.Block,
		stamps:  stamper{tag: tagOf(e.job.RunID, e.job.Disk), seed: e.job.Seed, file: uint32(e.first + seq), unit: unitOf(e.job.IO.Block)},
		release: e.release, sample: sample, sampleNS: e.job.SampleNS,
	}
	if !e.traits.direct {
		t.settle = max(settleBytes/t.block, 1) * t.block
	}
	if err := e.mover.attach(f); err != nil {
		return Span{}, err
	}
	err := e.mover.move(ctx, t)
	if err == nil && op == scenario.Write {
		err = f.flush(e.job.IO.Flush)
	}
	span := Span{Bytes: t.done.Load(), StartNS: t.startNS - e.release, EndNS: clock.Now() - e.release}
	err = errors.Join(err, e.mover.detach())
	if err == nil && op == scenario.Write && t.padded > size {
		err = e.cut(seq, size)
	}
	return span, err
}

// cut gives file seq its own size. It opens the file anew: some systems cut no file that is open for
// direct requests to anything but whole sectors.
func (e *real) cut(seq int, size int64) error {
	f, err := e.folder.root.OpenFile(e.fileName(seq), os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("cut to size: %w", err)
	}
	return errors.Join(f.Truncate(size), f.Close())
}

// writeReadSet writes the files that the job will read: to the medium, and out of the cache.
func (e *real) writeReadSet(ctx context.Context) error {
	for seq := range e.job.Sizes {
		if err := e.writeReadFile(ctx, seq); err != nil {
			return fmt.Errorf("write file %d to be read: %w", seq, err)
		}
	}
	return nil
}

func (e *real) writeReadFile(ctx context.Context, seq int) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	f, err := e.openFile(seq, scenario.Write)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.close()) }()
	if _, err := e.moveFile(ctx, f, seq, scenario.Write, nil); err != nil {
		return err
	}
	// Whatever the job's own flush: bytes that are still on their way would slow the reads.
	if err := f.flush(flushFull); err != nil {
		return err
	}
	return f.evict()
}

// Close stops the lanes and removes what the job made, unless it is to stay.
func (e *real) Close() error {
	var err error
	if e.next != nil {
		err = e.next.close()
		e.next = nil
	}
	if e.mover != nil {
		err = errors.Join(err, e.mover.close())
		e.mover = nil
	}
	if e.buf != nil {
		freeBuffer(e.buf)
		e.buf = nil
	}
	if e.folder != nil {
		err = errors.Join(err, e.leave())
		e.folder = nil
	}
	return e.job.explain("clean up", err)
}

// leave removes the job's files and, where nobody is to find anything there, the folder.
func (e *real) leave() error {
	if e.job.IO.Keep {
		e.folder.close()
		return nil
	}
	if e.folder.keep {
		defer e.folder.close()
		var err error
		for _, name := range e.made {
			err = errors.Join(err, e.folder.root.Remove(name))
		}
		return err
	}
	_, _, err := e.folder.remove(false)
	return err
}

// Interface check: the worker takes any Engine.
var _ Engine = (*real)(nil)
