package diskio

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// After a job past the cache, the cache holds nothing of it; if it does anyway, as after somebody's
// read of the files, that is found.
func TestCached(t *testing.T) {
	for _, role := range []trace.Role{trace.Write, trace.Read} {
		engine, eff := prepared(t, newJob(t.TempDir(), role, 3_000_001, 100, 1<<20),
			system{open: openTestFile, ring: noRing, cachedBelow: cachedBelow})
		transferAll(t, engine)
		if share, ok := engine.Cached(); eff.Cache == "direct" && ok && share > 0 {
			t.Errorf("%s: %v of the files are in the cache", role, share)
		} else if eff.Cache != "direct" && ok {
			t.Errorf("%s: requests through the cache were judged as if they were not", role)
		}
		if _, ok := engine.Cached(); !ok {
			t.Skip("this system does not say, or has no direct requests here")
		}
		// The larger file of three, read by somebody.
		_, err := os.ReadFile(filepath.Join(engine.folder.Path, record{}.Name()))
		check.Must(t, err)
		share, _ := engine.Cached()
		check.Near(t, "share of the files in the cache", 732./988, share, 0.01)
	}
}

// What goes through the cache by design, or cannot be looked at, is not judged.
func TestCachedIsNotAsked(t *testing.T) {
	for name, change := range map[string]func(*Job, *system){
		"an application's way": func(j *Job, _ *system) { j.IO.Mode = scenario.ModeApp },
		"no direct requests": func(_ *Job, s *system) {
			s.open = (&fault{direct: os.ErrInvalid}).open
		},
		"writes below a page": func(j *Job, s *system) {
			j.IO.Block, s.cachedBelow, s.open = 4096, 16384, keepingSmall(s.open)
		},
		"less than a page": func(j *Job, _ *system) { j.Sizes = []int64{100} },
	} {
		job, sys := newJob(t.TempDir(), trace.Write, 1<<20),
			system{open: openTestFile, ring: noRing}
		change(&job, &sys)
		engine, _ := prepared(t, job, sys)
		transferAll(t, engine)
		if share, ok := engine.Cached(); ok {
			t.Errorf("%s: %v is said to be cached", name, share)
		}
	}
}
