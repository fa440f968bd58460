package diskio

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
)

// fault is what goes wrong with files: one of its parts is set. Those of requests, flushes and of
// what is cached wait until it is armed.
type fault struct {
	armed   atomic.Bool
	write   error // of the third write
	read    error
	flush   error
	full    error // of flushing to the medium
	reserve error
	evict   error
	late    error // of reserving more than a probe does
	direct  error // of opening for direct requests
	odd     bool  // files opened for direct requests take others as well
	declare error // of having reserved space treated as written
	short   bool  // reads and writes move half of what they are given
	lose    bool  // writes report success and do nothing
	other   bool  // reads return something else
	zeroes  bool  // reserving fills the cache
	writes  atomic.Int64
}

// faulty is a file that misbehaves from the moment its fault is armed.
type faulty struct {
	testFile
	*fault
	filled bool // with zeros, by its reservation
}

// system is one of threads on which all files have the fault.
func (f *fault) system() system { return system{open: f.open, ring: noRing} }

func (f *fault) open(folder *os.Root, name string, o opening) (testFile, error) {
	if o.direct && f.direct != nil {
		return nil, f.direct
	}
	file, err := openTestFile(folder, name, o)
	return &faulty{testFile: file, fault: f}, err
}

// halved is p, or half of it if requests fall short.
func (f *faulty) halved(p []byte) []byte {
	if f.short && f.armed.Load() && len(p) > smallUnit {
		return p[:len(p)/2/smallUnit*smallUnit]
	}
	return p
}

func (f *faulty) writeAt(lane int, p []byte, off int64) (int, error) {
	switch {
	case !f.armed.Load():
	case f.write != nil && f.writes.Add(1) >= 3:
		return 0, f.write
	case f.lose:
		return len(p), nil
	}
	return f.testFile.writeAt(lane, f.halved(p), off)
}

func (f *faulty) writeList(list [][]byte, off int64) (int64, error) {
	if f.lose && f.armed.Load() {
		return lengthOf(list), nil
	}
	return f.testFile.writeList(list, off)
}

func (f *faulty) readAt(lane int, p []byte, off int64) (int, error) {
	switch {
	case !f.armed.Load():
	case f.read != nil:
		return 0, f.read
	case f.other:
		clear(p)
		return len(p), nil
	}
	return f.testFile.readAt(lane, f.halved(p), off)
}

func (f *faulty) flush(mode string) error {
	if mode == scenario.FlushFull && f.full != nil {
		return f.full
	}
	if f.fault.flush != nil && f.armed.Load() {
		return f.fault.flush
	}
	return f.testFile.flush(mode)
}

func (f *faulty) cached(size int64) int64 {
	if f.filled {
		return size
	}
	return f.testFile.cached(size)
}

func (f *faulty) reserve(size int64) error {
	if f.late != nil && f.armed.Load() && size > probeReserve {
		return f.late
	}
	f.filled = f.zeroes
	return cmp.Or(f.fault.reserve, f.testFile.reserve(size))
}

func (f *faulty) evict() error   { return cmp.Or(f.fault.evict, f.testFile.evict()) }
func (f *faulty) takesOdd() bool { return f.odd || f.testFile.takesOdd() }

func (f *faulty) declare(size int64) error {
	return cmp.Or(f.fault.declare, f.testFile.declare(size))
}

// A disk that fails ends a job with what to try, and the job leaves nothing behind; content that is
// wrong is kept.
func TestTransferFails(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the faults are Unix error numbers")
	}
	for _, tt := range []struct {
		name    string
		role    trace.Role
		fault   *fault
		file    []string // what a job of files says
		streams []string // what one of streams says
		left    bool
	}{
		{"disk full", trace.Write, &fault{write: syscall.ENOSPC},
			[]string{"write file 0", "no space left", "footprint"},
			[]string{"streams, file 0", "no space left", "footprint"}, false},
		{"quota", trace.Write, &fault{write: syscall.EDQUOT},
			[]string{"quota exceeded", "free some space"}, nil, false},
		{"file too large", trace.Write, &fault{write: syscall.EFBIG},
			[]string{"FAT32", "smaller files"}, nil, false},
		{"turned read-only", trace.Write, &fault{write: syscall.EROFS}, []string{"read-only"}, nil,
			false},
		{"served by a program that has ended", trace.Write, &fault{write: syscall.ENOTCONN},
			[]string{"check its cable"}, nil, false},
		{"unplugged while writing", trace.Write, &fault{write: syscall.EIO},
			[]string{"check its cable"}, []string{"check its cable"}, false},
		{"unplugged while reading", trace.Read, &fault{read: syscall.ENXIO},
			[]string{"read file 0", "check its cable"}, []string{"check its cable"}, false},
		{"flush fails", trace.Write, &fault{flush: syscall.EIO}, []string{"check its cable"}, nil,
			false},
		{"other content", trace.Read, &fault{other: true}, []string{"evidence-"},
			[]string{"evidence-"}, true},
	} {
		fails := func(t *testing.T, engine Engine, dir string, want []string) {
			_, err := engine.Prepare(t.Context(), func(int64) {})
			check.Must(t, err)
			tt.fault.armed.Store(true)
			started(engine)
			_, err = engine.Transfer(t.Context(), 0, func(_, _, _ int64) {})
			for _, want := range append(want, "disk B: ", dir) {
				check.Refused(t, "Transfer()", err, want)
			}
			closeEngine(t, engine)
			if got := check.Names(t, dir); (got != nil) != tt.left {
				t.Errorf("left: %q", got)
			}
			tt.fault.armed.Store(false)
		}
		t.Run(tt.name, func(t *testing.T) {
			job := newJob(t.TempDir(), tt.role, 8<<20)
			job.IO.Verify = scenario.VerifyStamps
			fails(t, newMover(job, tt.fault.system()), job.Dir, tt.file)
		})
		if tt.streams == nil {
			continue
		}
		overEngines(t, tt.name, func(t *testing.T, engine engineMaker) {
			job := streamsJob(t.TempDir(),
				stream.Spec{Record: tt.role == trace.Write, Rate: 1e6, Frame: 10 * time.Millisecond,
					Count: 3, Buffer: time.Second})
			job.IO.Verify = scenario.VerifyStamps
			fails(t, newStreams(job, system{open: tt.fault.open, ring: engine}),
				job.Dir, tt.streams)
		})
	}
}

// What falls short is completed: writes, and the reads of all that was written.
func TestShortRequestsAreCompleted(t *testing.T) {
	fault := &fault{short: true}
	job := newJob(t.TempDir(), trace.Write, 1<<20+smallUnit+100)
	job.IO.Verify = scenario.VerifyFull
	engine, _ := prepared(t, job, fault.system())
	fault.armed.Store(true)
	transferAll(t, engine)
	checkContent(t, engine, job.Sizes...)
}

// noDirect is why direct requests are not available on Windows, of which an emulator gives none;
// empty elsewhere, where the tests rely on them.
func noDirect(t *testing.T) string {
	t.Helper()
	if runtime.GOOS != "windows" {
		return ""
	}
	folder, err := os.OpenRoot(t.TempDir())
	check.Must(t, err)
	defer folder.Close()
	can, err := probe(openTestFile, folder, true, cachedBelow)
	check.Must(t, err)
	return can.directErr
}

// What the file system cannot do is done otherwise, with a warning.
func TestFallbacks(t *testing.T) {
	cannot := noDirect(t)
	for _, tt := range []struct {
		name  string
		fault *fault
		cache string
		want  string
	}{
		{"no direct requests", &fault{direct: syscall.EINVAL}, "buffered",
			"opening a file for it failed"},
		{"no preallocation", &fault{reserve: errors.New("not supported")}, "direct",
			"does not preallocate"},
		{"odd requests taken", &fault{odd: true}, "buffered",
			"passes direct requests through its cache"},
		{"space not declared", &fault{declare: errors.New("no privilege")}, "direct",
			"must be written from front to back (no privilege)"},
		{"preallocation by zeros", &fault{zeroes: true}, "direct",
			"each new file is written twice"},
		{"no flush to the medium", &fault{full: syscall.ENOTTY}, "direct", "fsync is used"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			switch {
			case cannot != "" && tt.cache == "direct":
				t.Skipf("no direct requests here: %s", cannot)
			case runtime.GOOS == "windows" && tt.fault.full != nil:
				t.Skip("on Windows every file system flushes to the medium")
			}
			for _, role := range []trace.Role{trace.Write, trace.Read} {
				job := newJob(t.TempDir(), role, 100<<20, 12345)
				job.IO.Block = 1 << 20
				job.IO.Flush = scenario.FlushFull
				engine, eff := prepared(t, job, tt.fault.system())
				if role == trace.Write {
					warned(t, eff.Warnings, tt.want)
				}
				check.Same(t, "cache", tt.cache, eff.Cache)
				check.Same(t, "flush", engine.traits.fullest(), eff.Flush)
				fills := role == trace.Write &&
					(tt.fault.reserve != nil || tt.fault.zeroes || tt.fault.declare != nil)
				filled := slices.ContainsFunc(engine.gauges, func(g trace.Event) bool {
					return g.Name == trace.FilledFiles
				})
				check.Same(t, "a gauge says that files are filled", fills, filled)
				transferAll(t, engine)
				checkContent(t, engine, 100<<20)
				closeEngine(t, engine)
			}
		})
	}
}

// A file system that drops no file from the cache has a job read all the same, with one warning;
// any other failure ends it.
func TestFilesThatStayInTheCache(t *testing.T) {
	for _, tt := range []struct {
		evict error
		fails bool
	}{{fmt.Errorf("%w (no such device)", errNoMapping), false},
		{errors.New("input/output error"), true}} {
		fault := &fault{evict: tt.evict}
		engine := newMover(newJob(t.TempDir(), trace.Read, 1<<20, 1<<20),
			fault.system())
		engine.sampleNS = 1
		eff, err := engine.Prepare(t.Context(), func(int64) {})
		if (err != nil) != tt.fails {
			t.Errorf("%v: Prepare() = %v", tt.evict, err)
		}
		if got := strings.Count(strings.Join(eff.Warnings, "\n"),
			"cannot be dropped from the cache"); !tt.fails && got != 1 {
			t.Errorf("%v: %d warnings in %q, want 1", tt.evict, got, eff.Warnings)
		}
		if !tt.fails {
			transferAll(t, engine)
		}
		closeEngine(t, engine)
	}
}

// Space that cannot be reserved in the middle of a job is a warning, reported once, and the files
// are written anyway. Before the release it is an error: nothing is lost yet.
func TestReserveFailsInMidJob(t *testing.T) {
	const size = 2 * probeReserve
	fault := &fault{late: errors.New("no stretch is left")}
	engine, eff := prepared(t, newJob(t.TempDir(), trace.Write, size, size, size),
		fault.system())
	warnings := slices.Clone(eff.Warnings)
	fault.armed.Store(true)
	transferAll(t, engine)
	if got := engine.LateWarnings(); len(got) != 1 ||
		!strings.Contains(got[0], "file 1 of the job (no stretch is left)") {
		t.Errorf("LateWarnings() = %q, want one that names file 1 and the cause", got)
	}
	check.Same(t, "the warnings that Prepare returned", warnings, eff.Warnings)
	checkContent(t, engine, size, size, size)

	unready := newMover(newJob(t.TempDir(), trace.Write, size), fault.system())
	_, err := unready.Prepare(t.Context(), func(int64) {})
	check.Refused(t, "Prepare()", err, "no stretch is left")
	closeEngine(t, unready)
}

// Containers often forbid io_uring, and old kernels and emulators have none: threads do the work
// then, and the job says so.
func TestRefusedRing(t *testing.T) {
	for _, errno := range []syscall.Errno{syscall.EPERM, syscall.ENOSYS} {
		refused := func(ioWork) (ioEngine, error) {
			return nil, fmt.Errorf("set up io_uring: %w", errno)
		}
		engine, eff := prepared(t, newJob(t.TempDir(), trace.Write, 1<<20),
			system{open: openTestFile, ring: refused})
		if eff.Cache == "buffered" {
			t.Skip("no direct requests on this file system")
		}
		check.Same(t, "engine", "threads", eff.Engine)
		warned(t, eff.Warnings,
			fmt.Sprintf("io_uring is not available here (set up io_uring: %v)", errno))
		transferAll(t, engine)
	}
}
