package diskio

import (
	"os"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/hubbench/hubbench/pkg/trace"
)

// keepsSmall is a file whose direct writes of less than a page of 16 KiB stay in the cache.
type keepsSmall struct {
	testFile
	kept atomic.Bool
}

func (f *keepsSmall) writeAt(lane int, p []byte, off int64) (int, error) {
	if len(p) < 16384 {
		f.kept.Store(true)
	}
	return f.testFile.writeAt(lane, p, off)
}

func (f *keepsSmall) cached(size int64) int64 {
	if f.kept.Load() {
		return size
	}
	return f.testFile.cached(size)
}

func keepingSmall(open opener) opener {
	return func(folder *os.Root, name string, o opening) (testFile, error) {
		f, err := open(folder, name, o)
		return &keepsSmall{testFile: f}, err
	}
}

// macOS writes whole pages past its cache: what can be whole pages is. Smaller writes are tried,
// and what came of them is said.
func TestWritesOfWholePages(t *testing.T) {
	for _, tt := range []struct {
		name        string
		role        trace.Role
		block, used int64
		keeps       bool
		cache       string
		small       string
		warning     string
	}{
		{"pages", trace.Write, 64 << 10, 64 << 10, true, "direct", "", ""},
		{"a block of no whole pages", trace.Write, 100_000, 114_688, true, "direct", "",
			"multiple of the 16384 bytes"},
		{"less than a page", trace.Write, 4096, 4096, true, "cached writes",
			"cached writes: the score is the cache's",
			"no blocks of 4 KiB past its cache, only 16 KiB and more"},
		{"less than a page, and direct", trace.Write, 4096, 4096, false, "direct",
			"direct 4 KiB writes", ""},
		{"reads of less than a page", trace.Read, 4096, 4096, true, "direct", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			job := newJob(t.TempDir(), tt.role, odd...)
			job.IO.Block = tt.block
			sys, log := noting()
			sys.cachedBelow = 16384
			if tt.keeps {
				sys.open = keepingSmall(sys.open)
			}
			engine, eff := prepared(t, job, sys)
			if eff.Cache == "buffered" {
				t.Skip("no direct requests on this file system")
			}
			if eff.Cache != tt.cache || eff.Block != tt.used {
				t.Errorf("Prepare() = %+v, want cache %s, block %d", eff, tt.cache, tt.used)
			}
			if eff.SmallWrites != tt.small {
				t.Errorf("small writes: %q, want %q", eff.SmallWrites, tt.small)
			}
			var gauges []string
			for _, g := range engine.gauges {
				gauges = append(gauges, g.Name)
			}
			if slices.Contains(gauges, trace.CachedWrites) != (tt.cache == trace.CacheOfWrites) {
				t.Errorf("gauges %q of the cache %s", gauges, tt.cache)
			}
			warned(t, eff.Warnings, tt.warning)
			*log = nil // probing writes less
			transferAll(t, engine)
			checkContent(t, engine, odd...)
			partly := func(r logged) bool { return r.n%16384 != 0 || r.off%16384 != 0 }
			if whole := tt.role == trace.Write && tt.block >= 16384; whole &&
				(len(*log) == 0 || slices.ContainsFunc(*log, partly)) {
				t.Errorf("got the writes %v, want whole pages", *log)
			}
		})
	}
}

// The end of a new file lies where it will be before its first request: those in flight together
// move it no further.
func TestPreallocationSetsTheEnd(t *testing.T) {
	engine, _ := prepared(t, newJob(t.TempDir(), trace.Write, 1<<20), systems["threads"])
	if engine.traits.reserveErr != nil {
		t.Skip("this file system does not preallocate")
	}
	info, err := os.Stat(engine.folder.Path + "/" + record{}.Name())
	if err != nil || info.Size() != 1<<20 {
		t.Errorf("before its first request the file is %v, %v, want 1 MiB", info.Size(), err)
	}
}
