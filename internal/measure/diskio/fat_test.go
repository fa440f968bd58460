package diskio

import (
	"strings"
	"sync"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// growing is a file on a file system that fills it with zeros up to where it is written or ends.
type growing struct {
	testFile
	one    sync.Mutex
	end    int64 // of what was written so far
	filled *int64
}

func (f *growing) writeAt(lane int, p []byte, off int64) (int, error) {
	f.one.Lock()
	defer f.one.Unlock()
	*f.filled += max(0, off-f.end)
	f.end = max(f.end, off+int64(len(p)))
	return f.testFile.writeAt(lane, p, off)
}

func (f *growing) reserve(size int64) error {
	if size > probeReserve {
		*f.filled += size
		f.end = size
	}
	return f.testFile.reserve(size)
}

// On exFAT macOS writes no file twice: new ones are neither reserved nor written ahead of the rest.
func TestFilesOnExFATAreWrittenOnce(t *testing.T) {
	for _, tt := range []struct {
		name   string
		kind   string
		change func(*Job)
		depth  int
		space  string
		warned bool
		filled int64 // of zeros
	}{
		{"written", "exfat", func(*Job) {}, 1, trace.SpaceNone, true, 0},
		{"written by MS-DOS's", "msdos", func(*Job) {}, 1, trace.SpaceNone, true, 0},
		{"read", "exfat", func(j *Job) { j.Role = trace.Read }, 4, "", false, 0},
		{"overwritten", "exfat", func(j *Job) {
			j.IO.OneFile, j.IO.Access = true, scenario.AccessRandom
		}, 4,
			trace.SpaceNone, false, 0},
		{"at random, which needs its length", "exfat", func(j *Job) {
			j.IO.Access = scenario.AccessRandom
		}, 4,
			trace.SpaceReserved, false, 2 * 4 << 20},
		{"on APFS", "apfs", func(*Job) {}, 4, trace.SpaceReserved, false, 2 * 4 << 20},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var filled int64
			sys := wrapping(func(f testFile, o opening) testFile {
				g := &growing{testFile: f, filled: &filled}
				if o.again {
					g.end = 4 << 20
				}
				return g
			})
			sys.fileSystem = func(string) string { return tt.kind }
			job := newJob(t.TempDir(), trace.Write, 4<<20, 4<<20)
			tt.change(&job)
			engine, eff := prepared(t, job, sys)
			if engine.traits.reserveErr != nil || engine.traits.declareErr != nil {
				t.Skip("this file system does not preallocate")
			}
			if eff.Depth != tt.depth || eff.Space != tt.space || eff.FileSystem != tt.kind {
				t.Errorf("Prepare() = %+v, want depth %d, space %q on %s", eff, tt.depth, tt.space,
					tt.kind)
			}
			if all := strings.Join(eff.Warnings, "\n"); strings.Contains(all,
				"with one request in flight") != tt.warned {
				t.Errorf("warnings %q", all)
			}
			transferAll(t, engine)
			check.Same(t, "bytes filled with zeros", tt.filled, filled)
		})
	}
}

// What a driver may have lost is not blamed on the disk alone.
func TestMismatchOnExFAT(t *testing.T) {
	fault := &fault{other: true}
	sys := fault.system()
	sys.fileSystem = func(string) string { return "exfat" }
	job := newJob(t.TempDir(), trace.Write, 1<<20)
	job.IO.Verify = scenario.VerifyFull
	engine, _ := prepared(t, job, sys)
	started(engine)
	fault.armed.Store(true)
	_, err := engine.Transfer(t.Context(), 0, func(_, _, _ int64) {})
	check.Refused(t, "Transfer()", err, "macOS's driver for exfat has lost data on sound disks")
	if elsewhere := (&Mismatch{}).Error(); strings.Contains(elsewhere, "driver") {
		t.Errorf("elsewhere: %v", elsewhere)
	}
}
