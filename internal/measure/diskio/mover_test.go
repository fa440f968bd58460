package diskio

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/hubbench/hubbench/internal/measure/clock"
	"github.com/hubbench/hubbench/internal/measure/testfolder"
	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// newJob is a small job in dir.
func newJob(dir string, role trace.Role, sizes ...int64) Job {
	return Job{
		Job: scenario.Job{
			Disk: "B", Role: role, Sizes: sizes, Seed: 1,
			IO: scenario.IO{Mode: "direct", Block: 64 << 10, Depth: 4, Flush: "fsync",
				Preallocate: true},
		},
		RunID: "r1", Phase: "WWW", Dir: dir,
	}
}

// folders are one folder on each kind of file system at hand.
func folders(t *testing.T) map[string]string {
	t.Helper()
	dirs := map[string]string{"disk": t.TempDir()}
	if runtime.GOOS == "linux" {
		dir, err := os.MkdirTemp("/dev/shm", "hubbench-test-")
		check.Must(t, err)
		t.Cleanup(func() { os.RemoveAll(dir) })
		dirs["memory"] = dir
	}
	return dirs
}

// systems are the ways to move bytes that this system may have.
var systems = withRings(map[string]system{
	"threads": {open: openTestFile, ring: noRing},
})

// wrapping is a system of threads whose files are wrapped.
func wrapping(wrap func(testFile, opening) testFile) system {
	return system{ring: noRing,
		open: func(folder *os.Root, name string, o opening) (testFile, error) {
			f, err := openTestFile(folder, name, o)
			if err != nil {
				return nil, err
			}
			return wrap(f, o), nil
		}}
}

// hooked is a file each of whose requests passes by a function first, which says whether it has
// done it.
type hooked struct {
	testFile
	by func(op trace.Role, lane int, off, n int64) (done bool)
}

func (f hooked) readAt(lane int, p []byte, off int64) (int, error) {
	if f.by(trace.Read, lane, off, int64(len(p))) {
		return len(p), nil
	}
	return f.testFile.readAt(lane, p, off)
}

func (f hooked) writeAt(lane int, p []byte, off int64) (int, error) {
	if f.by(trace.Write, lane, off, int64(len(p))) {
		return len(p), nil
	}
	return f.testFile.writeAt(lane, p, off)
}

func (f hooked) readList(list [][]byte, off int64) (int64, error) {
	if n := lengthOf(list); f.by(trace.Read, 0, off, n) {
		return n, nil
	}
	return f.testFile.readList(list, off)
}

func (f hooked) writeList(list [][]byte, off int64) (int64, error) {
	if n := lengthOf(list); f.by(trace.Write, 0, off, n) {
		return n, nil
	}
	return f.testFile.writeList(list, off)
}

func lengthOf(list [][]byte) (n int64) {
	for _, p := range list {
		n += int64(len(p))
	}
	return n
}

// logged is a request as a file of a test saw it.
type logged struct {
	op           trace.Role
	off, n, atNS int64
}

// noting is a system whose requests are noted, by no more lanes than a file was opened for.
func noting() (system, *[]logged) {
	log, one := &[]logged{}, &sync.Mutex{} // lanes come together
	return wrapping(func(f testFile, o opening) testFile {
		return hooked{f, func(op trace.Role, lane int, off, n int64) bool {
			if lane >= o.lanes {
				panic(fmt.Sprintf("lane %d of a file that was opened for %d", lane, o.lanes))
			}
			one.Lock()
			defer one.Unlock()
			*log = append(*log, logged{op: op, off: off, n: n})
			return false
		}}
	}), log
}

func noRing(ioWork) (ioEngine, error) { return nil, errNoRing }

// prepared makes the job's engine and prepares it; the test closes it if it does not itself. An
// engine belongs to a thread, which ends with the test. The listener hears of progress in the
// background.
func prepared(
	t testing.TB, job Job, sys system, listener ...func(done int64),
) (*mover, trace.Effective) {
	t.Helper()
	runtime.LockOSThread()
	engine := newMover(job, sys)
	engine.sampleNS = 1
	t.Cleanup(func() { closeEngine(t, engine) })
	eff, err := engine.Prepare(t.Context(), append(listener, func(int64) {})[0])
	check.Must(t, err)
	return engine, eff
}

// started releases the engine now, to nobody's interest.
func started(e Engine) { e.Start(clock.Now(), func(trace.Event) {}) }

// moved is the span of file seq.
func moved(t testing.TB, e Engine, seq int) Span {
	t.Helper()
	span, err := e.Transfer(t.Context(), seq, func(_, _, _ int64) {})
	if err != nil {
		t.Fatalf("Transfer(%d) = %v", seq, err)
	}
	return span
}

// warned checks that the warnings say what is wanted, and that there are none if that is nothing.
func warned(t testing.TB, warnings []string, want string) {
	t.Helper()
	if all := strings.Join(warnings, "\n"); !strings.Contains(all, want) || want == "" &&
		all != "" {
		t.Errorf("warnings = %q, want %q", all, want)
	}
}

func closeEngine(t testing.TB, e Engine) {
	t.Helper()
	if err := e.Close(); err != nil {
		t.Errorf("Close() = %v", err)
	}
}

// transferAll does every file of the job and checks spans, samples, and that every request is
// counted once: those before the release or of a read-back are not, and an application's request is
// its call.
func transferAll(t *testing.T, engine *mover) {
	t.Helper()
	release := clock.Now()
	var heard emitted
	engine.Start(release, heard.emit)
	var last, requests int64
	for seq, size := range engine.job.Sizes {
		var samples, bytes, at int64
		span, err := engine.Transfer(t.Context(), seq, func(b, _, t int64) {
			samples++
			if b < bytes || t < at {
				at = -1
			}
			bytes, at = b, max(at, t)
		})
		if err != nil {
			t.Fatalf("Transfer(%d) = %v", seq, err)
		}
		check.Same(t, fmt.Sprintf("bytes of file %d", seq), size, span.Bytes)
		if span.StartNS < last || span.EndNS <= span.StartNS || span.EndNS > clock.Now()-release {
			t.Errorf("Transfer(%d) = %+v after %d ns, want a span after that and before now", seq,
				span, last)
		}
		if samples > 0 && (at < span.StartNS || at > span.EndNS || bytes > size) {
			t.Errorf("Transfer(%d): the last sample is %d bytes at %d ns, want it within %+v", seq,
				bytes, at, span)
		}
		// A file may be over before the goroutine that samples has its turn, and a single call has
		// nothing in between.
		if long := span.EndNS-span.StartNS >= 50e6; samples == 0 && long && size >= 16<<20 &&
			engine.job.IO.Mode == scenario.ModeDirect {
			t.Errorf("Transfer(%d) gave no sample", seq)
		}
		last = span.EndNS
		block := engine.job.IO.Block
		if engine.job.IO.Mode == scenario.ModeApp {
			block = size
		}
		requests += (size + block - 1) / block
	}
	engine.latencies.stop()
	engine.latencies = newLatencies(heard.emit)
	reads, writes := heard.sum(t, trace.Read), heard.sum(t, trace.Write)
	check.Same(t, "requests counted", requests, reads.TotalCount()+writes.TotalCount())
	if longest := max(reads.Max(), writes.Max()); longest <= 0 || longest > last {
		t.Errorf("the longest request took %d ns of %d in all", longest, last)
	}
}

// odd are sizes at every edge: one byte, less than a sector, a sector, not quite a block, blocks
// and a bit.
var odd = []int64{1, 511, 512, 64<<10 - 1, 64 << 10, 1_000_000, 3<<20 + 7}

// On each kind of file system and in each way to move bytes, jobs move all of their files, and
// leave them as they were to be written until they are removed.
func TestJobs(t *testing.T) {
	for where, dir := range folders(t) {
		for how, sys := range systems {
			for what, change := range map[string]func(*Job){
				"as it is": func(*Job) {},
				// Files to read are written in large blocks, from memory that direct requests take,
				// whatever the job's own block.
				"of blocks that no large one is made of": func(j *Job) { j.IO.Block = 47 * 4096 },
				"at random": func(j *Job) {
					j.IO.Block, j.IO.Access = 4096, scenario.AccessRandom
				},
				"in passes over one file": func(j *Job) {
					*j = newPasses(j.Dir, j.Role)
				},
				"verified": func(j *Job) { j.IO.Verify = scenario.VerifyFull },
				"reading and writing at once, verified": func(j *Job) {
					j.Reads, j.IO.Block, j.IO.Depth = 0.7, 4096, 16
					j.IO.Access, j.IO.Verify = scenario.AccessRandom, scenario.VerifyFull
				},
				"an application's, verified": func(j *Job) {
					j.IO.Verify, j.IO.Mode = scenario.VerifyFull, scenario.ModeApp
				},
			} {
				for _, role := range []trace.Role{trace.Write, trace.Read} {
					t.Run(strings.Join([]string{where, how, string(role), what}, " "),
						func(t *testing.T) {
							job := newJob(dir, role, odd...)
							change(&job)
							engine, _ := prepared(t, job, sys)
							transferAll(t, engine)
							sizes := job.Sizes
							if job.IO.OneFile {
								sizes = sizes[:1]
							}
							if got := check.Names(t, engine.folder.Path); len(got) != len(sizes)+1 {
								t.Errorf("files: %q, want %d and the marker", got, len(sizes))
							}
							if job.IO.Mode != scenario.ModeApp {
								checkContent(t, engine, sizes...)
							}
							closeEngine(t, engine)
							check.Empty(t, dir)
						})
				}
			}
		}
	}
}

// checkContent checks that the engine's files have their sizes and every unit the stamp of its
// place.
func checkContent(t *testing.T, engine *mover, sizes ...int64) {
	t.Helper()
	for seq, size := range sizes {
		content, err := os.ReadFile(filepath.Join(engine.folder.Path, record{Number: seq}.Name()))
		check.Must(t, err)
		check.Same(t, fmt.Sprintf("size of file %d", seq), size, int64(len(content)))
		s := stamper{tag: tagOf("r1", "B"), file: uint32(seq), unit: dataUnit}
		want := make([]byte, dataUnit)
		for off := int64(0); size-off >= stampBytes; off += dataUnit {
			got := content[off:min(off+dataUnit, size)]
			number := int64(binary.LittleEndian.Uint32(got[8:]))
			noise(want, s.tag, number*dataUnit)
			s.put(want, off, number*dataUnit)
			if !bytes.Equal(got, want[:len(got)]) {
				t.Fatalf("file %d at %d: content is not what was to be written", seq, off)
			}
		}
	}
}

// What a job really gets is what was asked for, or it says so.
func TestEffective(t *testing.T) {
	dirs := folders(t)
	for _, tt := range []struct {
		name, dir string
		change    func(*Job, *system)
		want      trace.Effective
		warning   string
	}{
		{"as asked", "disk", func(*Job, *system) {},
			trace.Effective{Cache: "direct", Block: 64 << 10, Depth: 4}, ""},
		{"block of no whole sectors", "disk", func(j *Job, _ *system) {
			j.IO.Block = 100_000
		}, trace.Effective{Cache: "direct", Block: 100_352, Depth: 4},
			"bytes that go past the cache together"},
		{"memory", "memory", func(*Job, *system) {},
			trace.Effective{Cache: "buffered", Block: 64 << 10, Depth: 4},
			"direct I/O is not available here"},
		{"an application's read of memory, whose cache cannot be emptied", "memory",
			func(j *Job, _ *system) { j.Role, j.IO.Mode = trace.Read, scenario.ModeApp },
			trace.Effective{Cache: "buffered", Block: 1 << 20, Depth: 1},
			"1048576 of the 1048576 bytes to be read could not be dropped"},
		{"held back", "disk", func(_ *Job, s *system) {
			s.priority = func() (string, string) { return priorityOf(true, "") }
		}, trace.Effective{Cache: "direct", Block: 64 << 10, Depth: 4, Priority: "background"},
			"in the background"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if dirs[tt.dir] == "" {
				t.Skip("no file system in memory here")
			}
			if cannot := noDirect(t); tt.want.Cache == "direct" && cannot != "" {
				t.Skipf("no direct requests here: %s", cannot)
			}
			job, sys := newJob(dirs[tt.dir], trace.Write, 1<<20), systems["threads"]
			tt.change(&job, &sys)
			_, got := prepared(t, job, sys)
			if runtime.GOOS == "linux" &&
				(got.Cache != tt.want.Cache || got.Block != tt.want.Block) ||
				got.Depth != tt.want.Depth || got.Flush != "fsync" ||
				got.Priority != tt.want.Priority {
				t.Errorf("Prepare() = %+v, want %+v", got, tt.want)
			}
			warned(t, got.Warnings, tt.warning)
		})
	}
}

func TestKeep(t *testing.T) {
	dir := t.TempDir()
	job := newJob(dir, trace.Write, 4096, 8192)
	job.IO.Keep = true
	// A second phase of the run keeps its files beside the first's.
	for range 2 {
		engine, _ := prepared(t, job, systems["io_uring"])
		transferAll(t, engine)
		closeEngine(t, engine)
	}
	check.Must(t, testfolder.RemoveRun(dir, "r1"))
	want := "data-000000.bin data-000001.bin data-000002.bin data-000003.bin files.json hubbench.json"
	if got := strings.Join(check.Names(t, filepath.Join(dir, ".hubbench-r1")), " "); got != want {
		t.Errorf("kept %s, want %s", got, want)
	}
}

func TestCancelStopsAtTheNextRequest(t *testing.T) {
	for how, sys := range systems {
		for _, role := range []trace.Role{trace.Write, trace.Read} {
			t.Run(how+" "+string(role), func(t *testing.T) {
				engine, _ := prepared(t, newJob(t.TempDir(), role, 64<<20), sys)
				ctx, cancel := context.WithCancel(t.Context())
				started(engine)
				span, err := engine.Transfer(ctx, 0, func(_, _, _ int64) { cancel() })
				if !errors.Is(err, context.Canceled) {
					t.Errorf("Transfer() = %v, want %v", err, context.Canceled)
				}
				if span.Bytes == 0 || span.Bytes >= 32<<20 {
					t.Errorf("moved %d bytes, want some, and far from all", span.Bytes)
				}
			})
		}
	}
}

func TestFileTruncatedUnderARead(t *testing.T) {
	for how, sys := range systems {
		for _, left := range []int64{0, 64 << 10, 100_000} {
			engine, _ := prepared(t, newJob(t.TempDir(), trace.Read, 1<<20), sys)
			check.Must(t, os.Truncate(filepath.Join(engine.folder.Path, record{}.Name()), left))
			started(engine)
			_, err := engine.Transfer(t.Context(), 0, nil)
			check.Refused(t, how, err, "disk B: read file 0")
			check.Refused(t, how, err, "it was truncated during the run")
		}
	}
}

// A job that cannot be prepared says on which disk and in which folder, and leaves nothing.
func TestPrepareFails(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(t.TempDir(), "file")
	check.Must(t, os.WriteFile(file, nil, 0o600))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tt := range []struct {
		dir  string
		ctx  context.Context
		want string
	}{
		{filepath.Join(dir, "absent"), t.Context(), "disk B: prepare in " +
			filepath.Join(dir, "absent")},
		{file, t.Context(), "disk B: prepare in " + file},
		{dir, ended, context.Canceled.Error()},
	} {
		engine := newMover(newJob(tt.dir, trace.Read, 1<<20), systems["io_uring"])
		_, err := engine.Prepare(tt.ctx, func(int64) {})
		check.Refused(t, "Prepare()", err, tt.want)
		closeEngine(t, engine)
		check.Empty(t, dir)
	}
}
