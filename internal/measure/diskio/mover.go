package diskio

import (
	"context"
	"errors"
	"fmt"

	"github.com/hubbench/hubbench/internal/measure/clock"
	"github.com/hubbench/hubbench/internal/measure/testfolder"
	"github.com/hubbench/hubbench/pkg/policy"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
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

// mover moves a job's bytes to and from real files. How the job can really run here is settled in
// settings.go, and what is written before the release in before.go; what follows it is in move.go,
// a file's life in life.go, a transfer's loop in transfer.go.
type mover struct {
	job       Job
	openFirst func(*trace.Effective) error // opens what is moved first
	system    system
	timing    timing
	sampleNS  int64 // between samples of progress

	// What it works with.
	folder  *testfolder.Folder
	traits  traits
	buf     []byte
	scratch []byte // as large, for what a job reads that also writes; nil elsewhere
	engine  ioEngine
	slots   []slot // one for each request in flight
	inOrder bool   // new files are not reserved, and written from front to back

	// Its files.
	files    []record // there before the release, in the job's order: to be read, or overwritten
	firstNew int      // number of the first file written otherwise
	next     *file    // opened for the next Transfer
	nextSeq  int

	// What has happened since the release.
	release       int64
	emit          func(trace.Event)
	pacer         *pacer // nil if the job goes as fast as it can
	latencies     *latencies
	requested     int64 // requests of the files so far
	moved         int   // files moved without a failure
	failed        bool
	lastRequestNS int64 // when the last file's requests ended, whole or not
	readBackBytes int64 // read once more to verify, by the files that were
	readBackNS    int64 // when that was last emitted
	fileEndedNS   int64 // when the last file was over and done with, by clock.Now; zero before

	// What it has to say.
	gauges           []trace.Event // gauges of the whole job, emitted when it starts
	warnings         []string
	reported         int              // warnings that Prepare has returned
	evictRefused     bool             // it was said that the cache drops no file
	reportBackground func(done int64) // see Engine.Prepare
	backgroundDone   int64            // last reported
}

// system is the calls that an engine makes to the operating system; tests inject faults.
type system struct {
	open opener
	// ring makes an io_uring: errNoRing if the system has no such thing.
	ring func(ioWork) (ioEngine, error)
	// cachedBelow: direct writes of no whole multiple of that many bytes may go through the cache
	// anyway; 0: none do.
	cachedBelow int64
	// fileSystem is the kind of file system that a folder is on, and nil where none needs care.
	fileSystem func(dir string) string
	// priority is how the system treats the process's requests, and a warning if that holds them
	// back; nil: that is not asked.
	priority func() (name, warning string)
}

// timing is the clock of requests that have a start time; tests have their own.
type timing struct {
	now        func() int64
	sleepUntil func(ns int64)
}

// New makes the engine for a job on real files. It touches nothing until Prepare.
func New(job Job) Engine {
	if len(job.Streams) > 0 {
		return newStreams(job, systemCalls())
	}
	return newMover(job, systemCalls())
}

// systemCalls returns the operating system itself.
func systemCalls() system {
	return system{open: openTestFile, ring: newRing, cachedBelow: cachedBelow,
		fileSystem: fileSystem, priority: Priority}
}

func newMover(job Job, sys system) *mover {
	watch := clock.Start() // no system call for the time
	m := &mover{job: job, system: sys, sampleNS: policy.SampleNS,
		timing: timing{watch.Now, clock.SleepUntil}}
	m.openFirst = func(*trace.Effective) error { return m.openNext(0) }
	return m
}

// Prepare makes the folder, finds out what the file system can do, and readies buffers and files.
func (m *mover) Prepare(ctx context.Context, background func(done int64)) (trace.Effective, error) {
	m.reportBackground = background
	eff, err := m.setUp(ctx)
	if err == nil {
		err = m.openFirst(&eff)
	}
	eff.Warnings = m.warnings
	m.reported = len(m.warnings)
	return eff, m.job.explain("prepare", err)
}

// setUp does all but opening the first file.
func (m *mover) setUp(ctx context.Context) (eff trace.Effective, err error) {
	if m.folder, err = testfolder.Open(m.job.Dir, m.job.RunID); err != nil {
		return eff, err
	}
	m.folder.Removed = func() { m.countBackground(1) }
	direct := m.job.IO.Mode == scenario.ModeDirect
	m.traits, err = probe(m.system.open, m.folder.Root, direct, m.system.cachedBelow)
	if err != nil {
		return eff, fmt.Errorf("probe the disk: %w", err)
	}
	if m.system.fileSystem != nil {
		m.traits.fileSystem = m.system.fileSystem(m.folder.Path)
	}
	if m.requests() {
		m.singleRequests()
	}
	eff = m.effective()
	if err := m.makeBuffers(); err != nil {
		return eff, err
	}
	if err := m.prepareFiles(ctx); err != nil {
		return eff, err
	}
	m.firstNew = m.folder.Next
	eff.Engine, err = m.startEngine(m.job.IO.Depth, len(m.job.Streams) > 0 || !m.timed())
	m.warnOfThreads(err)
	return eff, nil
}

// requests reports whether the job is one of single requests, whatever its mode: a plain
// application's way of moving a file in one call cannot do these.
func (m *mover) requests() bool { return m.job.HasNoFiles() || m.job.Reads > 0 }

// streamMemory bounds the memory of all frames in flight: a worker must stay small next to what it
// measures.
const streamMemory = 64 << 20

// singleRequests has a job of these go past the cache if that was tried, else through it, but
// request by request; every stream can have one in flight.
func (m *mover) singleRequests() {
	io := &m.job.IO
	io.Mode = scenario.ModeDirect
	if io.Block == 0 {
		io.Block = layoutBlock
	}
	io.Depth = max(io.Depth, 1)
	if m.job.Probe > 0 {
		io.Depth = 1
	}
	if n := len(m.job.StreamFiles()); n > 0 {
		io.Depth = max(io.Depth, n)
		io.Block = max(min(io.Block, streamMemory/int64(io.Depth))/dataUnit, 1) * dataUnit
	}
}

// op returns how the job's files are opened: one that reads and writes at once works on existing
// files.
func (m *mover) op() trace.Role {
	if m.job.Reads > 0 {
		return trace.Write
	}
	return m.job.Role
}

// reads reports whether the job reads anything.
func (m *mover) reads() bool { return m.job.Role == trace.Read || m.job.Reads > 0 }

// readsAndWrites reports whether the job does both.
func (m *mover) readsAndWrites() bool {
	recorded := 0
	for _, s := range m.job.Streams {
		if s.Record {
			recorded++
		}
	}
	return m.job.Reads > 0 || recorded > 0 && recorded < len(m.job.Streams)
}

// timed reports whether requests begin at times of their own: threads can wait for each, at rates
// where they cost little.
func (m *mover) timed() bool { return m.job.HasNoFiles() || m.job.Pace > 0 }

// LateWarnings returns the warnings since Prepare.
func (m *mover) LateWarnings() []string { return m.warnings[m.reported:] }

func (m *mover) warn(format string, args ...any) {
	m.warnings = append(m.warnings, fmt.Sprintf(format, args...))
}

// gauge notes what is to be known of the job by those who read its events alone.
func (m *mover) gauge(name string, value float64) {
	m.gauges = append(m.gauges, trace.Event{Type: trace.GaugeType, Name: name, Value: value})
}

// makeBuffers gets the buffers and fills them, which also touches every page. Each request has a
// whole number of blocks.
func (m *mover) makeBuffers() (err error) {
	block := m.job.IO.Block
	depth := int64(m.job.IO.Depth)
	if m.buf, err = newBuffer(depth * max(block, minNoise/depth/block*block)); err != nil {
		return err
	}
	m.refill()
	if m.readsAndWrites() {
		if m.scratch, err = newBuffer(int64(len(m.buf))); err != nil {
			return err
		}
		clear(m.scratch)
	}
	return nil
}

// startEngine starts the best one available for that many requests in flight, an io_uring only if
// that serves; err is why it is not io_uring.
func (m *mover) startEngine(depth int, ringServes bool) (name string, err error) {
	m.slots = newSlots(m.buf, m.scratch, depth)
	work := ioWork{buf: m.buf, scratch: m.scratch, depth: depth, streams: len(m.job.StreamFiles()),
		timing: m.timing}
	name = "threads"
	switch {
	case m.job.IO.Mode == scenario.ModeApp:
		name = "app"
		m.slots[0].memory.calls = newCalls(m.buf, m.job.Sizes)
	case m.traits.direct && ringServes:
		if m.engine, err = m.system.ring(work); err == nil {
			return "io_uring", nil
		}
	}
	m.engine = newThreads(work, !m.traits.direct)
	return name, err
}

// warnOfThreads says why io_uring is not used, if it might have been.
func (m *mover) warnOfThreads(why error) {
	if why != nil && !errors.Is(why, errNoRing) {
		m.warn("io_uring is not available here (%v): threads are used instead, at a higher CPU "+
			"cost", why)
	}
}

// refill makes the buffer noise (again, after something was read into it).
func (m *mover) refill() { noise(m.buf, tagOf(m.job.RunID, m.job.Disk), 0) }

// Close stops the mover and removes the files, except those to be kept and those that the next
// phase needs if this one succeeded.
func (m *mover) Close() error {
	err := m.close(m.next)
	m.next = nil
	if m.engine != nil {
		err = errors.Join(err, m.engine.close())
		m.engine = nil
	}
	if m.readBackBytes > 0 {
		m.emitReadBack(0)
	}
	if m.latencies != nil {
		m.latencies.stop()
		m.latencies = nil
		if m.pacer != nil { // the latencies are without the requests that were due and never made
			if n := m.pacer.leftOut(m.job.IO.Block, m.lastRequestNS); n > 0 {
				m.emit(trace.Event{Type: trace.GaugeType, Name: trace.LeftOut,
					TNS: m.lastRequestNS - m.release, Value: float64(n)})
			}
		}
	}
	for _, buf := range [][]byte{m.buf, m.scratch} {
		if buf != nil {
			freeBuffer(buf)
		}
	}
	m.buf = nil
	m.scratch = nil
	if m.folder != nil {
		err = errors.Join(err, m.folder.CarryOver(m.needed()))
		m.folder = nil
	}
	return m.job.explain("clean up", err)
}

// needed returns the files that stay for the next phase. A job that is stopped after its last file,
// as fillers are, has succeeded anyway.
func (m *mover) needed() (stay []record) {
	if m.moved >= len(m.job.Sizes) || m.moved > 0 && !m.failed {
		stay = m.folder.Match(m.job.CarryOver, nil)
		if m.job.KeepFill {
			stay = append(stay, m.folder.Filling()...)
		}
	}
	return stay
}

// The worker takes any Engine.
var _ Engine = (*mover)(nil)
