package diskio

import (
	"testing"

	"github.com/hubbench/hubbench/internal/machine/libsystem"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Blocks of 4 KiB are written past the cache at random places of a file, since the system was asked
// for it: without that macOS reads and keeps the page of 16 KiB around each.
func TestSmallWritesAreDirect(t *testing.T) {
	if err := libsystem.WriteSmallDirectly(); err != nil {
		t.Skipf("this system cannot: %v", err)
	}
	job := newJob(t.TempDir(), trace.Write, 1<<20, 1<<20)
	job.IO.Block, job.IO.Access, job.IO.OneFile = 4096, scenario.AccessRandom, true
	engine, eff := prepared(t, job, systemCalls())
	if eff.Cache != "direct" || eff.SmallWrites != "direct 4 KiB writes" || len(eff.Warnings) > 0 {
		t.Errorf("Prepare() = %+v, want direct writes", eff)
	}
	transferAll(t, engine)
	// Linux, in the place of macOS, may have a page in use when it is to be dropped.
	if share, ok := engine.Cached(); !ok || share > 0.1 {
		t.Errorf("%v of the file is in the cache (known: %v)", share, ok)
	}
}
