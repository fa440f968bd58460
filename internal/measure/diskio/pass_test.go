package diskio

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hubbench/hubbench/internal/measure/testfolder"
	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// newPasses is a job of three passes over one file, in random order.
func newPasses(dir string, role trace.Role) Job {
	job := newJob(dir, role, 4<<20, 4<<20, 4<<20)
	job.IO.Block, job.IO.Depth = 4096, 16
	job.IO.OneFile, job.IO.Access, job.IO.Verify = true, "random", "full"
	return job
}

// canceled checks that a file does not begin when its context has ended.
func canceled(t *testing.T, engine *mover, seq int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := engine.Transfer(ctx, seq, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("Transfer(%d) = %v, want %v", seq, err, context.Canceled)
	}
}

func TestCapEndsAPass(t *testing.T) {
	for how, sys := range systems {
		for _, oneFile := range []bool{true, false} {
			t.Run(how, func(t *testing.T) {
				dir := t.TempDir()
				job := newPasses(dir, trace.Write)
				job.IO.OneFile, job.IO.Cap = oneFile, time.Nanosecond
				engine, _ := prepared(t, job, sys)
				started(engine)
				for seq := range job.Sizes {
					span, err := engine.Transfer(t.Context(), seq, nil)
					if err != nil || span.Bytes == job.Sizes[seq] {
						t.Errorf("Transfer(%d) = %d bytes, %v, want fewer than %d and no error",
							seq, span.Bytes, err, job.Sizes[seq])
					}
				}
				// What a pass leaves undone makes no hole: files are whole or gone.
				check.Same(t, "the file is there", oneFile,
					slices.Contains(check.Names(t, engine.folder.Path), "data-000000.bin"))
			})
		}
	}
}

// Files begin a rest after the one before was over and done with, so that it is never shorter, or
// at steps after the release, however long the ones before took.
func TestFilesBeginLater(t *testing.T) {
	const rest, step = 30 * time.Millisecond, 20 * time.Millisecond
	for _, stepped := range []bool{false, true} {
		job := newJob(t.TempDir(), trace.Write, 4096, 4096, 4096)
		job.IO.Rest, job.IO.Think = rest/2, rest/2
		if stepped {
			job.IO.Rest, job.IO.Think, job.IO.Step = 0, 0, step
		}
		engine, _ := prepared(t, job, systems["io_uring"])
		started(engine)
		var last Span
		for seq := range 2 {
			span := moved(t, engine, seq)
			earliest := int64(seq) * (last.EndNS + rest.Nanoseconds())
			if stepped {
				earliest = int64(seq) * step.Nanoseconds()
			}
			if span.StartNS < earliest {
				t.Errorf("file %d began at %d ns, want from %d on", seq, span.StartNS, earliest)
			}
			last = span
		}
		engine.job.IO.Think, engine.job.IO.Step = time.Hour, 0
		canceled(t, engine, 2)
	}
	for _, tt := range []struct {
		seq         int
		since, want int64
	}{
		{0, 0, 0}, {1, 4, 10}, {1, 10, 10}, {3, 10, 30}, {1, 11, 20}, {2, 35, 40},
	} {
		check.Same(t, fmt.Sprintf("beginning of file %d, at %d", tt.seq, tt.since), tt.want,
			stepOf(tt.seq, 10, tt.since))
	}
}

func TestFootprint(t *testing.T) {
	dir := t.TempDir()
	sizes := []int64{3 << 20, 1 << 20, 2 << 20, 4 << 20, 1 << 20}
	job := newJob(dir, trace.Write, sizes...)
	job.IO.Footprint = 5 << 20
	engine, _ := prepared(t, job, systems["io_uring"])
	started(engine)
	for seq := range sizes {
		moved(t, engine, seq)
		var bytes int64
		files, err := filepath.Glob(filepath.Join(engine.folder.Path, "data-*"))
		check.Must(t, err)
		for _, name := range files {
			info, err := os.Stat(name)
			check.Must(t, err)
			bytes += info.Size()
		}
		if last := filepath.Base(files[len(files)-1]); bytes > job.IO.Footprint ||
			last != (record{Number: seq}).Name() {
			t.Errorf("after file %d there are %d bytes up to file %s", seq, bytes, last)
		}
	}
}

// phases runs the jobs one after the other as phases of a run, and lists the files there are
// between them.
func phases(t *testing.T, dir string, opened *counter, jobs ...Job) (between []string) {
	t.Helper()
	for _, job := range jobs {
		engine, _ := prepared(t, job, system{open: opened.open, ring: newRing})
		transferAll(t, engine)
		closeEngine(t, engine)
		between = append(between, strings.Join(check.Names(t, filepath.Join(dir, ".hubbench-r1")),
			" "))
	}
	return between
}

// counter counts the data files created.
type counter struct{ created int }

func (c *counter) open(folder *os.Root, name string, o opening) (testFile, error) {
	if o.op == trace.Write && !o.again && name != testfolder.ProbeName {
		c.created++
	}
	return openTestFile(folder, name, o)
}

func TestPhasesReadWhatEarlierOnesWrote(t *testing.T) {
	sizes := []int64{8192, 4096, 8192, 100}
	backwards := []int64{100, 8192, 4096, 8192}
	some := []int64{4096, 300}
	for _, tt := range []struct {
		name    string
		jobs    func(dir string) []Job
		created int
		between []string
	}{
		{"written, read, read in another order", func(dir string) []Job {
			return []Job{newJob(dir, trace.Write, sizes...), newJob(dir, trace.Read, sizes...),
				newJob(dir, trace.Read, backwards...)}
		}, 4, []string{
			"data-000000.bin data-000001.bin data-000002.bin data-000003.bin files.json hubbench.json",
			"data-000000.bin data-000001.bin data-000002.bin data-000003.bin files.json hubbench.json", "",
		}},
		{"some of the sizes match", func(dir string) []Job {
			return []Job{newJob(dir, trace.Write, sizes...), newJob(dir, trace.Read, some...)}
		}, 5, []string{"data-000001.bin files.json hubbench.json", ""}},
		{"a read set outlives a write phase", func(dir string) []Job {
			return []Job{newJob(dir, trace.Read, some...), newJob(dir, trace.Write, 4096),
				newJob(dir, trace.Read, some...)}
		}, 3, []string{
			// The write phase makes the 4096 itself.
			"data-000000.bin data-000001.bin files.json hubbench.json",
			"data-000001.bin data-000002.bin files.json hubbench.json", "",
		}},
		{"passes over a file that was read", func(dir string) []Job {
			return []Job{newJob(dir, trace.Read, 4<<20), newPasses(dir, trace.Write),
				newPasses(dir, trace.Read)}
		}, 1, []string{"data-000000.bin files.json hubbench.json",
			"data-000000.bin files.json hubbench.json", ""}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			jobs := tt.jobs(dir)
			plan := &scenario.Plan{}
			for _, job := range jobs {
				plan.Phases = append(plan.Phases,
					scenario.Phase{Jobs: []scenario.Job{{Disk: "A"}, job.Job}})
			}
			for i := range jobs {
				jobs[i].CarryOver = plan.CarryOver(i, "B")
				jobs[i].IO.Verify = "full"
			}
			var opened counter
			between := phases(t, dir, &opened, jobs...)
			check.Same(t, "files after each phase", tt.between, between)
			check.Same(t, "files created", tt.created, opened.created)
		})
	}
}

// A phase that did not succeed leaves nothing for the next: there will be none.
func TestFailedPhaseLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	job := newJob(dir, trace.Write, 4096, 4096)
	job.CarryOver = []int64{4096}
	engine, _ := prepared(t, job, systems["io_uring"])
	started(engine)
	moved(t, engine, 0)
	canceled(t, engine, 1)
	closeEngine(t, engine)
	check.Empty(t, dir)
}

// Beyond its last file a job begins again: reads with the same files, writes in place of the
// earlier ones.
func TestFillerTakesThePlaceOfEarlierFiles(t *testing.T) {
	for _, role := range []trace.Role{trace.Write, trace.Read} {
		t.Run(string(role), func(t *testing.T) {
			dir := t.TempDir()
			job := newJob(dir, role, 8192, 4096)
			job.CarryOver = []int64{4096}
			engine, _ := prepared(t, job, systems["io_uring"])
			started(engine)
			for seq := range 7 {
				check.Same(t, "bytes moved", job.Size(seq), moved(t, engine, seq).Bytes)
			}
			if got := check.Names(t, engine.folder.Path); len(got) != 3 {
				t.Errorf("files: %q, want two and the marker", got)
			}
			// Stopped in the middle of filler, the job's own work is done.
			canceled(t, engine, 7)
			closeEngine(t, engine)
			if got := check.Names(t, filepath.Join(dir, ".hubbench-r1")); len(got) != 3 ||
				got[1] != testfolder.ListName {
				t.Errorf("left: %q, want a file, the list and the marker", got)
			}
		})
	}
}
