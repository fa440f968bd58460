package diskio

import (
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// A job that is tried leaves the files that the next one needs, and nothing after that.
func TestTry(t *testing.T) {
	dir := t.TempDir()
	job := newJob(dir, trace.Write, 3<<20)
	job.CarryOver = job.Sizes
	wrote, err := Try(t.Context(), job, func() {})
	check.Must(t, err)
	if len(check.Names(t, dir)) != 1 {
		t.Errorf("left %q, want the folder with the file to read", check.Names(t, dir))
	}
	read := newJob(dir, trace.Read, 3<<20)
	got, err := Try(t.Context(), read, func() {})
	check.Must(t, err)
	for _, tried := range []Trial{wrote, got} {
		if tried.Effective.FlushReaches != fsyncReaches {
			t.Errorf("%s reaches %q, want %q", tried.Effective.Flush, tried.Effective.FlushReaches,
				fsyncReaches)
		}
		if tried.Bytes != 3<<20 || tried.Seconds <= 0 || tried.Effective.Cache == "" ||
			tried.Cached > 3<<20 {
			t.Errorf("got %+v", tried)
		}
	}
	check.Empty(t, dir)
}

// A job through the cache leaves its file there, and one past it does not, if the system says so.
func TestTryTellsWhatIsCached(t *testing.T) {
	job := newJob(t.TempDir(), trace.Write, 3<<20)
	job.IO.Mode = scenario.ModeApp
	got, err := Try(t.Context(), job, func() {})
	check.Must(t, err)
	if got.Cached >= 0 && got.Cached < 3<<20 {
		t.Errorf("%d bytes of %d are cached after a write through the cache", got.Cached, 3<<20)
	}
}

func TestTryFlush(t *testing.T) {
	dir := t.TempDir()
	for _, mode := range []string{scenario.FlushNone, scenario.FlushFsync, scenario.FlushFull} {
		got, err := TryFlush(t.Context(), dir, "r", mode, 5, func() {})
		check.Must(t, err)
		if got.Refused == nil && (len(got.FlushNS) != 5 || len(got.WriteNS) != 5) {
			t.Errorf("%s: got %+v", mode, got)
		}
	}
	check.Empty(t, dir)
}

// Files that are there already are dropped from the cache before they are read, each with a flush:
// that goes on, and is reported.
func TestDroppingFromTheCacheIsReported(t *testing.T) {
	dir := t.TempDir()
	job := newJob(dir, trace.Write, 4096, 4096, 4096, 4096, 4096)
	job.CarryOver = job.Sizes
	_, err := Try(t.Context(), job, func() {})
	check.Must(t, err)
	reported := map[int64]bool{}
	prepared(t, newJob(dir, trace.Read, job.Sizes...), systemCalls(),
		func(done int64) { reported[done] = true })
	if len(reported) < len(job.Sizes) {
		t.Errorf("reported %d times for %d files", len(reported), len(job.Sizes))
	}
}
