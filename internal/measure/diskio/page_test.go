package diskio

import (
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/hubbench/hubbench/pkg/trace"
)

// pages notes the writes that are no whole pages of 16 KiB in a whole place.
type pages struct {
	testFile
	log *pageLog
}

type pageLog struct {
	mu          sync.Mutex
	whole, part int
}

func (f *pages) writeAt(lane int, p []byte, off int64) (int, error) {
	f.log.mu.Lock()
	defer f.log.mu.Unlock()
	if len(p)%16384 != 0 || off%16384 != 0 {
		f.log.part++
	} else {
		f.log.whole++
	}
	return f.testFile.writeAt(lane, p, off)
}

// macOS writes whole pages past its cache and the rest through it: what can be whole pages is, the rest is said.
func TestWritesOfWholePages(t *testing.T) {
	for _, tt := range []struct {
		name        string
		role        trace.Role
		block, used int64
		cache       string
		warning     string
	}{
		{"pages", trace.Write, 64 << 10, 64 << 10, "direct", ""},
		{"a block of no whole pages", trace.Write, 100_000, 114_688, "direct", "multiple of the 16384 bytes"},
		{"less than a page", trace.Write, 4096, 4096, "cached writes", "those of 4096 bytes go through it"},
		{"reads of less than a page", trace.Read, 4096, 4096, "direct", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			log := &pageLog{}
			job := newJob(t.TempDir(), tt.role, odd...)
			job.IO.Block = tt.block
			sys := wrapping(func(f testFile, _ opening) testFile { return &pages{f, log} })
			sys.cachedBelow = 16384
			engine, eff := prepared(t, job, sys)
			if eff.Cache == "buffered" {
				t.Skip("no direct requests on this file system")
			}
			if eff.Cache != tt.cache || eff.Block != tt.used {
				t.Errorf("Prepare() = %+v, want cache %s, block %d", eff, tt.cache, tt.used)
			}
			if all := strings.Join(eff.Warnings, "\n"); !strings.Contains(all, tt.warning) || tt.warning == "" && all != "" {
				t.Errorf("warnings = %q, want %q", all, tt.warning)
			}
			*log = pageLog{} // probing writes less
			transferAll(t, engine)
			for seq, size := range odd {
				checkContent(t, engine.folder.path+"/"+record{Number: seq}.name(), seq, size)
			}
			if want := tt.role == trace.Write && tt.cache == "direct"; want && (log.part > 0 || log.whole == 0) {
				t.Errorf("%d writes of whole pages, %d others, want none but whole ones", log.whole, log.part)
			}
		})
	}
}

// The end of a new file lies where it will be before its first request: those in flight together move it no further.
func TestPreallocationSetsTheEnd(t *testing.T) {
	engine, _ := prepared(t, newJob(t.TempDir(), trace.Write, 1<<20), systems["threads"])
	if engine.traits.reserveNo != nil {
		t.Skip("this file system does not preallocate")
	}
	info, err := os.Stat(engine.folder.path + "/" + record{}.name())
	if err != nil || info.Size() != 1<<20 {
		t.Errorf("before its first request the file is %v, %v, want 1 MiB", info.Size(), err)
	}
}
