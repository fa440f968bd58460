package diskio

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hubbench/hubbench/internal/measure/clock"
	"github.com/hubbench/hubbench/internal/measure/testfolder"
	"github.com/hubbench/hubbench/pkg/policy"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

const (
	// minNoise is the minimum of different noise that a job writes, however small its blocks.
	minNoise = 4 << 20
	// layoutBlock is the minimum block of files that are written before the release; minNoise holds
	// some.
	layoutBlock = 1 << 20
)

// record is a test file as the folder's list has it.
type record = testfolder.Record

// real moves a job's bytes to and from real files. What it does before the release is in this file,
// what happens to each file after it in move.go.
type real struct {
	job       Job
	system    system
	sampleNS  int64 // between samples of progress
	timing    timing
	pacer     *pacer // from the release on; nil if the job goes as fast as it can
	requested int64  // requests of the files so far
	folder    *testfolder.Folder
	traits    traits
	buf       []byte
	scratch   []byte // as large, for what a job reads that also writes; nil elsewhere
	mover     mover
	lanes     int  // requests the mover has in flight: files are opened for that many
	stays     bool // the file system drops no file from the cache, which was said
	inOrder   bool // new files are not reserved, and written from front to back
	// Those that are there before the release, in the job's order: to be read, or overwritten
	files        []record
	first        int      // number of the first file written otherwise
	next         testFile // open and allocated for the next Transfer
	nextSeq      int
	nextFile     record
	ended        int64 // when the last file did, by clock.Now; zero before
	until        int64 // when the last file's requests did, whole or not
	moved        int   // files moved without a failure
	failed       bool
	release      int64
	latencies    *latencies // latencies of the requests since the release
	emit         func(trace.Event)
	gauges       []trace.Event // gauges of the whole job, emitted when it starts
	warnings     []string
	reported     int              // warnings that Prepare has returned
	reportBeside func(done int64) // see Engine.Prepare
	beside       int64            // last reported progress
}

// system is the calls that an engine makes to the operating system; tests inject faults.
type system struct {
	open opener
	// ring and, for streams, queue make an io_uring: errNoRing if the system has no such thing.
	ring  func(ringWork) (mover, error)
	queue func(ringWork) (queue, error)
	// cachedBelow: direct writes of no whole multiple of that many bytes may go through the cache
	// anyway; 0: none do.
	cachedBelow int64
	// fileSystem is the kind of file system that a folder is on, and nil where none needs care.
	fileSystem func(dir string) string
	// priority is how the system treats the process's requests, and a doubt if it holds them back;
	// nil: that is not asked.
	priority func() (name, doubt string)
}

// timing is the clock of requests that have a start time; tests have their own.
type timing struct {
	now        func() int64
	sleepUntil func(ns int64)
}

// errNoRing marks systems without io_uring. Not errors.ErrUnsupported: that is also what a Linux
// kernel without it answers (ENOSYS: old ones, containers, emulators), where its absence deserves a
// warning.
var errNoRing = errors.New("this system has no io_uring")

// New makes the engine for a job on real files. It touches nothing until Prepare.
func New(job Job) Engine {
	if len(job.Streams) > 0 {
		return newStreams(job, systemCalls())
	}
	return newReal(job, systemCalls())
}

// systemCalls are the operating system itself.
func systemCalls() system {
	return system{open: openTestFile, ring: newRingMover, queue: newRingQueue,
		cachedBelow: cachedBelow, fileSystem: fileSystem, priority: Priority}
}

func newReal(job Job, sys system) *real {
	watch := clock.Start() // no system call for the time
	return &real{job: job, system: sys, sampleNS: policy.SampleNS,
		timing: timing{watch.Now, clock.SleepUntil}}
}

// Prepare makes the folder, finds out what the file system can do, and readies buffers and files.
func (e *real) Prepare(ctx context.Context, beside func(done int64)) (trace.Effective, error) {
	return e.prepare(ctx, beside, func(*trace.Effective) error { return e.openNext(0) })
}

// prepare ends with opening what is moved first.
func (e *real) prepare(ctx context.Context, beside func(done int64),
	open func(*trace.Effective) error) (trace.Effective, error) {
	e.reportBeside = beside
	eff, err := e.setUp(ctx)
	if err == nil {
		err = open(&eff)
	}
	eff.Warnings, e.reported = e.warnings, len(e.warnings)
	return eff, e.job.explain("prepare", err)
}

// setUp does all but opening the first file.
func (e *real) setUp(ctx context.Context) (eff trace.Effective, err error) {
	if e.folder, err = testfolder.Open(e.job.Dir, e.job.RunID); err != nil {
		return eff, err
	}
	e.folder.Removed = func() { e.besides(1) }
	direct := e.job.IO.Mode == scenario.ModeDirect
	e.traits, err = probe(e.system.open, e.folder.Root, direct, e.system.cachedBelow)
	if err != nil {
		return eff, fmt.Errorf("probe the disk: %w", err)
	}
	if e.system.fileSystem != nil {
		e.traits.fileSystem = e.system.fileSystem(e.folder.Path)
	}
	if e.requests() {
		e.singleRequests()
	}
	eff = e.effective()
	if err := e.makeBuffers(); err != nil {
		return eff, err
	}
	if err := e.prepareFiles(ctx); err != nil {
		return eff, err
	}
	e.first = e.folder.Next
	eff.Engine, err = e.newMover(e.job.IO.Depth)
	e.warnOfThreads(err)
	return eff, nil
}

// requests reports whether the job is one of single requests, whatever its mode: a plain
// application's way of moving a file in one call cannot do these.
func (e *real) requests() bool { return e.job.HasNoFiles() || e.job.Reads > 0 }

// streamMemory bounds the memory of all frames in flight: a worker must stay small beside what it
// measures.
const streamMemory = 64 << 20

// singleRequests has a job of these go past the cache if that was tried, else through it, but
// request by request; every stream can have one in flight.
func (e *real) singleRequests() {
	io := &e.job.IO
	io.Mode = scenario.ModeDirect
	if io.Block == 0 {
		io.Block = layoutBlock
	}
	io.Depth = max(io.Depth, 1)
	if e.job.Probe > 0 {
		io.Depth = 1
	}
	if n := len(e.job.StreamFiles()); n > 0 {
		io.Depth = max(io.Depth, n)
		io.Block = max(min(io.Block, streamMemory/int64(io.Depth))/dataUnit, 1) * dataUnit
	}
}

// op is how the job's files are opened: one that reads and writes at once works on existing files.
func (e *real) op() trace.Role {
	if e.job.Reads > 0 {
		return trace.Write
	}
	return e.job.Role
}

// reads reports whether the job reads anything.
func (e *real) reads() bool { return e.job.Role == trace.Read || e.job.Reads > 0 }

// readsAndWrites reports whether the job does both.
func (e *real) readsAndWrites() bool {
	records := func(s stream.Spec) bool { return s.Record }
	plays := func(s stream.Spec) bool { return !s.Record }
	return e.job.Reads > 0 || slices.ContainsFunc(e.job.Streams, records) &&
		slices.ContainsFunc(e.job.Streams, plays)
}

// timed reports whether requests begin at times of their own: threads can wait for each, at rates
// where they cost little.
func (e *real) timed() bool { return e.job.HasNoFiles() || e.job.Pace > 0 }

// Doubts are the warnings since Prepare.
func (e *real) Doubts() []string { return e.warnings[e.reported:] }

func (e *real) warn(format string, args ...any) {
	e.warnings = append(e.warnings, fmt.Sprintf(format, args...))
}

// gauge notes what is to be known of the job by those who read its events alone.
func (e *real) gauge(name string, value float64) {
	e.gauges = append(e.gauges, trace.Event{Type: trace.GaugeType, Name: name, Value: value})
}

// effective decides how the job will really run, and warns if that is not what was asked for.
func (e *real) effective() trace.Effective {
	job := &e.job
	if job.IO.Mode == scenario.ModeApp {
		e.traits.sector = 1
		job.IO.Depth = 1
		job.IO.Block = appBytes
	} else if !e.traits.direct && e.traits.whyNot != "" {
		e.warn("direct I/O is not available here (%s): requests go through the cache, which is flushed and "+
			"emptied as the job runs", e.traits.whyNot)
	}
	// Blocks that can be whole pages are: otherwise sectors decide.
	if e.traits.direct && job.IO.Block >= e.system.cachedBelow {
		e.traits.sector = max(e.traits.sector, e.system.cachedBelow)
	}
	if over := job.IO.Block % e.traits.sector; over != 0 {
		asked := job.IO.Block
		job.IO.Block += e.traits.sector - over
		e.warn("the block of %d bytes is not a multiple of the %d bytes that go past the cache together: %d is "+
			"used", asked, e.traits.sector, job.IO.Block)
	}
	// Files of random blocks must have their length before, whatever that costs.
	overwrites := len(job.Needs()) > 0
	e.inOrder = e.traits.fills() && (overwrites || job.IO.Access != scenario.AccessRandom)
	newFiles := job.Role == trace.Write && !overwrites && len(job.Streams) == 0
	if e.inOrder && newFiles && job.IO.Depth > 1 {
		job.IO.Depth = 1
		e.warn("macOS fills a file on %s with zeros up to where it is written: new files are written "+
			"from front to back, with one request in flight", e.traits.fileSystem)
	}
	var space string
	if job.IO.Preallocate && job.Role == trace.Write {
		if space = e.space(); space != trace.SpaceReserved && !overwrites {
			e.gauge(trace.FilledFiles, 1)
		}
	}
	if job.IO.Flush == scenario.FlushFull && e.traits.fullNo != nil {
		job.IO.Flush = scenario.FlushFsync
		e.warn("the file system cannot flush to the medium (%v): fsync is used, which may leave bytes in the "+
			"disk's own cache", e.traits.fullNo)
	}
	eff := trace.Effective{Cache: "buffered", Flush: job.IO.Flush, Block: job.IO.Block,
		Depth: job.IO.Depth, Space: space, FileSystem: e.traits.fileSystem}
	switch job.IO.Flush {
	case scenario.FlushFull:
		eff.FlushReaches = trace.ReachesMedium
	case scenario.FlushFsync:
		eff.FlushReaches = fsyncReaches
	}
	if e.system.priority != nil {
		var doubt string
		if eff.Priority, doubt = e.system.priority(); doubt != "" {
			e.warn("%s", doubt)
		}
	}
	if e.traits.direct {
		eff.Cache = "direct"
	}
	e.smallWrites(&eff)
	if job.IO.Mode == scenario.ModeApp {
		eff.Block = appCall(job.Sizes)
		if job.Pace > 0 {
			eff.Block = min(eff.Block, layoutBlock)
		}
		if !oneCall && eff.Block > appBytes {
			eff.Block = appBytes
			e.warn("this system moves files in calls of %d bytes, while an application might use a single call", appBytes)
		}
	}
	return eff
}

// smallWrites records what became of direct writes that the system does not promise to make, and
// warns if its cache makes them.
func (e *real) smallWrites(eff *trace.Effective) {
	if !e.traits.direct || e.op() != trace.Write || eff.Block >= e.system.cachedBelow {
		return
	}
	block := unit.FormatBlock(eff.Block)
	if !e.cachesWrites() {
		eff.SmallWrites = "direct " + block + " writes"
		return
	}
	eff.Cache, eff.SmallWrites = trace.CacheOfWrites, "cached writes: the score is the cache's"
	e.gauge(trace.CachedWrites, float64(eff.Block))
	e.warn("this system writes no blocks of %s past its cache, only %s and more: its cache reads and "+
		"writes whole pages for them, so that the disk moves more than is counted; the score is the "+
		"cache's and not the disk's", block, unit.FormatBlock(e.system.cachedBelow))
}

// cachesWrites reports whether the job writes through the cache although direct requests are
// available.
func (e *real) cachesWrites() bool {
	return e.op() == trace.Write && e.job.IO.Block < e.system.cachedBelow && !e.traits.smallDirect
}

// space says how the space of new files is reserved, and warns if that is not as elsewhere, so that
// the numbers are not those of another system.
func (e *real) space() string {
	switch {
	case e.inOrder:
		return trace.SpaceNone // Such files are to be written that way.
	case e.traits.reserveNo != nil:
		e.warn("the file system does not preallocate (%v): the time of allocation is part of the measurement, "+
			"and requests in flight together may have it fill gaps with zeros", e.traits.reserveNo)
		return trace.SpaceNone
	case e.traits.direct && e.traits.zeroes:
		e.warn("the file system preallocates by writing zeros: each new file is written twice, the first time " +
			"before it is timed")
		return trace.SpaceZeros
	case e.traits.inOrder != nil:
		e.warn("new files must be written from front to back (%v): requests in flight together wait for one "+
			"another, and gaps are filled with zeros first; start hubbench as administrator to measure as other "+
			"systems do", e.traits.inOrder)
		return trace.SpaceInOrder
	}
	return trace.SpaceReserved
}

// makeBuffers gets the buffers and fills them, which also touches every page. Each request has a
// whole number of blocks.
func (e *real) makeBuffers() (err error) {
	block, depth := e.job.IO.Block, int64(e.job.IO.Depth)
	if e.buf, err = newBuffer(depth * max(block, minNoise/depth/block*block)); err != nil {
		return err
	}
	e.refill()
	if e.readsAndWrites() {
		if e.scratch, err = newBuffer(int64(len(e.buf))); err != nil {
			return err
		}
		clear(e.scratch)
	}
	return nil
}

// newMover starts the best one available for that many requests in flight; err is why it is not
// io_uring.
func (e *real) newMover(depth int) (engine string, err error) {
	e.lanes = depth
	if e.job.IO.Mode == scenario.ModeApp {
		e.mover = newApp(e.buf, e.job.Sizes)
		return "app", nil
	}
	if e.traits.direct && !e.timed() {
		if e.mover, err = e.system.ring(ringWork{buf: e.buf, scratch: e.scratch, depth: depth,
			files:  make([]testFile, 1),
			timing: e.timing}); err == nil {
			return "io_uring", nil
		}
	}
	e.mover = newThreads(e.buf, e.scratch, depth)
	return "threads", err
}

// warnOfThreads says why io_uring is not used, if it might have been.
func (e *real) warnOfThreads(why error) {
	if why != nil && !errors.Is(why, errNoRing) {
		e.warn("io_uring is not available here (%v): threads are used instead, at a higher CPU cost", why)
	}
}

// refill makes the buffer noise (again, after something was read into it).
func (e *real) refill() { noise(e.buf, tagOf(e.job.RunID, e.job.Disk), 0) }

// Close stops the mover and removes the files, except those to be kept and those that the next
// phase needs if this one succeeded.
func (e *real) Close() error {
	var err error
	if e.next != nil {
		err = e.closeFile(e.next)
		e.next = nil
	}
	if e.mover != nil {
		err = errors.Join(err, e.mover.close())
		e.mover = nil
	}
	if e.latencies != nil {
		e.latencies.stop()
		e.latencies = nil
		if e.pacer != nil { // the latencies are without the requests that were due and never made
			if n := e.pacer.leftOut(e.job.IO.Block, e.until); n > 0 {
				e.emit(trace.Event{Type: trace.GaugeType, Name: trace.LeftOut, TNS: e.until -
					e.release, Value: float64(n)})
			}
		}
	}
	for _, buf := range [][]byte{e.buf, e.scratch} {
		if buf != nil {
			freeBuffer(buf)
		}
	}
	e.buf, e.scratch = nil, nil
	if e.folder != nil {
		err = errors.Join(err, e.folder.CarryOver(e.needed()))
		e.folder = nil
	}
	return e.job.explain("clean up", err)
}

// needed are the files that stay for the next phase. A job that is stopped after its last file, as
// fillers are, has succeeded anyway.
func (e *real) needed() (stay []record) {
	if e.moved >= len(e.job.Sizes) || e.moved > 0 && !e.failed {
		stay = e.folder.Match(e.job.CarryOver, nil)
		if e.job.KeepFill {
			stay = append(stay, e.folder.Filling()...)
		}
	}
	return stay
}

// The worker takes any Engine.
var _ Engine = (*real)(nil)
